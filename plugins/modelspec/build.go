package modelspec

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A message is one of the thread. Its content is chunks[from:to] of the converter.
type message struct {
	notation.Message
	tool     string // of a call or a result: the tool's name in the thread
	from, to int
	call     bool
	said     bool // a text of the assistant
	first    int  // of a call: its first call in converter.open
}

// build makes the messages of the row, without the definitions of its tools.
func (c *converter) build(r *sdk.Record) error {
	c.messages, c.chunks, c.results, c.open, c.content = c.messages[:0], c.chunks[:0], c.results[:0], c.open[:0], c.content[:0]
	c.thinks, c.texts = false, false
	clear(c.unanswered)
	clear(c.answered)
	c.calls = c.styleOf()
	if err := c.useTools(); err != nil {
		return err
	}
	c.developer = slices.ContainsFunc(c.row.Turns, func(t canonical.Turn) bool { return t.Role == canonical.Developer })
	for _, t := range c.row.Turns {
		if err := c.turn(r, t); err != nil {
			return err
		}
	}
	if err := c.answer(r); err != nil {
		return err
	}
	if err := c.giveUp(); err != nil {
		return err
	}
	c.arrange(r)
	before := len(c.messages)
	if err := c.turn(r, c.row.Response); err != nil {
		return err
	}
	switch {
	case len(c.messages) == before:
		return sdk.Reject("empty_response", "response", "want a text or calls")
	case c.row.Ending() == "cut":
		return sdk.Reject("truncated_response", "response", "want a response that the model ended, have one that was cut")
	}
	c.halt(r, before)
	c.row.Left(r.Count)
	notation.Count(r, "loss.tool_schema", c.section.foreign)
	notation.Count(r, "repair.schema_type", c.section.types)
	notation.Count(r, "repair.schema_null", c.section.nulls)
	if c.row.Forced() {
		r.Count("loss.tool_choice", 1)
	}
	c.speakAsPlatform()
	return c.formatTexts()
}

// turn adds the messages of a turn: its texts as one, each call as one of its own, the results behind them.
func (c *converter) turn(r *sdk.Record, t canonical.Turn) error {
	role := c.roleOf(t)
	env, enveloped := c.row.EnvelopeOf(t)
	if enveloped = enveloped && c.Envelope == "calls"; enveloped {
		notation.Count(r, "loss.call_member", env.Left)
		notation.Count(r, "loss.envelope_member", env.Members)
	}
	from, filled, called := len(c.messages), false, false
	if t.Name != "" && t.Role != canonical.Tool {
		r.Count("loss.name", 1)
	}
	for i := t.From; i < t.To; i++ {
		p := &c.row.Parts[i]
		if p.Kind != canonical.ResultPart {
			if err := c.answer(r); err != nil {
				return err
			}
		}
		switch p.Kind {
		case canonical.TextPart, canonical.MediaPart:
			body := p.Body
			switch {
			case p.Kind == canonical.MediaPart && c.Media == "reject":
				return sdk.Reject("media", t.Path(), "want text, have media")
			case p.Kind == canonical.MediaPart:
				body = named(r, body)
			case enveloped:
				r.Count("envelope", 1)
				c.addReasoning(r, env.Thought)
				body = env.Message
			}
			if body.Blank() {
				continue
			}
			if !called { // a text leaves the calls before it without a result
				if err := c.giveUp(); err != nil {
					return err
				}
			}
			c.addText(role, body, from)
			filled = true
		case canonical.ReasoningPart:
			c.addReasoning(r, p.Body)
		case canonical.CallPart:
			if err := c.call(r, t, i, from); err != nil {
				return err
			}
			filled, called = true, true
		case canonical.ResultPart:
			c.results = append(c.results, i)
			i += p.Sub
			filled, called = true, true
		case canonical.StepPart:
			from = len(c.messages)
		case canonical.AsidePart:
			r.Count("loss."+string(p.Body), 1)
		default:
			return sdk.Reject("unknown_part", t.Path(), "want a part of a known type, have %s", p.Seen())
		}
	}
	if !filled {
		r.Count("loss.empty_turn", 1)
	}
	if t.Role != canonical.Tool {
		return c.answer(r)
	}
	return nil
}

