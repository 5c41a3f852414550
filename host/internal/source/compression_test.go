package source

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/compression"
)

func TestBrokenFile(t *testing.T) {
	long := strings.Repeat("{\"a\":\"some text to squeeze\"}\n", 1000)
	flipped := []byte(gzipped(long))
	flipped[len(flipped)-6] ^= 1
	named := "\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xffcorpus\x00" + gzipped("1\n")[10:]
	tests := []struct{ reason, name, data, want string }{
		{"gzip that breaks off", "a.gz", gzipped(long)[:100], "want the rest of the gzip data, have the end of the file"},
		{"gzip without its trailer", "a.gz", gzipped("1\n")[:20], "want the rest of the gzip data, have the end of the file"},
		{"a header and no more", "a.gz", gzipped(long)[:5], "want the rest of the gzip data, have the end of the file"},
		{"a wrong checksum", "a.gz", string(flipped), "a.gz:1001: read 1,000 records, " + fmt.Sprint(len(flipped)) + " bytes: gzip: invalid checksum"},
		{"something behind a gzip member", "a.gz", gzipped("1\n") + "something else", "a.gz:2: read 1 record, 40 bytes: want the end of the file after the gzip data"},
		{"few bytes behind a gzip member", "a.gz", gzipped("1\n") + "\x1f", "want the end of the file after the gzip data"},
		{"zeros and more behind a gzip member", "a.gz", gzipped("1\n") + strings.Repeat("\x00", 512) + "x", "want the end of the file after the gzip data and the zeros behind it"},
		{"a second gzip member that breaks off", "a.gz", gzipped("1\n") + gzipped(long)[:5], "want the rest of the gzip data, have the end of the file"},
		{"gzip that breaks off in the name it holds", "a.gz", named[:12], "want the rest of the gzip data, have the end of the file"},
		{"a second member that breaks off there", "a.gz", named + named[:12], "want the rest of the gzip data, have the end of the file"},
		{"zstd that breaks off", "a.zst", zstded(long)[:50], "want the rest of the zstd data, have the end of the file"},
		{"zstd that asks for a window of 1 GiB", "a.zst", "\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00", "window size exceeded"},
		{"plain text named .gz", "a.gz", "1\n", "a.gz: want gzip data, as the name says, have uncompressed data"},
		{"an empty file named .gz has lost its data", "a.gz", "", "want gzip data"},
		{"plain text named .zst", "a.zst", "1\n", "want zstd data, as the name says"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			dir := write(t, map[string]string{tt.name: tt.data})
			s, err := open(t, "jsonl", options(Options{Paths: []string{filepath.Join(dir, tt.name)}}))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := drain(t, s, newArena(1<<21))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.name) {
				t.Errorf("have %v, want %q and the name", err, tt.want)
			}
			for _, row := range rows {
				if strings.Contains(row, "invalid_json") {
					t.Errorf("half a record: %s", row)
				}
			}
			if len(s.Inputs()) != 0 {
				t.Error("the file counts as read")
			}
			if _, again := s.Next(t.Context(), newArena(1<<21)); again == nil || again == io.EOF {
				t.Errorf("have %v after the error", again)
			}
		})
	}
}

