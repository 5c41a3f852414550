package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

func differAt(path, current, candidate string) receipt.ShadowDifference {
	return receipt.ShadowDifference{Path: path, Current: current, Candidate: candidate}
}

func emittedJSON(texts ...string) result {
	r := result{verdict: "emitted"}
	for _, t := range texts {
		r.records = append(r.records, []byte(t))
	}
	return r
}

// TestCompare checks what counts as a difference, and what of it is shown.
func TestCompare(t *testing.T) {
	open := display{values: true}
	kind := func(path, current, candidate string) difference {
		return difference{differAt(path, current, candidate), "", "", ""}
	}
	for _, c := range []struct {
		reason string
		a, b   result
		show   display
		want   []difference
	}{
		{"the same bytes", emittedJSON(`{"a":1}`), emittedJSON(`{"a":1}`), open, nil},
		{"spacing, the order of keys and spelling are no difference",
			emittedJSON(`{"a":1.0,"b":"\u0041"}`), emittedJSON(`{ "b": "A", "a": 1 }`), open, nil},
		{"values are not shown unasked", emittedJSON(`{"a":{"b":"secret"}}`), emittedJSON(`{"a":{"b":"other"}}`), display{},
			[]difference{kind("a.b", "a string", "another string")}},
		{"values are shown when asked for", emittedJSON(`{"a":{"b":"x"}}`), emittedJSON(`{"a":{"b":"x "}}`), open,
			[]difference{{differAt("a.b", "a string", "another string"), `"x"`, `"x "`, ""}}},
		{"but not of private steps", emittedJSON(`{"a":{"b":"x"}}`), emittedJSON(`{"a":{"b":"y"}}`), display{values: true, private: true},
			[]difference{{differAt("a.b", "a string", "another string"), "(private)", "(private)", ""}}},
		{"keys that look like data are not shown",
			emittedJSON(`{"ann@example.org":1,"id-17":{"x":true}}`), emittedJSON(`{"id-17":{"x":false}}`), display{},
			[]difference{kind("*", "a number", "nothing"), kind("*.x", "true", "false")}},
		{"a difference of several elements is found once", emittedJSON(`[[1,2],[3]]`), emittedJSON(`[["1","2"],null]`), display{},
			[]difference{{differAt("#", "an array", "null"), "", "", "1"}, {differAt("#.#", "a number", "a string"), "", "", "0.0"}}},
		{"what only one has", emittedJSON(`[{"a":1}]`), emittedJSON(`[{},{}]`), open, []difference{
			{differAt("#", "nothing", "an object"), "", "{}", "1"}, {differAt("#.a", "a number", "nothing"), "1", "", "0.a"},
		}},
		{"whole numbers that a float64 cannot tell apart", emittedJSON(`12345678901234567890`), emittedJSON(`12345678901234567891`), display{},
			[]difference{kind("", "a number", "another number")}},
		{"minus nought is nought", emittedJSON(`-0`), emittedJSON(`0`), display{}, nil},
		{"an outcome comes with its message and its record", result{verdict: "rejected", code: "bad", message: "want a user"}, emittedJSON(`{}`), open,
			[]difference{{differAt("", "rejected bad", "emitted 1"), "want a user", "{}", ""}}},
		{"messages are shown unasked, but not of private steps", result{verdict: "dropped", message: "small"}, result{verdict: crashed, message: "panic"}, display{private: true},
			[]difference{{differAt("", "dropped", "crashed"), "(private)", "(private)", ""}}},
		{"two rejects with one code are the same", result{verdict: "rejected", code: "bad", message: "x"}, result{verdict: "rejected", code: "bad"}, open, nil},
	} {
		have, _ := compare(c.a, c.b, nil, c.show)
		if diff := cmp.Diff(c.want, have, cmp.AllowUnexported(difference{})); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestCompareBesideRecords checks that labels and the rows of side outputs are compared as members of a record are.
func TestCompareBesideRecords(t *testing.T) {
	labelled := func(labels ...wire.Label) result {
		r := emittedJSON(`{"@split":1}`)
		r.labels = [][]wire.Label{labels}
		return r
	}
	train, val, lang := wire.Label{Name: "split", Value: "train"}, wire.Label{Name: "split", Value: "val"}, wire.Label{Name: "lang", Value: "en"}
	wrote := func(verdict string, rows ...string) result {
		return result{verdict: verdict, rows: sideTexts{"ledger": rows}}
	}
	for _, c := range []struct {
		reason  string
		a, b    result
		ignore  []string
		show    display
		want    []difference
		ignored bool
	}{
		{"the same label", labelled(train), labelled(train), nil, display{}, nil, false},
		{"another value, which is not shown unasked", labelled(train), labelled(val), nil, display{},
			[]difference{{differAt("@split", "a string", "another string"), "", "", ""}}, false},
		{"another value that is shown", labelled(train), labelled(val), nil, display{values: true},
			[]difference{{differAt("@split", "a string", "another string"), `"train"`, `"val"`, ""}}, false},
		{"another value of a private step", labelled(train), labelled(val), nil, display{values: true, private: true},
			[]difference{{differAt("@split", "a string", "another string"), "(private)", "(private)", ""}}, false},
		{"a label that only one has", labelled(lang), labelled(train), nil, display{values: true}, []difference{
			{differAt("@lang", "a string", "nothing"), `"en"`, "", ""}, {differAt("@split", "nothing", "a string"), "", `"train"`, ""},
		}, false},
		{"an empty value is not the same as none", labelled(wire.Label{Name: "split"}), labelled(), nil, display{},
			[]difference{{differAt("@split", "a string", "nothing"), "", "", ""}}, false},
		{"a name that looks like data", labelled(wire.Label{Name: "ann@example.org", Value: "1"}), labelled(), nil, display{},
			[]difference{{differAt("@*", "a string", "nothing"), "", "", ""}}, false},
		{"a label that may differ", labelled(train, lang), labelled(val, lang), []string{"@split"}, display{}, nil, true},
		{"a member is no label", labelled(train), labelled(val), []string{"split", "*"}, display{},
			[]difference{{differAt("@split", "a string", "another string"), "", "", ""}}, false},
		{"the same rows", wrote("dropped", `{"a":1}`), wrote("dropped", `{"a": 1.0}`), nil, display{}, nil, false},
		{"a value in a row", wrote("dropped", `{"a":1}`), wrote("dropped", `{"a":2}`), nil, display{values: true},
			[]difference{{differAt("/ledger.#.a", "a number", "another number"), "1", "2", "/ledger.0.a"}}, false},
		{"a row that only one has", wrote("dropped", `{"a":1}`, `{"a":2}`), wrote("dropped", `{"a":1}`), nil, display{},
			[]difference{{differAt("/ledger.#", "an object", "nothing"), "", "", "/ledger.1"}}, false},
		{"no rows", wrote("dropped", `{"a":1}`), result{verdict: "dropped"}, nil, display{},
			[]difference{{differAt("/ledger.0", "an object", "nothing"), "", "", ""}}, false},
		{"rows that may differ", wrote("dropped", `{"a":1}`), wrote("dropped"), []string{"/ledger"}, display{}, nil, true},
		{"values of rows that may differ", wrote("dropped", `{"a":1,"b":1}`), wrote("dropped", `{"a":2,"b":2}`), []string{"/ledger.#.a"}, display{},
			[]difference{{differAt("/ledger.#.b", "a number", "another number"), "", "", "/ledger.0.b"}}, true},
	} {
		except, err := ignore.Parse(c.ignore)
		if err != nil {
			t.Fatal(err)
		}
		have, ignored := compare(c.a, c.b, except, c.show)
		if diff := cmp.Diff(c.want, have, cmp.AllowUnexported(difference{})); diff != "" || ignored != c.ignored {
			t.Errorf("%s: want ignored %t, have %t (-want +have):\n%s", c.reason, c.ignored, ignored, diff)
		}
	}
}

// TestDiffersRow checks what a row of two results shows besides the records.
func TestDiffersRow(t *testing.T) {
	current := emittedJSON(`{"a":1}`, `{"a":2}`)
	current.labels = [][]wire.Label{{{Name: "split", Value: "train"}}, nil}
	current.rows = sideTexts{"ledger": {`{"n":1}`, `{"n":2}`}, "pairs": {`{}`}}
	const place, candidate = `{"file":"in","line":7,`, `,"candidate":{"verdict":"dropped","code":"","message":"","records":[]}}`
	for _, c := range []struct{ reason, want string }{
		{"open", `"records":[{"a":1},{"a":2}],"labels":[{"split":"train"},{}],"outputs":{"ledger":[{"n":1},{"n":2}],"pairs":[{}]}}`},
		{"private", `"records":[null,null],"labels":[null,null],"outputs":{"ledger":[null,null],"pairs":[null]}}`},
	} {
		have := string(display{private: c.reason == "private"}.row(&wire.Record{File: "in", Line: 7}, current, result{verdict: "dropped"}))
		if want := place + `"current":{"verdict":"emitted","code":"","message":"",` + c.want + candidate; have != want {
			t.Errorf("%s: want\n%s, have\n%s", c.reason, want, have)
		}
	}
}
