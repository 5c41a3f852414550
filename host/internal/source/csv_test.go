package source

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestCSV holds what becomes of the rows of a table, each on the line where it begins, and what a row or a header that
// breaks a rule is rejected for.
func TestCSV(t *testing.T) {
	for _, tt := range []struct {
		reason, text string
		want         []string
		err          string
	}{
		{"nothing", "", nil, ""},
		{"empty lines", "\n\r\n", nil, ""},
		{"a header alone", "a,b\n", nil, ""},
		{"a header without its line end", "a,b", nil, ""},
		{"rows", "a,b\n1,2\n3,4\n", []string{`1:2 {"a":"1","b":"2"}`, `1:3 {"a":"3","b":"4"}`}, ""},
		{"no line end at the end", "a,b\n1,2", []string{`1:2 {"a":"1","b":"2"}`}, ""},
		{"line ends of RFC 4180", "a,b\r\n1,2\r\n\"3\",\"4\"\r\n", []string{`1:2 {"a":"1","b":"2"}`, `1:3 {"a":"3","b":"4"}`}, ""},
		{"a byte-order mark", "\uFEFFa,b\n1,2\n", []string{`1:2 {"a":"1","b":"2"}`}, ""},
		{"empty lines between rows", "\na\n\n1\n\r\n2\n", []string{`1:4 {"a":"1"}`, `1:6 {"a":"2"}`}, ""},
		{"empty fields", "a,b,c\n,,\n1,,\n\"\",2,\"\"\n", []string{`1:2 {"a":"","b":"","c":""}`, `1:3 {"a":"1","b":"","c":""}`, `1:4 {"a":"","b":"2","c":""}`}, ""},
		{"an empty value of a single column needs quotes", "a\n\"\"\n", []string{`1:2 {"a":""}`}, ""},
		{"blanks belong to a value", "a , b\n 1\t, 2 \n", []string{`1:2 {"a ":" 1\t"," b":" 2 "}`}, ""},
		{"quotes around delimiters and quotes", "a,b\n\"1,\"\"2\"\"\",\"\"\"\"\n", []string{`1:2 {"a":"1,\"2\"","b":"\""}`}, ""},
		{"fields over several lines keep their line ends", "a,b\n\"x\r\ny\n\nz\",1\n2,3\n", []string{`1:2 {"a":"x\r\ny\n\nz","b":"1"}`, `1:6 {"a":"2","b":"3"}`}, ""},
		{"a header over several lines", "\"a\nb\",\"c\"\"\"\n1,2\n", []string{`1:3 {"a\nb":"1","c\"":"2"}`}, ""},
		{"other letters", "ключ\n東京\n", []string{`1:2 {"ключ":"東京"}`}, ""},
		{"fields too many and too few", "a,b\n1,2,3\n1\n1,2\n", []string{
			"1:2 1,2,3 invalid_csv want 2 fields, as many as the header, have 3",
			"1:3 1 invalid_csv want 2 fields, as many as the header, have 1", `1:4 {"a":"1","b":"2"}`}, ""},
		{"a bare quote", "a,b\n1,2\"\n1,2\n", []string{
			`1:2 1,2" invalid_csv want quotes around field 2, and two for each in it, have a bare quote`, `1:3 {"a":"1","b":"2"}`}, ""},
		{"something behind a quoted field", "a,b\n\"1\"x,2\n1,2\n", []string{
			`1:2 "1"x,2 invalid_csv want a quote and then a delimiter or the end of the row behind field 1, have a letter`, `1:3 {"a":"1","b":"2"}`}, ""},
		{"a quote that nothing closes", "a,b\n1,2\n1,\"2\n3,4\n", []string{`1:2 {"a":"1","b":"2"}`,
			"1:3 1,\"2\n3,4\n invalid_csv want a quote and then a delimiter or the end of the row behind field 2, have the end"}, ""},
		{"invalid UTF-8", "a,b\n1,caf\xe9\n1,2\n", []string{
			"1:2 1,caf\xe9 invalid_utf8 want UTF-8, have an invalid sequence at byte 5 of the row", `1:3 {"a":"1","b":"2"}`}, ""},
		{"a CR alone in a row", "a,b\n1,2\r3,4\n1\r,2\n\"1\"\r,2\n1,2\r\r\n1,2\n", []string{
			"1:2 1,2\r3,4 invalid_csv want lines that end with LF or CRLF, have CR alone at byte 3 of the row",
			"1:3 1\r,2 invalid_csv want lines that end with LF or CRLF, have CR alone at byte 1 of the row",
			"1:4 \"1\"\r,2 invalid_csv want lines that end with LF or CRLF, have CR alone at byte 3 of the row",
			"1:5 1,2\r\r invalid_csv want lines that end with LF or CRLF, have CR alone at byte 3 of the row", `1:6 {"a":"1","b":"2"}`}, ""},
		{"a CR alone within quotes", "\"a\rb\",c\n\"1\r\"\"\r\",\"\r\"\r\n", []string{`1:2 {"a\rb":"1\r\"\r","c":"\r"}`}, ""},
		{"a CR at the end of the text", "a\n1\r", []string{`1:2 {"a":"1"}`}, ""},
		{"lines that end with CR", "a,b\r1,2\r", []string{
			"1:1  invalid_csv in the header, want lines that end with LF or CRLF, have CR alone at byte 3 of the row, from byte 0 of the text"},
			"1:1: in the header, want lines that end with LF or CRLF, have CR alone at byte 3 of the row: the rest of the file cannot be read"},
		{"empty lines that end with CR", "\r\r", []string{
			"1:1  invalid_csv in the header, want lines that end with LF or CRLF, have CR alone at byte 0 of the row, from byte 0 of the text"},
			"1:1: in the header, want lines that end with LF or CRLF, have CR alone at byte 0 of the row: the rest of the file cannot be read"},
		{"too large a row", "a\n" + strings.Repeat("x", 101) + "\n1\n", []string{
			"1:2  too_large want at most 100 bytes, have 101 from byte 2 of the text", `1:3 {"a":"1"}`}, ""},
		{"too large a record", "a\n" + strings.Repeat("\x01", 30) + "\n1\n", []string{
			"1:2  too_large want at most 100 bytes, have 188 from byte 2 of the text", `1:3 {"a":"1"}`}, ""},
		{"no name of a column", "a,,c\n1,2,3\n", []string{"1:1  invalid_csv in the header, want a name for each column, have column 2 without one, from byte 0 of the text"},
			"1:1: in the header, want a name for each column, have column 2 without one: the rest of the file cannot be read"},
		{"one name twice", "\na,b,\"a\"\n", []string{"1:2  invalid_csv in the header, want columns with names of their own, have one name for columns 1 and 3, from byte 1 of the text"},
			"1:2: in the header, want columns with names of their own, have one name for columns 1 and 3: the rest of the file cannot be read"},
		{"a header that is not UTF-8", "a,\xff", []string{"1:1  invalid_utf8 in the header, want UTF-8, have an invalid sequence at byte 2 of the row, from byte 0 of the text"},
			"1:1: in the header, want UTF-8, have an invalid sequence at byte 2 of the row: the rest of the file cannot be read"},
		{"a header with a bare quote", "a\"\n1\n", []string{"1:1  invalid_csv in the header, want quotes around field 1, and two for each in it, have a bare quote, from byte 0 of the text"},
			"1:1: in the header, want quotes around field 1, and two for each in it, have a bare quote: the rest of the file cannot be read"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			for _, packed := range []string{tt.text, gzipped(tt.text), zstded(tt.text)} {
				dir := write(t, map[string]string{"1": packed})
				for _, batch := range []int{1, 7, 1 << 10} {
					s, err := open(t, "csv", options(Options{Paths: []string{filepath.Join(dir, "1")}, Limit: 100, Batch: batch}))
					if err != nil {
						t.Fatal(err)
					}
					rows, err := drain(t, s, newArena(1<<10))
					if diff := cmp.Diff(tt.want, rows); diff != "" {
						t.Errorf("batch %d: %s", batch, diff)
					}
					have := ""
					if err != nil {
						have = strings.TrimPrefix(err.Error(), dir+string(filepath.Separator))
					}
					if have != tt.err {
						t.Errorf("batch %d: want error %q, have %q", batch, tt.err, have)
					}
				}
			}
		})
	}
}

