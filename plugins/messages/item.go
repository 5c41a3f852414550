package messages

import (
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// item adds an item of the OpenAI Responses interface that is no message: what the assistant thought, a call, or its
// result.
func (l *list) item(i int, m *message, text jsontext.JSON) error {
	switch m.kind {
	case `"reasoning"`:
		for _, list := range []jsontext.JSON{text.Get("summary"), m.content} {
			c := jsontext.Cursor{JSON: list}
			for range c.Elements() {
				l.thought.Add(canonical.BlankLine, c.Value().Get("text").Body())
			}
		}
	case `"function_call"`:
		found, ok := readCall(text)
		if !ok {
			return l.reject("bad_tool_call", i, "name", "want the name of a tool, have none")
		}
		found.ID = text.Get("call_id").Body()
		l.conv.Merge = true
		t := l.conv.Add(eliza.Assistant, i)
		t.Reasoning = l.thought.Take()
		t.Calls = append(t.Calls, found)
	case `"function_call_output"`:
		t := l.conv.Add(eliza.Tool, i)
		t.ID, t.Body = text.Get("call_id").Body(), textBody(text.Get("output"))
	default:
		return l.reject("bad_message", i, "type", "want a message, a call, its output or reasoning, have another")
	}
	return nil
}
