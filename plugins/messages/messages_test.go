package messages

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func TestBadArguments(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{`{"target":"all"}`, "target: want last or each, have \"all\""},
		{`{"calls":"x"}`, "calls: want text or members, have \"x\""},
		{`{"media":"x"}`, "media: want reject, drop or keep, have \"x\""},
		{`{"orphan_results":"x"}`, "orphan_results: want tool or user, have \"x\""},
		{`{"profile":"x"}`, "profile: want standard or reference, have \"x\""},
		{`{"profile":"reference","target":"each"}`, "profile: want no preset, keys or target with profile reference, which has its own"},
	} {
		if have := sdktest.BadArgs(Plugin, c.args); have != c.want {
			t.Errorf("%s: want %q, have %q", c.args, c.want, have)
		}
	}
	if sdktest.BadArgs(Plugin, `{"preset":"x"}`) == "" {
		t.Error("want an unknown preset refused")
	}
}

// TestTwice holds that what was converted once is declined, so that a corpus can be migrated again.
func TestTwice(t *testing.T) {
	first, _ := sdktest.Run(t, Plugin, `{}`, benchRow)
	again, _ := sdktest.Run(t, Plugin, `{}`, first[0].Emitted[0])
	if again[0].Verdict != "decline" {
		t.Errorf("want a canonical row declined, have %s", again[0].Verdict)
	}
}

// FuzzRow holds that each JSON record ends in one way, that what is emitted is JSON with a user's turn and an answer,
// and that the steps agree about the same row.
func FuzzRow(f *testing.F) {
	for _, s := range []string{
		benchRow, `{"conversations":[{"from":"human","value":"a"},{"from":"function_call","value":"{'name':'f'}"},{"from":"observation","value":"[1]"},{"from":"gpt","value":"<think>a</think>b"}]}`,
		`{"messages":[{"role":"user","parts":[{"type":"text","text":"x"}]},{"role":"assistant","content":[{"type":"tool-call","toolName":"f","input":{}}]}],"tools":{"f":{}}}`,
		`{"prompt":"a","chosen":[{"role":"assistant","content":"b"}],"rejected":"c"}`, `{"responses_create_params":{"input":[]},"expected_action":{"name":"f"}}`,
		`{"conversation":[{"human":"a","assistant":"b"}],"system":"<tools>[{}]</tools>"}`, `{"messages":["{}"],"target":{"final_response":"x"}}`,
		`{"messages":[{"role":"user","content":"\ud800"},{"role":"assistant","content":"[f(a=1)]","tool_calls":"[]"}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) || !utf8.ValidString(s) {
			return
		}
		for _, args := range []string{`{}`, `{"target":"each","media":"drop"}`} {
			results, _ := sdktest.Run(t, Plugin, args, s)
			r := results[0]
			if (r.Verdict == "emit") != (len(r.Emitted) > 0) || r.Verdict == "drop" {
				t.Fatalf("want one end, have %s with %d rows", r.Verdict, len(r.Emitted))
			}
			for _, row := range r.Emitted {
				if problem := canonicaltest.Problem(row); problem != "" {
					t.Fatalf("%s: %s\nfrom %s", problem, row, s)
				}
			}
		}
	})
}
