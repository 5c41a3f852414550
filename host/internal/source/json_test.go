package source

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocuments(t *testing.T) {
	tests := []struct {
		reason, text string
		want         []string
		err          string
	}{
		{"nothing", " \n", nil, ""},
		{"an array's elements", `[{"a":1}, [2,[3]],"x" ,4,null]`, []string{`a:1 {"a":1}`, `a:1 [2,[3]]`, `a:1 "x"`, `a:1 4`, `a:1 null`}, ""},
		{"an empty array", "[ ]", nil, ""},
		{"an object is one record", "\uFEFF {\"a\": [1,2]}\n", []string{`a:1 {"a": [1,2]}`}, ""},
		{"a scalar is one record", "42", []string{"a:1 42"}, ""},
		{"lines of elements", "[\n1\n,\r\n{\n},\n\n\"x\"]", []string{"a:2 1", "a:4 {\n}", `a:7 "x"`}, ""},
		{"documents that follow one another", `{"a":1}{"b":2} [3][4]` + "\n5 6", []string{`a:1 {"a":1}`, `a:1 {"b":2}`, "a:1 3", "a:1 4", "a:2 5", "a:2 6"}, ""},
		{"brackets and quotes in strings", `["]\"[\\",{"}":"{"}]`, []string{`a:1 "]\"[\\"`, `a:1 {"}":"{"}`}, ""},
		{"a bad element is one reject", "[1,Sam,2]", []string{"a:1 1", "a:1 Sam invalid_json want a value, have a letter at byte 0", "a:1 2"}, ""},
		{"too deep an element", "[[[[1]]],[[[[1]]]],2]", []string{"a:1 [[[1]]]", "a:1 [[[[1]]]] too_deep want at most 3 levels, have more at byte 3", "a:1 2"}, ""},
		{"too large an element", `["` + strings.Repeat("x", 100) + `",2]`, []string{"a:1  too_large want at most 40 bytes, have 102 from byte 1 of the text", "a:1 2"}, ""},
		{"an element as large as allowed", `["` + strings.Repeat("x", 38) + `"]`, []string{`a:1 "` + strings.Repeat("x", 38) + `"`}, ""},
		{"one byte larger", `["` + strings.Repeat("x", 39) + `"]`, []string{"a:1  too_large want at most 40 bytes, have 41 from byte 1 of the text"}, ""},
		{"no closing bracket", "[1,\n2\n", []string{"a:1 1", "a:2 2", "a:3  invalid_json want ',' or ']', have the end, from byte 6 of the text"},
			"a:3: want ',' or ']', have the end: the rest of the file cannot be read"},
		{"the file breaks off in an element", "[1,\n{\"a\":\n", []string{"a:1 1", "a:2 {\"a\":\n invalid_json want the end of a value, have the end, from byte 4 of the text"},
			"a:2: want the end of a value, have the end: the rest of the file cannot be read"},
		{"something between elements", "[1,\n{} x,2]", []string{"a:1 1", "a:2 {}", "a:2  invalid_json want ',' or ']', have a letter, from byte 7 of the text"},
			"a:2: want ',' or ']', have a letter: the rest of the file cannot be read"},
		{"two commas", "[1,,2]", []string{"a:1 1", "a:1  invalid_json want an element, have ',', from byte 3 of the text"},
			"a:1: want an element, have ',': the rest of the file cannot be read"},
		{"a comma at the end", "[1,]", []string{"a:1 1", "a:1  invalid_json want an element, have ']', from byte 3 of the text"},
			"a:1: want an element, have ']': the rest of the file cannot be read"},
		{"a bracket too many", "[1]]", []string{"a:1 1", "a:1  invalid_json want a document, have ']', from byte 3 of the text"},
			"a:1: want a document, have ']': the rest of the file cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			name := filepath.Join(write(t, map[string]string{"a": tt.text}), "a")
			for _, chunk := range []int{1, 7, 1 << 10} {
				s, err := open(t, "json", options(Options{Paths: []string{name}, Limit: 40, Depth: 3, Batch: chunk}))
				if err != nil {
					t.Fatal(err)
				}
				rows, err := drain(t, s, newArena(1<<10))
				if diff := cmp.Diff(tt.want, rows); diff != "" {
					t.Errorf("chunk %d: %s", chunk, diff)
				}
				have := ""
				if err != nil {
					have = strings.TrimPrefix(err.Error(), filepath.Dir(name)+string(filepath.Separator))
				}
				if have != tt.err {
					t.Errorf("chunk %d: have error %q, want %q", chunk, have, tt.err)
				}
			}
		})
	}
}

// FuzzElements checks that the elements of an array are those that encoding/json finds, and that neither the size of
// batches nor that of reads changes what is read.
func FuzzElements(f *testing.F) {
	for _, text := range []string{`[1,{"a":"]\"\\"},"x" ]{"b":2}3`, "[1\n,,2]", "[ ]", `["é" , [[[1]]],{"k":[1,2]}]`, "\uFEFF[1,\n2]", "P*M", "7z", "[\"a\n\\\"", "[\"\\\\\"]", "\xfad\x99]\x00\x11\x00 \x00"} {
		f.Add(text, uint8(3), uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, batch, step uint8) {
		rows, err := readInPieces(t, "json", text, int(batch)+1, int(step)+1)
		var want []json.RawMessage
		if len(text) > fuzzLimit || json.Unmarshal([]byte(text), &want) != nil || want == nil {
			return
		}
		if err != "" || len(rows) != len(want) {
			t.Fatalf("have %d records and error %q, want %d", len(rows), err, len(want))
		}
		for i, element := range want {
			if _, data, _ := strings.Cut(rows[i], " "); !strings.HasPrefix(data, string(element)) {
				t.Errorf("have %q, want %q", data, element)
			}
		}
	})
}
