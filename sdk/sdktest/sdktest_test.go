package sdktest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// upper uses everything that a case can speak about.
var upper = sdk.Plugin{
	Name: "upper",
	Doc:  "puts a string field in upper case",
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg struct {
			Field string `hcl:"field"`
			Limit int    `hcl:"limit,optional"`
		}
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		if cfg.Limit < 0 {
			return nil, errors.Join(a.Errorf("limit", "want 0 or more, have %d", cfg.Limit))
		}
		return sdk.Map(func(r *sdk.Record) error {
			switch v := r.Get(cfg.Field); {
			case !v.Exists():
				return sdk.Decline("no " + cfg.Field)
			case v.Raw == "null":
				return sdk.Drop("null")
			case v.Str == "":
				r.Side("bad", []byte(`{"line":1}`))
				return sdk.Reject("bad_text", cfg.Field, "want a string, have %s", strings.ToLower(v.Type.String()))
			case v.Str == "same":
				return nil
			default:
				r.Count("upper", 1)
				r.SetLabel("case", "upper")
				return r.Set(cfg.Field, strings.ToUpper(v.Str))
			}
		}), nil
	},
}

func TestFiles(t *testing.T) { sdktest.Files(t, upper, "testdata/*.txtar") }

func TestRun(t *testing.T) {
	results, counts := sdktest.Run(t, upper, `{"field":"text"}`, `{"text":"a"}`, `{"text":"same"}`, `{"text":1}`, `{"text":null}`, `{}`)
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

func (f *failures) Helper()                   {}
func (f *failures) Errorf(s string, _ ...any) { f.texts = append(f.texts, s) }

func TestRunChecksJSON(t *testing.T) {
	broken := sdk.Plugin{Name: "broken", New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Map(func(r *sdk.Record) error { *r = *r.Derive([]byte(`{`)); return nil }), nil
	}}
	f := &failures{TB: t}
	sdktest.Run(f, broken, "", `{}`)
	if len(f.texts) != 1 || !strings.Contains(f.texts[0], "want JSON emitted") {
		t.Errorf("want one failure about JSON, have %q", f.texts)
	}
}
