package sdk

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func newRecord(json string) *Record {
	s := &step{plugin: Plugin{Name: "test", Labels: []string{anyName}}, readings: &readings{}}
	return &Record{document: &document{data: json, step: s}}
}

func TestSet(t *testing.T) {
	tests := []struct {
		reason, doc, path, value string
		want                     string // or
		err                      string
	}{
		{reason: "what stands around a value stays", doc: `{ "a" : 1.0e1 , "b":"\u00e9" }`, path: "a", value: `2`, want: `{ "a" : 2 , "b":"\u00e9" }`},
		{reason: "a new key goes last", doc: `{"a":1}`, path: "b", value: `2`, want: `{"a":1,"b":2}`},
		{reason: "white space before the bracket stays there", doc: "{\n  \"a\": 1\n}", path: "b", value: `2`, want: "{\n  \"a\": 1,\"b\":2\n}"},
		{reason: "an empty object needs no comma", doc: `{"o":{ }}`, path: "o.k", value: `1`, want: `{"o":{"k":1 }}`},
		{reason: "objects on the way are made", doc: `{}`, path: "a.b.c", value: `1`, want: `{"a":{"b":{"c":1}}}`},
		{reason: "a number makes an array on the way", doc: `{}`, path: "a.1.b", value: `1`, want: `{"a":[null,{"b":1}]}`},
		{reason: "a marked number makes an object", doc: `{}`, path: "a.:1", value: `1`, want: `{"a":{"1":1}}`},
		{reason: "a number is a key where an object stands", doc: `{"a":{}}`, path: "a.1", value: `1`, want: `{"a":{"1":1}}`},
		{reason: "null gives way", doc: `{"a":null}`, path: "a.b", value: `1`, want: `{"a":{"b":1}}`},
		{reason: "null gives way at the top too", doc: `null`, path: "a", value: `1`, want: `{"a":1}`},
		{reason: "an element", doc: `[1, 2,3]`, path: "1", value: `0`, want: `[1, 0,3]`},
		{reason: "behind the last element", doc: `{"a":[1 ]}`, path: "a.-1", value: `2`, want: `{"a":[1,2 ]}`},
		{reason: "behind the last element of none", doc: `{"a":[]}`, path: "a.-1", value: `2`, want: `{"a":[2]}`},
		{reason: "an object behind the last element", doc: `[]`, path: "-1.k", value: `2`, want: `[{"k":2}]`},
		{reason: "a gap is filled with null, as sjson does", doc: `{"a":[1]}`, path: "a.3", value: `2`, want: `{"a":[1,null,null,2]}`},
		{reason: "-1 is a key where an object stands", doc: `{"a":{}}`, path: "a.-1", value: `2`, want: `{"a":{"-1":2}}`},
		{reason: "both readers of a key that stands twice see the value", doc: `{"a":1,"a":2}`, path: "a", value: `3`, want: `{"a":3,"a":3}`},
		{reason: "the last of two parents gets what only the first had", doc: `{"a":{"b":1},"a":{"c":2}}`, path: "a.b", value: `3`, want: `{"a":{"b":3},"a":{"c":2,"b":3}}`},
		{reason: "the last of two parents has it alone", doc: `{"a":{"c":1},"a":{"b":2}}`, path: "a.b", value: `3`, want: `{"a":{"c":1},"a":{"b":3}}`},
		{reason: "a key is the same in any spelling", doc: `{"\u0061":1}`, path: "a", value: `2`, want: `{"\u0061":2}`},
		{reason: "an escaped dot belongs to the key", doc: `{"a.b":1,"a":{"b":2}}`, path: `a\.b`, value: `3`, want: `{"a.b":3,"a":{"b":2}}`},
		{reason: "a key may be empty", doc: `{"":{"":1}}`, path: ".", value: `2`, want: `{"":{"":2}}`},
		{reason: "a new key is escaped", doc: `{}`, path: "a\"\n\u2028", value: `1`, want: "{\"a\\\"\\n\u2028\":1}"},
		{reason: "so is one further down, and nothing that need not be", doc: `{}`, path: "a.<é\"\n\u2028%41+ \xed\xa0\x80\\..k.:-1.:1", value: `1`, want: "{\"a\":{\"<é\\\"\\n\u2028%41+ \\ud800.\":{\"k\":{\":-1\":{\"1\":1}}}}}"},
		{reason: "characters that are special to sjson and gjson", doc: `{"n":null}`, path: "n.\\:a.:b.a\\.b.\\*\\?\\|\\#.\\@c.\\!d.\\[e.~f.\\\\g.", value: `"]}"`, want: `{"n":{":a":{":b":{"a.b":{"*?|#":{"@c":{"!d":{"[e":{"~f":{"\\g":{"":"]}"}}}}}}}}}}}`},
		{reason: "arrays in arrays on the way are made", doc: `{}`, path: "a.-1.1.:0.-1", value: `[]`, want: `{"a":[[null,{"0":[[]]}]]}`},
		{reason: "white space around the document stays", doc: " {} ", path: "a", value: `1`, want: ` {"a":1} `},

		{reason: "a scalar holds no members", doc: `{"a":"x"}`, path: "a.b", value: `1`, err: `set "a.b": want an object or array to hold "b", have a string`},
		{reason: "the first of two parents stays as it was when the last refuses", doc: `{"a":{"b":1},"a":7}`, path: "a.b", value: `1`, err: `set "a.b": want an object or array to hold "b", have a number`},
		{reason: "an empty document holds nothing", doc: ``, path: "a", value: `1`, err: `set "a": want an object or array to hold "a", have nothing`},
		{reason: "an array has no keys", doc: `[1]`, path: "b", value: `1`, err: `set "b": want the index of an element, have "b"`},
		{reason: "01 is no index", doc: `[1]`, path: "01", value: `1`, err: `set "01": want the index of an element, have "01"`},
		{reason: "a time stamp is a key, not an index", doc: `{}`, path: "a.1760000000000", value: `1`, err: `set "a.1760000000000": want an index at most 65536 behind the end of its array, have 1760000000000: put ':' before a number that is a key`},
		{reason: "a path without end must not end the process", doc: `{}`, path: "a" + strings.Repeat(".", 10_000), value: `1`, err: `set "a` + strings.Repeat(".", 10_000) + `": want at most 10000 levels that do not exist yet, have 10001`},
		{reason: "an edit names one place", doc: `{}`, path: "a.*", value: `1`, err: `set: want a plain path, have "a.*": escape '*' with a backslash if it is part of a key`},
		{reason: "nothing is not JSON", doc: `{}`, path: "a", value: ``, err: `set "a": want JSON, have 0 bytes that are not`},
		{reason: "text is not JSON", doc: `{}`, path: "a", value: `not json`, err: `set "a": want JSON, have 8 bytes that are not`},
		{reason: "the whole record is not a place", doc: `{}`, path: "", value: `1`, err: `set: want a path, have ""`},
	}
	for _, tt := range tests {
		r := newRecord(tt.doc)
		err := r.SetRaw(tt.path, []byte(tt.value))
		if tt.err != "" {
			tt.want = tt.doc
		}
		if have := errText(err); have != tt.err {
			t.Errorf("%s: want error %q, have %q", tt.reason, tt.err, have)
		}
		if have := string(r.JSON()); have != tt.want {
			t.Errorf("%s: set %q in %s:\nwant %s\nhave %s", tt.reason, tt.path, tt.doc, tt.want, have)
		}
	}
}

