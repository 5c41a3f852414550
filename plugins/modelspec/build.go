package modelspec

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A message is one of the thread. Its content is chunks[from:to] of the converter.
type message struct {
	role     string
	tool     jsontext.Body // of a call its tool as the thread spells it, of a context message the tool that answered
	format   string        // of an assistant: the format, or its language when tool is set
	from, to int
	call     bool
	first    int // of a call: the first of its calls in converter.open
}

// A chunk is a piece of content: a string body, or JSON that becomes text.
type chunk struct {
	body jsontext.Body
	json jsontext.JSON
}

// build makes the messages of the row, but for the definition of its tools.
func (c *converter) build(r *sdk.Record) error {
	c.messages, c.chunks, c.results, c.open = c.messages[:0], c.chunks[:0], c.results[:0], c.open[:0]
	c.thinks, c.texts, c.called = false, false, false
	clear(c.unanswered)
	clear(c.answered)
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
	if err := c.goOn(); err != nil {
		return err
	}
	before := len(c.messages)
	if err := c.turn(r, c.row.Response); err != nil {
		return err
	}
	switch reason := c.row.FinishReason; {
	case len(c.messages) == before:
		return sdk.Reject("empty_response", "response", "want a text or calls, have neither")
	case reason == "length" || reason == "max_tokens":
		return sdk.Reject("truncated_response", "response", "want a response that the model ended, have one that was cut")
	}
	c.halt(r, before)
	c.row.Left(r.Count)
	if n := c.section.foreign; n > 0 {
		r.Count("loss.tool_schema", n)
	}
	if c.row.Forced() {
		r.Count("loss.tool_choice", 1)
	}
	return c.answerFormat()
}

// turn adds the messages of a turn: its texts as one, each call as one of its own, the results behind them.
func (c *converter) turn(r *sdk.Record, t canonical.Turn) error {
	role := c.roleOf(t)
	env, enveloped := c.row.EnvelopeOf(t)
	if enveloped = enveloped && c.Envelope == "calls"; enveloped && env.Left > 0 {
		r.Count("loss.call_member", env.Left)
	}
	from, said, acted := len(c.messages), false, false
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
				r.Count("loss.media", 1)
				body = "[" + body + "]"
			case enveloped:
				r.Count("envelope", 1)
				c.think(r, env.Thought)
				body = env.Message
			}
			if body.Blank() {
				continue
			}
			if !acted { // who goes on to speak leaves the calls before without a result
				if err := c.goOn(); err != nil {
					return err
				}
			}
			c.say(role, body, from)
			said = true
		case canonical.ReasoningPart:
			c.think(r, p.Body)
		case canonical.CallPart:
			if err := c.call(r, t, i, from); err != nil {
				return err
			}
			said, acted = true, true
		case canonical.ResultPart:
			c.results = append(c.results, i)
			i += p.Sub
			said, acted = true, true
		case canonical.StepPart:
			from = len(c.messages)
		case canonical.AsidePart:
			r.Count("loss."+string(p.Body), 1)
		default:
			return sdk.Reject("unknown_part", t.Path(), "want a part with a known type, have another")
		}
	}
	if !said {
		r.Count("loss.empty_turn", 1)
	}
	if t.Role != canonical.Tool {
		return c.answer(r)
	}
	return nil
}

// roleOf gives the role in the thread. Where a row has words of a system and of a developer, the system is the
// platform.
func (c *converter) roleOf(t canonical.Turn) string {
	switch t.Role {
	case canonical.System:
		if c.SystemRole == "platform" {
			return "platform"
		}
		if c.developer {
			return "platform"
		}
		return "developer"
	case canonical.Developer:
		return "developer"
	case canonical.Assistant:
		return "assistant"
	}
	return "user"
}

// say adds a text to the message of the turn that is open, or a message. from is the turn's first message.
func (c *converter) say(role string, body jsontext.Body, from int) {
	if n := len(c.messages); n > from && c.messages[n-1].role == role && c.messages[n-1].format != "reasoning" && !c.messages[n-1].call {
		c.chunks = append(c.chunks, chunk{body: c.join}, chunk{body: body})
		c.messages[n-1].to += 2
		return
	}
	m := message{role: role}
	if role == "assistant" {
		m.format = "markdown"
	}
	c.add(m, chunk{body: body})
}

func (c *converter) add(m message, content ...chunk) {
	m.from = len(c.chunks)
	c.chunks = append(c.chunks, content...)
	m.to = len(c.chunks)
	c.messages = append(c.messages, m)
}

func (c *converter) think(r *sdk.Record, body jsontext.Body) {
	switch {
	case body.Blank():
	case c.Reasoning == "drop":
		r.Count("loss.reasoning", 1)
	default:
		c.thinks = true
		c.add(message{role: "assistant", format: "reasoning"}, chunk{body: body})
	}
}

// content gives what a result says: a text, JSON, or texts and media.
func (c *converter) content(r *sdk.Record, i int) ([]chunk, error) {
	p := &c.row.Parts[i]
	if p.Sub == 0 {
		if p.Value != "" {
			return []chunk{{json: p.Value}}, nil
		}
		return []chunk{{body: p.Body}}, nil
	}
	var all []chunk
	for _, sub := range c.row.Parts[i+1 : i+1+p.Sub] {
		body := sub.Body
		switch {
		case sub.Kind == canonical.TextPart:
		case sub.Kind == canonical.AsidePart:
			r.Count("loss."+string(sub.Body), 1)
			continue
		case sub.Kind != canonical.MediaPart:
			return nil, sdk.Reject("unknown_part", "request.messages", "want a result of texts and media, have a part of another type")
		case c.Media == "reject":
			return nil, sdk.Reject("media", "request.messages", "want a result that is text, have media")
		default:
			r.Count("loss.media", 1)
			body = "[" + body + "]"
		}
		if len(all) > 0 {
			all = append(all, chunk{body: c.join})
		}
		all = append(all, chunk{body: body})
	}
	return all, nil
}

// answerFormat makes the format of texts "json" where a response schema says so: of the answer, which must be JSON
// then, and of earlier ones that are.
func (c *converter) answerFormat() error {
	schema := c.row.Output.Kind() == '{'
	for i := range c.messages {
		m := &c.messages[i]
		if m.role != "assistant" || m.format != "markdown" {
			continue
		}
		if !schema {
			c.texts = true
			continue
		}
		if _, ok := c.said(m).Embedded(); ok {
			m.format = "json"
			continue
		}
		if i == len(c.messages)-1 {
			return sdk.Reject("response_not_json", "response.text", "want JSON, as the response schema says, have other text")
		}
		c.texts = true
	}
	return nil
}

// said gives the content of a text message as a body.
func (c *converter) said(m *message) jsontext.Body {
	if m.to-m.from == 1 {
		return c.chunks[m.from].body
	}
	var b strings.Builder
	for _, part := range c.chunks[m.from:m.to] {
		b.WriteString(string(part.body))
	}
	return jsontext.Body(b.String())
}
