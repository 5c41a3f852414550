package messages

// A preset narrows the step to the members in which one family of corpora keeps its messages.
type preset struct {
	keys  []string // in order
	pairs bool     // prompt with completion, chosen with rejected
}

var (
	chat        = preset{keys: []string{"messages"}}
	shareGPT    = preset{keys: []string{"conversations", "messages"}}
	trajectory  = preset{keys: []string{"messages", "conversations", "trajectory"}}
	preferences = preset{keys: []string{"messages", "conversations"}, pairs: true}
)

// presets are the names by which people know the corpora and formats that this reads. Without one all of them are read.
var presets = map[string]preset{
	"": {keys: []string{"messages", "conversations", "conversation", "trajectory", "dialogue", "dialog", "chat", "traj", "history"}, pairs: true},

	"openai": chat, "openai-fine-tune": chat, "trajectory-record": chat, "mobile-actions": chat, "claude-distill": chat,
	"openclaw": chat, "openclaw-operator": chat, "nubilio-trajectories": chat,

	"sharegpt": shareGPT, "hermes-fc": shareGPT, "hermes-fc-thinking": shareGPT, "sharegpt-tool-calls": shareGPT,
	"hermes-reasoning-tool-use": shareGPT, "dolci-instruct": shareGPT, "toolace": shareGPT,

	"hermes-traces": trajectory, "hermes-omniforge": trajectory, "aureth": trajectory, "nemotron-coding-reasoning": trajectory,
	"hf-coding-tools-traces": trajectory, "qwen36-trajectory": trajectory, "hermes-3": trajectory, "agent-trove": trajectory,
	"terminal-corpus": trajectory,

	"trl": preferences, "dpo": preferences, "orpo": preferences, "kto": preferences, "openai-dpo": preferences,
	"llama-factory": preferences,

	"bitagent":             {keys: []string{"conversation", "conversations"}},
	"mcp-messages":         {keys: []string{"messages", "conversations", "chat", "trajectory"}},
	"ms-swift":             {keys: []string{"messages", "conversation", "conversations"}},
	"nemotron-rl-tool-use": {},
}
