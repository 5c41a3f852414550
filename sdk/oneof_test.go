package sdk

import "testing"

// TestOneOf protects what a wrong word in a pipeline file is answered with.
func TestOneOf(t *testing.T) {
	for _, c := range []struct {
		reason, have, want string
		words              []string
	}{
		{"one of the words", "last", "", []string{"last", "each"}},
		{"no value where that is one of them", "", "", []string{"", "last"}},
		{"no value where it is not", "", `target: want last, have ""`, []string{"last"}},
		{"another of two", "first", `target: want last or each, have "first"`, []string{"", "last", "each"}},
		{"another of three", "d", `target: want a, b or c, have "d"`, []string{"a", "b", "c"}},
	} {
		have := ""
		if err := (Args{}).OneOf("target", c.have, c.words...); err != nil {
			have = err.Error()
		}
		if have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}
