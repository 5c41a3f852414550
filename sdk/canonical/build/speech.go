package build

import (
	"errors"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Say sets the text, thoughts and calls of an assistant turn from a body that may hold all of them. path is the path of the text,
// for the reject bad_call: of something that is marked as a call and is none, or of calls that differ from those that the
// turn has already; and for open_thought: of a text whose thought does not end. Where the text shows results, Emit makes turns of them and of what the assistant says after them, and rejects
// with bad_result those that no call asks for. Marks such as <|endoftext|> that are cut off the end count as "mended.end_mark".
func (c *Builder) Say(t *Message, body jsontext.Body, path string) error {
	if !calls.Marked(string(body)) {
		t.Body = body
		return nil
	}
	return c.SayText(t, body.Text(), path)
}

// SayText is Say for a decoded text.
func (c *Builder) SayText(t *Message, text, path string) error {
	turns, err := calls.Turns(text, c)
	if errors.Is(err, calls.ErrThought) {
		return sdk.Reject("open_thought", path, "%v", err)
	}
	if err != nil {
		return sdk.Reject("bad_call", path, "want a tool call that parses: %v", err)
	}
	r := turns[0]
	if len(r.Results) > 0 {
		t.then = &continued{path, turns}
	}
	if len(calls.TrimEnd(text)) < len(text) {
		c.Count("mended.end_mark", 1)
	}
	own := t.Reasoning
	t.Body = jsontext.BodyOf(r.Text)
	t.think(r.Thought)
	switch {
	case len(r.Calls) > 0 && len(t.Calls) == 0:
		t.Calls = append(t.Calls, r.Calls...)
		t.spoken = &spoken{text: text, reasoning: own, calls: len(r.Calls), left: r.Left}
		return nil
	case len(r.Calls) > 0 && !repeats(t.Calls, r.Calls):
		return sdk.Reject("bad_call", path, "want the calls of the text to be the turn's, have %d in the text and %d in the turn", len(r.Calls), len(t.Calls))
	}
	if c.Count("loss.call_member", r.Left); len(r.Calls) == 0 && len(t.Calls) == 0 && t.then == nil {
		c.maybeCalls(t, text, r.Text)
	}
	return nil
}

// think adds a thought of the text, unless the turn has it already.
func (t *Message) think(thought string) {
	if strings.TrimSpace(t.Reasoning.Text()) != thought {
		t.Reasoning = Join(t.Reasoning, jsontext.BodyOf(thought))
	}
}

// Mentions reports whether the prompt, all that is said before the assistant's first turn, has a mark.
func (c *Builder) Mentions(mark string) bool {
	for i := range c.Turns {
		t := &c.Turns[i]
		if t.Role == canonical.Assistant {
			break
		}
		if strings.Contains(string(t.Body), mark) {
			return true
		}
	}
	return false
}

// repeats reports whether calls read from a text have the names of the turn's, in order.
func repeats(own, read []Call) bool {
	return slices.EqualFunc(own, read, func(a, b Call) bool { return a.Name.Is(b.Name) })
}

// Results adds a tool turn for each <tool_response> in a body, and reports whether the body consists of these.
func (c *Builder) Results(body jsontext.Body, at int) bool {
	return strings.Contains(string(body), "tool_response>") && c.ResultsText(body.Text(), at)
}

// ResultsText is Results for a decoded text.
func (c *Builder) ResultsText(text string, at int) bool {
	if !strings.Contains(text, "<tool_response>") {
		return false
	}
	results, ok := calls.Results(text)
	for _, r := range results {
		t := c.Add(canonical.Tool, at)
		t.answers(r)
	}
	return ok
}

// answers sets what a result in a text says.
func (t *Message) answers(r calls.Result) {
	t.ID, t.Name, t.Body = jsontext.BodyOf(r.ID), jsontext.BodyOf(r.Name), jsontext.BodyOf(r.Content)
	t.whole = jsontext.BodyOf(r.Whole)
}

// TakeTools cuts the list of tools out of a system text, and returns the rest. The tools become the conversation's. If it has tools
// of the same names already, the list is dropped and counted, "loss.listed_tools"; if it has others, the body stays. path is
// the path of the text, for the reject bad_tools.
func (c *Builder) TakeTools(body jsontext.Body, path string) (jsontext.Body, error) {
	if !strings.Contains(string(body), "tools>") && !strings.Contains(string(body), calls.ListsFunctions) {
		return body, nil
	}
	tools, rest, ok := calls.Tools(body.Text())
	if !ok {
		return body, nil
	}
	if c.HasTools() && !c.knowsAll(jsontext.JSON(tools)) {
		return body, nil
	}
	return jsontext.BodyOf(rest), c.OfferTools(path, jsontext.JSON(tools))
}

// OfferTools sets a list of tools found within the conversation as the row's. If the row has tools already, the list is dropped
// and counted, "loss.listed_tools".
func (c *Builder) OfferTools(path string, tools jsontext.JSON) error {
	if !c.HasTools() {
		return c.SetTools(path, tools)
	}
	c.Count("loss.listed_tools", 1)
	return nil
}

// knowsAll reports whether the row offers tools with the names of all tools of a list.
func (c *Builder) knowsAll(tools jsontext.JSON) bool {
	for _, tool := range tools.Elements() {
		if call, ok := calls.Object(tool); !ok || !c.Knows(call.Name.Text()) {
			return false
		}
	}
	return true
}

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
	for _, block := range value.Elements() {
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
	for key, v := range object.Members() {
		if !take(key, v) {
			c.Keep(key, v)
		}
	}
}
