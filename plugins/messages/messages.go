// Package messages reads rows that hold a list of messages and writes eliza_native_v1 rows: OpenAI chat and fine-tune
// rows, trajectory records, ShareGPT, Hermes function calling, ms-swift, LLaMA-Factory, and the prompt, completion and
// preference rows of TRL and OpenAI.
//
// The adapter takes a row when one of its members is a list of messages: objects with a role or from, or with human and
// assistant. The attribute keys and the forms name the members. It declines rows that declare another format, and lists that
// hold blocks of the Anthropic interface.
package messages

import (
	"github.com/sluicehq/sluice/plugins/internal/ask"
	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "messages".
var Plugin = profile.Or(build.Adapter{
	Name: "messages",
	Doc:  "reads chat rows of every common spelling and writes eliza_native_v1 rows",
	Args: config{Choice: profile.Standard, Calls: "text", Media: "reject"},
	Codes: map[string]string{
		"bad_role":        "a message has a role that is not a word; correct it where it was made, or leave it out",
		"auxiliary":       "the row is of the repair loop, which profile reference leaves out",
		"bad_content":     "the content of a message is neither text nor parts; correct it where it was made, or leave it out",
		"bad_context":     ask.Codes["bad_context"],
		"bad_preference":  "the row does not say which of two answers is better; correct it where it was made, or leave it out",
		"tie":             "neither of two answers is better, so there is none to prefer; leave the row out",
		"two_prompts":     ask.Codes["two_prompts"],
		"bad_labels":      "the labels of the steps are of no kind that is known, or not as many as the steps; correct them where they were made",
		"bad_message":     "a message is not an object, or has no role; correct it where it was made, or leave it out",
		"bad_split":       "the split is not a word; correct it where it was made, or leave it out",
		"bad_steps":       "the answer in steps has none, or one without a text, or it cannot be told where they begin; leave the row out",
		"bad_tree":        "the messages of an export do not lead from the first to the last; leave the conversation out, or export it anew",
		"bad_target":      "the row says with no known value which turns to train on; correct it where it was made, or leave it out",
		"lone_event":      "the record is one event of a trace, which holds one message; read spans with their events",
		"no_history":      "the row continues a conversation that it does not hold; join it to what was said before",
		"no_messages":     "the list of messages is empty, so there is nothing to train on",
		"reference_error": "the Python tooling cannot read the row, which profile reference follows",
		"too_many_rows":   "one record holds more conversations than its size allows; split it up first",
		"undesired":       "the row is one that a person did not want, so it is nothing to learn from; leave it out",
		"unknown_role":    "a message has a role that is not known; rename it first",
	},
	New: open,
}.Plugin(), openReference)

type config struct {
	profile.Choice
	Preset string   `hcl:"preset,optional" doc:"reads one family of corpora only" example:"\"sharegpt\""`
	Keys   []string `hcl:"keys,optional" doc:"members that may hold the list, in order" example:"[\"messages\",\"conversations\"]"`
	Calls  string   `hcl:"calls,optional" oneof:"text members" doc:"read calls in texts too, or only tool_calls"`
	Media  string   `hcl:"media,optional" oneof:"reject drop keep" doc:"rows with columns of images, videos or audio; keep puts them into the messages"`
	build.Options
}

func open(args sdk.Args) (build.ReadFunc, error) {
	var cfg config
	if err := args.Decode(&cfg); err != nil {
		return nil, err
	}
	preset, err := build.Preset(args, cfg.Preset, presets)
	if err != nil {
		return nil, err
	}
	preset.keys = build.Given(cfg.Keys, preset.keys)
	a := &adapter{preset: preset, callsInText: cfg.Calls == "text", dropMedia: cfg.Media == "drop", keepsMedia: cfg.Media == "keep"}
	a.record.lists = make([]jsontext.JSON, len(preset.keys))
	return a.read, nil
}

func openReference(args sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := args.Decode(&cfg); err != nil {
		return nil, err
	}
	if cfg.Preset != "" || cfg.Keys != nil || cfg.Target != "" {
		return nil, args.Errorf("profile", "want no preset, keys or target with profile reference, which has its own")
	}
	return profile.Open(args, "messages")
}

// An adapter reads one record after the other.
type adapter struct {
	preset
	callsInText bool
	dropMedia   bool
	keepsMedia  bool

	row     *build.Builder
	source  jsontext.JSON // the record
	record  record
	parted  *parted       // the last message, if its list was taken for the results of several calls
	defined []string      // tools that messages define
	finish  jsontext.JSON // the finish reason of the last message that has one
	thought build.Joiner  // reasoning for the assistant turn that follows
	parts   canonical.Row // reads messages that are made of parts
	listing jsontext.JSON // the list that is read
	mixed   *bool         // whether it has roles that the Anthropic interface has not; nil for not asked yet
}

func (a *adapter) read(record jsontext.JSON, row *build.Builder) error {
	a.row, a.source, a.thought, a.defined, a.finish = row, record, build.Joiner{}, nil, ""
	form, err := a.recognise(record)
	if err != nil {
		return err
	}
	if err := row.CheckRepair(); err != nil {
		return err
	}
	if err := a.check(); err != nil {
		return err
	}
	if row.Shape = form.shape; row.Shape == "" {
		row.Shape = a.keys[a.record.list]
	}
	if err := form.read(a); err != nil {
		return err
	}
	if a.thought.Body() != "" {
		row.Count("loss.thought", 1)
	}
	a.keepRest()
	a.settings()
	return nil
}

// check rejects trajectory records that are not for training, and rows whose media a text row cannot hold.
func (a *adapter) check() error {
	a.row.PlacesMedia = a.keepsMedia
	if media := a.record.media; media != "" && !a.keepsMedia {
		if !a.dropMedia {
			return sdk.Reject("media", media, "want a row of text, have one with %s too: media = \"keep\" puts them into the messages", media)
		}
		a.row.Count("loss.media", 1)
	}
	if a.record.members[schema] != `"eliza.eliza1_trajectory_record.v1"` {
		return nil
	}
	split := a.row.Kept("split")
	if word := split.Word(); word != "" && canonical.SplitOf(word) == "" {
		return sdk.Reject("bad_split", "split", "want the word for a split, such as train, val or test, have %s", jsontext.Seen(split))
	}
	if form := a.record.members[target].Get("sftFormat"); form != "" && form != `"messages"` {
		return sdk.Reject("bad_target", "target.sftFormat", "want messages, have %s", jsontext.Seen(form))
	}
	return nil
}

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

// presets are named after corpora and formats. Without a name, the step reads all of them.
var presets = map[string]preset{
	"": {keys: []string{"messages", "conversations", "conversation", "trajectory", "dialogue", "dialog", "chat", "traj", "turns", "log", "messages_and_choices", "history"}, pairs: true},

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
