package config

import "testing"

// TestLiteral protects that what documentation and editors show of a value can be written into a file as it stands.
func TestLiteral(t *testing.T) {
	for json, want := range map[string]string{
		`"a"`:                       `"a"`,
		`"a\"\n${b}%{c}"`:           `"a\"\n$${b}%%{c}"`,
		`[]`:                        `[]`,
		`["a",1.50,true,null]`:      `["a", 1.50, true, null]`,
		`{}`:                        `{}`,
		`{"a":{"b c":[1]},"d-e":2}`: `{ a = { "b c" = [1] }, d-e = 2 }`,
	} {
		have := Literal(json)
		if have != want {
			t.Errorf("%s: want %s, have %s", json, want, have)
		}
		src := "variable \"x\" {}\nx = " + have + "\n"
		if _, diags := Format("x.hcl", []byte(src)); diags.HasErrors() {
			t.Errorf("%s: want what the language takes, have %v", json, diags)
		}
	}
}
