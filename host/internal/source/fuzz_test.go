package source

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/compression"
)

// FuzzText checks that a text is one record with all of it, whatever the sizes of batches and reads are.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "a\nb\r\n", "\uFEFFé", "\x00\"\\\u2028", "\xff", "\x00\x01\x000", "\uFEFF\x18\x00d", strings.Repeat("a", fuzzLimit+1)} {
		f.Add(text, uint8(3), uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, batch, step uint8) {
		rows, failed := readInPieces(t, "text", text, int(batch)+1, int(step)+1)
		if compression.Of([]byte(text[:min(len(text), compression.HeadSize)])) != "" {
			return
		}
		if failed != "" || len(rows) != 1 {
			t.Fatalf("want one record, have %q and error %q", rows, failed)
		}
		_, data, _ := strings.Cut(rows[0], " ")
		var have struct{ Name, Text string }
		if json.Unmarshal([]byte(data), &have) != nil {
			if utf8.ValidString(text) && !isUTF16([]byte(strings.TrimPrefix(text, "\uFEFF"))) && !strings.Contains(data, TooLarge) {
				t.Errorf("want a record of text, have %q", data)
			}
			return
		}
		if want := strings.TrimPrefix(text, "\uFEFF"); have.Text != want || have.Name != "-" {
			t.Errorf("want the text %q of -, have %+v", want, have)
		}
	})
}

// FuzzAuto checks that a file of any form is read in the same way whatever the size of batches is.
func FuzzAuto(f *testing.F) {
	for _, text := range []string{"1\n2\n", `[1,{"a":2}]`, `{"rows":[{"a":1},{"b":2}]}`, `{"data":[{"a":1}],"n":[{"b":2}],"rows":[1],"r\u006fws":[ {"c":3},4]}`, `[{"role":"user"}]`, "{\n\"a\":1}", "{\"a\n{}\n", `{"data":[`} {
		for _, name := range []string{"x", "x.jsonl", "x.json", "x.csv"} {
			f.Add(name, text, uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, name, text string, batch uint8) {
		if name = "x" + filepath.Ext(name); strings.ContainsAny(name, "/\x00*?[]{}\\") || !utf8.ValidString(name) || len(name) > 100 {
			return
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		read := func(batch int) ([]string, string) {
			s, err := open(t, "auto", Options{Paths: []string{path}, Limit: fuzzLimit, Depth: fuzzDepth, Batch: batch})
			if err != nil {
				return nil, err.Error()
			}
			rows, err := drain(t, s, newArena(1<<16))
			if err != nil {
				return rows, err.Error()
			}
			return rows, ""
		}
		whole, wholeErr := read(1 << 15)
		pieces, piecesErr := read(int(batch) + 1)
		if compression.Of([]byte(text[:min(len(text), compression.HeadSize)])) != "" {
			return // what breaks off has no defined last record
		}
		if diff := cmp.Diff(whole, pieces); diff != "" || wholeErr != piecesErr {
			t.Errorf("%s\n%s\n%s", diff, wholeErr, piecesErr)
		}
	})
}
