package jsonl

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/sdk/batch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reader is what all sources are.
type reader interface {
	Next(context.Context, *batch.Arena) (batch.Chunk, error)
	Inputs() []Input
	Progress() (read, total int64)
	Close() error
}

func newArena(n int) *batch.Arena { return batch.NewArena(make([]byte, n), n, nil) }

// drain reads to the end, giving every chunk back before the next one. Records read "FILE:LINE DATA" and, when there
// is a fault, " CODE MESSAGE".
func drain(t testing.TB, s reader, mem *batch.Arena) ([]string, error) {
	t.Helper()
	var rows []string
	ord := uint64(0)
	for {
		chunk, err := s.Next(t.Context(), mem)
		if err != nil {
			if mem.InUse() != 0 {
				t.Errorf("%d bytes of the arena are still out", mem.InUse())
			}
			if err == io.EOF {
				err = nil
			}
			return rows, errors.Join(err, s.Close())
		}
		if len(chunk.Records) == 0 {
			t.Fatal("empty chunk")
		}
		if chunk.Faults != nil && len(chunk.Faults) != len(chunk.Records) {
			t.Fatalf("%d records, %d faults", len(chunk.Records), len(chunk.Faults))
		}
		for i, r := range chunk.Records {
			row := fmt.Sprintf("%s:%d %s", filepath.Base(r.File), r.Line, r.Data)
			if chunk.Faults != nil && chunk.Faults[i] != nil {
				row += " " + chunk.Faults[i].Code + " " + chunk.Faults[i].Message
			}
			rows = append(rows, row)
			if r.Ord != ord {
				t.Errorf("ord %d, want %d", r.Ord, ord)
			}
			ord++
		}
		batch.ReleaseAll(chunk.Records)
	}
}

// write puts files into a new folder and gives their names.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func gzipped(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		z := gzip.NewWriter(&b)
		io.WriteString(z, part)
		z.Close()
	}
	return b.String()
}

func zstded(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		z, _ := zstd.NewWriter(&b)
		io.WriteString(z, part)
		z.Close()
	}
	return b.String()
}