func TestDelete(t *testing.T) {
	tests := []struct{ reason, doc, path, want, err string }{
		{reason: "the first", doc: `{ "a" : 1 , "b":2}`, path: "a", want: `{ "b":2}`},
		{reason: "the last, with the comma before it", doc: "{\n  \"a\":1,\n  \"b\":2\n}", path: "b", want: "{\n  \"a\":1\n}"},
		{reason: "the only one", doc: `{ "a":1 }`, path: "a", want: `{ }`},
		{reason: "an element moves those behind it", doc: `[1,2,3]`, path: "0", want: `[2,3]`},
		{reason: "every one of a key that stands twice", doc: `{"a":1,"b":2,"a":3}`, path: "a", want: `{"b":2}`},
		{reason: "one element in each parent", doc: `{"a":[1,2],"a":[3]}`, path: "a.0", want: `{"a":[2],"a":[]}`},
		{reason: "a missing key", doc: `{"a":1}`, path: "b", want: `{"a":1}`},
		{reason: "a missing parent", doc: `{"a":1}`, path: "a.b.c", want: `{"a":1}`},
		{reason: "an empty document has nothing to delete", doc: ``, path: "-1", want: ``},
		{reason: "-1 is a key in an object", doc: `{"-1":1}`, path: "-1", want: `{}`},
		{reason: "-1 is no element, though sjson deletes the last", doc: `{"a":[1]}`, path: "a.-1", want: `{"a":[1]}`, err: `delete "a.-1": want the index of an element, have -1, the place behind the last`},
		{reason: "an edit names one place", doc: `{"a":1}`, path: "*", want: `{"a":1}`, err: `delete: want a plain path, have "*": escape '*' with a backslash if it is part of a key`},
	}
	for _, tt := range tests {
		r := newRecord(tt.doc)
		if have := errText(r.Delete(tt.path)); have != tt.err {
			t.Errorf("%s: want error %q, have %q", tt.reason, tt.err, have)
		}
		if have := string(r.JSON()); have != tt.want {
			t.Errorf("%s: delete %q in %s:\nwant %s\nhave %s", tt.reason, tt.path, tt.doc, tt.want, have)
		}
	}
}

