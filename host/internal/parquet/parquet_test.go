package parquet

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// linesOf returns the rows of a file.
func linesOf(t testing.TB, data []byte, nulls Nulls) string {
	t.Helper()
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.WriteLines(&out, 0, len(f.Groups), nulls, nothing); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func nothing(int64) error { return nil }

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// valuesOf decodes lines of JSON.
func valuesOf(t testing.TB, lines string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(lines) {
		d := json.NewDecoder(strings.NewReader(line))
		var v map[string]any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, v)
	}
	return all
}

// TestFilesOfOthers holds that the rows of files that others have written are theirs. testdata/make.py has written them.
func TestFilesOfOthers(t *testing.T) {
	want := valuesOf(t, string(read(t, "testdata/rows.jsonl")))
	names, _ := filepath.Glob("testdata/*.parquet")
	if len(names) < 13 {
		t.Fatalf("want 13 files, have %d", len(names))
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			lines := linesOf(t, read(t, name), AsWritten)
			have := valuesOf(t, lines)
			if len(have) != len(want) {
				t.Fatalf("want %d rows, have %d", len(want), len(have))
			}
			for i := range want {
				for column, value := range want[i] {
					if column == "map" && strings.HasPrefix(filepath.Base(name), "polars") {
						continue // which has no maps
					}
					if column == "time" && strings.Contains(name, "pyarrow-old") { // whose points in time have no zone
						value = strings.TrimSuffix(value.(string), "Z")
					}
					if !reflect.DeepEqual(have[i][column], value) {
						t.Errorf("row %d, %s: want %v, have %v", i+1, column, value, have[i][column])
					}
				}
			}
			for i, exact := range []string{`"big":9223372036854775807,"unsigned":18446744073709551615,`, `"big":9223372036854775806,"unsigned":18446744073709551614,`} {
				if line := strings.Split(lines, "\n")[i]; !strings.Contains(line, exact) {
					t.Errorf("row %d: want %s, have %s", i+1, exact, line)
				}
			}
		})
	}
}

// TestNulls holds what becomes of nulls in files of others.
func TestNulls(t *testing.T) {
	data := read(t, "testdata/pyarrow-none.parquet")
	first := func(nulls Nulls) map[string]any { return valuesOf(t, linesOf(t, data, nulls))[0] }
	if v, is := first(AsWritten)["maybe"]; !is || v != nil {
		t.Errorf("want null, have %v", v)
	}
	if v, is := first(DropNulls)["maybe"]; is {
		t.Errorf("want no member, have %v", v)
	}
}

// TestSpoilt holds that every byte of a file may be wrong, and that it may end anywhere, without a panic.
func TestSpoilt(t *testing.T) {
	step := 31
	switch {
	case *long:
		step = 7
	case testing.Short():
		step = 97
	}
	for _, name := range []string{"pyarrow-snappy", "pyarrow-gzip", "pyarrow-encodings", "duckdb-zstd"} {
		data := read(t, "testdata/"+name+".parquet")
		for at := 0; at < len(data); at += step {
			spoilt := bytes.Clone(data)
			spoilt[at] ^= 0x55
			readAny(spoilt)
			readAny(data[:at])
			if _, err := Open(bytes.NewReader(data[:at]), int64(at)); err == nil {
				t.Fatalf("%s: want an error of the first %d bytes, have none", name, at)
			}
		}
	}
}

// most bounds what is written for one file.
type most struct{ left int }

func (m *most) Write(p []byte) (int, error) {
	if m.left -= len(p); m.left < 0 {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

func readAny(data []byte) error {
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	return f.WriteLines(&most{16 << 20}, 0, len(f.Groups), AsWritten, nothing)
}

// FuzzRead holds that no file makes reading panic.
func FuzzRead(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.parquet")
	for _, name := range names {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) { _ = readAny(data) })
}

// TestWhatIsWrong holds what people get to read of files that cannot be read.
func TestWhatIsWrong(t *testing.T) {
	data := read(t, "testdata/pyarrow-snappy.parquet")
	page := bytes.Clone(data)
	at := bytes.Index(page, []byte("\xe6\x97\xa5"))
	page[at] ^= 1
	for _, x := range []struct {
		why, want string
		data      []byte
	}{
		{"cut off", "it was cut off, or is no Parquet", data[:len(data)-1]},
		{"nothing", "want a Parquet file, of at least 12 bytes, have 0", nil},
		{"another file", "it was cut off, or is no Parquet", []byte(`{"a":"a line of JSON"}`)},
		{"encrypted footer", "want a Parquet file that is not encrypted", []byte("PARE........PARE")},
		{"long footer", "want a footer of at most 4 bytes, have 4294967295", []byte("PAR1....\xff\xff\xff\xffPAR1")},
		{"spoilt page", "want a page with the checksum", page},
	} {
		if err := readAny(x.data); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: want %q, have %v", x.why, x.want, err)
		}
	}
}

// TestInflate holds that a page takes no more memory than its header says, whatever its data decompresses to.
func TestInflate(t *testing.T) {
	text := bytes.Repeat([]byte("long text "), 1<<20)
	var zipped, brotlied bytes.Buffer
	g := gzip.NewWriter(&zipped)
	_, _ = g.Write(text)
	_ = g.Close()
	b := brotli.NewWriter(&brotlied)
	_, _ = b.Write(text)
	_ = b.Close()
	raw := make([]byte, lz4.CompressBlockBound(len(text)))
	n, err := lz4.CompressBlock(text, raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	for codec, data := range map[format.CompressionCodec][]byte{
		format.Uncompressed: text, format.Snappy: snappy.Encode(nil, text), format.Zstd: zip().EncodeAll(text, nil),
		format.Gzip: zipped.Bytes(), format.Brotli: brotlied.Bytes(), format.Lz4Raw: raw[:n],
	} {
		have, err := inflate(codec, make([]byte, 0, len(text)), data)
		if err != nil || !bytes.Equal(have, text) {
			t.Errorf("%v: want %d bytes, have %d, %v", codec, len(text), len(have), err)
		}
		for _, size := range []int{1000, len(text) - 1, len(text) + 1} {
			if have, err := inflate(codec, make([]byte, 0, size), data); err == nil || cap(have) > size {
				t.Errorf("%v: want an error with %d bytes of memory, have %d, %v", codec, size, cap(have), err)
			}
		}
	}
	if _, err := inflate(format.LZO, nil, nil); err == nil || !strings.Contains(err.Error(), "want a codec of none, snappy") {
		t.Errorf("have %v", err)
	}
}

// TestThriftIsSmall holds that metadata which would take much memory, or the stack, is refused before it is decoded.
func TestThriftIsSmall(t *testing.T) {
	for why, data := range map[string][]byte{
		"a list of more structs than there are bytes": {0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"a string behind the end":                     {0x18, 0xff, 0xff, 0x01},
		"deep structs":                                bytes.Repeat([]byte{0x1c}, 1000),
		"many structs":                                append([]byte{0x19, 0xfc, 0x80, 0x80, 0x80, 0x01}, make([]byte, 2<<20)...),
		"a list of more items than there are bytes":   append([]byte{0x19, 0xf8, 0x18}, make([]byte, 20)...),
		"many strings":                                append([]byte{0x19, 0xf8, 0x80, 0x80, 0x80, 0x04}, make([]byte, 9<<20)...),
		"a map whose items are more than a number":    append([]byte{0x1b, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x88}, 0),
	} {
		if _, err := structEnd(data); err == nil {
			t.Errorf("%s: want an error, have none", why)
		}
	}
}
