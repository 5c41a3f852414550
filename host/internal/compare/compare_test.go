package compare

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestValues checks what counts as a difference.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		reason, a, b string
		want         []Difference
	}{
		{"spacing, the order of keys and spelling are no difference", `{"a":1.0,"b":"\u0041"}`, `{ "b": "A", "a": 1 }`, nil},
		{"another value", `{"a":{"b":"x"}}`, `{"a":{"b":"y"}}`, []Difference{{"a.b", "a string", "another string"}}},
		{"keys that look like data are not shown", `{"ann@example.org":1,"id-17":{"x":true}}`, `{"id-17":{"x":false}}`,
			[]Difference{{"*", "a number", "nothing"}, {"*.x", "true", "false"}}},
		{"a difference of several elements is told once", `[[1,2],[3]]`, `[["1","2"],null]`,
			[]Difference{{"#", "an array", "null"}, {"#.#", "a number", "a string"}}},
		{"what only one has", `[{"a":1}]`, `[{},{}]`, []Difference{{"#", "nothing", "an object"}, {"#.a", "a number", "nothing"}}},
		{"a member with null is not one that is missing", `{"a":null}`, `{}`, []Difference{{"a", "null", "nothing"}}},
		{"of a key that is there twice the last counts", `{"a":1,"a":2}`, `{"a":2}`, nil},
		{"lone surrogates are told apart", `"\ud800"`, `"\ud801"`, []Difference{{"", "a string", "another string"}}},
		{"whole numbers that a float64 cannot tell apart", `12345678901234567890`, `12345678901234567891`, []Difference{{"", "a number", "another number"}}},
		{"fractions that a float64 cannot tell apart", `0.1`, `0.10000000000000000001`, []Difference{{"", "a number", "another number"}}},
		{"numbers beyond a float64", `1e400`, `1e401`, []Difference{{"", "a number", "another number"}}},
		{"numbers beyond a float64, spelled in two ways", `1e400`, `10E+399`, nil},
		{"exponents beyond an integer", `1e99999999999`, `1e99999999998`, []Difference{{"", "a number", "another number"}}},
		{"minus nought is nought", `-0`, `0.00e7`, nil},
		{"the sign of a number counts", `-1`, `1`, []Difference{{"", "a number", "another number"}}},
		{"a fraction with an exponent", `1.50`, `15e-1`, nil},
	} {
		var have []Difference
		found, _ := Values(jsontext.JSON(c.a), jsontext.JSON(c.b), nil)
		for _, f := range found {
			have = append(have, f.Difference)
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestDeep checks that nesting cannot exhaust the stack: below 1,000 levels the bytes are compared.
func TestDeep(t *testing.T) {
	nested := func(n int, inner string) jsontext.JSON {
		return jsontext.JSON(strings.Repeat("[", n) + inner + strings.Repeat("]", n))
	}
	for _, c := range []struct {
		reason string
		levels int
		want   string // what the innermost difference is
	}{
		{"the last level that is looked into", maxLevels, "another number"},
		{"the first that is not", maxLevels + 1, "another array"},
		{"far below", 100_000, "another array"},
	} {
		have, _ := Values(nested(c.levels, "1"), nested(c.levels, "2"), nil)
		if len(have) != 1 || have[0].B != c.want || len(have[0].Path) > maxPath+2 {
			t.Errorf("%s: want %s, have %d differences", c.reason, c.want, len(have))
		}
	}
}

// TestExcerpt checks that a text is cut between characters.
func TestExcerpt(t *testing.T) {
	if have, want := Excerpt(strings.Repeat("é", 150)), strings.Repeat("é", 98)+"…"; have != want {
		t.Errorf("want 98 characters and dots, have %q", have)
	}
	if whole := strings.Repeat("x", maxShown); Excerpt(whole) != whole {
		t.Errorf("want %d bytes shown whole", maxShown)
	}
}

// TestExcerptDiff checks that the excerpts of two long texts show how they differ.
func TestExcerptDiff(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, c := range []struct{ reason, a, b, wantA, wantB string }{
		{"short ones are shown whole", "same x", "same y", "same x", "same y"},
		{"the common beginning is left out", long + "x", long + "y", "…" + strings.Repeat("é", 20) + "x", "…" + strings.Repeat("é", 20) + "y"},
		{"one goes on where the other ends", long, long + "y", "…" + strings.Repeat("é", 20), "…" + strings.Repeat("é", 20) + "y"},
		{"one is not there", "", long, "", strings.Repeat("é", 98) + "…"},
	} {
		if a, b := ExcerptDiff(c.a, c.b); a != c.wantA || b != c.wantB {
			t.Errorf("%s: want %q and %q, have %q and %q", c.reason, c.wantA, c.wantB, a, b)
		}
	}
}

// TestNumber checks that all spellings of a number have one canonical form, which is a spelling of it.
func TestNumber(t *testing.T) {
	for _, c := range []struct{ want, spellings string }{
		{"0", "0 -0 0.0 0e9"}, {"4", "4 4.0 40e-1 0.4e1"}, {"1200", "1200 12e2 1.2e3"}, {"-15e-1", "-1.5 -1.50 -150e-2"},
		{"1e30", "1e30 10e29"}, {"1e-7", "1e-7 0.0000001"}, {"1e99999999999", "1e99999999999"},
	} {
		for _, text := range strings.Fields(c.spellings) {
			if have := Number(text); have != c.want {
				t.Errorf("want %s as %s, have %s", text, c.want, have)
			}
		}
	}
}

// FuzzValues checks that a value does not differ from itself in another spelling, and that differences are symmetric.
func FuzzValues(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}],"c":"x"}`, `{"a":[1.0,{"b":true}]}`)
	f.Add(`[[[]]]`, `[[[0]]]`)
	f.Add(`{"a":1,"a":2}`, `"\ud800"`)
	f.Add(`1e400`, `0.10`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if !json.Valid([]byte(a)) || !json.Valid([]byte(b)) {
			return
		}
		x, y := jsontext.JSON(strings.Trim(a, " \t\r\n")), jsontext.JSON(strings.Trim(b, " \t\r\n"))
		spaced := jsontext.JSON(strings.Trim(strings.NewReplacer(",", " ,", ":", " :").Replace(string(x)), " "))
		if !strings.Contains(string(x), `"`) {
			if have, _ := Values(x, spaced, nil); have != nil {
				t.Errorf("want %q like itself, have %v", x, have)
			}
		}
		there, _ := Values(x, y, nil)
		back, _ := Values(y, x, nil)
		if (len(there) == 0) != (len(back) == 0) || (len(there) == 0) != Equal(x, y) {
			t.Errorf("want differences from %q to %q as Equal and the way back have, have %d and %d", a, b, len(there), len(back))
		}
	})
}
