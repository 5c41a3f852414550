package modelspec

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// write puts the row together in c.buf: what the developer says comes first, with the definitions behind.
func (c *converter) write(r *sdk.Record) error {
	c.enable()
	switch c.Shape {
	case "tokens":
		r.Count("loss.system_settings", 1)
		return c.writeTokens()
	case "thread":
		c.buf = c.appendMessages(c.buf[:0])
		return nil
	}
	c.buf = append(c.buf[:0], `{"system_settings":{"formats":[`...)
	c.buf = c.appendFormats(c.buf)
	c.buf = append(c.buf, `]},"messages":`...)
	c.buf = c.appendMessages(c.buf)
	for _, name := range c.Keep {
		if v := r.View(name); v.Exists() {
			c.buf = append(jsontext.AppendString(append(c.buf, ','), name), ':')
			c.buf = append(c.buf, v.Raw...)
		}
	}
	c.buf = append(c.buf, '}')
	return nil
}

// enable adds to the developer's text what the thread makes use of: tools, a response schema, reasoning. The text is
// the first developer message, or one behind the platform's.
func (c *converter) enable() {
	var said []chunk
	add := func(body jsontext.Body) {
		if len(said) > 0 {
			said = append(said, chunk{body: `\n\n`})
		}
		said = append(said, chunk{body: body})
	}
	if c.section.body != "" {
		add(c.section.body)
	}
	for _, t := range c.tools[len(c.section.tools):] {
		name := t.body.Text()
		add(jsontext.BodyOf(modelspec.AppendDefinition(nil, modelspec.Tool{Name: name}, c.callFormat(name), c.ToolSchema)))
	}
	if c.row.Output.Kind() == '{' {
		add(jsontext.BodyOf(modelspec.AppendAnswer(nil, c.row.Output, !c.texts && !c.thinks, c.ToolSchema)))
	}
	if c.thinks {
		add(jsontext.BodyOf(modelspec.ReasoningText))
	}
	if len(said) == 0 {
		return
	}
	at := 0
	for at < len(c.messages) && c.messages[at].role == "platform" {
		at++
	}
	from := len(c.chunks)
	if at < len(c.messages) && c.messages[at].role == "developer" {
		c.chunks = append(c.chunks, c.chunks[c.messages[at].from:c.messages[at].to]...)
		c.chunks = append(c.chunks, chunk{body: `\n\n`})
	} else {
		c.messages = append(c.messages, message{})
		copy(c.messages[at+1:], c.messages[at:])
		c.messages[at] = message{role: "developer"}
	}
	c.chunks = append(c.chunks, said...)
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
	dst = append(dst, c.section.formats...)
	if c.Calls == "python" {
		if c.section.formats == "" && len(c.tools) > 0 {
			dst = append(dst, c.formatJSON(pythonTool)...)
		}
	} else {
		for _, t := range c.tools[len(c.section.tools):] {
			dst = append(dst, c.formatJSON(t.body)...)
		}
	}
	copy(dst[start:], dst[start+1:])
	return dst[:len(dst)-1]
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
		for _, part := range c.chunks[m.from:m.to] {
			dst = c.appendChunk(dst, part)
		}
		dst = append(dst, '"')
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

// writeTokens writes {"text": token text}.
func (c *converter) writeTokens() error {
	dst := append(c.buf[:0], `{"text":"`...)
	for i := range c.messages {
		m := &c.messages[i]
		dst = append(append(dst, modelspec.RoleToken...), m.role...)
		switch {
		case m.role == "assistant":
			dst = m.appendFormat(append(dst, modelspec.FormatToken...))
		case m.tool != "":
			dst = append(append(dst, modelspec.NameToken...), m.tool...)
		}
		dst = append(dst, modelspec.ContentToken...)
		from := len(dst)
		for _, part := range c.chunks[m.from:m.to] {
			dst = c.appendChunk(dst, part)
		}
		// The content may spell < and | as escapes of JSON, so it is looked at decoded.
		if content := jsontext.Body(dst[from:]).Text(); strings.Contains(content, "<") {
			if c.SpecialTokens == "reject" && modelspec.HasToken(content) {
				return sdk.Reject("special_token", "", "want texts without special tokens, have one")
			}
			dst = jsontext.AppendBody(dst[:from], modelspec.Escape(content))
		}
		if c.endsTurn(i) {
			dst = append(dst, modelspec.EndTurnToken...)
		}
	}
	c.buf = append(dst, `"}`...)
	return nil
}
