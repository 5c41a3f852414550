// Package tokens writes threads and preference pairs of the Modular Model Spec as token text.
package tokens

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
)

// Plugin is the built-in "modelspec-tokens". It turns threads into {"text", "segments", "system_settings"}, and preference rows
// into {"prompt", "chosen", "rejected", "chosen_segments", "rejected_segments", "reason", "system_settings"}. Other members of a
// row stay.
var Plugin = sdk.Plugin{
	Name: "modelspec-tokens",
	Doc:  "writes threads and preference pairs of the Modular Model Spec as token text, and what of it to train on",
	Args: config{notation.DefaultTokens},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg config
		err := errors.Join(a.Decode(&cfg), cfg.Check(a))
		p := &processor{config: cfg, writer: cfg.Writer()}
		return sdk.Func(p.process), err
	},
	Codes: notation.Codes(map[string]string{
		"wrong_answer":  "an answer is marked as one not to learn from",
		"no_target":     "no message of the assistant, so there is nothing to train on",
		"same_answers":  "the chosen and the rejected answer say the same, so there is nothing to prefer",
		"special_token": "a content holds a special token, and special_tokens is \"reject\" or no escape can spell it",
	}),
}

type config struct{ notation.TokenOptions }

type processor struct {
	config
	writer notation.TokenWriter
}

// process writes a thread as token text, and rejects one that has an answer not to learn from.
func (p *processor) process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	t, unknown, err := notation.Accepted(notation.ReadRecord(r))
	if err != nil {
		return err
	}
	if err := cmp.Or(t.RejectWrong(), p.target(&t)); err != nil {
		return err
	}
	notation.Count(r, "loss.member", unknown)
	p.writer.Text = p.writer.Text[:0]
	p.writer.WriteThread(&t, p.Segments)
	if err := p.Report(r, &p.writer); err != nil {
		return err
	}
	emit(r.Derive(p.writer.Text))
	return nil
}

// target rejects a thread without anything to train on, where that is said, and a preference row without two answers.
func (p *processor) target(t *notation.Thread) error {
	if t.Shape != notation.PairShape {
		if p.Segments && !speaks(t.Messages) {
			path := map[notation.Shape]string{notation.RowShape: "messages", notation.TokenShape: "text"}[t.Shape]
			return sdk.Reject("no_target", path, "want a message of the assistant to train on")
		}
		return nil
	}
	switch {
	case !speaks(t.Chosen):
		return sdk.Reject("no_target", "chosen", "want a message of the assistant to train on")
	case !speaks(t.Rejected):
		return sdk.Reject("no_target", "rejected", "want a message of the assistant to train on")
	case notation.Same(t.Chosen, t.Rejected):
		return sdk.Reject(notation.SameAnswers, "rejected", "want two answers, have the same answer twice")
	}
	return nil
}

func speaks(messages []notation.Message) bool {
	return slices.ContainsFunc(messages, func(m notation.Message) bool { return m.Role == notation.Assistant })
}
