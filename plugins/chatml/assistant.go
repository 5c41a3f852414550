package chatml

import (
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// assistant adds the messages of an assistant turn. A turn with results, as in UI messages and with tools that the provider
// runs, becomes several messages: text and calls, the results, the text after them.
func (c *conversation) assistant(r *sdk.Record, t canonical.Turn) error {
	before := len(c.shown.Messages)
	var env *canonical.Envelope
	if c.envelope != "both" {
		e, ok := c.row.EnvelopeOf(t)
		if ok {
			if env = &e; e.Left > 0 {
				r.Count("loss.call_member", e.Left)
			}
			if e.Members > 0 {
				r.Count("loss.envelope_member", e.Members)
			}
		} else if e.Other {
			return sdk.Reject("bad_envelope", t.Path(), "want the envelope in the text to have the same calls as the turn, have different ones: envelope = \"both\" keeps the row")
		}
	}
	unchanged := t.Envelope != "" && c.envelope != "calls"
	for i := range c.shown.Assistant(t) {
		var err error
		switch p := &c.row.Parts[i]; {
		case unchanged && i >= t.Unfolded:
			err = c.whole(r, t, i)
		case p.Kind == canonical.ResultPart:
			err = c.result(r, i, t)
		case p.Kind == canonical.AsidePart || p.Kind == canonical.UnknownPart:
			err = c.leave(r, p, t)
		default:
			err = c.add(r, t, i, env)
		}
		if err != nil {
			return err
		}
	}
	if len(c.shown.Messages) == before && !c.shown.Continues(t) && t.Index != canonical.InResponse {
		r.Count("loss.empty_turn", 1)
	}
	return nil
}

// whole adds the text of an envelope unchanged in place of its first part. Of the other parts it adds only calls with
// results.
func (c *conversation) whole(r *sdk.Record, t canonical.Turn, i int) error {
	if i == t.Unfolded {
		text := canonical.Part{Kind: canonical.TextPart, Body: t.Envelope}
		if err := c.speak(r, &text); err != nil {
			return err
		}
	}
	if p := &c.row.Parts[i]; p.Kind != canonical.CallPart || p.Mate < 0 {
		return nil
	}
	return c.add(r, t, i, nil)
}

// add puts part i of an assistant turn into the open message.
func (c *conversation) add(r *sdk.Record, t canonical.Turn, i int, env *canonical.Envelope) error {
	p := &c.row.Parts[i]
	switch {
	case p.Kind == canonical.ReasoningPart:
		c.think(r, p.Body)
		return nil
	case p.Kind == canonical.CallPart && p.Mate < 0 && c.dangling == "drop" && t.Index != canonical.InResponse:
		r.Count("loss.dangling_call", 1)
		return nil
	case p.Kind == canonical.CallPart && p.Name.Blank():
		return sdk.Reject("bad_tool_call", t.Path(), "want the name of a tool")
	case p.Kind == canonical.CallPart:
		if env == nil || c.envelope != "text" || env.Answered {
			c.shown.Call(i)
		}
		return nil
	}
	if len(c.shown.Last().Calls) > 0 { // a message shows its text before its calls
		r.Count("repair.text_after_call", 1)
	}
	if env != nil && c.envelope == "calls" {
		c.unfold(r, env)
		return nil
	}
	return c.speak(r, p)
}

// unfold replaces the text of an envelope: its thought becomes reasoning, its message the text.
func (c *conversation) unfold(r *sdk.Record, env *canonical.Envelope) {
	if env.Thought != "" {
		c.think(r, env.Thought)
	}
	c.shown.Say(env.Message, "")
}

// speak adds a text to the open message. Text between <think> tags at its beginning is reasoning.
func (c *conversation) speak(r *sdk.Record, p *canonical.Part) error {
	thought, rest, ok := c.shown.Thought(p)
	if ok {
		c.think(r, thought)
	}
	part := *p
	part.Body = rest
	return c.say(r, &part, c.shown.Last().Turn)
}

// think adds reasoning to the open message.
func (c *conversation) think(r *sdk.Record, body jsontext.Body) {
	switch {
	case body == "":
		r.Count("loss.redacted_reasoning", 1)
	case c.reasoning == "drop":
		r.Count("loss.reasoning", 1)
	default:
		c.shown.Think(body)
	}
}
