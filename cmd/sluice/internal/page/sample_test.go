package page

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
)

func fileOf(t *testing.T, text []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func packed(t *testing.T, text string, with func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := with(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A sample has whole rows only, each once, from all of the file; of a short file it has all, packed or not.
func TestSample(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, `{"n":%d,"pad":%q}`+"\n", i, strings.Repeat("x", i%97))
	}
	text := b.String()
	gz := packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	zst := packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	long := strings.Repeat("y", longestRow+10)
	gzLong := packed(t, text[:strings.Index(text, "\n")+1]+long+long, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	tests := []struct {
		reason     string
		text       []byte
		most       int64
		all        bool
		least      int // rows
		long       int64
		wantedLast bool // the last row of the file is among them
	}{
		{"short", []byte(text), 1 << 20, true, 2000, 0, true},
		{"without an end of the last line", []byte(strings.TrimSuffix(text, "\n")), 1 << 20, true, 2000, 0, true},
		{"long", []byte(text), 20_000, false, 150, 0, true},
		{"gzip", gz, 1 << 20, true, 2000, 0, true},
		{"zstd", zst, 1 << 20, true, 2000, 0, true},
		{"long, packed", gz, 20_000, false, 150, 0, false},
		{"a row that is too long", []byte(long + "\n" + text), 8 << 20, true, 2000, 1, true},
		{"only such a row", []byte(long), 8 << 20, true, 0, 1, false},
		{"a row that is too long, packed", gzLong, 20_000, false, 1, 1, false},
		{"empty", nil, 10, true, 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			seen, last := map[string]bool{}, false
			s, err := sampled(fileOf(t, tt.text), tt.most, func(row []byte) {
				if seen[string(row)] || !strings.Contains(text, string(row)+"\n") {
					t.Errorf("want each row once, as it is, have %q", row)
				}
				seen[string(row)], last = true, last || bytes.Contains(row, []byte(`"n":1999,`))
			})
			if err != nil {
				t.Fatal(err)
			}
			if s.All != tt.all || len(seen) < tt.least || s.Long != tt.long || last != tt.wantedLast {
				t.Errorf("have %+v, %d rows, the last %v", s, len(seen), last)
			}
		})
	}
}

// TestSampleOfLongRows holds that rows which are longer than a block come from all over the file, and exceed a sample by one row at most.
func TestSampleOfLongRows(t *testing.T) {
	var text strings.Builder
	for n := range 40 {
		fmt.Fprintf(&text, `{"n":%d,"text":"%0200000d"}`+"\n", 100+n, 0)
	}
	read, last := 0, false
	if _, err := sampled(fileOf(t, []byte(text.String())), 1<<20, func(row []byte) {
		read += len(row)
		last = last || bytes.HasPrefix(row, []byte(`{"n":13`))
	}); err != nil {
		t.Fatal(err)
	}
	if read == 0 || read > 1<<20+200_100 || !last {
		t.Errorf("want about 1 MiB of rows, one of the last among them, have %d bytes, %t", read, last)
	}
}

// TestCountedOf holds that the page says of which rows the turns and calls of an output are, and what counts all.
func TestCountedOf(t *testing.T) {
	row := `{"messages":[{"role":"user","content":"` + strings.Repeat("x", 1000) + `"},{"role":"assistant","content":"y"}]}` + "\n"
	many := strings.Repeat(row, 16000)
	gz := packed(t, many, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	for _, c := range []struct {
		reason string
		text   []byte
		rows   int64
		want   string
	}{
		{"short", []byte(row + row), 2, ""},
		{"with other rows", []byte(row + "{}\n" + row), 3, "counted in 2 of them"},
		{"long", []byte(many), 16000, "a sample: 500 rows counted"},
		{"long, packed", gz, 16000, "only the first 486 rows counted"},
	} {
		m := maker{troubles: map[string]string{}, files: func(string, filehash.Sum) (*os.File, error) { return fileOf(t, c.text), nil },
			run: &receipt.Receipt{Outputs: []receipt.Output{{Path: "rows.jsonl", Records: c.rows, Bytes: int64(len(c.text))}}}}
		all := m.rows()
		if len(all) != 3 || all[1].Title != "Turns" || all[1].Of[0].Basis != c.want || all[1].Of[0].Sampled != (c.rows == 16000) {
			t.Errorf("%s: want turns with %q, have %+v", c.reason, c.want, all)
		}
	}
}

// Files that are not as the run has left them are said, and the rest is shown all the same.
func TestFilesThatChanged(t *testing.T) {
	r := ran(t, corpus())
	if err := os.Remove("out/rejects.jsonl"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("out/train.jsonl", []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	have := words(parsed(t, made(t, r, onDisk)))
	for _, want := range []string{"out/rejects.jsonl: is not there any more", "out/train.jsonl: has changed since the run", "of all outputs, before compression"} {
		if !strings.Contains(have, want) {
			t.Errorf("want %q on the page, have %s", want, have)
		}
	}
}

// Receipts of older versions have no graph and no lengths, and say what nobody knows.
func TestOlderReceipt(t *testing.T) {
	r := ran(t, corpus())
	r.Graph, r.Firsts, r.Routes = nil, nil, nil
	for i := range r.Outputs {
		r.Outputs[i].Lengths = nil
	}
	for i := range r.Steps {
		r.Steps[i].Workers = 0
	}
	doc := parsed(t, made(t, r, onDisk))
	if part(doc, "pipeline") != nil || part(doc, "shapes") != nil || part(doc, "rejected") == nil {
		t.Error("want a page without a drawing and shapes, but with rejects")
	}
	if have := words(doc); !strings.Contains(have, "Older receipt") || !strings.Contains(have, "not known") {
		t.Errorf("want what is not known to be said, have %s", have)
	}
}

// Examples show no personal value, and what an example is of.
func TestExamplesAreMasked(t *testing.T) {
	r := ran(t, corpus())
	text := made(t, r, onDisk)
	if strings.Contains(text, "jane.roe") {
		t.Error("want no address of a person on the page")
	}
	rejected := words(part(parsed(t, text), "rejected"))
	for _, want := range []string{"corpus.jsonl:15", "Nobody asked"} {
		if !strings.Contains(rejected, want) {
			t.Errorf("want %q among the rejects, have %s", want, rejected)
		}
	}
}
