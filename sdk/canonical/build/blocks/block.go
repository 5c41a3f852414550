package blocks

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Kind is what a block is.
type Kind int

// The kinds of blocks.
const (
	None Kind = iota // nothing that a row has a place for; the reader has counted it
	Text
	Thought
	Call
	Result
	Media
)

// A Block is one block, in the words that all interfaces share.
type Block struct {
	Kind   Kind
	Body   jsontext.Body // of a text, a thought or a result
	Call   build.Call
	ID     jsontext.Body // of a result: the call that it answers
	Name   jsontext.Body // of a result: the tool
	Failed bool          // of a result
	Part   jsontext.Body // of a medium: the part of a canonical message; "" when Media makes the message
}

// add adds a block to its message, or a turn of its own for a result.
func (c *Conversation) add(m *Message, b *Block) error {
	follows := m.last == Text
	m.last = b.Kind
	switch b.Kind {
	case Text:
		by := c.joiner()
		if follows && m.Role == canonical.Assistant { // an answer comes in pieces, such as one for each citation
			by = c.Row.Joiner()
		}
		m.said.Text.Add(by, b.Body)
		m.parts = append(m.parts, part{true, b.Body})
	case Thought:
		m.said.Thought.Add(build.BlankLine, b.Body)
	case Call:
		m.said.Calls = append(m.said.Calls, b.Call)
	case Media:
		m.media = true
		m.parts = append(m.parts, part{false, b.Part})
	case Result:
		if m.Results = true; m.Role == canonical.Assistant {
			if err := c.say(m); err != nil {
				return err
			}
		}
		turn := c.Row.Add(canonical.Tool, c.at)
		turn.ID, turn.Name, turn.Failed, turn.Body = b.ID, b.Name, b.Failed, b.Body
	}
	return nil
}

// joiner returns what the attribute "joiner" says, or else a line break.
func (c *Conversation) joiner() jsontext.Body { return cmp.Or(c.Row.Joiner(), `\n`) }

// JoinBlocks returns the texts of a list of blocks, joined as the attribute "joiner" says, or else by line breaks.
func (c *Conversation) JoinBlocks(list jsontext.JSON, text func(block jsontext.JSON) jsontext.Body) jsontext.Body {
	var joined build.Joiner
	for _, block := range list.Elements() {
		joined.Add(c.joiner(), text(block))
	}
	return joined.Body()
}

// TextOf returns a text, or the texts of a list of blocks as JoinBlocks joins them.
func (c *Conversation) TextOf(value jsontext.JSON) jsontext.Body {
	if value.Kind() == '[' {
		return c.JoinBlocks(value, c.Row.TextOf)
	}
	return c.Row.TextOf(value)
}

// Settle sets why the answer ended and what it used. A reason that is not in Stops becomes other and is kept under key; other
// may be "".
func (c *Conversation) Settle(key string, other jsontext.Body) {
	if stop := c.Field[Stop]; stop.Body() != "" {
		c.Row.FinishReason = jsontext.Body(c.in.Stops[string(stop.Body())])
		if c.Row.FinishReason == "" {
			c.Row.FinishReason = other
			c.Row.Keep(key, stop)
		}
	}
	c.Row.Usage = build.Renamed(c.Field[Usage], c.in.Usages)
}

// AppendTool appends a tool to a list of tools that begins with "[", with its schema under "parameters" where it is under one of
// the keys. A schema that is wrapped in an object with the member inner is taken out of it.
func AppendTool(list []byte, tool jsontext.JSON, inner string, keys ...string) []byte {
	list = append(jsontext.AppendComma(list), '{')
	for key, value := range tool.Members() {
		if slices.Contains(keys, key) {
			key = "parameters"
			if wrapped := value.Get(inner); wrapped != "" {
				value = wrapped
			}
		}
		list = append(jsontext.AppendKey(list, key), value...)
	}
	return append(list, '}')
}
