package chatml

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// assistant adds the messages of an assistant turn. A turn with results, as in UI messages and with tools that the provider
// runs, becomes several messages: text and calls, the results, the text after them.
func (c *conversation) assistant(r *sdk.Record, t canonical.Turn) error {
	before := len(c.messages)
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
	c.open = c.continues(t)
	c.results = c.results[:0]
	unchanged := t.Envelope != "" && c.envelope != "calls"
	for i := t.From; i < t.To; i++ {
		p := &c.row.Parts[i]
		if unchanged && i >= t.Unfolded {
			if err := c.whole(r, t, i); err != nil {
				return err
			}
			continue
		}
		if len(c.results) > 0 && p.Kind != canonical.ResultPart && p.Kind != canonical.CallPart && p.Kind != canonical.AsidePart {
			if err := c.answer(r, t); err != nil {
				return err
			}
		}
		var err error
		switch p.Kind {
		case canonical.TextPart, canonical.MediaPart, canonical.ReasoningPart, canonical.CallPart:
			err = c.add(r, t, i, env)
		case canonical.ResultPart:
			c.results = append(c.results, i)
			i += p.Sub
		case canonical.StepPart:
			c.open = c.open && c.silent(before)
		default:
			err = c.leave(r, p, t)
		}
		if err != nil {
			return err
		}
	}
	if err := c.answer(r, t); err != nil {
		return err
	}
	if c.silent(before) {
		c.messages = c.messages[:len(c.messages)-1]
	}
	if len(c.messages) == before && !c.continues(t) && t.Index != canonical.InResponse {
		r.Count("loss.empty_turn", 1)
	}
	return nil
}

// whole adds the text of an envelope unchanged in place of its first part. Of the other parts it adds only calls with
// results.
func (c *conversation) whole(r *sdk.Record, t canonical.Turn, i int) error {
	if i == t.Unfolded {
		c.begin(t)
		text := canonical.Part{Kind: canonical.TextPart, Body: t.Envelope}
		if err := c.speak(r, &text, &c.messages[len(c.messages)-1]); err != nil {
			return err
		}
	}
	if p := &c.row.Parts[i]; p.Kind != canonical.CallPart || p.Mate < 0 {
		return nil
	}
	return c.add(r, t, i, nil)
}

// begin opens a message for the next parts of the turn, unless one is open.
func (c *conversation) begin(t canonical.Turn) {
	if !c.open {
		c.messages = append(c.messages, message{role: canonical.Assistant, turn: t,
			texts: end(c.texts), thoughts: end(c.thoughts), calls: span{len(c.calls), len(c.calls)}})
		c.open = true
	}
}

// silent reports whether the last message is empty and came after the first ones.
func (c *conversation) silent(first int) bool {
	n := len(c.messages) - 1
	if n < first {
		return false
	}
	m := &c.messages[n]
	return m.role == canonical.Assistant && m.calls.empty() && m.thoughts.empty() && !c.says(m.texts)
}

// add puts part i of an assistant turn into the open message, or into a new one.
func (c *conversation) add(r *sdk.Record, t canonical.Turn, i int, env *canonical.Envelope) error {
	c.begin(t)
	p, m := &c.row.Parts[i], &c.messages[len(c.messages)-1]
	switch {
	case p.Kind == canonical.ReasoningPart:
		c.think(r, p.Body, m)
		return nil
	case p.Kind == canonical.CallPart && p.Mate < 0 && c.dangling == "drop" && t.Index != canonical.InResponse:
		r.Count("loss.dangling_call", 1)
		return nil
	case p.Kind == canonical.CallPart && p.Name.Blank():
		return sdk.Reject("bad_tool_call", t.Path(), "want the name of a tool")
	case p.Kind == canonical.CallPart:
		if env == nil || c.envelope != "text" || env.Answered {
			c.calls = append(c.calls, i)
			m.calls.to = len(c.calls)
		}
		return nil
	}
	if !m.calls.empty() { // a message shows its text before its calls
		if p.Body.Blank() {
			return nil
		}
		r.Count("repair.text_after_call", 1)
	}
	if env != nil && c.envelope == "calls" {
		c.unfold(r, env, m)
		return nil
	}
	return c.speak(r, p, m)
}

// end is the empty span at the end of texts or thoughts.
func end(bodies []jsontext.Body) span { return span{len(bodies), len(bodies)} }

// unfold replaces the text of an envelope: its thought becomes reasoning, its message the text.
func (c *conversation) unfold(r *sdk.Record, env *canonical.Envelope, m *message) {
	if env.Thought != "" {
		c.think(r, env.Thought, m)
	}
	c.texts = append(c.texts, env.Message)
	m.texts.to = len(c.texts)
}

// continues reports whether the turn continues the message before it: parallel calls that were recorded one by one. A turn that
// says nothing before its call does, whether it has no text or a blank one.
func (c *conversation) continues(t canonical.Turn) bool {
	n := len(c.messages)
	if n == 0 || t.Index == canonical.InResponse || c.messages[n-1].role != canonical.Assistant || c.messages[n-1].calls.empty() {
		return false
	}
	for i := t.From; i < t.To; i++ {
		if p := &c.row.Parts[i]; p.Kind != canonical.TextPart || !p.Body.Blank() {
			return p.Kind == canonical.CallPart
		}
	}
	return false
}

// answer adds the collected results after the message with their calls.
func (c *conversation) answer(r *sdk.Record, t canonical.Turn) error {
	for _, i := range c.results {
		if err := c.result(r, i, t); err != nil {
			return err
		}
	}
	c.open = c.open && len(c.results) == 0
	c.results = c.results[:0]
	return nil
}

// speak adds a text to a message. Text between <think> tags at its beginning is reasoning.
func (c *conversation) speak(r *sdk.Record, p *canonical.Part, m *message) error {
	part := *p
	if p.Kind == canonical.TextPart && m.texts.empty() {
		if thought, rest, ok := p.Thought(); ok {
			if !c.hasThought(m, thought) {
				c.think(r, thought, m)
			}
			part.Body = rest
		}
	}
	err := c.say(r, &part, m.texts.from, m.turn)
	m.texts.to = len(c.texts)
	return err
}

// think adds reasoning to a message.
func (c *conversation) think(r *sdk.Record, body jsontext.Body, m *message) {
	switch {
	case body == "":
		r.Count("loss.redacted_reasoning", 1)
		return
	case c.reasoning == "drop":
		r.Count("loss.reasoning", 1)
		return
	case !m.thoughts.empty():
		c.thoughts = append(c.thoughts, `\n\n`)
	}
	c.thoughts = append(c.thoughts, body)
	m.thoughts.to = len(c.thoughts)
}

// hasThought reports whether the last thought of a message is the one that its text repeats.
func (c *conversation) hasThought(m *message, thought jsontext.Body) bool {
	return !m.thoughts.empty() && strings.TrimSpace(c.thoughts[m.thoughts.to-1].Text()) == strings.TrimSpace(thought.Text())
}
