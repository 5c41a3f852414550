package elizarecord

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func TestBadArguments(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{`{"profile":"x"}`, "profile: want standard or reference, have \"x\""},
		{`{"prompt":"x"}`, "prompt: want fallback or none, have \"x\""},
		{`{"prompt_registry":"testdata/absent.json"}`, "prompt_registry: open testdata/absent.json: no such file or directory"},
		{`{"prompt_registry":"testdata/envelope.txtar"}`, "prompt_registry: want JSON in testdata/envelope.txtar: want a value, have a letter at byte 0"},
	} {
		if have := sdktest.BadArgs(Plugin, c.args); have != c.want {
			t.Errorf("%s: want %q, have %q", c.args, c.want, have)
		}
	}
}

// FuzzRow holds that each JSON record ends in one way, and that what is emitted is JSON with a user's turn and an answer.
func FuzzRow(f *testing.F) {
	for _, s := range []string{
		benchRow, `{"currentMessage":{"content":"a"},"expectedResponse":"{\"command\":\"ls\"}","availableActions":"A,B"}`,
		`{"currentMessage":{"role":"tool","content":{"a":1}},"expectedResponse":{"actions":{"name":"REPLY"},"text":"x"},"memoryEntries":[{"role":"user","content":"x"}]}`,
		`{"currentMessage":{"content":"a"},"expectedResponse":"no","metadata":{"decision_class":"refuse","toolSpecs":"[]"}}`,
		`{"currentMessage":{"content":"a"},"expectedResponse":"<tool_call>{}</tool_call>","metadata":{"system_prompt":"<tools>{}</tools>"}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) {
			return
		}
		for _, args := range []string{`{}`, `{"reply":"text","orphan_results":"user","leading_assistant":"drop","prompt_registry":"testdata/registry.json"}`} {
			results, _ := sdktest.Run(t, Plugin, args, s)
			r := results[0]
			if (r.Verdict == "emit") != (len(r.Emitted) == 1) || r.Verdict == "drop" {
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

// TestManyEntries holds that a memory with more entries than a row may have turns is rejected by name.
func TestManyEntries(t *testing.T) {
	entries := strings.Repeat(`{"role":"user","content":"x"},`, canonical.MaxParts)
	results, _ := sdktest.Run(t, Plugin, "", `{"memoryEntries":[`+strings.TrimSuffix(entries, ",")+`],"currentMessage":{"content":"a"},"expectedResponse":"b"}`)
	if results[0].Code != "too_many_parts" {
		t.Errorf("want too_many_parts, have %s %s %s", results[0].Verdict, results[0].Code, results[0].Message)
	}
}
