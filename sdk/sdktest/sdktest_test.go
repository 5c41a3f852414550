package sdktest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/sdk"
)

type upperConfig struct {
	Field string `hcl:"field"`
	Limit int    `hcl:"limit,optional"`
}

// upper uses everything that a case can speak about.
var upper = sdk.Plugin{
	Name: "upper", Doc: "puts a string field in upper case", Args: upperConfig{},
	Outputs: []string{"bad"}, Labels: []string{"case"}, Codes: map[string]string{"bad_text": "the field is no string"},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg upperConfig
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		if cfg.Limit < 0 {
			return nil, errors.Join(a.Errorf("limit", "want 0 or more, have %d", cfg.Limit))
		}
		return sdk.Map(func(r *sdk.Record) error { return raise(r, cfg.Field) }), nil
	},
}

func raise(r *sdk.Record, field string) error {
	switch v := r.View(field); {
	case !v.Exists():
		return sdk.Decline("no " + field)
	case v.Raw == "null":
		return sdk.Drop("null")
	case v.Str == "":
		r.Side("bad", []byte(`{"line":1}`))
		return sdk.Keep(sdk.Reject("bad_text", field, "want a string, have %s", strings.ToLower(v.Type.String())))
	case v.Str == "same":
		return nil
	default:
		r.Count("upper", 1)
		r.SetLabel("case", "upper")
		return r.Set(field, strings.ToUpper(v.Str))
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFiles(t *testing.T) { Files(t, upper, "testdata/*.txtar") }

func TestRun(t *testing.T) {
	results, counts := Run(t, upper, `{"field":"text"}`, `{"text":"a"}`, `{"text":"same"}`, `{"text":1}`, `{"text":null}`, `{}`)
	var have []string
	for _, r := range results {
		have = append(have, strings.Join(append([]string{r.Verdict, r.Code, r.Path, r.Message}, r.Emitted...), "|"))
	}
	want := []string{`emit||||{"text":"A"}`, `emit||||{"text":"same"}`, "reject|bad_text|text|want a string, have number", "drop|||null", "decline|||no text"}
	if !slices.Equal(have, want) {
		t.Errorf("want %q, have %q", want, have)
	}
	if counts["upper"] != 1 || results[0].Labels[0]["case"] != "upper" || results[2].Sides["bad"][0] != `{"line":1}` {
		t.Errorf("want a count, a label and a side row, have %v and %+v", counts, results)
	}
}

// failures collects what a test kit reports, so that its failing can be tested.
type failures struct {
	testing.TB
	texts []string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

func (f *failures) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	panic(f)
}

// report gives what a test kit says.
func report(t *testing.T, test func(t testing.TB)) string {
	f := &failures{TB: t}
	func() {
		defer func() {
			if have := recover(); have != nil && have != f {
				panic(have)
			}
		}()
		test(f)
	}()
	return strings.Join(f.texts, "\n")
}

// doing is a plugin that does what f says with each record.
func doing(f func(r *sdk.Record, emit func(*sdk.Record)) error) sdk.Plugin {
	return sdk.Plugin{
		Name: "doing", Doc: "does what a test says", Outputs: []string{"rows"}, Labels: []string{"split"}, Codes: map[string]string{"known": "a test says so"},
		New: func(sdk.Args) (sdk.Processor, error) {
			return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error { return f(r, emit) }), nil
		},
	}
}

// TestRunFails holds what a plugin's author is told.
func TestRunFails(t *testing.T) {
	calls := 0
	tests := []struct {
		reason string
		do     func(r *sdk.Record, emit func(*sdk.Record)) error
		want   string
	}{
		{"invalid JSON", func(r *sdk.Record, emit func(*sdk.Record)) error { emit(r.Derive([]byte(`{`))); return nil }, "doing: record 1: want JSON from plugin doing"},
		{"no bytes", func(r *sdk.Record, emit func(*sdk.Record)) error { emit(r.Derive(nil)); return nil }, "doing: plugin doing: want JSON to emit, have a record without bytes"},
		{"a row that is no object", func(r *sdk.Record, _ func(*sdk.Record)) error { r.Side("rows", []byte("1")); return nil }, "doing: record 1: want a JSON object for output rows"},
		{"an output", func(r *sdk.Record, _ func(*sdk.Record)) error { r.Side("row", []byte("{}")); return nil }, `doing: plugin doing: want an output that it declares (rows), have "row"`},
		{"a label", func(r *sdk.Record, _ func(*sdk.Record)) error { r.SetLabel("splitt", ""); return nil }, `doing: plugin doing: want a label that it declares (split), have "splitt"`},
		{"a code that is none", func(*sdk.Record, func(*sdk.Record)) error { return sdk.Reject("No Code", "", "") }, `doing: want a code in snake_case, have "No Code"`},
		{"a code that is not declared", func(*sdk.Record, func(*sdk.Record)) error { return sdk.Reject("unknown", "", "") }, `doing: record 1: want a code that the plugin declares, have "unknown"`},
		{"a declared code, and what any plugin may give", func(r *sdk.Record, _ func(*sdk.Record)) error {
			return map[string]error{"a": sdk.Reject("known", "", ""), "b": errors.New("any")}[r.Get("k").Str]
		}, ""},
		{"the end of the run", func(*sdk.Record, func(*sdk.Record)) error { return sdk.Fatal("no disk") }, "doing: no disk"},
		{"another answer each time", func(*sdk.Record, func(*sdk.Record)) error {
			calls++
			return sdk.Drop(fmt.Sprint("call ", calls))
		}, "doing: want the same answers in this process and over "},
	}
	for _, tt := range tests {
		have := report(t, func(t testing.TB) { Run(t, doing(tt.do), "", `{"k":"a"}`, `{"k":"b"}`) })
		if !strings.HasPrefix(have, tt.want) || tt.want == "" && have != "" {
			t.Errorf("%s: want %q, have %q", tt.reason, tt.want, have)
		}
	}
}

// TestRunRefuses holds what is no case.
func TestRunRefuses(t *testing.T) {
	bad := upper
	bad.Doc = ""
	tests := []struct {
		reason, args, input string
		plugin              sdk.Plugin
		want                string
	}{
		{"a plugin that Validate refuses", `{"field":"a"}`, `{}`, bad, `upper: plugin "upper": want a doc`},
		{"arguments that the plugin refuses", `{}`, `{}`, upper, "upper: want attributes that the plugin takes, have [field: want a string, have nothing]"},
		{"arguments that are no object", `[]`, `{}`, upper, "upper: args.json: want a JSON object, have 2 bytes that are not one"},
		{"an input that is no JSON", `{"field":"a"}`, `{"a":5`, upper, "upper: in.jsonl: record 1: want JSON, have 6 bytes that are not"},
	}
	for _, tt := range tests {
		if have := report(t, func(t testing.TB) { Run(t, tt.plugin, tt.args, tt.input) }); !strings.HasPrefix(have, tt.want) {
			t.Errorf("%s: want %q, have %q", tt.reason, tt.want, have)
		}
	}
}

// TestFilesFail holds that a mistake in a case is told as what it is.
func TestFilesFail(t *testing.T) {
	tests := []struct{ reason, text, want string }{
		{"a misspelt section", "-- args.json --\n{\"field\":\"a\"}\n-- in.json --\n{}\n", `want the sections args.json, in.jsonl and want, have "in.json"`},
		{"an input that is no JSON", "-- args.json --\n{\"field\":\"a\"}\n-- in.jsonl --\n{\n", "in.jsonl: record 1: want JSON"},
		{"a misspelt line", "-- args.json --\n{\"field\":\"a\"}\n-- in.jsonl --\n{\"a\":null}\n-- want --\ndropp null\n", `line 1 of want: want one of emit, drop, decline, reject, side, flush, last, count, bad, have "dropp"`},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "case.txtar")
		if err := os.WriteFile(file, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if have := report(t, func(t testing.TB) { checkFile(t, upper, file) }); !strings.Contains(have, tt.want) {
			t.Errorf("%s: want %q, have %q", tt.reason, tt.want, have)
		}
	}
}

// unique drops records whose key came before, with a key that key reads.
func unique(key func(r *sdk.Record) string) sdk.Plugin {
	return sdk.Plugin{
		Name: "unique", Doc: "drops records whose key came before", Ordered: true,
		New: func(sdk.Args) (sdk.Processor, error) {
			seen := map[string]bool{}
			return sdk.Filter(func(r *sdk.Record) (bool, error) {
				k := key(r)
				first := !seen[k]
				seen[k] = true
				return first, nil
			}), nil
		},
	}
}

// TestKeptViewFails holds that a plugin which keeps what View gives goes wrong in its author's test, and that one which
// keeps what Get gives is right.
func TestKeptViewFails(t *testing.T) {
	verdicts := func(p sdk.Plugin) (have []string) {
		results, _ := Run(t, p, "", `{"k":"a"}`, `{"k":"b"}`, `{"k":"a"}`, `{"k":"b"}`)
		for _, r := range results {
			have = append(have, r.Verdict)
		}
		return have
	}
	want := []string{"emit", "emit", "drop", "drop"}
	if have := verdicts(unique(func(r *sdk.Record) string { return r.Get("k").String() })); !slices.Equal(have, want) {
		t.Errorf("want a key from Get to stay, have %q", have)
	}
	if have := verdicts(unique(func(r *sdk.Record) string { return r.View("k").String() })); slices.Equal(have, want) {
		t.Errorf("want a key from View to change, have %q", have)
	}
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		Run(b, upper, `{"field":"text"}`, `{"text":"a"}`)
	}
}
