package sdk

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// spliced gives a document with edits applied, and whether inStrings is sure of it.
func spliced(doc string, edits ...splice) (after string, known bool) {
	r := newRecord(doc)
	r.edits = edits
	after = string(r.appendTo(nil))
	return after, inStrings(doc, after, edits)
}

// TestInStrings holds which splices need no look at the rest of a document, and that none that spoils it is among them.
func TestInStrings(t *testing.T) {
	cut := func(start, end int, text string) splice { return splice{start: start, end: end, text: []byte(text)} }
	for _, c := range []struct {
		reason string
		doc    string
		edits  []splice
		known  bool
	}{
		{"the whole of a string's text", `{"a":"bcd"}`, []splice{cut(6, 9, "x")}, true},
		{"a part of it, and of the key", `{"abc":"def"}`, []splice{cut(3, 4, "x"), cut(9, 9, "long"), cut(11, 11, "y")}, true},
		{"a text that was empty", `{"a":""}`, []splice{cut(6, 6, "x")}, true},
		{"between escaped quotes", `["\"a\"\\"]`, []splice{cut(4, 5, "b")}, true},
		{"behind backslashes in pairs", `["a\\","b"]`, []splice{cut(8, 9, "c")}, true},
		{"a text that is an escape", `["a"]`, []splice{cut(2, 3, `\u00e9é`)}, true},
		{"two strings with others between", `["a",1,"b","c"]`, []splice{cut(2, 3, "xx"), cut(12, 13, "")}, true},
		{"a text that ends the string", `["a","b"]`, []splice{cut(2, 3, `x"`)}, false},
		{"a text that opens the string's end", `["a","b"]`, []splice{cut(3, 3, `\`)}, false},
		{"half of an escape goes", `["a\n"]`, []splice{cut(4, 5, "")}, false},
		{"an escape that there is not", `["a\n"]`, []splice{cut(4, 5, "x")}, false},
		{"a control character", `["a"]`, []splice{cut(2, 3, "\n")}, false},
		{"half of a character goes", `["é"]`, []splice{cut(2, 3, "")}, false},
		{"what is between two strings", `["a","b"]`, []splice{cut(4, 5, ":")}, false},
		{"a value that is no string", `["a",1,"b"]`, []splice{cut(5, 6, "2")}, false},
		{"a bracket", `["a","b"]`, []splice{cut(0, 1, "{")}, false},
		{"the last bracket", `["a","b"]`, []splice{cut(8, 9, "}")}, false},
		{"across a quote", `["a","b"]`, []splice{cut(2, 4, `x"`)}, false},
		{"one of two is elsewhere", `["a",1]`, []splice{cut(2, 3, "b"), cut(5, 6, "x")}, false},
		{"a string that begins like what is between two is looked at", `[": a"]`, []splice{cut(4, 5, "b")}, false},
		{"an element with the comma before it", `[1,{"my":2},"b"]`, []splice{cut(2, 11, "")}, true},
		{"the first with the comma behind it, and a text", `[{"my":1}, {"my":"b"}]`, []splice{cut(1, 11, ""), cut(18, 19, "c")}, true},
		{"an element whose comma stays", `[1,{"my":2},"b"]`, []splice{cut(3, 11, "")}, false},
		{"what may be text between two strings", `["a,{","}"]`, []splice{cut(3, 9, "")}, false},
		{"an element that may be text is looked at", `[1,{"a":2}]`, []splice{cut(2, 10, "")}, false},
		{"the value of a member", `{"a":{"my":1},"b":2}`, []splice{cut(5, 14, "")}, false},
		{"an object for an object, and a text", `{"a":{"my":1},"b":"c"}`, []splice{cut(5, 13, `{"x":[]}`), cut(19, 20, "d")}, true},
		{"no JSON for an object", `{"a":{"my":1}}`, []splice{cut(5, 13, `{"x"}`)}, false},
		{"so is a document that is one number", `12`, []splice{cut(0, 1, "3")}, false},
	} {
		after, known := spliced(c.doc, c.edits...)
		if known != c.known {
			t.Errorf("%s: want %t of %s, have %t", c.reason, c.known, after, known)
		}
	}
}

// TestCutsElement holds that every splice that is taken for a cut of an element, or for another value in place of an object, leaves JSON,
// alone and with any other.
func TestCutsElement(t *testing.T) {
	known := 0
	for _, doc := range []string{
		`[{"my":1},{"my":2} , {"my":[]}]`, `{"a":{"my":1},"b":{"my":2}}`, `["x,{","my",",{","k",{"my":"},{"}]`, `[[{"my":1}],{"k_":{"my":[1,{"my":1}]}}]`,
		`[{"}":"my"},{",{":"my,"},",{","my}"]`,
	} {
		var cuts []splice
		for start := range len(doc) {
			for end := start; end <= len(doc); end++ {
				for _, text := range []string{"", "[1]"} {
					e := splice{start: start, end: end, text: []byte(text)}
					if cutsElement(doc, &e) || replacesObject(doc, &e) {
						cuts = append(cuts, e)
					}
				}
			}
		}
		known += len(cuts)
		for _, a := range cuts {
			for _, b := range append(cuts, a) {
				edits := []splice{a, b}
				if a.start == b.start {
					edits = edits[:1]
				} else if b.start < a.end {
					continue
				}
				if after, known := spliced(doc, edits...); !known || jsontext.Check(after, maxDepth) != nil {
					t.Errorf("%s became %s (known: %t)", doc, after, known)
				}
			}
		}
	}
	if known < 10 {
		t.Errorf("want 10 cuts or more that are known, have %d", known)
	}
}

// FuzzInStrings holds that splices of which inStrings is sure leave JSON JSON.
func FuzzInStrings(f *testing.F) {
	for _, doc := range []string{`{"a":"b,c","d\"e":["f\\","",1,true]}`, `["é\u00e9\ud800", ":", " ,"]`, `"x"`, `[[],{}]`, `[{"my":1},{"my":2}]`} {
		for i := range len(doc) {
			f.Add(doc, "x", uint8(i), uint8(1), "\\", uint8(2), uint8(0))
			f.Add(doc, `"`, uint8(i), uint8(2), `","`, uint8(1), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, doc, text string, skip, cut uint8, text2 string, skip2, cut2 uint8) {
		if jsontext.Check(doc, maxDepth) != nil {
			return
		}
		start := min(int(skip), len(doc))
		end := min(start+int(cut), len(doc))
		start2 := min(end+int(skip2), len(doc))
		end2 := min(start2+int(cut2), len(doc))
		edits := []splice{{start: start, end: end, text: []byte(text)}, {start: start2, end: end2, text: []byte(text2)}}
		after, known := spliced(doc, edits...)
		if bad := jsontext.Check(after, maxDepth); known && bad != nil {
			t.Fatalf("%s became %s: %v", doc, after, bad)
		}
	})
}
