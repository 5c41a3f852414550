package messages

import (
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestSpellings protects every other spelling of a member, and what becomes of members that no form reads.
func TestSpellings(t *testing.T) {
	const chat = `"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]`
	for _, c := range []struct{ record, want string }{
		{chat + `,"system_prompt":"s"`, `"system":"s"`},
		{chat + `,"system_prompt":"other","system":"s"`, `"system":"s"`},
		{chat + `,"system":"s","system_prompt":"other"`, `"system":"s"`},
		{chat + `,"available_tools":["f"]`, `"name":"f"`},
		{chat + `,"functions":["f"]`, `"name":"f"`},
		{chat + `,"tools":[],"functions":["f"]`, `"name":"f"`},
		{chat + `,"rejected_response":"no"`, `"preference":{"rejected":"no"}`},
		{chat + `,"kto_tag":true`, `"label":true`},
		{chat + `,"kto_tag":false`, `reject undesired`},
		{chat + `,"tool_choice":"none"`, `"toolChoice":"none"`},
		{chat + `,"toolChoice":"none"`, `"toolChoice":"none"`},
		{chat + `,"finish_reason":"tool-calls"`, `"finishReason":"tool_calls"`},
		{chat + `,"finishReason":"content_filter"`, `"finishReason":"content_filter"`},
		{chat + `,"usage":{"promptTokens":1}`, `"usage":{"promptTokens":1}`},
		{chat + `,"timestamp":7`, `"timestamp":7`},
		{chat + `,"images":["i"]`, `reject media at images`},
		{chat + `,"videos":["i"]`, `reject media at videos`},
		{chat + `,"audios":["i"]`, `reject media at audios`},
		{chat + `,"image":"i"`, `reject media at image`},
		{chat + `,"video":"i"`, `reject media at video`},
		{chat + `,"audio":"i"`, `reject media at audio`},
		{chat + `,"images":[]`, `"text":"a"`},
		{chat + `,"preferred_output":["x"]`, `"preferred_output":["x"]`},
		{chat + `,"output":"x"`, `"output":"x"`},
		{chat + `,"dialog":[1]`, `"dialog":[1]`},
		{chat + `,"schema":"x"`, `"schema":"x"`},
		{`"input":{"messages":[{"role":"user","content":"q"}]},"preferred_completion":[{"role":"assistant","content":"a"}],"non_preferred_completion":["n"]`, `"preference":{"rejected":["n"]}`},
	} {
		results, _ := sdktest.Direct(t, Plugin, "", "{"+c.record+"}")
		r := results[0]
		have := r.Verdict + " " + r.Code + " at " + r.Path + strings.Join(r.Emitted, "\n")
		if !strings.Contains(have, c.want) {
			t.Errorf("%s: want %s, have %s", c.record, c.want, have)
		}
	}
}

// TestPresets protects the members that each preset reads, by a list that stands in each.
func TestPresets(t *testing.T) {
	const chat, shareGPT, trajectory, pairs = "messages", "conversations messages", "messages conversations trajectory", "messages conversations"
	want := map[string]string{
		"":                 "messages conversations conversation trajectory dialogue dialog chat traj history",
		"openai":           chat,
		"openai-fine-tune": chat, "trajectory-record": chat, "mobile-actions": chat, "claude-distill": chat, "openclaw": chat,
		"openclaw-operator": chat, "nubilio-trajectories": chat,
		"sharegpt": shareGPT, "hermes-fc": shareGPT, "hermes-fc-thinking": shareGPT, "sharegpt-tool-calls": shareGPT,
		"hermes-reasoning-tool-use": shareGPT, "dolci-instruct": shareGPT, "toolace": shareGPT,
		"hermes-traces": trajectory, "hermes-omniforge": trajectory, "aureth": trajectory, "nemotron-coding-reasoning": trajectory,
		"hf-coding-tools-traces": trajectory, "qwen36-trajectory": trajectory, "hermes-3": trajectory, "agent-trove": trajectory,
		"terminal-corpus": trajectory,
		"trl":             pairs, "dpo": pairs, "orpo": pairs, "kto": pairs, "openai-dpo": pairs, "llama-factory": pairs,
		"bitagent": "conversation conversations", "mcp-messages": "messages conversations chat trajectory",
		"ms-swift": "messages conversation conversations", "nemotron-rl-tool-use": "",
	}
	if len(want) != len(presets) {
		t.Errorf("want %d presets, have %d", len(want), len(presets))
	}
	for name, keys := range want {
		for key := range strings.FieldsSeq(want[""]) {
			verdict := "decline"
			if slices.Contains(strings.Fields(keys), key) {
				verdict = "emit"
			}
			record := `{"` + key + `":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`
			results, _ := sdktest.Direct(t, Plugin, `{"preset":"`+name+`"}`, record)
			if results[0].Verdict != verdict {
				t.Errorf("%s, %s: want %s, have %s", name, key, verdict, results[0].Verdict)
			}
		}
		results, _ := sdktest.Direct(t, Plugin, `{"preset":"`+name+`"}`, `{"prompt":"q","completion":"a"}`)
		if have := results[0].Verdict == "emit"; have != (keys == pairs || name == "") {
			t.Errorf("%s: want a prompt with its completion read %t, have %t", name, !have, have)
		}
	}
}
