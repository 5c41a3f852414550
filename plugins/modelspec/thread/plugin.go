// Package thread reads threads of the Modular Model Spec and writes eliza_native_v1 rows, so that a corpus
// written in that format trains like any other.
//
// It reads rows with system_settings or allowed_formats, rows, lists and preference rows whose messages have a format or the role
// platform or context, and token text that begins with <|role|>. It declines other records.
package thread

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "modelspec-thread".
var Plugin = build.Adapter{
	Name:  "modelspec-thread",
	Doc:   "reads threads of the Modular Model Spec and writes eliza_native_v1 rows",
	Args:  config{NoUser: "reject"},
	Codes: notation.Codes(map[string]string{"wrong_answer": "an answer is marked as one not to learn from"}),
	New: func(a sdk.Args) (build.ReadFunc, error) {
		var cfg config
		err := a.Decode(&cfg)
		promote := cfg.NoUser == "developer"
		return func(record jsontext.JSON, row *build.Builder) error { return read(record, row, promote) }, err
	},

	Marks: build.Marked([]string{"system_settings:", "system:", "allowed_formats:", "format:", "text:", "platform", "context"}),
}.Plugin()

type config struct {
	NoUser string `hcl:"no_user,optional" oneof:"reject developer" doc:"a thread in which no user speaks: reject it, or take the developer's words as the user's"`
	build.Options
}

// read reads a thread. Where no user speaks in it, promote makes developer messages the user's.
func read(record jsontext.JSON, row *build.Builder, promote bool) error {
	t, unknown, err := notation.Accepted(notation.Read(record))
	if err != nil {
		return err
	}
	prompt := len(t.Messages)
	if err := t.RejectWrong(); err != nil {
		return err
	}
	if t.Shape == notation.PairShape { // the chosen answer ends the thread, and the metadata keep the rejected one
		kept := notation.AppendMessages([]byte(`{"rejected":`), t.Rejected)
		row.KeepMade(notation.PreferenceKey, jsontext.JSON(append(notation.AppendReason(kept, &t), '}')))
		t.Messages = t.Whole(t.Chosen)
	}
	if unknown > 0 {
		row.Count("loss.member", unknown)
	}
	row.Path, row.Shape = "messages", string(t.Shape)
	for _, m := range t.Extra {
		if !row.Identify(m.Key, m.Value) {
			row.Keep(m.Key, m.Value)
		}
	}
	c := conversation{Thread: t, row: row, speaker: canonical.Developer, tools: tools{at: map[string]int{}}}
	c.outline.Pair, c.outline.Prompt = t.Shape == notation.PairShape, prompt
	if promote && !slices.ContainsFunc(t.Messages, func(m notation.Message) bool { return m.Role == notation.User }) {
		c.speaker = canonical.User
	}
	return c.convert()
}