func TestFraming(t *testing.T) {
	const skippable = "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
	tests := []struct {
		reason, name, text string
		want               []string
	}{
		{"nothing in an empty file", "a", "", nil},
		{"one record a line", "a", "{\"a\":1}\n[2]\n", []string{`a:1 {"a":1}`, `a:2 [2]`}},
		{"no final line end", "a", "1\n2", []string{"a:1 1", "a:2 2"}},
		{"CR before LF", "a", "1\r\n2\r\n", []string{"a:1 1", "a:2 2"}},
		{"CR at the very end", "a", "1\r\n2\r", []string{"a:1 1", "a:2 2"}},
		{"a lone CR ends nothing", "a", "[1,\r2]\n", []string{"a:1 [1,\r2]"}},
		{"blank lines count and are no records", "a", "\n1\n \t\r\n\n2\n\n", []string{"a:2 1", "a:5 2"}},
		{"blanks around a record", "a", "  1\t\n", []string{"a:1 1"}},
		{"a byte-order mark", "a", "\uFEFF1\n", []string{"a:1 1"}},
		{"nothing but a byte-order mark", "a", "\uFEFF", nil},
		{"a byte-order mark in front of nothing", "a", "\uFEFF\n1\n", []string{"a:2 1"}},
		{"half a byte-order mark is garbage", "a", "\xef\xbb", []string{"a:1 \xef\xbb invalid_json want a value, have a byte that is not ASCII at byte 0"}},
		{"U+2028 ends no line", "a", "\"x\u2028y\"\n", []string{"a:1 \"x\u2028y\""}},
		{"a bad line does not hide the next", "a", "1\nSam\n2\n", []string{"a:1 1", "a:2 Sam invalid_json want a value, have a letter at byte 0", "a:3 2"}},
		{"two values on a line", "a", "1 2\n", []string{"a:1 1 2 invalid_json want the end of the record, have a digit at byte 2"}},
		{"too deep", "a", "[[[[1]]]]\n", []string{"a:1 [[[[1]]]] too_deep want at most 3 levels, have more at byte 3"}},
		{"as large as allowed", "a", "\"" + strings.Repeat("x", 38) + "\"\r\n1\n", []string{"a:1 \"" + strings.Repeat("x", 38) + "\"", "a:2 1"}},
		{"one byte larger", "a", "\"" + strings.Repeat("x", 39) + "\"\r\n1\n", []string{"a:1  too_large want at most 40 bytes, have 41 from byte 0 of the text", "a:2 1"}},
		{"too large in the middle", "a", "1\n" + strings.Repeat("x", 5000) + "\n2\n", []string{"a:1 1", "a:2  too_large want at most 40 bytes, have 5000 from byte 2 of the text", "a:3 2"}},
		{"too large at the end", "a", strings.Repeat("x", 100), []string{"a:1  too_large want at most 40 bytes, have 100 from byte 0 of the text"}},
		{"gzip by name", "a.gz", gzipped("1\n2\n"), []string{"a.gz:1 1", "a.gz:2 2"}},
		{"gzip by its first bytes", "a.jsonl", gzipped("1\n2\n"), []string{"a.jsonl:1 1", "a.jsonl:2 2"}},
		{"gzip members share a line", "a.gz", gzipped("[1", "2]\n3"), []string{"a.gz:1 [12]", "a.gz:2 3"}},
		{"a byte-order mark inside gzip", "a.gz", gzipped("\uFEFF1\n"), []string{"a.gz:1 1"}},
		{"nothing inside gzip", "a.gz", gzipped(""), nil},
		{"zstd frames share a line", "a.zst", zstded("[1", "2]\n3"), []string{"a.zst:1 [12]", "a.zst:2 3"}},
		{"zstd by its first bytes, behind a frame to skip", "a", skippable + zstded("1\n"), []string{"a:1 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			name := filepath.Join(write(t, map[string]string{tt.name: tt.text}), tt.name)
			for _, chunk := range []int{1, 7, 1 << 10} {
				s, err := Open(Options{Paths: []string{name}, Limit: 40, Depth: 3, Chunk: chunk})
				if err != nil {
					t.Fatal(err)
				}
				rows, err := drain(t, s, newArena(1<<10))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, rows); diff != "" {
					t.Errorf("chunk %d: %s", chunk, diff)
				}
				sum := sha256.Sum256([]byte(tt.text))
				want := []Input{{Name: name, Bytes: int64(len(tt.text)), Records: int64(len(rows)), SHA256: hex.EncodeToString(sum[:])}}
				if diff := cmp.Diff(want, s.Inputs()); diff != "" {
					t.Errorf("chunk %d: %s", chunk, diff)
				}
				if read, total := s.Progress(); read != int64(len(tt.text)) || total != read {
					t.Errorf("progress %d of %d, want all of %d", read, total, len(tt.text))
				}
			}
		})
	}
}

