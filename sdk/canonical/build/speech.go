package build

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Assistant sets what an assistant turn says from a body that may hold calls and thoughts. path is where the text
// stands, for the reject bad_call: something that is marked as a call and is none, or that contradicts the calls that the
// turn has already.
func (c *Builder) Say(t *Message, body jsontext.Body, path string) error {
	if !calls.Marked(string(body)) {
		t.Body = body
		return nil
	}
	return c.SayText(t, body.Text(), path)
}

// AssistantText is Assistant for a text that is decoded already.
func (c *Builder) SayText(t *Message, text, path string) error {
	r, err := calls.Read(text, c.Knows)
	if err != nil {
		return sdk.Reject("bad_call", path, "want a tool call that parses: %v", err)
	}
	if r.Left > 0 {
		c.Count("loss.call_member", r.Left)
	}
	t.Body = jsontext.BodyOf(r.Text)
	t.Reasoning = Join(t.Reasoning, jsontext.BodyOf(r.Thought))
	switch {
	case len(t.Calls) == 0:
		t.Calls = append(t.Calls, r.Calls...)
	case len(r.Calls) > 0 && !repeats(t.Calls, r.Calls):
		return sdk.Reject("bad_call", path, "want the calls of the text to be those beside it, have others")
	}
	return nil
}

// repeats tells whether calls in a text only repeat those beside it.
func repeats(beside []Call, read []Call) bool {
	if len(beside) != len(read) {
		return false
	}
	for i := range beside {
		if !beside[i].Name.Is(read[i].Name) {
			return false
		}
	}
	return true
}

// Append makes calls that were read from text into calls of a turn.
func AppendCalls(dst []Call, read ...calls.Call) []Call {
	for _, c := range read {
		dst = append(dst, Call{ID: jsontext.BodyOf(c.ID), Name: jsontext.BodyOf(c.Name), Args: c.Args})
	}
	return dst
}

// Results adds a tool turn for each <tool_response> that a body consists of, and tells whether it consists of them.
func (c *Builder) Results(body jsontext.Body, at int) bool {
	return strings.Contains(string(body), "tool_response>") && c.ResultsText(body.Text(), at)
}

// ResultsText is Results for a text that is decoded already.
func (c *Builder) ResultsText(text string, at int) bool {
	if !strings.Contains(text, "<tool_response>") {
		return false
	}
	results, ok := calls.Results(text)
	for _, r := range results {
		t := c.Add(canonical.Tool, at)
		t.ID, t.Name, t.Body = jsontext.BodyOf(r.ID), jsontext.BodyOf(r.Name), jsontext.BodyOf(r.Content)
	}
	return ok
}

// Tools takes the list of tools out of a body that instructs, and gives what is left. The tools become the
// conversation's. Where it has tools of the same names already, the list is left out and counted, "loss.listed_tools"; where
// it has others, the body stays. path is where the text stands, for the reject bad_tools.
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

// OfferTools takes a list of tools that stands within the conversation: it becomes the row's, unless the row has tools
// already. Then the list is counted, "loss.listed_tools".
func (c *Builder) OfferTools(path string, tools jsontext.JSON) error {
	if !c.HasTools() {
		return c.SetTools(path, tools)
	}
	c.Count("loss.listed_tools", 1)
	return nil
}

// knowsAll tells whether every tool of a list has the name of one that the row offers.
func (c *Builder) knowsAll(tools jsontext.JSON) bool {
	list := tools.Cursor()
	for range list.Elements() {
		if call, ok := calls.Object(list.Value()); !ok || !c.Knows(call.Name.Text()) {
			return false
		}
	}
	return true
}
