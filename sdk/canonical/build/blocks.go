package build

import (
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Said collects the texts, thoughts and calls in the blocks of one message.
type Said struct {
	Text, Thought Joiner
	Calls         []Call
}

// AddSaid adds a turn with the contents of said, unless it is empty, and empties said. In the text of an assistant without calls it
// looks for calls, as Say does; path is the path of that text.
func (c *Builder) AddSaid(role canonical.Role, at int, said *Said, path string) error {
	text, thought, calls := said.Text.Take(), said.Thought.Take(), said.Calls
	if said.Calls = nil; text == "" && thought == "" && calls == nil {
		return nil
	}
	t := c.Add(role, at)
	t.Body, t.Reasoning, t.Calls = text, thought, append(t.Calls, calls...)
	if role == canonical.Assistant && calls == nil {
		return c.Say(t, text, path)
	}
	return nil
}

// TextOf returns the body of a text, or of blocks with a member "text", joined by the joiner. Other members of blocks, but for
// "type", are counted as "loss.part_member".
func (c *Builder) TextOf(value jsontext.JSON) jsontext.Body {
	if body, ok := value.Quoted(); ok {
		return body
	}
	if value.Kind() == '{' {
		value = "[" + value + "]"
	}
	var said Joiner
	blocks := value.Cursor()
	for range blocks.Elements() {
		block := blocks.Value()
		if kind := block.Get("type"); kind != "" && kind != `"text"` {
			c.Count("loss.part_member", 1)
		}
		c.Leave("loss.part_member", block, "type", "text")
		said.Add(c.Joiner(), block.Get("text").Body())
	}
	return said.Body()
}

// KeepUntaken calls take for the members of an object and keeps those for which it returns false.
func (c *Builder) KeepUntaken(object jsontext.JSON, take func(key string, value jsontext.JSON) bool) {
	members := object.Cursor()
	for key := range members.Members() {
		if v := members.Value(); !take(key, v) {
			c.Keep(key, v)
		}
	}
}
