package survey_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/sdk"
)

// noting writes a row to a side output for each record.
var noting = sdk.Plugin{
	Name: "noting", Doc: "notes records", Outputs: []string{"notes"},
	New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Map(func(r *sdk.Record) error {
			r.Side("notes", []byte(`{"saw":"`+r.Get("kind").Str+`"}`))
			r.Count("seen", 1)
			return nil
		}), nil
	},
}

// TestScan holds what becomes of each record of a scan: it comes through untouched, or through the first step that takes
// it and those behind, or is rejected, and is reported with its position.
func TestScan(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Chdir(t.TempDir())
	put(t, "one.jsonl", `{"kind":"a"}
{"kind":"ready"}
{"kind":"c"}
{"kind":"bad"}
{"kind":"d"}
none
`)
	for name, opts := range map[string]host.Options{
		"in process": {InProcess: true}, "inline": {InProcess: true, Inline: true},
	} {
		t.Run(name, func(t *testing.T) {
			opts.BuiltIns = append(adapters[:len(adapters):len(adapters)], noting)
			rows := map[string][]string{}
			tell := func(what string) func(survey.Row) error {
				return func(r survey.Row) error {
					text := string(r.JSON)
					if what == "rejected" {
						text, _, _ = strings.Cut(strings.TrimPrefix(text, `{"code":"`), `"`)
					}
					rows[what] = append(rows[what], fmt.Sprintf("%s:%d %s", r.File, r.Line, text))
					return nil
				}
			}
			pass := survey.Scan{
				Paths: []string{"one.jsonl"},
				Ready: func(row []byte) bool { return strings.Contains(string(row), "ready") },
				First: []survey.Step{{Plugin: "ab", Args: "{}"}, {Plugin: "bc", Args: "{}"}},
				Then:  []survey.Step{{Plugin: "noting", Args: "{}", Output: "notes"}},
				Out:   tell("out"), Side: tell("beside"), Reject: tell("rejected"),
			}
			done, err := pass.Run(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string][]string{
				"out": {`one.jsonl:1 {"kind":"a"}`, `one.jsonl:2 {"kind":"ready"}`, `one.jsonl:3 {"kind":"c"}`},
				"beside": {
					`one.jsonl:1 {"file":"one.jsonl","line":1,"step":"noting","saw":"a"}`,
					`one.jsonl:3 {"file":"one.jsonl","line":3,"step":"noting","saw":"c"}`,
				},
				"rejected": {"one.jsonl:4 bad_kind", "one.jsonl:5 declined", "one.jsonl:6 invalid_json"},
			}
			if diff := cmp.Diff(want, rows); diff != "" {
				t.Error(diff)
			}
			if done.Records != 6 || done.Counts["seen"] != 2 || len(done.Inputs) != 1 {
				t.Errorf("want 6 records of one file and 2 seen, have %+v", done)
			}
		})
	}
}

// TestScanEnds holds that a function can end a scan, and that its error comes back.
func TestScanEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Chdir(t.TempDir())
	put(t, "one.jsonl", strings.Repeat(`{"kind":"a"}`+"\n", 100))
	enough := errors.New("enough")
	n := 0
	pass := survey.Scan{Paths: []string{"one.jsonl"}, First: []survey.Step{{Plugin: "ab", Args: "{}"}}, Out: func(survey.Row) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	}}
	if _, err := pass.Run(t.Context(), host.Options{BuiltIns: adapters, InProcess: true}); !errors.Is(err, enough) || n != 3 {
		t.Errorf("want the pass to end with its error at the third row, have %v at %d", err, n)
	}
	pass = survey.Scan{Paths: []string{"one.jsonl"}, First: []survey.Step{{Plugin: "absent", Args: "{}"}}}
	if _, err := pass.Run(t.Context(), host.Options{InProcess: true}); err == nil || !strings.Contains(err.Error(), `no plugin "absent"`) {
		t.Errorf("want an error about a plugin that is absent, have %v", err)
	}
}
