package source

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/compression"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

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
				s, err := open(t, "jsonl", options(Options{Paths: []string{name}, Limit: 40, Depth: 3, Batch: chunk}))
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
				hash := filehash.New("")
				hash.Write([]byte(tt.text))
				want := []receipt.Input{{Name: name, Bytes: int64(len(tt.text)), Records: int64(len(rows)), Sum: hash.Result()}}
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

// FuzzLines checks that lines are what stands between line ends, and that neither the size of batches nor that of reads
// changes what is read.
func FuzzLines(f *testing.F) {
	for _, text := range []string{"1\n2\r\n\n[3]", "\uFEFF{\"a\":\"é\"}\r\r\n\r", strings.Repeat("a", 52) + "\n1", " \t\r\n \r", "P*M", "BZh9", "\x000\x000"} {
		f.Add(text, uint8(3), uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, batch, step uint8) {
		rows, err := readInPieces(t, "jsonl", text, int(batch)+1, int(step)+1)
		if compression.Of([]byte(text[:min(len(text), compression.HeadSize)])) != "" {
			return // what breaks off has no defined last record
		}
		if err != "" {
			t.Fatal(err)
		}
		var want []string
		for i, line := range strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n") {
			data := strings.Trim(line, " \t\r")
			if len(strings.TrimSuffix(line, "\r")) > fuzzLimit {
				data = ""
			} else if data == "" {
				continue
			}
			row := fmt.Sprintf("-:%d %s", i+1, data)
			if data == "" {
				row += " " + TooLarge
			} else if bad := jsontext.Check([]byte(data), fuzzDepth); bad != nil {
				row += " " + encoded([]byte(data), &wire.Fault{Code: bad.Code}).Code
			}
			want = append(want, row)
		}
		have := slices.Clone(rows)
		for i := range min(len(have), len(want)) {
			if strings.HasPrefix(have[i], want[i]+" want ") {
				have[i] = want[i]
			}
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Error(diff)
		}
	})
}

const (
	fuzzLimit = 30
	fuzzDepth = 3
)

// readInPieces reads a text as a whole and again in small batches of small reads, which must make no difference.
func readInPieces(t *testing.T, kind, text string, batch, step int) ([]string, string) {
	t.Helper()
	read := func(batch int, src io.Reader) ([]string, string) {
		s, err := open(t, kind, Options{Paths: []string{"-"}, Stdin: src, Limit: fuzzLimit, Depth: fuzzDepth, Batch: batch})
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
	pieces, piecesErr := read(batch, &stepReader{text, step})
	if compression.Of([]byte(text[:min(len(text), compression.HeadSize)])) != "" {
		return whole, wholeErr
	}
	if diff := cmp.Diff(whole, pieces); diff != "" || wholeErr != piecesErr {
		t.Errorf("%s\n%s\n%s", diff, wholeErr, piecesErr)
	}
	return whole, wholeErr
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
