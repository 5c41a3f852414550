// Package messages reads rows that hold a list of messages and writes eliza_native_v1 rows: OpenAI chat and fine-tune
// rows, trajectory records, ShareGPT, Hermes function calling, ms-swift, LLaMA-Factory, and the prompt, completion and
// preference rows of TRL and OpenAI.
//
// A row is taken when one of its members is a list of messages: objects with a role or from, or with human and
// assistant. The members are those of the attribute keys, and what the forms list. Rows that declare another format, and
// lists that hold blocks of the Anthropic interface, are declined.
package messages

import (
	"slices"

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
		"bad_role":        "a message has a role that is no word; mend it where it was made, or leave it out",
		"auxiliary":       "the row is of the repair loop, which profile reference leaves out",
		"bad_content":     "the content of a message is neither text nor parts; mend it where it was made, or leave it out",
		"bad_message":     "a message is no object, or has no role; mend it where it was made, or leave it out",
		"bad_split":       "the split is no word; mend it where it was made, or leave it out",
		"bad_target":      "the row does not say in a known way which turns to train on; mend it where it was made, or leave it out",
		"no_messages":     "the list of messages is empty, so there is nothing to train on",
		"reference_error": "the Python tooling cannot read the row, which profile reference follows",
		"too_many_rows":   "one record holds more conversations than its size allows; take it apart before",
		"undesired":       "the row is one that a person did not want, so it is nothing to learn from; leave it out",
		"unknown_role":    "a message has a role that is not known; rename it before",
	},
	New: open,
}.Plugin(), openReference)

type config struct {
	profile.Choice
	Preset string   `hcl:"preset,optional" doc:"reads one family of corpora only" example:"\"sharegpt\""`
	Keys   []string `hcl:"keys,optional" doc:"members that may hold the list, in order" example:"[\"messages\",\"conversations\"]"`
	Calls  string   `hcl:"calls,optional" oneof:"text members" doc:"read calls that stand in a text, or only tool_calls"`
	Media  string   `hcl:"media,optional" oneof:"reject drop" doc:"rows with images, videos or audios beside the messages"`
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
	if cfg.Keys != nil {
		preset.keys = cfg.Keys
	}
	a := &adapter{preset: preset, callsInText: cfg.Calls == "text", dropMedia: cfg.Media == "drop"}
	a.record.lists = make([]jsontext.JSON, len(preset.keys))
	return a.read, nil
}

func openReference(args sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := args.Decode(&cfg); err != nil {
		return nil, err
	}
	if cfg.Preset != "" || cfg.Keys != nil || cfg.Target != "" {
		return nil, args.Errorf("profile", "want no preset, keys or target beside reference, which has its own")
	}
	return profile.Open(args, "messages")
}

// An adapter reads one record after the other.
type adapter struct {
	preset
	callsInText bool
	dropMedia   bool

	row     *build.Builder
	source  jsontext.JSON // the record
	record  record
	defined []string      // tools that stand among the messages
	finish  jsontext.JSON // why the last message ended that says so
	thought build.Joiner  // of a reasoning turn, for the assistant turn that follows
	parts   canonical.Row // reads messages that are made of parts
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

// check rejects what a trajectory record says is not for training, and rows whose media a text row cannot hold.
func (a *adapter) check() error {
	if media := a.record.media; media != "" {
		if !a.dropMedia {
			return sdk.Reject("media", media, "want a row of text, have one with %s beside it", media)
		}
		a.row.Count("loss.media", 1)
	}
	if a.record.members[schema] != `"eliza.eliza1_trajectory_record.v1"` {
		return nil
	}
	if split := a.row.Kept("split").Word(); split != "" && !slices.Contains([]string{"train", "val", "validation", "test", "repair", "repair_eval"}, split) {
		return sdk.Reject("bad_split", "split", "want train, val, validation or test, have another")
	}
	if form := a.record.members[target].Get("sftFormat"); form != "" && form != `"messages"` {
		return sdk.Reject("bad_target", "target.sftFormat", "want messages, have another")
	}
	return nil
}
