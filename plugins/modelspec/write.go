package modelspec

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// write puts the row together in c.buf: what the developer says comes first, with the definitions behind.
func (c *converter) write(r *sdk.Record) error {
	c.enable(r)
	switch c.Shape {
	case "tokens":
		return c.writeTokens(r)
	case "thread":
		c.buf = c.appendMessages(c.buf[:0])
		return nil
	}
	c.buf = append(c.buf[:0], `{"system_settings":{"formats":[`...)
	c.buf = c.appendFormats(c.buf)
	c.buf = append(c.buf, `]},"messages":`...)
	c.buf = append(c.appendKept(c.appendMessages(c.buf), r), '}')
	return nil
}

// appendKept appends the members of the canonical row that stay.
func (c *converter) appendKept(dst []byte, r *sdk.Record) []byte {
	for _, name := range c.Keep {
		if v := r.View(name); v.Exists() {
			dst = append(jsontext.AppendString(append(dst, ','), name), ':')
			dst = append(dst, v.Raw...)
		}
	}
	return dst
}

// enable adds to the developer's text what the thread makes use of: tools, a response schema, reasoning. The text is
// the first developer message, or one behind the platform's.
func (c *converter) enable(r *sdk.Record) {
	c.draw = c.newDraw()
	said := c.enabling(r)
	at := 0
	if c.platform != "" && (len(c.messages) == 0 || c.messages[0].role != "platform") {
		c.chunks = append(c.chunks, chunk{body: c.platform})
		c.messages = slices.Insert(c.messages, 0, message{role: "platform", from: len(c.chunks) - 1, to: len(c.chunks)})
	}
	if len(said) == 0 {
		return
	}
	for at < len(c.messages) && c.messages[at].role == "platform" {
		at++
	}
	from := len(c.chunks)
	spoke := at < len(c.messages) && c.messages[at].role == "developer"
	if spoke && !c.draw.apart {
		text := c.chunks[c.messages[at].from:c.messages[at].to]
		blank := chunk{body: `\n\n`}
		if c.draw.ahead {
			c.chunks = append(append(append(c.chunks, said...), blank), text...)
		} else {
			c.chunks = append(append(append(c.chunks, text...), blank), said...)
		}
	} else {
		if spoke && !c.draw.ahead {
			at++
		}
		c.messages = slices.Insert(c.messages, at, message{role: "developer"})
		c.chunks = append(c.chunks, said...)
	}
	c.messages[at].from, c.messages[at].to = from, len(c.chunks)
}

// appendFormats lists what the thread may be written in: texts, answers of a schema, reasoning, tools.
func (c *converter) appendFormats(dst []byte) []byte {
	start := len(dst)
	schema := c.row.Output.Kind() == '{'
	if !schema || c.texts {
		dst = append(dst, `,"markdown"`...)
	}
	if schema {
		dst = append(dst, `,{"name":"json","sampler":"json"}`...)
	}
	if c.thinks {
		dst = append(dst, `,"reasoning"`...)
	}
	dst = c.appendCalls(dst)
	copy(dst[start:], dst[start+1:])
	dst = dst[:len(dst)-1]
	if c.draw.order {
		return c.draw.reorder(dst, start)
	}
	return dst
}

// appendCalls lists the formats of calls.
func (c *converter) appendCalls(dst []byte) []byte {
	switch {
	case c.Calls == "python" && len(c.tools) == 0:
		return dst
	case c.Calls == "python":
		return append(dst, c.formatJSON(notation.PythonTool, !c.unanswered[notation.PythonTool])...)
	case len(c.unanswered) == 0:
		dst = append(dst, c.section.formats...)
		for _, t := range c.tools[len(c.section.tools):] {
			dst = append(dst, c.formatJSON(t.body, true)...)
		}
		return dst
	}
	for _, t := range c.tools {
		dst = append(dst, c.formatJSON(t.body, !c.unanswered[t.body])...)
	}
	return dst
}

// endsTurn tells whether a message is the last of the assistant's turn. A call is not: its result is to come.
func (c *converter) endsTurn(i int) bool {
	m := &c.messages[i]
	if m.role != "assistant" || m.call || m.format == "reasoning" {
		return false
	}
	return i+1 == len(c.messages) || c.messages[i+1].role != "assistant" && c.messages[i+1].role != c.ToolRole
}

func (c *converter) appendMessages(dst []byte) []byte {
	dst = append(dst, '[')
	for i := range c.messages {
		m := &c.messages[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"role":"`...), m.role...), '"')
		switch {
		case m.role == "assistant":
			dst = append(dst, `,"format":"`...)
			dst = append(m.appendFormat(dst), '"')
		case m.tool != "":
			dst = append(append(append(dst, `,"name":"`...), m.tool...), '"')
		}
		dst = append(dst, `,"content":"`...)
		dst = append(c.appendContent(dst, m), '"')
		if m.role == "assistant" {
			if dst = append(dst, `,"end_turn":`...); c.endsTurn(i) {
				dst = append(dst, "true"...)
			} else {
				dst = append(dst, "false"...)
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (m *message) appendFormat(dst []byte) []byte {
	if m.tool != "" {
		dst = append(append(dst, m.tool...), ':')
	}
	return append(dst, m.format...)
}

// appendChunk appends a chunk as a string body.
func (c *converter) appendChunk(dst []byte, part chunk) []byte {
	if part.json == "" {
		return append(dst, part.body...)
	}
	c.spare = jsontext.AppendCompact(c.spare[:0], part.json)
	return jsontext.AppendEscaped(dst, string(c.spare))
}

// appendContent appends the content of a message as a string body. Calls of an array stand between brackets.
func (c *converter) appendContent(dst []byte, m *message) []byte {
	array := m.call && c.Calls == "array"
	if array {
		dst = append(dst, '[')
	}
	for _, part := range c.chunks[m.from:m.to] {
		dst = c.appendChunk(dst, part)
	}
	if array {
		dst = append(dst, ']')
	}
	return dst
}

// writeTokens writes {"text", "segments", "system_settings"} and what is kept.
func (c *converter) writeTokens(r *sdk.Record) error {
	w := &c.tokens
	w.Text = append(c.buf[:0], `{"text":"`...)
	w.Start(false)
	for i := range c.messages {
		m := &c.messages[i]
		if m.role == "assistant" {
			w.Begin(notation.Assistant, m.tool, jsontext.Body(m.format), true)
		} else {
			role, later, _ := notation.RoleOf(m.role)
			w.Role(role, later)
			w.Begin(role, "", "", false)
			if m.tool != "" {
				r.Count("loss.name", 1)
			}
		}
		w.Text = c.appendContent(w.Text, m)
		w.End(c.endsTurn(i))
	}
	w.Text = append(w.Text, '"')
	if c.Segments {
		w.Text = w.AppendSegments(append(w.Text, `,"segments":`...))
	}
	w.Text = c.appendFormats(append(w.Text, `,"system_settings":{"formats":[`...))
	c.buf = append(c.appendKept(append(w.Text, "]}"...), r), '}')
	return c.Settle(r, w)
}
