package index

import "testing"

func TestParsePathIs(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         PathIs
	}{
		{"a value", "a.b=c", PathIs{Path: "a.b", Value: "c"}},
		{"a value with =", "a=b=c", PathIs{Path: "a", Value: "b=c"}},
		{"any value", "a.b", PathIs{Path: "a.b", Any: true}},
		{"the empty text", "a=", PathIs{Path: "a"}},
		{"a condition in the path", `m.#(role=="user").content=hi`, PathIs{Path: `m.#(role=="user").content`, Value: "hi"}},
	} {
		have := ParsePathIs(c.text)
		if have != c.want {
			t.Errorf("%s: want %+v, have %+v", c.reason, c.want, have)
		}
		if have.String() != c.text {
			t.Errorf("%s: want %q back, have %q", c.reason, c.text, have.String())
		}
	}
}
