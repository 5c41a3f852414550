// Package modelspecthread reads threads of the Modular Model Spec and writes eliza_native_v1 rows, so that a corpus
// written in that format trains like any other.
//
// A record is taken when it is a row with system_settings or allowed_formats, a row or list whose messages have a format
// or the role platform or context, or token text that begins with <|role|>. Others are declined.
package modelspecthread

import (
	"context"
	"errors"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/choice"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "modelspec-thread".
var Plugin = sdk.Plugin{
	Name: "modelspec-thread",
	Doc:  "reads threads of the Modular Model Spec and writes eliza_native_v1 rows",
	Args: config{NoUser: "reject"},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg config
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		target, badTarget := choice.Named(a, "target", cfg.Target, canonical.Targets)
		err := errors.Join(badTarget, choice.Of(a, "no_user", cfg.NoUser, "reject", "developer"))
		return &reader{target: target, promote: cfg.NoUser == "developer"}, err
	},
	Labels: []string{"trajectoryId"},
}

type config struct {
	Target string `hcl:"target,optional" doc:"last or each: one row for the last answer, or one for each"`
	NoUser string `hcl:"no_user,optional" doc:"reject or developer: a thread in which no user speaks, or the developer's words as the user's"`
}

// A reader reads one thread after another, with the same memory.
type reader struct {
	target  canonical.Target
	promote bool // the developer speaks as user where there is none
	out     canonical.Conversation
}

// Process implements sdk.Processor.
func (p *reader) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	record := jsontext.Of(r.JSON())
	t, err := modelspec.Read(record)
	if not, ok := errors.AsType[*modelspec.NotThreadError](err); ok {
		return sdk.Decline(not.Reason)
	}
	if fault, ok := errors.AsType[*modelspec.Fault](err); ok {
		return sdk.Reject("bad_thread", fault.Path, "%s", fault.Message)
	}
	if err != nil {
		return err
	}
	p.out.Reset()
	p.out.Path = "messages"
	p.carry(r, record)
	c := conversation{Thread: t, out: &p.out, speaker: eliza.Developer}
	if p.promote && !slices.ContainsFunc(t.Messages, func(m modelspec.Message) bool { return m.Role == "user" }) {
		c.speaker = eliza.User
	}
	if err := c.read(r); err != nil {
		return err
	}
	return p.out.Emit(r, p.target, emit)
}

// carry takes over what stands beside the messages: metadata, and members that say which model call the row is.
func (p *reader) carry(r *sdk.Record, record jsontext.JSON) {
	c := jsontext.Cursor{JSON: record}
	if c.Kind() != '{' {
		return
	}
	for key := range c.Members() {
		switch key {
		case "messages", "text", "system_settings", "system", "allowed_formats":
		case "metadata":
			for name := range c.Members() {
				p.out.Meta(jsontext.BodyOf(name), c.Value())
			}
		default:
			if !p.out.Identify(key, c.Value()) {
				r.Count("loss.member", 1)
			}
		}
	}
}
