package atif

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestATIF(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzATIF(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

func TestRoundTrip(t *testing.T) {
	canonicaltest.RoundTrip(t, Plugin, "", `{"schema_version": "ATIF-v1.4", "agent": {"name": "a"}, "steps": [
		{"step_id": 1, "source": "system", "message": "Be brief."},
		{"step_id": 2, "source": "user", "message": "Oslo & \"Rome\"? 🌦\nPlease."},
		{"step_id": 3, "source": "agent", "message": "I will check.", "tool_calls": [{"tool_call_id": "a", "function_name": "w", "arguments": {"city": "Oslo"}}, {"tool_call_id": "b", "function_name": "w", "arguments": {"city": "Rome", "days": 2}}],
			"observation": {"results": [{"source_call_id": "a", "content": "rain"}, {"source_call_id": "b", "content": ""}]}},
		{"step_id": 4, "source": "agent", "message": "Rain in Oslo, nothing from Rome.", "reasoning_content": "Both are in."}]}`, canonicaltest.Sample())
}

// TestGrows protects a run from a trajectory of many steps, or of many runs of sub-agents, that takes hours.
func TestGrows(t *testing.T) {
	const (
		head  = `{"schema_version":"ATIF-v1.7","steps":[{"source":"user","message":"q"}`
		acted = `,{"source":"agent","message":"a","tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{}}],"observation":{"results":[{"source_call_id":"c","content":"r"}]}}`
		done  = `,{"source":"agent","message":"a"}]`
	)
	for what, record := range map[string]func(n int) string{
		"steps": func(n int) string { return head + strings.Repeat(acted, n) + done + `}` },
		"runs": func(n int) string {
			return head + done + `,"subagent_trajectories":[` + strings.Repeat(head+done+`},`, n) + head + done + `}]}`
		},
		"nested": func(n int) string {
			return strings.Repeat(head+done+`,"subagent_trajectories":[`, min(n, 400)) + strings.Repeat(`]}`, min(n, 400))
		},
	} {
		t.Run(what, func(t *testing.T) {
			sdktest.Grows(t, Plugin, "", func(n int) []byte { return []byte(record(n)) })
		})
	}
}
