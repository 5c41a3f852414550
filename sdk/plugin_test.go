package sdk

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

func TestValidate(t *testing.T) {
	good := func(change func(*Plugin)) Plugin {
		p := tester(Map(nil))
		change(&p)
		return p
	}
	type endless struct {
		Inner []endless `hcl:"inner,optional"`
	}
	tests := []struct {
		reason string
		plugin Plugin
		want   []string
	}{
		{"all that a plugin may say", good(func(p *Plugin) {
			p.Args, p.Labels, p.Codes = argConfig{}, []string{"*", "trajectoryId"}, map[string]string{"bad_row": "the row is bad"}
		}), nil},
		{"nothing", Plugin{}, []string{
			`plugin "": want a name of a-z, 0-9, _ and -, have ""`,
			`plugin "": want a doc of one sentence without a full stop, have ""`,
			`plugin "": want New, have nil`,
		}},
		{"a name that is no label and no file name", good(func(p *Plugin) { p.Name = "My/Plugin" }), []string{
			`plugin "My/Plugin": want a name of a-z, 0-9, _ and -, have "My/Plugin"`,
		}},
		{"two sentences", good(func(p *Plugin) { p.Doc = "reads. writes" }), []string{
			`plugin "test": want a doc of one sentence without a full stop, have "reads. writes"`,
		}},
		{"a full stop, as lists of plugins have none", good(func(p *Plugin) { p.Doc = "reads." }), []string{
			`plugin "test": want a doc of one sentence without a full stop, have "reads."`,
		}},
		{"arguments that are no struct", good(func(p *Plugin) { p.Args = &argConfig{} }), []string{
			`plugin "test": want a struct for Args, have *sdk.argConfig`,
		}},
		{"fields that cannot be decoded", good(func(p *Plugin) {
			p.Args = struct {
				hidden string         `hcl:"hidden"`
				Twice  string         `hcl:"a"`
				Again  string         `hcl:"a,optional"`
				Chan   []chan int     `hcl:"chan"`
				Key    map[int]string `hcl:"key"`
				Any    any            `hcl:"any"`
				Tag    string         `hcl:"a b"`
				Block  string         `hcl:"block,block"`
				Inner  struct {
					hidden int `hcl:"hidden"`
				} `hcl:"inner"`
				Endless endless `hcl:"endless"`
			}{}
		}), []string{
			`plugin "test": args: hidden: want an exported field, have hidden`,
			`plugin "test": args: a: want one field of that name, have two`,
			`plugin "test": args: chan: want a type that attributes have, have chan int`,
			`plugin "test": args: key: want a type that attributes have, have map[int]string`,
			`plugin "test": args: any: want a type that attributes have, have interface {}`,
			`plugin "test": args: Tag: want a name of letters, digits, _ and - in the tag, have "a b"`,
			`plugin "test": args: block: want optional or nothing behind the name, have "block"`,
			`plugin "test": args: inner.hidden: want an exported field, have hidden`,
			`plugin "test": args: endless.inner: want a type that attributes have, have sdk.endless`,
		}},
		{"defaults and examples that the attribute would not take", good(func(p *Plugin) {
			p.Args = struct {
				Full  string            `hcl:"full,optional" oneof:"reject pass"`
				None  string            `hcl:"none,optional" oneof:"reject pass" example:"\"pass\""`
				Gates map[string]string `hcl:"gates,optional" oneof:"drop keep" example:"{\"a\":\"dorp\"}"`
				Size  int               `hcl:"size,optional" oneof:"1 2" example:"many"`
				Paths []string          `hcl:"paths,optional" example:"\"a\""`
				Inner []struct {
					Mode string `hcl:"mode" example:"1"`
				} `hcl:"inner,optional"`
			}{Full: "fail"}
		}), []string{
			`plugin "test": args: default of full: want reject or pass, have "fail"`,
			`plugin "test": args: example of gates.a: want drop or keep, have "dorp"; did you mean "drop"?`,
			`plugin "test": args: size: want words for strings only, have them for a whole number`,
			`plugin "test": args: size: want an example in JSON, have many`,
			`plugin "test": args: example of paths: want a list of strings, have a string`,
			`plugin "test": args: example of inner.mode: want a string, have a number`,
		}},
		{"names and codes", good(func(p *Plugin) {
			p.Outputs, p.Labels = []string{"led ger", "*", "rows", "rows"}, []string{""}
			p.Codes = map[string]string{"Bad Code": "x", "silent": ""}
			p.Drops = map[string]string{"too old": "it is old", "silent": ""}
		}), []string{
			`plugin "test": outputs: want a name of letters, digits, _ and -, have "led ger"`,
			`plugin "test": outputs: want a name of letters, digits, _ and -, have "*"`,
			`plugin "test": outputs: want "rows" once, have it twice`,
			`plugin "test": labels: want a name of letters, digits, _ and -, have ""`,
			`plugin "test": codes: want snake_case, have "Bad Code"`,
			`plugin "test": codes: want what "silent" means, have an empty text`,
			`plugin "test": drops: want reasons with what each means, have "silent": ""`,
		}},
		{"values of labels", good(func(p *Plugin) {
			p.LabelValues = map[string][]string{"part": {"a", "", "a"}, "other": {"b"}, "split": nil}
		}), []string{
			`plugin "test": label values: want labels that Labels has, have "other"`,
			`plugin "test": label values: want values of "part" that are not empty, have an empty one`,
			`plugin "test": label values: want value "a" of "part" once, have it twice`,
			`plugin "test": label values: want the values of "split"; a label that may have any value is left out`,
		}},
	}
	for _, tt := range tests {
		var have []string
		if err := tt.plugin.Validate(); err != nil {
			have = strings.Split(err.Error(), "\n")
		}
		if diff := cmp.Diff(tt.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.reason, diff)
		}
	}
}

