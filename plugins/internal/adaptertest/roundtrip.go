package adaptertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// Sample is a conversation with every feature, as RoundTrip tells it: a system text, letters beyond ASCII, two calls at
// once with text beside them, results, one of them empty, and an answer that was thought about. #n is the nth call.
func Sample() []string {
	return []string{
		"system: Be brief.",
		"user: Oslo & \"Rome\"? 🌦\nPlease.",
		`assistant: I will check. #0 w {"city":"Oslo"} #1 w {"city":"Rome","days":2}`,
		"tool #0: rain",
		"tool #1: ",
		"assistant (Both are in.): Rain in Oslo, nothing from Rome.",
	}
}

// RoundTrip gives a record to an adapter and the row to the plugin that renders it, and compares what comes out with
// want, the lines of Sample that the shape of the record can express.
func RoundTrip(t *testing.T, adapter, render sdk.Plugin, args, record string, want []string) {
	t.Helper()
	results, _ := sdktest.Run(t, adapter, args, record)
	if r := results[0]; r.Verdict != "emit" || len(r.Emitted) != 1 {
		t.Fatalf("want one row, have %d after %s %s: %s", len(r.Emitted), r.Verdict, r.Code, r.Message)
	}
	CheckRow(t, results[0].Emitted[0])
	rendered, _ := sdktest.Run(t, render, "", results[0].Emitted[0])
	if r := rendered[0]; r.Verdict != "emit" {
		t.Fatalf("want a rendered row, have %s %s: %s", r.Verdict, r.Code, r.Message)
	}
	var row struct {
		Messages []struct {
			Role, Content string
			Thought       string `json:"reasoning_content"`
			ID            string `json:"tool_call_id"`
			Calls         []struct {
				ID       string
				Function struct {
					Name      string
					Arguments any
				}
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal([]byte(rendered[0].Emitted[0]), &row); err != nil {
		t.Fatal(err)
	}
	var ids, have []string
	for _, m := range row.Messages {
		line := m.Role
		if m.Role == "tool" {
			line += fmt.Sprintf(" #%d", slices.Index(ids, m.ID))
		}
		if m.Thought != "" {
			line += " (" + m.Thought + ")"
		}
		line += ": " + m.Content
		for _, c := range m.Calls {
			args := c.Function.Arguments
			if text, ok := args.(string); ok {
				_ = json.Unmarshal([]byte(text), &args) // arguments may be a text that is no JSON
			}
			spelled, _ := json.Marshal(args)
			line += fmt.Sprintf(" #%d %s %s", len(ids), c.Function.Name, spelled)
			ids = append(ids, c.ID)
		}
		have = append(have, line)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("conversation (-want +have):\n%s", diff)
	}
}
