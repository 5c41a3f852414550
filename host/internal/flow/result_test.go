package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
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