// TestMainValidates holds what Main refuses to serve.
func TestMainValidates(t *testing.T) {
	p := tester(Map(nil))
	if have, want := errText(validate(nil)), "want at least one plugin to serve, have 0"; have != want {
		t.Errorf("want %q, have %q", want, have)
	}
	if have, want := errText(validate([]Plugin{p, p})), `plugin "test": want one of that name, have two`; have != want {
		t.Errorf("want %q, have %q", want, have)
	}
	must(t, validate([]Plugin{p}))
}

// TestInfo holds what a host learns of a plugin without running it.
func TestInfo(t *testing.T) {
	p := tester(Map(nil))
	p.TakesAll, p.LabelValues = true, map[string][]string{"split": {"train", "val"}}
	p.Ordered, p.Private, p.Codes = true, true, map[string]string{"bad_row": "the row is bad"}
	three := 3
	p.Args = argConfig{
		Limit: 7, Paths: []string{`a"b`}, Aliases: map[string]string{"b": "B", "a": "A"},
		Rules: []argRule{{"p", &three}, {"q", nil}}, Backend: &argBackend{Tries: 2},
	}
	want := wire.Info{
		Name: "test", Doc: "does what a test says", Ordered: true, Private: true,
		Outputs: []string{"ledger", "rows"}, Labels: []string{"part", "split"},
		Codes: map[string]string{"bad_row": "the row is bad"}, TakesAll: true, LabelValues: map[string][]string{"split": {"train", "val"}},
		Args: []wire.Arg{
			{Name: "name", Type: "a string", Doc: "what it is called", Example: `"n"`, Words: []string{"n", "m"}, Required: true},
			{Name: "strict", Type: "a boolean", Default: "false"},
			{Name: "limit", Type: "a whole number", Doc: "most of them", Default: "7"},
			{Name: "ratio", Type: "a number", Default: "0"},
			{Name: "small", Type: "a whole number", Default: "0"},
			{Name: "port", Type: "a whole number", Default: "0"},
			{Name: "share", Type: "a number", Default: "0"},
			{Name: "paths", Type: "a list of strings", Default: `["a\"b"]`},
			{Name: "aliases", Type: "a map of strings", Default: `{"a":"A","b":"B"}`},
			{Name: "rules", Type: "a list of objects", Default: `[{"pattern":"p","weight":3},{"pattern":"q","weight":null}]`},
			{Name: "rules.pattern", Type: "a string", Doc: "what to look for", Required: true},
			{Name: "rules.weight", Type: "a whole number"},
			{Name: "nested", Type: "an object"},
			{Name: "nested.deep", Type: "a boolean", Default: "false"},
			{Name: "backend", Type: "an object"},
			{Name: "backend.command", Type: "a list of strings", Required: true},
			{Name: "backend.tries", Type: "a whole number", Default: "2"},
		},
	}
	provider := Host(p)
	have, _ := provider.Plugin("test")
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}

