package survey_test

import (
	"maps"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/sdk"
)

// ruled is a plugin that declines what its rule says no to.
func ruled(name string, rule func(kind string) error) sdk.Plugin {
	return sdk.Plugin{
		Name: name, Doc: "takes some kinds of records",
		New: func(sdk.Args) (sdk.Processor, error) {
			return sdk.Map(func(r *sdk.Record) error { return rule(r.Get("kind").Str) }), nil
		},
	}
}

// put writes a file.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

var adapters = []sdk.Plugin{
	ruled("ab", func(kind string) error {
		switch kind {
		case "a", "b":
			return nil
		case "bad":
			return sdk.Reject("bad_kind", "kind", "as asked")
		}
		return sdk.Decline("another kind")
	}),
	ruled("bc", func(kind string) error {
		if kind == "b" || kind == "c" {
			return nil
		}
		return sdk.Decline("another kind")
	}),
}

// TestShapes holds that every record of a corpus counts once: for the first adapter that takes it, as unknown or as
// unreadable, and that records that several would take are reported.
func TestShapes(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Chdir(t.TempDir())
	put(t, "one.jsonl", `{"kind":"a"}
{"kind":"b"}
none
{"kind":"b"}
`)
	put(t, "two.json", `[{"kind":"c"}, {"kind":"bad"}, {"kind":"d"}, {"kind":"a"}]`)
	found, err := survey.Shapes(t.Context(), []string{"one.jsonl", "two.json"}, []string{"ab", "bc"},
		host.Options{BuiltIns: adapters, InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		Records int64
		Share   float64
		First   string
	}
	of := func(p survey.Group) line {
		if p.First == nil {
			return line{p.Records, p.Share, ""}
		}
		return line{p.Records, p.Share, p.First.String()}
	}
	have := map[string]line{"unknown": of(found.Unknown), "unreadable": of(found.Unreadable.Group)}
	for _, s := range found.Shapes {
		have[s.Adapter] = of(s.Group)
	}
	for _, a := range found.Ambiguous {
		have[a.Adapters[0]+" and "+a.Adapters[1]] = of(a.Group)
	}
	want := map[string]line{
		"ab": {5, 0.625, "one.jsonl:1"}, "bc": {1, 0.125, "two.json:1"}, "ab and bc": {2, 0.25, "one.jsonl:2"},
		"unknown": {1, 0.125, "two.json:1"}, "unreadable": {1, 0.125, "one.jsonl:3"},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	if !maps.Equal(found.Shapes[0].Rejected, map[string]int64{"bad_kind": 1}) || !maps.Equal(found.Unreadable.Rejected, map[string]int64{"invalid_json": 1}) {
		t.Errorf("want the rejects by code, have %v and %v", found.Shapes[0].Rejected, found.Unreadable.Rejected)
	}
	if found.Records != 8 || len(found.Inputs) != 2 || found.Inputs[0].Records != 4 {
		t.Errorf("want 8 records of two files, have %d of %v", found.Records, found.Inputs)
	}
}

// TestShapesErrors holds that a missing adapter and a missing file are errors.
func TestShapesErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "one.jsonl", "{}\n")
	for _, c := range []struct{ reason, path, adapter string }{
		{"no such file", "none.jsonl", "ab"},
		{"no such adapter", "one.jsonl", "nobody"},
	} {
		found, err := survey.Shapes(t.Context(), []string{c.path}, []string{c.adapter}, host.Options{BuiltIns: adapters, InProcess: true})
		if err == nil || found != nil {
			t.Errorf("%s: want an error, have %v", c.reason, found)
		}
	}
}
