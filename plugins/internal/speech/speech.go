// Package speech puts what was said into the turns of a conversation, and takes out of the text what is no speech:
// calls, results, thoughts and tool lists.
package speech

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/calls"
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// Assistant sets what an assistant turn says from a body that may hold calls and thoughts. path is where the text
// stands, for the reject bad_call: something that is marked as a call and is none.
func Assistant(c *canonical.Conversation, t *canonical.Turn, body, path string) error {
	if !calls.Marked(body) {
		t.Body = body
		return nil
	}
	return AssistantText(c, t, jsontext.Unquote(body), path)
}

// AssistantText is Assistant for a text that is decoded already.
func AssistantText(c *canonical.Conversation, t *canonical.Turn, text, path string) error {
	r, err := calls.Read(text, c.Knows)
	if err != nil {
		return sdk.Reject("bad_call", path, "%v", err)
	}
	t.Body = canonical.Body(r.Text)
	t.Reasoning = canonical.Join(t.Reasoning, canonical.Body(r.Thought))
	t.Calls = Append(t.Calls, r.Calls)
	return nil
}

// Append makes calls that were read from text into calls of a turn.
func Append(dst []canonical.Call, read []calls.Call) []canonical.Call {
	for _, c := range read {
		dst = append(dst, canonical.Call{ID: canonical.Body(c.ID), Name: canonical.Body(c.Name), Args: c.Args})
	}
	return dst
}

// Results adds a tool turn for each <tool_response> that a text consists of, and tells whether it consists of them.
func Results(c *canonical.Conversation, text string, at int) bool {
	if !strings.Contains(text, "<tool_response>") {
		return false
	}
	results, ok := calls.Results(text)
	for _, r := range results {
		t := c.Add(eliza.Tool, at)
		t.ID, t.Name, t.Body = canonical.Body(r.ID), canonical.Body(r.Name), canonical.Body(r.Content)
	}
	return ok
}

// RoleOf gives the role that a name in lower case stands for, in the vocabulary of all corpora (render-and-adapters,
// 3.3 and R29); NoRole for other names.
func RoleOf(name string) eliza.Role { return roles[name] }

var roles = map[string]eliza.Role{
	"user": eliza.User, "human": eliza.User, "question": eliza.User, "prompter": eliza.User, "customer": eliza.User,
	"assistant": eliza.Assistant, "gpt": eliza.Assistant, "model": eliza.Assistant, "ai": eliza.Assistant, "bot": eliza.Assistant,
	"agent": eliza.Assistant, "answer": eliza.Assistant, "response": eliza.Assistant, "chatgpt": eliza.Assistant,
	"system": eliza.System, "developer": eliza.Developer,
	"tool": eliza.Tool, "function": eliza.Tool, "observation": eliza.Tool, "ipython": eliza.Tool, "environment": eliza.Tool,
	"tool_response": eliza.Tool, "tool_output": eliza.Tool, "tool_result": eliza.Tool, "function_response": eliza.Tool,
}
