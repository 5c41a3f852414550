package messages

import (
	"maps"
	"slices"
)

// A preset narrows the step to the members in which one family of corpora keeps its messages.
type preset struct {
	keys  []string
	pairs bool
}

var (
	chat        = preset{keys: []string{"messages"}}
	shareGPT    = preset{keys: []string{"conversations", "messages"}}
	trajectory  = preset{keys: []string{"messages", "conversations", "trajectory"}}
	preferences = preset{keys: []string{"messages", "conversations"}, pairs: true}
)

// presets are the names by which people know the corpora and formats that this reads (render-and-adapters, 4 and 8).
var presets = map[string]preset{
	"openai": chat, "openai-fine-tune": chat, "trajectory-record": chat, "mobile_actions": chat, "claude_distill": chat,
	"openclaw": chat, "openclaw_operator": chat, "ms-swift": {keys: []string{"messages", "conversation", "conversations"}},
	"sharegpt": shareGPT, "llama-factory": preferences, "hermes_fc": shareGPT, "hermes_fc_thinking": shareGPT,
	"sharegpt_tool_calls": shareGPT, "hermes_reasoning_tool_use": shareGPT, "dolci_instruct": shareGPT,
	"hermes_traces": trajectory, "hermes_omniforge": trajectory, "aureth": trajectory, "nemotron_coding_reasoning": trajectory,
	"hf_coding_tools_traces": trajectory, "qwen36_trajectory": trajectory, "hermes_3": trajectory,
	"bitagent": {keys: []string{"conversation", "conversations"}}, "toolace": shareGPT,
	"mcp_messages": {keys: []string{"messages", "conversations", "chat", "trajectory"}},
	"agent_trove":  trajectory, "terminal_corpus": trajectory, "nubilio_trajectories": chat, "nemotron_rl_tool_use": {}, "trl": preferences, "dpo": preferences, "orpo": preferences, "kto": preferences, "openai-dpo": preferences,
}

func presetNames() []string { return slices.Sorted(maps.Keys(presets)) }
