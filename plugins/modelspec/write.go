package modelspec

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/dice"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// writeBuilt writes the thread of the messages that build made.
func (c *converter) writeBuilt(r *sdk.Record) error {
	c.enable(r)
	if c.described {
		if err := c.formatTexts(); err != nil {
			return err
		}
	}
	t := &c.thread
	*t = notation.Thread{Messages: t.Messages[:0], Extra: t.Extra[:0]}
	for i := range c.messages {
		m := &c.messages[i]
		m.EndTurn = c.endsTurn(i)
		m.Body = c.body(m)
		t.Messages = append(t.Messages, m.Message)
	}
	copied := func(dst []byte, format *jsontext.JSON) []byte { return append(dst, *format...) }
	c.settings = append(notation.AppendList(append(c.settings[:0], `{"formats":`...), c.allowed(), copied), '}')
	t.Settings = jsontext.Of(c.settings)
	return c.write(r, t)
}

// write writes a thread to c.buf in the shape that the step asks for.
func (c *converter) write(r *sdk.Record, t *notation.Thread) error {
	for _, name := range c.Keep {
		if v := r.View(name); v.Exists() {
			t.Extra = append(t.Extra, jsontext.Member{Key: name, Value: jsontext.JSON(v.Raw)})
		}
	}
	switch c.Shape {
	case "thread":
		c.buf = notation.AppendMessages(c.buf[:0], t.Whole(t.Chosen))
	case "tokens":
		w := &c.tokens
		w.Text = c.buf[:0]
		w.WriteThread(t, c.Segments)
		c.buf = w.Text
		return c.Report(r, w)
	default:
		c.buf = notation.AppendThread(c.buf[:0], t)
	}
	return nil
}

// speakAsPlatform puts the words of a platform before the messages of a row that has none.
func (c *converter) speakAsPlatform() {
	if c.platform == "" || len(c.messages) > 0 && c.messages[0].Role == notation.Platform {
		return
	}
	m := message{Message: notation.Message{Role: notation.Platform}, from: len(c.chunks), to: len(c.chunks) + 1}
	c.chunks = append(c.chunks, c.platform)
	c.messages = slices.Insert(c.messages, 0, m)
}

// enable adds sections for what the thread uses to the developer's text: tools, a response schema, reasoning. The text is the
// first developer message, or a new one behind the platform's.
func (c *converter) enable(r *sdk.Record) {
	c.draw = c.newDraw()
	sections := c.enablingSections(r)
	at := 0
	if len(sections) == 0 {
		return
	}
	for at < len(c.messages) && c.messages[at].Role == notation.Platform {
		at++
	}
	from := len(c.chunks)
	found := at < len(c.messages) && c.messages[at].Role == notation.Developer
	if found && !c.draw.apart {
		text := c.chunks[c.messages[at].from:c.messages[at].to]
		if c.draw.ahead {
			c.chunks = append(append(append(c.chunks, sections...), `\n\n`), text...)
		} else {
			c.chunks = append(append(append(c.chunks, text...), `\n\n`), sections...)
		}
	} else {
		if found && !c.draw.ahead {
			at++
		}
		c.messages = slices.Insert(c.messages, at, message{Message: notation.Message{Role: notation.Developer}})
		c.chunks = append(c.chunks, sections...)
	}
	c.messages[at].from, c.messages[at].to = from, len(c.chunks)
}

// allowed returns what the thread may be written in, as the settings list it: texts, answers of a schema, reasoning, tools.
func (c *converter) allowed() []jsontext.JSON {
	all := c.formats[:0]
	schema := c.row.Output.Kind() == '{'
	if c.texts || !schema && len(c.others) == 0 {
		all = append(all, `"markdown"`)
	}
	if schema {
		all = append(all, jsonFormat)
	}
	for _, format := range c.others {
		all = append(all, textFormat(format))
	}
	if c.thinks {
		all = append(all, `"reasoning"`)
	}
	if c.calls != "python" {
		for _, t := range c.tools {
			halting := t.halting
			if c.unanswered[t.shown] {
				halting = c.formatJSON(t.format, false)
			}
			all = append(all, halting)
		}
	} else if len(c.tools) > 0 {
		all = append(all, c.formatJSON(c.tools[0].format, !c.unanswered[notation.PythonTool]))
	}
	if c.draw.order {
		dice.Shuffle(&c.draw.Dice, all)
	}
	c.formats = all
	return all
}

// endsTurn reports whether a message is the last of the assistant's turn. A call is not: its result is to come.
func (c *converter) endsTurn(i int) bool {
	m := &c.messages[i]
	if m.Role != notation.Assistant || m.call || m.Format == notation.Reasoning {
		return false
	}
	return i+1 == len(c.messages) || c.messages[i+1].Role != notation.Assistant && c.messages[i+1].String() != c.ToolRole
}
