package sdk

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		{"a misspelt one", "lats", `target: want last or each, have "lats"; did you mean "last"?`, []string{"last", "each"}},
		{"two letters of a short one swapped", "nay", `target: want any or all, have "nay"; did you mean "any"?`, []string{"any", "all"}},
		{"another case", "LAST", `target: want last or each, have "LAST"; did you mean "last"?`, []string{"last", "each"}},
		{"the nearest, not the first that is near", "row12", `target: want rows or row1, have "row12"; did you mean "row1"?`, []string{"rows", "row1"}},
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

// TestWords protects that the words of a field's tag bound every string in it, and that each mistake is told at its place.
func TestWords(t *testing.T) {
	type config struct {
		Full  string            `hcl:"full,optional" oneof:"reject pass"`
		Every string            `hcl:"every,optional" oneof:"drop keep"`
		Maybe *string           `hcl:"maybe,optional" oneof:"a b"`
		Kinds []string          `hcl:"kinds,optional" oneof:"one two"`
		Gates map[string]string `hcl:"gates,optional" oneof:"drop keep"`
	}
	for _, c := range []struct {
		reason, args string
		want         []string
	}{
		{"words of each field", `{"full":"pass","every":"keep","maybe":"b","kinds":["two","one"],"gates":{"x":"drop"}}`, nil},
		{"no value, where nothing is the default", `{"every":"","full":null}`, nil},
		{"no value, where something is the default", `{"full":""}`, []string{`full: want reject or pass, have ""`}},
		{"other words", `{"full":"fail","maybe":"c","kinds":["one","three"],"gates":{"y":"","x":"kepe"}}`, []string{
			`full: want reject or pass, have "fail"`, `maybe: want a or b, have "c"`, `kinds.1: want one or two, have "three"`,
			`gates.x: want drop or keep, have "kepe"; did you mean "keep"?`, `gates.y: want drop or keep, have ""`,
		}},
		{"another type is told once", `{"full":1,"kinds":["one",2]}`, []string{
			"full: want a string, have a number", "kinds.1: want a string, have a number",
		}},
	} {
		cfg := config{}
		have := argTexts(Args{json: c.args, declared: config{Full: "reject"}}.Decode(&cfg))
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}