// labelling is a processor that knows the values of its labels.
type labelling map[string][]string

func (l labelling) LabelValues() map[string][]string { return l }

func (l labelling) Process(_ context.Context, r *Record, emit func(*Record)) error {
	r.SetLabel("split", r.Get("split").String())
	emit(r)
	return nil
}

// TestLabeller holds which values of labels a host learns when a step opens, and that a processor sets only these.
func TestLabeller(t *testing.T) {
	for _, tt := range []struct {
		reason  string
		own     labelling
		learned []wire.LabelValues
		want    string
	}{
		{"some of the declared values", labelling{"split": {"val"}}, []wire.LabelValues{{Label: "split", Values: []string{"val"}}}, "split=val"},
		{"without the value", labelling{"split": {"train"}}, []wire.LabelValues{{Label: "split", Values: []string{"train"}}},
			`error||plugin test: want a value of label split that it declares (train), have "val"`},
		{"no value", labelling{"split": nil}, []wire.LabelValues{{Label: "split"}},
			`error||plugin test: want label split not set with these attributes, as it declares, have "val"`},
		{"values of a label without a list", labelling{"part": {"x"}}, []wire.LabelValues{{Label: "part", Values: []string{"x"}}}, "split=val"},
		{"nothing", nil, nil, "split=val"},
		{"a value that is not declared", labelling{"split": {"valid"}}, nil, `label values of plugin test: want values that LabelValues has for "split" (train, val), have "valid"`},
		{"a label that is not declared", labelling{"other": {"x"}}, nil, `label values of plugin test: want labels that Labels has, have "other"`},
	} {
		testLabeller(t, tt.reason, tester(tt.own), tt.learned, tt.want)
		several := tester(Concurrent(2, tt.own))
		several.Concurrent = true
		testLabeller(t, tt.reason+", several at once", several, tt.learned, tt.want)
	}
}

func testLabeller(t *testing.T, reason string, p Plugin, learned []wire.LabelValues, want string) {
	p.LabelValues = map[string][]string{"split": {"train", "val"}}
	w, bad := Host(p).Open(wire.OpenRequest{Plugin: "test"})
	if len(bad) > 0 {
		if bad[0].Message != want {
			t.Errorf("%s: want %q, have %q", reason, want, bad[0].Message)
		}
		return
	}
	if diff := cmp.Diff(learned, w.(wire.Labeller).LabelValues()); diff != "" {
		t.Errorf("%s (-want +have):\n%s", reason, diff)
	}
	s := &space{}
	in := input(`{"split":"val"}`)
	s.validator.In, s.validator.Depth, s.validator.Name = in, 10, "test"
	var reply *wire.Reply
	must(t, w.Process(t.Context(), in, s, func(r *wire.Reply) error { reply = r; return nil }))
	if have := said(reply); have != want {
		t.Errorf("%s: want %q, have %q", reason, want, have)
	}
}

func TestWanted(t *testing.T) {
	for want, v := range map[string]any{
		"a list of strings":               []string{},
		"a list of lists of strings":      [][]string{},
		"a map of strings":                map[string]string{},
		"a map of lists of whole numbers": map[string][]int{},
		"a list of maps of booleans":      []map[string]bool{},
		"a list of objects":               []*struct{}{},
		"a map of maps of numbers":        map[string]map[string]float64{},
	} {
		if have := wanted(reflect.TypeOf(v)); have != want {
			t.Errorf("%T: want %q, have %q", v, want, have)
		}
	}
}
