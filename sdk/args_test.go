package sdk

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

type argRule struct {
	Pattern string `hcl:"pattern"`
	Weight  *int   `hcl:"weight,optional"`
}

type argConfig struct {
	Name    string            `hcl:"name"`
	Strict  bool              `hcl:"strict,optional"`
	Limit   int64             `hcl:"limit,optional"`
	Ratio   float64           `hcl:"ratio,optional"`
	Paths   []string          `hcl:"paths,optional"`
	Aliases map[string]string `hcl:"aliases,optional"`
	Rules   []argRule         `hcl:"rules,optional"`
	Ignored string
}

func TestDecode(t *testing.T) {
	three := 3
	tests := []struct {
		reason, args string
		want         argConfig
		errs         [][2]string
	}{
		{reason: "every kind of field", args: `{"name":"n","strict":true,"limit":9007199254740993,"ratio":0.5,"paths":["a","b"],"aliases":{"A":"B"},"rules":[{"pattern":"p","weight":3},{"pattern":"q"}]}`,
			want: argConfig{Name: "n", Strict: true, Limit: 9007199254740993, Ratio: 0.5, Paths: []string{"a", "b"}, Aliases: map[string]string{"A": "B"}, Rules: []argRule{{"p", &three}, {Pattern: "q"}}}},
		{reason: "what is optional keeps its default, and null is as good as absent", args: `{"name":"n","limit":null}`, want: argConfig{Name: "n", Limit: 7}},
		{reason: "an empty list is not the default", args: `{"name":"n","paths":[]}`, want: argConfig{Name: "n", Limit: 7, Paths: []string{}}},
		{reason: "no attributes at all", args: ``, errs: [][2]string{{"name", "want a string, have nothing"}}},
		{reason: "null does not fill what is required", args: `{"name":null}`, errs: [][2]string{{"name", "want a string, have nothing"}}},
		{reason: "every mistake at once, each at its place", args: `{"name":5,"strict":"yes","limit":1.5,"ratio":"x","paths":["a",1],"aliases":{"A":[]},"rules":[{"pattern":"p"},{"wieght":1}],"more":1}`,
			errs: [][2]string{
				{"name", "want a string, have a number"},
				{"strict", "want a boolean, have a string"},
				{"limit", "want a whole number, have a number with a fraction"},
				{"ratio", "want a number, have a string"},
				{"paths.1", "want a string, have a number"},
				{"aliases.A", "want a string, have an array"},
				{"rules.1.pattern", "want a string, have nothing"},
				{"rules.1.wieght", `want one of pattern, weight, have "wieght"; did you mean "weight"?`},
				{"more", `want one of name, strict, limit, ratio, paths, aliases, rules, have "more"`},
			}},
		{reason: "a list where a string is wanted, and the other way round", args: `{"name":["n"],"paths":"a","aliases":"A","rules":[1]}`,
			errs: [][2]string{
				{"name", "want a string, have an array"},
				{"paths", "want a list, each a string, have a string"},
				{"aliases", "want an object, have a string"},
				{"rules.0", "want an object, have a number"},
			}},
		{reason: "a number beyond 64 bits", args: `{"name":"n","limit":1e300}`, errs: [][2]string{{"limit", "want a whole number, have a number beyond 64 bits"}}},
		{reason: "a whole number may be spelled with an exponent, as HCL may print it", args: `{"name":"n","limit":1e3}`, want: argConfig{Name: "n", Limit: 1000}},
	}
	for _, tt := range tests {
		have := argConfig{Limit: 7}
		err := Args{json: tt.args}.Decode(&have)
		if err == nil {
			if len(tt.errs) > 0 || !reflect.DeepEqual(have, tt.want) {
				t.Errorf("%s: want %+v and errors %q, have %+v", tt.reason, tt.want, tt.errs, have)
			}
			continue
		}
		if errs := (Plugin{}).ArgErrors(err); !slices.Equal(errs, tt.errs) {
			t.Errorf("%s:\nwant %q\nhave %q", tt.reason, tt.errs, errs)
		}
	}
}

func TestDecodeNoFields(t *testing.T) {
	var none struct{}
	err := Args{json: `{"a":1}`}.Decode(&none)
	if have, want := errText(err), `a: want no attributes, have "a"`; have != want {
		t.Errorf("want %q, have %q", want, have)
	}
	if err := (Args{}).Decode(none); err == nil {
		t.Error("want a struct without a pointer refused, have no error")
	}
}

func TestArgErrors(t *testing.T) {
	a := Args{}
	tests := []struct {
		reason string
		err    error
		want   [][2]string
	}{
		{"one", a.Errorf("file", "want a map, have %d bytes", 3), [][2]string{{"file", "want a map, have 3 bytes"}}},
		{"several", errors.Join(a.Errorf("a", "x"), errors.Join(a.Errorf("b", "y"))), [][2]string{{"a", "x"}, {"b", "y"}}},
		{"one that was wrapped keeps its place", fmt.Errorf("load: %w", a.Errorf("a", "x")), [][2]string{{"a", "x"}}},
		{"one that belongs to no attribute", errors.New("no disk"), [][2]string{{"", "no disk"}}},
		{"an attribute without a name is the step", a.Errorf("", "want one of a and b"), [][2]string{{"", "want one of a and b"}}},
	}
	for _, tt := range tests {
		if have := (Plugin{}).ArgErrors(tt.err); !slices.Equal(have, tt.want) {
			t.Errorf("%s: want %q, have %q", tt.reason, tt.want, have)
		}
	}
}