// A file that is packed in a way that is not read is refused as such, before it gives thousands of records that are no JSON.
func TestUnreadPackings(t *testing.T) {
	tests := []struct{ reason, name, data, want string }{
		{"xz by name", "a.jsonl.xz", "", "xz"},
		{"bzip2 by name", "a.jsonl.bz2", "", "bz2"},
		{"lz4 by name", "a.jsonl.lz4", "", "lz4"},
		{"brotli by name", "a.jsonl.br", "", "br"},
		{"zip by name, in capitals", "A.ZIP", "", "zip"},
		{"7z by name", "a.7z", "", "7z"},
		{"xz by its first bytes", "a.jsonl", "\xfd7zXZ\x00\x00\x04", "xz"},
		{"bzip2 by its first bytes, whatever its block size", "a.jsonl", "BZh51AY&SY\x00", "bz2"},
		{"lz4 by its first bytes", "a.jsonl", "\x04\x22\x4d\x18\x64", "lz4"},
		{"zip by its first bytes, under the name of another", "a.gz", "PK\x03\x04\x14\x00", "zip"},
		{"7z by its first bytes", "a.jsonl", "7z\xbc\xaf\x27\x1c\x00", "7z"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			name := filepath.Join(write(t, map[string]string{tt.name: tt.data}), tt.name)
			want := "want plain text, gzip or zstd, have " + tt.want
			for _, kind := range textKinds() {
				if _, err := open(t, kind, options(Options{Paths: []string{name}})); err == nil || err.Error() != name+": "+want {
					t.Errorf("%s: have %v", kind, err)
				}
				if tt.data == "" {
					continue
				}
				s, err := open(t, kind, options(Options{Paths: []string{"-"}, Stdin: strings.NewReader(tt.data)}))
				if err != nil {
					t.Fatal(err)
				}
				if rows, err := drain(t, s, newArena(1<<10)); err == nil || !strings.HasSuffix(err.Error(), want) || rows != nil {
					t.Errorf("%s from standard input: have %q, %v", kind, rows, err)
				}
			}
			if _, err := Find([]string{name}, false); (err != nil) != (tt.data == "") {
				t.Errorf("Find: have %v, want an error for a name only", err)
			}
		})
	}
}

// Text that begins like packed data, as far as it goes, is text.
func TestAlmostPacked(t *testing.T) {
	for _, text := range []string{"7", "7z", "BZ", "BZh", "BZh91AY", "PK", "P", "_", "P*M", "\x1f", "(\xb5/"} {
		if got := compression.Of([]byte(text)); got != "" {
			t.Errorf("%q is called %s", text, got)
		}
		s, err := open(t, "jsonl", options(Options{Paths: []string{"-"}, Stdin: strings.NewReader(text + "\n2\n")}))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := drain(t, s, newArena(1<<10))
		if err != nil || len(rows) != 2 || !strings.HasPrefix(rows[0], "-:1 "+text) || rows[1] != "-:2 2" {
			t.Errorf("%q: have %q, %v", text, rows, err)
		}
	}
}

// Zeros behind gzip data, as tapes and archives leave them, are no reason to give a file up. They are counted.
func TestPadding(t *testing.T) {
	for reason, data := range map[string]string{"one member": gzipped("1\n2\n"), "small members": gzipped("1\n") + gzipped("2\n")} {
		for _, n := range []int{0, 1, 512, 100_000} {
			dir := write(t, map[string]string{"a.gz": data + strings.Repeat("\x00", n)})
			s, err := open(t, "jsonl", options(Options{Paths: []string{filepath.Join(dir, "a.gz")}}))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := drain(t, s, newArena(1<<21))
			if err != nil || len(rows) != 2 {
				t.Fatalf("%s, %d zeros: want 2 rows, have %q (%v)", reason, n, rows, err)
			}
			if in := s.Inputs(); len(in) != 1 || in[0].Padding != int64(n) || in[0].Bytes != int64(len(data)+n) {
				t.Errorf("%s: want %d zeros counted, have %+v", reason, n, in)
			}
		}
	}
}

// TestCutOff holds that compressed data that ends too early is called so, wherever that is, and however many members it has.
func TestCutOff(t *testing.T) {
	text := strings.Repeat("{\"a\":\"some text to squeeze\"}\n", 20)
	for _, c := range []struct{ name, format, data string }{
		{"a.jsonl.gz", "gzip", gzipped(text)},
		{"a.jsonl.zst", "zstd", zstded(text)},
	} {
		for _, before := range []string{"", c.data} {
			for n := compression.HeadSize; n < len(c.data); n++ {
				name := filepath.Join(write(t, map[string]string{c.name: before + c.data[:n]}), c.name)
				for _, kind := range []string{"jsonl", "auto"} {
					s, err := open(t, kind, options(Options{Paths: []string{name}}))
					if err != nil {
						t.Fatal(err)
					}
					_, err = drain(t, s, newArena(1<<21))
					want := fmt.Sprintf(" %d bytes: want the rest of the %s data, have the end of the file", len(before)+n, c.format)
					if err == nil || !strings.HasPrefix(err.Error(), name) || !strings.HasSuffix(err.Error(), want) {
						t.Fatalf("%s of %d bytes, %s: want %q, have %v", c.name, n, kind, want, err)
					}
				}
			}
		}
	}
}
