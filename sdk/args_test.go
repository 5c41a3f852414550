package sdk

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

type argRule struct {
	Pattern string `hcl:"pattern" doc:"what to look for"`
	Weight  *int   `hcl:"weight,optional"`
}

type argConfig struct {
	Name    string            `hcl:"name" doc:"what it is called" oneof:"n m" example:"\"n\""`
	Strict  bool              `hcl:"strict,optional"`
	Limit   int64             `hcl:"limit,optional" doc:"most of them"`
	Ratio   float64           `hcl:"ratio,optional"`
	Small   int8              `hcl:"small,optional"`
	Port    uint16            `hcl:"port,optional"`
	Share   float32           `hcl:"share,optional"`
	Paths   []string          `hcl:"paths,optional"`
	Aliases map[string]string `hcl:"aliases,optional"`
	Rules   []argRule         `hcl:"rules,optional"`
	Nested  struct {
		Deep bool `hcl:"deep,optional"`
	} `hcl:"nested,optional"`
	Backend *argBackend `hcl:"backend,optional"`
	Ignored string
	private string
}

type argBackend struct {
	Command []string `hcl:"command"`
	Tries   int      `hcl:"tries,optional"`
}

// argTexts gives the mistakes that an error holds, each as "name: message".
func argTexts(err error) (texts []string) {
	if err != nil {
		for _, e := range ArgErrors(err) {
			texts = append(texts, e.Name+": "+e.Message)
		}
	}
	return texts
}

func TestDecode(t *testing.T) {
	three := 3
	tests := []struct {
		reason, args string
		want         argConfig
		errs         []string
	}{
		{reason: "every kind of field", args: `{"name":"n","strict":true,"limit":9007199254740993,"ratio":0.5,"small":-128,"port":65535,"share":0.1,
			"paths":["a","b"],"aliases":{"A":"B"},"rules":[{"pattern":"p","weight":3},{"pattern":"q"}],"nested":{"deep":true},"backend":{"command":["c"]}}`,
			want: argConfig{Name: "n", Strict: true, Limit: 9007199254740993, Ratio: 0.5, Small: -128, Port: 65535, Share: 0.1,
				Paths: []string{"a", "b"}, Aliases: map[string]string{"A": "B"}, Rules: []argRule{{"p", &three}, {Pattern: "q"}},
				Nested: struct {
					Deep bool `hcl:"deep,optional"`
				}{true}, Backend: &argBackend{Command: []string{"c"}}}},
		{reason: "what is optional keeps its default, and null is as good as absent", args: `{"name":"n","limit":null}`, want: argConfig{Name: "n", Limit: 7}},
		{reason: "an empty list is not the default", args: `{"name":"n","paths":[]}`, want: argConfig{Name: "n", Limit: 7, Paths: []string{}}},
		{reason: "the ends of 64 bits", args: `{"name":"n","limit":-9223372036854775808}`, want: argConfig{Name: "n", Limit: -1 << 63}},
		{reason: "a whole number may be spelled with an exponent, as HCL may print it", args: `{"name":"n","limit":1e3}`, want: argConfig{Name: "n", Limit: 1000}},
		{reason: "no attributes at all", args: ``, errs: []string{"name: want a string, have nothing"}},
		{reason: "null does not fill what is required", args: `{"name":null}`, errs: []string{"name: want a string, have nothing"}},
		{reason: "attributes are an object", args: `[]`, errs: []string{": want an object, have a list"}},
		{reason: "every mistake at once, each at its place", args: `{"name":5,"strict":"yes","limit":1.5,"ratio":"x","paths":["a",1],"aliases":{"A":[]},"rules":[{"pattern":"p"},{"wieght":1}],"extraneous":1}`,
			errs: []string{
				"name: want a string, have a number",
				"strict: want a boolean, have a string",
				"limit: want a whole number, have a number with a fraction",
				"ratio: want a number, have a string",
				"paths.1: want a string, have a number",
				"aliases.A: want a string, have a list",
				"rules.1.pattern: want a string, have nothing",
				`rules.1.wieght: want one of pattern, weight, have "wieght"; did you mean "weight"?`,
				`extraneous: want one of name, strict, limit, ratio, small, port, share, paths, aliases, rules, nested, backend, have "extraneous"`,
			}},
		{reason: "a string of what would fit without its quotes", args: `{"name":"n","strict":"true","limit":"1","ratio":".5","paths":"1"}`,
			errs: []string{
				"strict: want a boolean without quotes, have a string",
				"limit: want a whole number without quotes, have a string",
				"ratio: want a number without quotes, have a string",
				"paths: want a list of strings, have a string",
			}},
		{reason: "a list where a string is wanted, and the other way round", args: `{"name":["n"],"paths":"a","aliases":"A","rules":[1],"backend":[]}`,
			errs: []string{
				"name: want a string, have a list",
				"paths: want a list of strings, have a string",
				"aliases: want a map of strings, have a string",
				"rules.0: want an object, have a number",
				"backend: want an object, have a list",
			}},
		{reason: "numbers that a field cannot hold", args: `{"name":"n","limit":1e300,"small":128,"port":-1,"share":1e39,"ratio":1e400}`,
			errs: []string{
				"limit: want a whole number, have a number beyond 64 bits",
				"ratio: want a number, have one beyond 64 bits",
				"small: want a whole number, have a number beyond 8 bits",
				"port: want a whole number of 0 or more, have a negative one",
				"share: want a number, have one beyond 32 bits",
			}},
	}
	for _, tt := range tests {
		have := argConfig{Limit: 7}
		err := ParseArgs([]byte(tt.args)).Decode(&have)
		if diff := cmp.Diff(tt.errs, argTexts(err)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.reason, diff)
		}
		if diff := cmp.Diff(tt.want, have, cmp.AllowUnexported(argConfig{})); err == nil && diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.reason, diff)
		}
	}
}