// TestDelimiter holds that a delimiter counts wherever it is given, that the ending of a file gives one, and that a header
// without an end does not fill the memory.
func TestDelimiter(t *testing.T) {
	for _, tt := range []struct{ reason, kind, name, delimiter, text, want string }{
		{"a comma", "csv", "a.csv", "", "a,b\n1,2\n", `a.csv:2 {"a":"1","b":"2"}`},
		{"a tab by the name", "csv", "a.TSV", "", "a\tb\n\t2\n", `a.TSV:2 {"a":"","b":"2"}`},
		{"a tab at the end of a row", "csv", "a.tsv.gz", "", gzipped("a\tb\n1\t\n"), `a.tsv.gz:2 {"a":"1","b":""}`},
		{"as given", "csv", "a.tsv", ";", "a;b\n1,5;\"2;\"\n", `a.tsv:2 {"a":"1,5","b":"2;"}`},
		{"auto reads a .csv", "auto", "a.csv", "", "a,b\n1,2\n", `a.csv:2 {"a":"1","b":"2"}`},
		{"auto reads a .tsv.zst", "auto", "a.tsv.zst", "", zstded("a\tb\n1\t2\n"), `a.tsv.zst:2 {"a":"1","b":"2"}`},
		{"endless header", "csv", "a", "", strings.Repeat("x", maxHeader+1),
			"a:1  invalid_csv want a header of at most 1048576 bytes, from byte 0 of the text"},
		{"a large file whose lines end with CR", "csv", "a", "", strings.Repeat("a,b\r", maxHeader/4+1),
			"a:1  invalid_csv want lines that end with LF or CRLF, have CR alone at byte 3 of the row, from byte 0 of the text"},
	} {
		opts := options(Options{Paths: []string{filepath.Join(write(t, map[string]string{tt.name: tt.text}), tt.name)}})
		if tt.delimiter != "" {
			opts.Own = &csvArgs{Delimiter: tt.delimiter}
		}
		s, err := open(t, tt.kind, opts)
		if err != nil {
			t.Fatal(err)
		}
		if rows, _ := drain(t, s, newArena(1<<20)); len(rows) != 1 || rows[0] != tt.want {
			t.Errorf("%s: want %q, have %q", tt.reason, tt.want, rows)
		}
	}
	for _, bad := range []string{"ab", "é", "\"", "\n", "\r"} {
		opts := options(Options{Paths: []string{"a"}, Own: &csvArgs{Delimiter: bad}})
		if wrong := opts.Check(); len(wrong) != 1 || wrong[0].Attr != "delimiter" {
			t.Errorf("%q as a delimiter: have %v", bad, wrong)
		}
	}
}