// roleOf returns the role in the thread. Where a row has both a system and a developer, the system is the platform.
func (c *converter) roleOf(t canonical.Turn) notation.Role {
	switch {
	case t.Role == canonical.System && (c.SystemRole == "platform" || c.developer):
		return notation.Platform
	case t.Role == canonical.System, t.Role == canonical.Developer:
		return notation.Developer
	case t.Role == canonical.Assistant:
		return notation.Assistant
	}
	return notation.User
}

// addText adds a text to the last message of the turn, or as a new message. from is the turn's first message.
func (c *converter) addText(role notation.Role, body jsontext.Body, from int) {
	if n := len(c.messages); n > from && c.messages[n-1].Role == role && c.messages[n-1].Format != notation.Reasoning && !c.messages[n-1].call {
		c.chunks = append(c.chunks, c.join, body)
		c.messages[n-1].to += 2
		return
	}
	m := message{Message: notation.Message{Role: role}}
	m.said = role == notation.Assistant
	c.add(m, body)
}

func (c *converter) add(m message, content ...jsontext.Body) {
	m.from = len(c.chunks)
	c.chunks = append(c.chunks, content...)
	m.to = len(c.chunks)
	c.messages = append(c.messages, m)
}

// body returns the content of a message, and makes it one chunk. Calls of an array are between brackets.
func (c *converter) body(m *message) jsontext.Body {
	array := m.call && c.calls == "array"
	if m.to-m.from == 1 && !array {
		return c.chunks[m.from]
	}
	from := len(c.content)
	if array {
		c.content = append(c.content, '[')
	}
	for _, part := range c.chunks[m.from:m.to] {
		c.content = append(c.content, part...)
	}
	if array {
		c.content = append(c.content, ']')
	}
	body := jsontext.Body(jsontext.View(c.content[from:]))
	if m.to > m.from && !array {
		c.chunks[m.from], m.to = body, m.from+1
	}
	return body
}

// compact returns a value, without blanks, as a text.
func (c *converter) compact(value jsontext.JSON) jsontext.Body {
	from := len(c.content)
	c.content = jsontext.AppendPlain(c.content, value)
	text := jsontext.View(c.content[from:])
	from = len(c.content)
	c.content = jsontext.AppendEscaped(c.content, text)
	return jsontext.Body(jsontext.View(c.content[from:]))
}

func (c *converter) addReasoning(r *sdk.Record, body jsontext.Body) {
	switch {
	case body.Blank():
	case c.Reasoning == "drop":
		r.Count("loss.reasoning", 1)
	default:
		c.thinks = true
		c.add(message{Message: notation.Message{Role: notation.Assistant, Format: notation.Reasoning}}, body)
	}
}

// resultContent returns the content of a result: a text, JSON, or texts and media.
func (c *converter) resultContent(r *sdk.Record, i int) ([]jsontext.Body, error) {
	p := &c.row.Parts[i]
	if p.Sub == 0 {
		if p.Value != "" {
			return []jsontext.Body{c.compact(p.Value)}, nil
		}
		return []jsontext.Body{p.Body}, nil
	}
	var all []jsontext.Body
	for _, sub := range c.row.Parts[i+1 : i+1+p.Sub] {
		body := sub.Body
		switch {
		case sub.Kind == canonical.TextPart:
		case sub.Kind == canonical.AsidePart:
			r.Count("loss."+string(sub.Body), 1)
			continue
		case sub.Kind != canonical.MediaPart:
			return nil, sdk.Reject("unknown_part", "request.messages", "want a result of texts and media, have %s", sub.Seen())
		case c.Media == "reject":
			return nil, sdk.Reject("media", "request.messages", "want a result that is text, have media")
		default:
			body = named(r, body)
		}
		if len(all) > 0 {
			all = append(all, c.join)
		}
		all = append(all, body)
	}
	return all, nil
}

// named returns the words in the place of media.
func named(r *sdk.Record, media jsontext.Body) jsontext.Body {
	r.Count("loss.media", 1)
	return "[" + media + "]"
}