// TestDecodeStartsFromDeclared holds that a plugin's defaults stand in one place and that no two workers share them.
func TestDecodeStartsFromDeclared(t *testing.T) {
	declared := func(name string, command ...string) argConfig {
		return argConfig{
			Name: name, Limit: 7, Paths: []string{"a"}, Aliases: map[string]string{"A": "B"},
			Backend: &argBackend{Command: command, Tries: 3}, Ignored: "kept", private: "kept",
		}
	}
	args := Args{json: `{"name":"n","backend":{"command":["d"]}}`, declared: declared("default", "c")}
	want := declared("n", "d")
	for range 2 {
		var have argConfig
		must(t, args.Decode(&have))
		if diff := cmp.Diff(want, have, cmp.AllowUnexported(argConfig{})); diff != "" {
			t.Errorf("want the defaults as declared, have (-want +have):\n%s", diff)
		}
		have.Paths[0], have.Aliases["A"], have.Backend.Tries = "changed", "changed", 0
	}
	var other struct {
		Name    string     `hcl:"name"`
		Backend argBackend `hcl:"backend"`
	}
	must(t, args.Decode(&other))
	if other.Backend.Tries != 0 {
		t.Errorf("want no defaults of another type, have %+v", other)
	}
}

func TestDecodeInto(t *testing.T) {
	var none struct{}
	if have, want := errText(Args{json: `{"a":1}`}.Decode(&none)), `a: want no attributes, have "a"`; have != want {
		t.Errorf("want %q, have %q", want, have)
	}
	if err := (Args{}).Decode(none); err == nil {
		t.Error("want a struct without a pointer refused, have no error")
	}
	var hidden struct {
		name string `hcl:"name,optional"`
	}
	if have, want := errText(Args{}.Decode(&hidden)), "want an exported field, have name"; !strings.HasSuffix(have, want) || hidden.name != "" {
		t.Errorf("want %q, have %q", want, have)
	}
}

// TestNoArgs holds that a plugin that declares no attributes refuses them before its New is called.
func TestNoArgs(t *testing.T) {
	p := Plugin{Name: "test", Doc: "does nothing", New: func(Args) (Processor, error) {
		t.Error("want New not called, have a call")
		return Map(nil), nil
	}}
	_, bad := Host(p).Open(wire.OpenRequest{Plugin: "test", Args: []byte(`{"a":1}`)})
	if want := []wire.ArgError{{Name: "a", Message: `want no attributes, have "a"`}}; !cmp.Equal(bad, want) {
		t.Errorf("want %v, have %v", want, bad)
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		reason, name string
		make         func(Args) (Processor, error)
		want         string
	}{
		{"a name that is not served", "other", nil, `want a plugin of this program, have "other"`},
		{"what New says", "test", func(Args) (Processor, error) { return nil, errors.New("no disk") }, "no disk"},
		{"a processor that is none", "test", func(Args) (Processor, error) { return nil, nil }, "want a processor from New, have nil"},
	}
	for _, tt := range tests {
		w, bad := Host(Plugin{Name: "test", New: tt.make}).Open(wire.OpenRequest{Plugin: tt.name})
		if w != nil || len(bad) != 1 || bad[0].Message != tt.want {
			t.Errorf("%s: want %q, have %v", tt.reason, tt.want, bad)
		}
	}
}

func TestArgErrors(t *testing.T) {
	a := Args{}
	tests := []struct {
		reason string
		err    error
		want   []string
	}{
		{"one", a.Errorf("file", "want a map, have %d bytes", 3), []string{"file: want a map, have 3 bytes"}},
		{"several", errors.Join(a.Errorf("a", "x"), errors.Join(a.Errorf("b", "y"))), []string{"a: x", "b: y"}},
		{"one that was wrapped keeps its place", fmt.Errorf("load: %w", a.Errorf("a", "x")), []string{"a: x"}},
		{"one that belongs to no attribute", errors.New("no disk"), []string{": no disk"}},
		{"an attribute without a name is the step", a.Errorf("", "want one of a and b"), []string{": want one of a and b"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, argTexts(tt.err)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.reason, diff)
		}
	}
}
