// Package tokens writes threads and preference pairs of the Modular Model Spec as token text.
package tokens

import (
	"context"
	"errors"
	"maps"
	"strconv"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin turns what modelspec-check reads into {"text", "segments", "system_settings"}, and preference rows into {"prompt",
// "chosen", "rejected", "chosen_segments", "rejected_segments", "reason", "system_settings"}; what stands beside a thread
// stays.
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
	Codes: codes(),
}

func codes() map[string]string {
	all := maps.Clone(notation.FaultCodes)
	all["wrong_answer"] = "an answer is marked as one not to learn from"
	all["special_token"] = "a content holds a special token, and special_tokens is \"reject\" or no escape can spell it"
	return all
}

// config is the attributes of the step.
type config struct{ notation.TokenOptions }

type processor struct {
	config
	writer notation.TokenWriter
}

func (p *processor) process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	t, err := notation.Read(jsontext.Of(r.JSON()))
	if err != nil {
		return sdk.Decline(err.Error())
	}
	unknown, err := t.Accept()
	if err != nil {
		return err
	}
	for _, part := range []struct {
		path     string
		messages []notation.Message
	}{{path(&t), t.Messages}, {"chosen.", t.Chosen}} {
		if i := notation.Wrong(part.messages); i >= 0 {
			return sdk.Reject("wrong_answer", part.path+strconv.Itoa(i), "want answers to learn from, have one that is marked as incorrect")
		}
	}
	if unknown > 0 {
		r.Count("loss.member", unknown)
	}
	p.writer.Text = p.writer.Text[:0]
	p.writer.WriteThread(&t, p.Segments)
	if err := p.Report(r, &p.writer); err != nil {
		return err
	}
	emit(r.Derive(p.writer.Text))
	return nil
}

func path(t *notation.Thread) string {
	if t.Shape == notation.PairShape {
		return "prompt."
	}
	return "messages."
}
