package render

import "github.com/sluicehq/sluice/sdk/jsontext"

// Carried is what the Python renderer makes of another shape than the canonical one, on its way from an adapter to Append. It is
// written as a canonical row, so that other steps can read and change it, with an object at metadata.reference that makes Append
// keep its messages.
type Carried struct {
	Messages []jsontext.JSON // all but the answer
	Tools    jsontext.JSON   // "" for none
	Answer   jsontext.JSON   // the assistant's message at the end
	Whole    bool            // Answer has more than a response can hold, and is at metadata.reference.message too
}

// AppendRow appends the canonical row.
func (c *Carried) AppendRow(dst []byte) []byte {
	dst = append(dst, `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{"messages":[`...)
	for i, m := range c.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m...)
	}
	dst = append(dst, ']')
	if c.Tools != "" {
		dst = append(append(dst, `,"tools":`...), c.Tools...)
	}
	content, calls := c.Answer.Get("content"), c.Answer.Get("tool_calls")
	if content.Kind() != '"' {
		content = `""`
	}
	dst = append(append(dst, `},"response":{"text":`...), content...)
	if calls.Kind() == '[' {
		dst = append(append(dst, `,"toolCalls":`...), calls...)
	}
	dst = append(dst, `},"metadata":{"reference":{`...)
	if c.Whole {
		dst = append(append(dst, `"message":`...), c.Answer...)
	}
	return append(dst, "}}}"...)
}
