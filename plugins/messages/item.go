package messages

import (
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
)

// item adds an item of the OpenAI Responses interface that is no message: what the assistant thought, a call, or its
// result.
func (l *list) item(i int, m *message, text string) error {
	switch m.kind {
	case `"reasoning"`:
		for _, list := range []string{jsontext.Lookup(text, "summary"), m.content} {
			c := jsontext.Cursor{Text: list}
			for range c.Elements() {
				l.thought = canonical.Join(l.thought, jsontext.LookupBody(c.Value(), "text"))
			}
		}
	case `"function_call"`:
		found, ok := readCall(text)
		if !ok {
			return l.reject("bad_tool_call", i, "name", "want the name of a tool, have none")
		}
		found.ID = jsontext.LookupBody(text, "call_id")
		l.conv.Merge = true
		t := l.conv.Add(eliza.Assistant, i)
		t.Reasoning, l.thought = l.thought, ""
		t.Calls = append(t.Calls, found)
	case `"function_call_output"`:
		t := l.conv.Add(eliza.Tool, i)
		t.ID, t.Body = jsontext.LookupBody(text, "call_id"), textBody(jsontext.Lookup(text, "output"))
	default:
		return l.reject("bad_message", i, "type", "want a message, a call, its output or reasoning, have another")
	}
	return nil
}
