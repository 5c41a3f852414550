package gemini

import (
	"cmp"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A part is one piece of a content, as JSON but for text, which is a body.
type part struct {
	text                       jsontext.Body
	hasText, thought           bool
	call, response, data, code jsontext.JSON
	left                       int // members without a place in a row
}

// membersOf reads the members of a part, of which one says what it is.
func membersOf(value jsontext.JSON) (p part) {
	kinds := 0
	for key, v := range value.Members() {
		if v == "null" { // some writers spell out every kind that a part is not
			continue
		}
		known := true
		switch key {
		case "text":
			p.text, p.hasText = v.Quoted()
		case "functionCall", "function_call":
			p.call = v
		case "functionResponse", "function_response":
			p.response = v
		case "inlineData", "inline_data", "fileData", "file_data":
			p.data = v
		case "executableCode", "executable_code", "codeExecutionResult", "code_execution_result":
			p.code = v
		case "thought":
			p.thought, known = v == "true", false
		default:
			known = false
			p.left++
		}
		if known && v.Truthy() {
			kinds++
		}
	}
	p.left += max(0, kinds-1)
	return p
}

// readPart reads one part of a content.
func readPart(c *blocks.Conversation, _ *blocks.Message, value jsontext.JSON) (blocks.Block, error) {
	p := membersOf(value)
	c.Row.Count("loss.part_member", p.left)
	switch {
	case p.call != "":
		name := p.call.Get("name").Body()
		if name == "" {
			return blocks.Block{}, sdk.Reject("bad_call", c.Path(), "want a call with the name of a function, have %s", jsontext.Describe(p.call))
		}
		c.Row.Leave("loss.call_member", p.call, "id", "name", "args")
		id, _ := canonical.ReadID(p.call.Get("id"))
		return blocks.Block{Kind: blocks.Call, Call: build.Call{ID: id, Name: name, Args: p.call.Get("args")}}, nil
	case p.response != "":
		c.Row.Leave("loss.part_member", p.response, "id", "name", "response")
		id, _ := canonical.ReadID(p.response.Get("id"))
		return blocks.Block{
			Kind: blocks.Result, ID: id, Name: p.response.Get("name").Body(),
			Body: jsontext.BodyOf(jsontext.AppendPlain(nil, p.response.Get("response"))),
		}, nil
	case p.thought:
		return blocks.Block{Kind: blocks.Thought, Body: p.text}, nil
	case p.data != "":
		c.Row.Leave("loss.part_member", p.data, "mimeType", "mime_type", "data", "fileUri", "file_uri")
		data := cmp.Or(p.data.Get("data").Body(), either(p.data, "fileUri", "file_uri").Body())
		return blocks.Block{Kind: blocks.Media, Part: `{"type":"file","mediaType":"` + either(p.data, "mimeType", "mime_type").Body() +
			`","data":"` + data + `"}`}, nil
	case p.hasText:
		return blocks.Block{Kind: blocks.Text, Body: p.text}, nil
	case p.code != "":
		c.Row.Count("loss.code_execution", 1)
		return blocks.Block{}, nil
	}
	return blocks.Block{}, sdk.Reject("bad_part", c.Path(), "want text, a call, a response or data, have %s", jsontext.Describe(value))
}