// TestDeepDocument protects the process from documents and paths that nest without end: nothing that edits may recurse into them.
func TestDeepDocument(t *testing.T) {
	const depth = 1_000_000
	doc := `{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `,"b":1}`
	r := newRecord(doc)
	must(t, r.Set("b", 2))
	must(t, r.Set("a.0.0.-1", 3))
	must(t, r.Delete("a"+strings.Repeat(".0", 50)))
	must(t, r.Delete("a"))
	if have := string(r.JSON()); have != `{"b":2}` {
		t.Errorf("want a record without the deep value, have %d bytes", len(have))
	}
}

func TestSetValue(t *testing.T) {
	view := gjson.Parse(`{"n":1.50,"list":[1,2]}`)
	tests := []struct {
		reason string
		value  any
		want   string
		err    string
	}{
		{reason: "what JSON demands is escaped, nothing else", value: "\"\\\n\t\r\x01</\u2028é😀\x7f", want: "\"\\\"\\\\\\n\\t\\r\\u0001</\u2028é😀\x7f\""},
		{reason: "bytes that are not UTF-8 must not get into JSON", value: "a\xffb\xed\xa0", want: "\"a\uFFFDb\uFFFD\uFFFD\""},
		{reason: "a lone surrogate, as jsontext decodes it, gets its escape back", value: "a\xed\xa0\x80", want: `"a\ud800"`},
		{reason: "true", value: true, want: `true`},
		{reason: "nil", value: nil, want: `null`},
		{reason: "int", value: -5, want: `-5`},
		{reason: "int32, as gRPC's messages have it", value: int32(-7), want: `-7`},
		{reason: "uint", value: uint(7), want: `7`},
		{reason: "uint8 is a number", value: uint8(7), want: `7`},
		{reason: "a type of one's own", value: time.Second, want: `1000000000`},
		{reason: "a float32 has no digits that it does not know", value: float32(0.1), want: `0.1`},
		{reason: "int64", value: int64(1) << 62, want: `4611686018427387904`},
		{reason: "uint64", value: uint64(1) << 63, want: `9223372036854775808`},
		{reason: "a whole float64 is written without exponent", value: 1e6, want: `1000000`},
		{reason: "a large float64", value: 1e21, want: `1e+21`},
		{reason: "a small float64", value: 1e-7, want: `1e-07`},
		{reason: "a view keeps its spelling", value: view.Get("n"), want: `1.50`},
		{reason: "a count has no text of its own", value: view.Get("list.#"), want: `2`},
		{reason: "JSON has no NaN", value: nan(), err: `set "v": want a number that JSON has, have NaN`},
		{reason: "a view of nothing", value: view.Get("none"), err: `set "v": want a value, have the result of a path that does not exist`},
		{reason: "gjson parses anything", value: gjson.Parse("tru"), err: `set "v": want a value, have 3 bytes that are not JSON`},
		{reason: "other types go through SetRaw", value: []int{1}, err: `set "v": want a string, boolean, number, nil or gjson.Result, have []int: use SetRaw`},
		{reason: "a list of strings too", value: []string{"a"}, err: `set "v": want a string, boolean, number, nil or gjson.Result, have []string: use SetRaw`},
		{reason: "a text of one's own type may be JSON or a string", value: json.Number("1"), err: `set "v": want a string, boolean, number, nil or gjson.Result, have json.Number: use SetRaw`},
		{reason: "what nests without end must not end the process", value: gjson.Result{Type: gjson.JSON, Raw: strings.Repeat("[", 1<<20)}, err: `set "v": want a value, have 1048576 bytes that are not JSON`},
	}
	for _, tt := range tests {
		r := newRecord(`{}`)
		if have := errText(r.Set("v", tt.value)); have != tt.err {
			t.Errorf("%s: want error %q, have %q", tt.reason, tt.err, have)
			continue
		}
		if have := r.Get("v").Raw; have != tt.want {
			t.Errorf("%s: want %s, have %s", tt.reason, tt.want, have)
		}
	}
}

func nan() float64 {
	zero := 0.0
	return zero / zero
}

func TestSplitPath(t *testing.T) {
	plain := func(key string) part { return part{key: key, index: -1} }
	tests := []struct {
		reason, path string
		want         []part
	}{
		{"keys", "a.b", []part{plain("a"), plain("b")}},
		{"an index keeps its text, since objects have such keys", "a.10", []part{plain("a"), {key: "10", index: 10}}},
		{"leading zeros make a key", "01", []part{plain("01")}},
		{"the place behind the last element", "-1", []part{{key: "-1", index: -1, end: true}}},
		{"other negative numbers are keys", "-2", []part{plain("-2")}},
		{"a number too large for an index is a key", "99999999999999999999", []part{plain("99999999999999999999")}},
		{"a marked number is a key", "a.:1", []part{plain("a"), plain("1")}},
		{"gjson reads other colons as part of the key", ":a.b:c", []part{plain(":a"), plain("b:c")}},
		{"escapes", `a\.b.\*.c\\d`, []part{plain("a.b"), plain("*"), plain(`c\d`)}},
		{"an escaped number is a key", `\1`, []part{plain("1")}},
		{"a backslash at the end is itself", `a\`, []part{plain(`a\`)}},
		{"empty keys", "a..", []part{plain("a"), plain(""), plain("")}},
		{"characters special at the start of a key only", "a@b.c{d", []part{plain("a@b"), plain("c{d")}},
	}
	for _, tt := range tests {
		have, err := splitPath(nil, tt.path)
		if err != nil || !slices.Equal(have, tt.want) {
			t.Errorf("%s: %q: want %+v, have %+v (%v)", tt.reason, tt.path, tt.want, have, err)
		}
	}
	for _, path := range []string{"", "*", "a.*", "a?", "a|b", "a.#", "#", "a.#(b=1)", "@this", "a.@reverse", "!x", "{a,b}", "[a]"} {
		if have, err := splitPath(nil, path); err == nil {
			t.Errorf("%q: want it refused, have %+v", path, have)
		}
	}
}

func TestViewsStay(t *testing.T) {
	r := newRecord(`{"a":"old","b":[1]}`)
	a, whole := r.View("a"), r.JSON()
	must(t, r.Set("a", "new"))
	must(t, r.Delete("b.0"))
	if a.Str != "old" || string(whole) != `{"a":"old","b":[1]}` {
		t.Errorf("want the views as they were, have %s and %s", a.Str, whole)
	}
	raw := []byte(`"mine"`)
	must(t, r.SetRaw("a", raw))
	copy(raw, `"your"`)
	if have := r.Get("a").Str; have != "mine" {
		t.Errorf("want SetRaw to copy, have %q", have)
	}
}

// TestGetCopies holds that nothing of what Get gives lies in the record's memory, while what View gives does.
func TestGetCopies(t *testing.T) {
	tests := []struct{ reason, path string }{
		{"a plain string", "plain"},
		{"an escaped string", "escaped"},
		{"a number", "n"},
		{"an object", "o"},
		{"what a query found", "list.#.a"},
		{"what a modifier gave", "o|@this"},
		{"nothing", "none"},
	}
	for _, tt := range tests {
		memory := []byte(`{"plain":"abc","escaped":"a\nb","n":12,"o":{"a":"b"},"list":[{"a":"x"},{"a":"y"}]}`)
		r := newRecord(jsontext.View(memory))
		want := gjson.Get(string(memory), tt.path)
		have, view := r.Get(tt.path), r.View(tt.path)
		for i := range memory {
			memory[i] = poisoned
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.reason, diff)
		}
		if tt.path == "plain" && view.Str == want.Str {
			t.Errorf("%s: want View not to copy, have a copy", tt.reason)
		}
	}
}

// TestDerivedMayBeAnything holds that editing a text of the plugin's own that is no JSON is an error, not the end of the process.
func TestDerivedMayBeAnything(t *testing.T) {
	for _, text := range []string{"", "{", "[", `{"a"`, `{"a":`, `"`, "nul", "[1,", "}{"} {
		d := newRecord(`{}`).Derive([]byte(text))
		if d.Set("a.b", 1) == nil || d.SetRaw("-1", []byte("1")) == nil || d.Delete("a") == nil {
			t.Errorf("%q: want an error of every edit, have none", text)
		}
		if have := string(d.JSON()); have != text {
			t.Errorf("want %q as it was, have %q", text, have)
		}
	}
}

func TestTenEditsOneCopy(t *testing.T) {
	row := `{"id":1,"request":{"messages":[{"role":"user","content":"` + strings.Repeat("x", 1<<20) +
		`"}],"tools":[]},"response":{"text":"","toolCalls":[{"toolName":"A"}]},"drop":1,"metadata":{"k":null}}`
	r := newRecord(row)
	edits := func() {
		*r.document = document{data: row, step: r.step}
		must(t, r.Set("id", 2))
		must(t, r.Set("request.messages.0.role", "assistant"))
		must(t, r.SetRaw("request.tools.-1", []byte(`{}`)))
		must(t, r.SetRaw("request.tools.-1", []byte(`{}`)))
		must(t, r.Set("response.text", "t"))
		must(t, r.Set("response.toolCalls.0.toolName", "B"))
		must(t, r.Set("response.finishReason", "stop"))
		must(t, r.Delete("drop"))
		must(t, r.Set("metadata.k.deep", true))
		must(t, r.Set("new", "v"))
		if len(r.edits) != 9 || r.data != row { // two elements make one splice
			t.Fatalf("want every edit collected, have %d", len(r.edits))
		}
		r.flush()
	}
	if n := testing.AllocsPerRun(10, edits); n > 60 {
		t.Errorf("want at most 60 allocations for ten edits, have %v", n)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	edits()
	runtime.ReadMemStats(&after)
	if size := after.TotalAlloc - before.TotalAlloc; size > uint64(len(row))*3/2 {
		t.Errorf("want one copy of %d bytes, have %d allocated", len(row), size)
	}
}

func TestLabels(t *testing.T) {
	r := newRecord(`{}`)
	r.SetLabel("split", "train")
	child := r.Derive([]byte(`{}`))
	child.SetLabel("split", "test")
	child.SetLabel("a", "b")
	if have := [...]string{r.Label("split"), r.Label("a"), child.Label("split"), child.Label("a")}; have != [...]string{"train", "", "test", "b"} {
		t.Errorf("want the labels of a record its own, have %q", have)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
