package chatml

import (
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// beginRow returns the memory of an empty row.
func (c *conversation) beginRow() []byte {
	c.long = jsontext.Reuse(c.long)
	return jsontext.Reuse(c.buf)
}

// write appends a message to the row. Strings that go from JSON to JSON keep their escapes.
func (c *conversation) write(m *message) error {
	c.buf = append(append(c.buf, `{"role":"`...), m.Role.String()...)
	if m.Role == canonical.Tool {
		c.writeResult(m)
		return nil
	}
	if c.noContent && len(m.Calls) > 0 && !m.Says() {
		c.buf = append(c.buf, `","content":null`...)
		return c.writeRest(m, false)
	}
	c.buf = append(c.buf, `","content":`...)
	w := c.beginContent()
	inline := c.reasoning == "inline" && len(m.Thoughts) > 0
	if inline {
		c.openText(&w)
		c.buf = append(c.buf, `<think>\n`...)
		c.writeAll(m.Thoughts)
		c.buf = append(c.buf, `\n</think>\n\n`...)
	}
	c.writeTexts(&w, m.Texts)
	c.endContent(&w)
	return c.writeRest(m, inline)
}

// writeRest appends the members after the content of a message.
func (c *conversation) writeRest(m *message, inline bool) error {
	if !inline && (len(m.Thoughts) > 0 || m.guarded) {
		c.buf = append(append(append(c.buf, `,"`...), c.field...), `":"`...)
		c.writeAll(m.Thoughts)
		c.buf = append(c.buf, '"')
	}
	if len(m.Calls) > 0 {
		c.buf = append(c.buf, `,"tool_calls":[`...)
		for _, i := range m.Calls {
			c.buf = jsontext.AppendComma(c.buf)
			if err := c.writeCall(i, m); err != nil {
				return err
			}
		}
		c.buf = append(c.buf, ']')
	}
	if m.Turn.Untrained {
		c.buf = append(c.buf, untrainedMarks[c.untrained]...)
	}
	c.buf = append(c.buf, '}')
	return nil
}

// untrainedMarks are the members by which trainers leave a message out.
var untrainedMarks = map[string]string{"weight": `,"weight":0`, "train": `,"train":false`}

func (c *conversation) writeAll(bodies []jsontext.Body) {
	for _, body := range bodies {
		c.buf = c.long.Append(c.buf, string(body))
	}
}

func (c *conversation) writeCall(i int, m *message) error {
	p := &c.row.Parts[i]
	c.buf = append(append(c.buf, `{"id":"`...), c.ids[i]...)
	c.buf = append(append(c.buf, `","type":"function","function":{"name":"`...), p.Name...)
	c.buf = append(c.buf, `","arguments":`...)
	input, have := p.Arguments()
	if have != "" {
		return sdk.Reject("bad_arguments", m.Turn.Path(), "want arguments that are an object, have %s", have)
	}
	if have = tooLarge(input); have != "" {
		return sdk.Reject("bad_arguments", m.Turn.Path(), "want arguments with numbers of at most %d digits in the range of a double, have %s", mostDigits, have)
	}
	if c.arguments == "object" {
		c.buf = jsontext.AppendCompact(c.buf, input)
	} else {
		c.buf = append(c.appendText(append(c.buf, '"'), input), '"')
	}
	c.buf = append(c.buf, "}}"...)
	return nil
}

// appendText appends JSON that becomes a text as the body of a string. Half a character is replaced first: its escape would be an escape
// in the text, where nothing looks for it.
func (c *conversation) appendText(dst []byte, json jsontext.JSON) []byte {
	c.scratch = jsontext.AppendPlain(jsontext.Reuse(c.scratch), c.mended(string(json)))
	return jsontext.AppendEscaped(dst, c.scratch)
}

// mended returns JSON, or a part of it, with U+FFFD for each half of a character, and counts them.
func (c *conversation) mended(json string) string {
	if jsontext.Lone(json, 0) < 0 {
		return json
	}
	text := []byte(json)
	c.halves += jsontext.ReplaceLone(text)
	return jsontext.View(text)
}

func (c *conversation) writeResult(m *message) {
	p := &c.row.Parts[m.Result]
	name := p.Name
	c.buf = append(c.buf, `","tool_call_id":"`...)
	if p.Mate >= 0 {
		c.buf = append(c.buf, c.ids[p.Mate]...)
		name = c.row.Parts[p.Mate].Name
	}
	c.buf = append(append(c.buf, `","name":"`...), name...)
	c.buf = append(c.buf, `","content":`...)
	w := c.beginContent()
	switch {
	case p.Sub > 0:
		c.writeTexts(&w, m.Texts)
	case p.Value != "":
		c.openText(&w)
		c.buf = c.appendText(c.buf, p.Value)
	default:
		c.openText(&w)
		c.buf = c.long.Append(c.buf, string(p.Body))
	}
	c.endContent(&w)
	c.buf = append(c.buf, '}')
}
