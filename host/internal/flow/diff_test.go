package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		reason, a, b string
		want         []Difference
	}{
		{"the same bytes", `{"a":1}`, `{"a":1}`, nil},
		{"spacing, the order of keys and spelling are no difference", `{"a":1.0,"b":"\u0041"}`, `{ "b": "A", "a": 1 }`, nil},
		{"values are not shown", `{"a":{"b":"secret"}}`, `{"a":{"b":"other"}}`, []Difference{{"a.b", "a string", "another string"}}},
		{"nor are keys that look like data", `{"ann@example.org":1,"id-17":{"x":true}}`, `{"id-17":{"x":false}}`,
			[]Difference{{"*", "a number", "nothing"}, {"*.x", "true", "false"}}},
		{"a difference of several elements is told once", `[[1,2],[3]]`, `[["1","2"],null]`,
			[]Difference{{"#", "an array", "null"}, {"#.#", "a number", "a string"}}},
		{"what only one has", `[{"a":1}]`, `[{},{}]`, []Difference{{"#", "nothing", "an object"}, {"#.a", "a number", "nothing"}}},
	} {
		have := compare(result{"emitted 1", [][]byte{[]byte(c.a)}}, result{"emitted 1", [][]byte{[]byte(c.b)}})
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}