// TestKindsShareAChunk holds that auto may go from a table to lines and back, with the records in order.
func TestKindsShareAChunk(t *testing.T) {
	dir := write(t, map[string]string{"1.jsonl": "1\n2", "2.csv": "a\n3", "3.csv": "b\n4\n", "4.jsonl": "5\n", "5.tsv": "a\n", "6.jsonl": "6"})
	for _, batch := range []int{1, 7, 1 << 10} {
		s, err := open(t, "auto", options(Options{Paths: []string{filepath.Join(dir, "*")}, Batch: batch}))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := drain(t, s, newArena(1<<10))
		want := []string{"1.jsonl:1 1", "1.jsonl:2 2", `2.csv:2 {"a":"3"}`, `3.csv:2 {"b":"4"}`, "4.jsonl:1 5", "6.jsonl:1 6"}
		if diff := cmp.Diff(want, rows); diff != "" || err != nil || len(s.Inputs()) != 6 {
			t.Errorf("batch %d: %v %s", batch, err, diff)
		}
	}
}

// FuzzCSV checks that rows are what encoding/csv reads, and that neither the size of batches nor that of reads changes them.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "a\n\"x\n\"\"y\"\n\n2\r\n", "a,b\n1\"\n\"2\"x,\n", "\xff,\n,", "a\n\"", "\uFEFFa\r\n\r\nb\r"} {
		f.Add(text, uint8(3), uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, batch, step uint8) {
		rows, failed := readInPieces(t, "csv", text, int(batch)+1, int(step)+1)
		table, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\uFEFF"))).ReadAll()
		if len(text) > fuzzLimit/8 || err != nil || !utf8.ValidString(text) || failed != "" || len(table) < 2 || strings.Contains(text, "\r") {
			return
		}
		if len(rows) != len(table)-1 {
			t.Fatalf("want %d records, have %q", len(table)-1, rows)
		}
		for i, fields := range table[1:] {
			want := map[string]string{}
			for k, name := range table[0] {
				want[name] = fields[k]
			}
			_, data, _ := strings.Cut(rows[i], " ")
			var have map[string]string
			if err := json.NewDecoder(bytes.NewReader([]byte(data))).Decode(&have); err != nil {
				t.Fatal(err, data)
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Error(diff)
			}
		}
	})
}
