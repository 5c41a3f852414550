// Package chatml renders an eliza_native_v1 row as the row {messages, tools} that a tokenizer's chat template takes.
package chatml

import (
	"context"
	"errors"

	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "chatml".
var Plugin = sdk.Plugin{
	Name:  "chatml",
	Doc:   "renders eliza_native_v1 rows as the messages and tools that a chat template takes",
	Args:  config{Profile: "standard", Form: "messages", BaseModel: "Qwen3.5/3.6", TrainOn: "last"},
	New:   open,
	Codes: codes(),

	Labels: []string{"trajectoryId"},
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	wrong := a.Decode(&cfg)
	rules, err := cfg.rules(a)
	if err := errors.Join(wrong, err); err != nil {
		return nil, err
	}
	if cfg.Profile == "reference" {
		return profile.Open(a, "chatml")
	}
	return &renderer{conversation: conversation{rules: rules}, each: cfg.TrainOn == "each", form: cfg.Form, baseModel: cfg.BaseModel}, nil
}

// A renderer is the standard profile.
type renderer struct {
	conversation
	each            bool
	form, baseModel string

	other    *conversation // with the answer that was not preferred
	otherRow canonical.Row
}

// Process implements sdk.Processor.
func (p *renderer) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	p.row = canonical.Read(r)
	if p.row.Format != canonical.Format {
		return sdk.Reject("not_native", "format", "want %q, have another format", canonical.Format)
	}
	if err := p.build(r); err != nil {
		return err
	}
	if err := p.fit(r); err != nil {
		return err
	}
	tools, err := p.tools(r)
	if err != nil {
		return err
	}
	if p.row.TrajectoryID != "" {
		r.SetLabel("trajectoryId", p.row.TrajectoryID.Text())
	} else if p.each {
		r.SetLabel("trajectoryId", r.Pos().String())
	}
	switch p.form {
	case "preference":
		return p.preference(r, tools, emit)
	case "trajectory-record":
		return p.trajectoryRecord(r, tools, emit)
	}
	return p.emitRows(r, tools, emit)
}

// emitRows emits one row for the last message or, when each is set, one for every assistant message with what came
// before it.
func (p *renderer) emitRows(r *sdk.Record, tools []byte, emit func(*sdk.Record)) error {
	p.buf = append(jsontext.Reuse(p.buf), `{"messages":[`...)
	for i := range p.messages {
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		if err := p.write(&p.messages[i]); err != nil {
			return err
		}
		if last := i == len(p.messages)-1; last || p.each && p.messages[i].role == canonical.Assistant && !p.messages[i].turn.Untrained {
			end := len(p.buf)
			p.buf = append(p.buf, ']')
			if len(tools) > 0 {
				p.buf = p.appendTools(append(p.buf, `,"tools":`...), tools)
			}
			p.buf = append(p.buf, '}')
			emit(r.Derive(p.buf))
			p.buf = p.buf[:end]
		}
	}
	return nil
}

// appendTools appends the list of tools, or its text as a string.
func (p *renderer) appendTools(dst, tools []byte) []byte {
	if p.toolForm == "list" {
		return append(dst, tools...)
	}
	return append(jsontext.AppendEscaped(append(dst, '"'), tools), '"')
}