func TestBrokenFile(t *testing.T) {
	long := strings.Repeat("{\"a\":\"some text to squeeze\"}\n", 1000)
	flipped := []byte(gzipped(long))
	flipped[len(flipped)-6] ^= 1
	tests := []struct{ reason, name, data, want string }{
		{"gzip that breaks off", "a.gz", gzipped(long)[:100], "unexpected EOF"},
		{"gzip without its trailer", "a.gz", gzipped("1\n")[:20], "unexpected EOF"},
		{"a header and no more", "a.gz", gzipped(long)[:5], "unexpected EOF"},
		{"a wrong checksum", "a.gz", string(flipped), "a.gz:1001: read 1000 records, " + fmt.Sprint(len(flipped)) + " bytes: gzip: invalid checksum"},
		{"something behind a gzip member", "a.gz", gzipped("1\n") + "something else", "a.gz:2: read 1 records, 40 bytes: gzip: invalid header"},
		{"zstd that breaks off", "a.zst", zstded(long)[:50], "unexpected EOF"},
		{"zstd that asks for a window of 1 GiB", "a.zst", "\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00", "window size exceeded"},
		{"plain text named .gz", "a.gz", "1\n", "a.gz:1: read 0 records, 1 bytes: want gzip data, as the name says, have something else"},
		{"an empty file named .gz has lost its data", "a.gz", "", "want gzip data"},
		{"plain text named .zst", "a.zst", "1\n", "want zstd data, as the name says"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			dir := write(t, map[string]string{tt.name: tt.data})
			s, err := Open(Options{Paths: []string{filepath.Join(dir, tt.name)}})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := drain(t, s, newArena(1<<21))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.name) {
				t.Errorf("have %v, want %q and the name", err, tt.want)
			}
			for _, row := range rows {
				if strings.Contains(row, InvalidJSON) {
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

func TestRecordLargerThanChunk(t *testing.T) {
	big := "\"" + strings.Repeat("x", 64<<20-2) + "\""
	dir := write(t, map[string]string{"a": "1\n" + big + "\n2\n"})
	s, err := Open(Options{Paths: []string{filepath.Join(dir, "a")}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, batch.NewArena(make([]byte, 64<<20+2), 1<<20, nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || rows[1] != "a:2 "+big || rows[2] != "a:3 2" {
		t.Errorf("%d records, or not the ones in the file", len(rows))
	}
}

func TestRecordLargerThanArena(t *testing.T) {
	dir := write(t, map[string]string{"a": "\"" + strings.Repeat("x", 100) + "\"\n2\n"})
	s, err := Open(Options{Paths: []string{filepath.Join(dir, "a")}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, newArena(64))
	want := []string{"a:1  too_large want at most 62 bytes, have 102 from byte 0 of the text", "a:2 2"}
	if err != nil || !slices.Equal(rows, want) {
		t.Errorf("have %q, %v", rows, err)
	}
}

// A budget of one chunk is enough even when what comes next needs all of it: Next waits for memory with empty hands.
func TestNextWaitsWithoutARegion(t *testing.T) {
	dir := write(t, map[string]string{"a": strings.Repeat("[1,2,3]\n", 100)})
	s, err := Open(Options{Paths: []string{filepath.Join(dir, "a")}, Chunk: 60})
	if err != nil {
		t.Fatal(err)
	}
	mem := newArena(64)
	chunk, err := s.Next(t.Context(), mem)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx, mem); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v with the budget out, want it to wait until cancelled", err)
	}
	batch.ReleaseAll(chunk.Records)
}

func TestSmallFilesShareAChunk(t *testing.T) {
	dir := write(t, map[string]string{"a": "1\n2", "b": "", "c": "3"})
	s, err := Open(Options{Paths: []string{filepath.Join(dir, "*")}})
	if err != nil {
		t.Fatal(err)
	}
	chunk, err := s.Next(t.Context(), newArena(1<<20))
	if err != nil || len(chunk.Records) != 3 {
		t.Fatalf("%d records, %v", len(chunk.Records), err)
	}
	if r := chunk.Records[2]; filepath.Base(r.File) != "c" || r.Line != 1 || r.Ord != 2 || string(r.Data) != "3" {
		t.Errorf("have %+v", r)
	}
}

func TestStdinHandsOverWhatHasCome(t *testing.T) {
	r, w := io.Pipe()
	s, err := Open(Options{Paths: []string{"-"}, Stdin: r})
	if err != nil {
		t.Fatal(err)
	}
	mem := newArena(1 << 20)
	for i := range 3 {
		go fmt.Fprintf(w, "%d\n", i) // the pipe stays open, so only a source that does not wait for more returns
		chunk, err := s.Next(t.Context(), mem)
		if err != nil || len(chunk.Records) != 1 {
			t.Fatalf("%d records, %v", len(chunk.Records), err)
		}
		batch.ReleaseAll(chunk.Records)
	}
	if _, total := s.Progress(); total != 0 {
		t.Errorf("total %d, want 0 for what cannot be known", total)
	}
	w.Close()
	if _, err := s.Next(t.Context(), mem); err != io.EOF {
		t.Errorf("have %v, want the end", err)
	}
	if in := s.Inputs(); len(in) != 1 || in[0].Records != 3 || in[0].Name != "-" {
		t.Errorf("have %+v", in)
	}
}

func TestWaitingForStdinEndsWithTheContext(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	s, err := Open(Options{Paths: []string{"-"}, Stdin: r})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := s.Next(ctx, newArena(1<<20)); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestFailingReader(t *testing.T) {
	s, err := Open(Options{Paths: []string{"-"}, Stdin: io.MultiReader(strings.NewReader("1\n2"), iotest.ErrReader(errors.New("cable cut")))})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, newArena(1<<20))
	if want := "-:2: read 1 records, 3 bytes: cable cut"; err == nil || err.Error() != want || len(rows) != 1 {
		t.Errorf("have %q, %v, want %q", rows, err, want)
	}
}

// FuzzPieces checks that neither the size of chunks nor that of reads changes what is read.
func FuzzPieces(f *testing.F) {
	for _, text := range []string{"1\n2\r\n\n[3]", "\uFEFF{\"a\":\"é\"}\r\r\n\r", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n1", `[1,{"a":"]\"\\"},"x" ]{"b":2}3`, "[1\n,,2]", "P*M"} {
		for _, document := range []bool{false, true} {
			f.Add(text, uint8(3), uint8(5), document)
		}
	}
	f.Fuzz(func(t *testing.T, text string, chunk, step uint8, document bool) {
		if head := []byte(text[:min(len(text), 4)]); bytes.HasPrefix(head, gzipMagic) || bytes.Equal(head, zstdMagic) || isSkippable(head) {
			return // compressed data that breaks off has no defined last record
		}
		read := func(chunk int, src io.Reader) ([]string, string) {
			s, err := Open(Options{Paths: []string{"-"}, Stdin: src, Limit: 30, Depth: 3, Chunk: chunk})
			if document {
				s, err = OpenJSON(Options{Paths: []string{"-"}, Stdin: src, Limit: 30, Depth: 3, Chunk: chunk})
			}
			if err != nil {
				t.Fatal(err)
			}
			rows, err := drain(t, s, newArena(1<<16))
			if err != nil {
				return rows, err.Error()
			}
			return rows, ""
		}
		whole, wholeErr := read(1<<15, strings.NewReader(text))
		pieces, piecesErr := read(int(chunk)+1, &stepReader{text, int(step) + 1})
		if diff := cmp.Diff(whole, pieces); diff != "" || wholeErr != piecesErr {
			t.Errorf("%s\n%s\n%s", diff, wholeErr, piecesErr)
		}
	})
}

// stepReader gives a few bytes at a time.
type stepReader struct {
	rest string
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if r.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.step)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// BenchmarkFraming finds the ends of lines and does nothing with them.
func BenchmarkFraming(b *testing.B) {
	text := bytes.Join(corpus(b), []byte("\n"))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		l := &lines{at: 1}
		for rest := text; len(rest) > 0; {
			n, _ := l.split(rest)
			rest = rest[n:]
		}
	}
}

// BenchmarkSource reads and checks records.
func BenchmarkSource(b *testing.B) {
	benchmarkSource(b, string(bytes.Join(corpus(b), []byte("\n"))))
}

func benchmarkSource(b *testing.B, text string) {
	name := filepath.Join(write(b, map[string]string{"a": text}), "a")
	mem := newArena(4 << 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s, err := Open(Options{Paths: []string{name}})
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			var chunk batch.Chunk
			chunk, err = s.Next(b.Context(), mem)
			batch.ReleaseAll(chunk.Records)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
