package session

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestSession(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzSession(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

// TestRoundTrip holds that each agent's session is the conversation that the other adapters make of their shapes.
func TestRoundTrip(t *testing.T) {
	for name, events := range map[string]string{
		"claude-code": `
			{"type":"user","uuid":"1","parentUuid":null,"message":{"role":"user","content":"Oslo & \"Rome\"? 🌦\nPlease."}},
			{"type":"assistant","uuid":"2","parentUuid":"1","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"I will check."}]}},
			{"type":"assistant","uuid":"3","parentUuid":"2","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"a","name":"w","input":{"city":"Oslo"}}]}},
			{"type":"user","uuid":"4","parentUuid":"3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"rain"}]}},
			{"type":"assistant","uuid":"5","parentUuid":"3","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"b","name":"w","input":{"city":"Rome","days":2}}]}},
			{"type":"user","uuid":"6","parentUuid":"5","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":""}]}},
			{"type":"assistant","uuid":"7","parentUuid":"6","message":{"id":"n","role":"assistant","content":[{"type":"thinking","thinking":"Both are in."},{"type":"text","text":"Rain in Oslo, nothing from Rome."}]}}`,
		"codex": `
			{"type":"session_meta","payload":{"id":"s","base_instructions":{"text":"Be brief."}}},
			{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Oslo & \"Rome\"? 🌦\nPlease."}]}},
			{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I will check."}]}},
			{"type":"response_item","payload":{"type":"function_call","call_id":"a","name":"w","arguments":"{\"city\":\"Oslo\"}"}},
			{"type":"response_item","payload":{"type":"function_call","call_id":"b","name":"w","arguments":"{\"city\":\"Rome\",\"days\":2}"}},
			{"type":"response_item","payload":{"type":"function_call_output","call_id":"a","output":"rain"}},
			{"type":"response_item","payload":{"type":"function_call_output","call_id":"b","output":""}},
			{"type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"Both are in."}]}},
			{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Rain in Oslo, nothing from Rome."}]}}`,
		"openclaw": `
			{"type":"session","id":"s","version":3},
			{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"Oslo & \"Rome\"? 🌦\nPlease."}},
			{"type":"message","id":"2","parentId":"1","message":{"role":"assistant","content":[{"type":"text","text":"I will check."},{"type":"toolCall","id":"a","name":"w","arguments":{"city":"Oslo"}},{"type":"toolCall","id":"b","name":"w","arguments":{"city":"Rome","days":2}}]}},
			{"type":"message","id":"3","parentId":"2","message":{"role":"toolResult","toolCallId":"a","toolName":"w","content":[{"type":"text","text":"rain"}]}},
			{"type":"message","id":"4","parentId":"3","message":{"role":"toolResult","toolCallId":"b","toolName":"w","content":[]}},
			{"type":"message","id":"5","parentId":"4","message":{"role":"assistant","content":[{"type":"thinking","thinking":"Both are in."},{"type":"text","text":"Rain in Oslo, nothing from Rome."}]}}`,
		"opencode": `
			{"info":{"role":"user","system":"Be brief."},"parts":[{"type":"text","text":"Oslo & \"Rome\"? 🌦\nPlease."}]},
			{"info":{"role":"assistant"},"parts":[{"type":"step-start"},{"type":"text","text":"I will check."},
				{"type":"tool","callID":"a","tool":"w","state":{"status":"completed","input":{"city":"Oslo"},"output":"rain"}},
				{"type":"tool","callID":"b","tool":"w","state":{"status":"completed","input":{"city":"Rome","days":2},"output":""}},{"type":"step-finish"},
				{"type":"step-start"},{"type":"reasoning","text":"Both are in."},{"type":"text","text":"Rain in Oslo, nothing from Rome."}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			sample := canonicaltest.Sample()
			if !strings.Contains(events, "Be brief.") {
				sample = sample[1:]
			}
			canonicaltest.RoundTrip(t, Plugin, "", `{"events":[`+events+`]}`, sample)
		})
	}
}

// TestGrows protects a run from a session that takes hours.
func TestGrows(t *testing.T) {
	for name, event := range map[string]string{
		"messages":    `{"type":"user","uuid":"u","parentUuid":"v","message":{"content":"q"}},{"type":"assistant","uuid":"v","parentUuid":"u","message":{"content":[{"type":"text","text":"a"}]}},`,
		"compactions": `{"type":"user","uuid":"u","parentUuid":"v","isCompactSummary":true,"message":{"content":"q"}},{"type":"assistant","uuid":"v","message":{"content":"a"}},`,
		"lines":       `{"type":"user","message":{"content":"q"}},{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"c","name":"n","input":{}}]}},`,
		"items":       `{"type":"response_item","payload":{"type":"message","role":"user","content":"q"}},{"type":"response_item","payload":{"type":"reasoning","summary":[{"text":"r"}]}},{"type":"response_item","payload":{"type":"message","role":"assistant","content":"a"}},{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}},`,
		"compacted":   `{"type":"compacted","payload":{"message":"q"}},{"type":"response_item","payload":{"type":"message","role":"assistant","content":"a"}},`,
		"entries":     `{"type":"message","id":"a","parentId":"b","message":{"role":"user","content":"q"}},{"type":"compaction","id":"b","parentId":"a","summary":"s","firstKeptEntryId":"a"},{"type":"message","id":"c","parentId":"b","message":{"role":"assistant","content":"a"}},`,
		"parts":       `{"info":{"role":"user","system":["x"]},"parts":[{"type":"text","text":"q"}]},{"info":{"role":"assistant"},"parts":[{"type":"tool","tool":"t","state":{"status":"completed"}},{"type":"text","text":"a"}]},{"info":{"role":"assistant","summary":true},"parts":[{"type":"text","text":"s"}]},`,
	} {
		t.Run(name, func(t *testing.T) {
			sdktest.Grows(t, Plugin, "", func(n int) []byte {
				return []byte(`{"session":"s","events":[` + strings.TrimSuffix(strings.Repeat(event, n), ",") + `]}`)
			})
		})
	}
}
