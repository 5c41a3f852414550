package gemini

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func (a *adapter) path(i int) string { return a.row.Path + "." + strconv.Itoa(i) }

// content adds the turns of the content ahead: results first, then what is said.
func (a *adapter) content(i int, c *jsontext.Cursor) error {
	if c.Kind() != '{' {
		return sdk.Reject("bad_content", a.path(i), "want an object, have another value")
	}
	role, parts := "", ""
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "role":
			role = string(v)
		case "parts":
			parts = string(v)
		default:
			if v != "null" {
				a.row.Count("loss.message_member", 1)
			}
		}
	}
	turn := canonical.User
	switch role {
	case `"model"`, `"assistant"`:
		turn = canonical.Assistant
	case `"system"`:
		turn = canonical.System
	case `"user"`, `"function"`, `"tool"`, "", "null":
	default:
		return sdk.Reject("bad_role", a.path(i)+".role", "want user, model or function, have another")
	}
	if strings.HasPrefix(parts, "{") {
		parts = "[" + parts + "]"
	}
	return a.said(turn, i, jsontext.JSON(parts))
}

// said adds what the parts of one content hold.
func (a *adapter) said(role canonical.Role, i int, parts jsontext.JSON) error {
	var said build.Said
	var media []string // parts of a canonical message, in place of plain text
	c := jsontext.Cursor{JSON: parts}
	for n := range c.Elements() {
		p := readPart(&c)
		path := a.path(i) + ".parts." + strconv.Itoa(n)
		if p.left > 0 {
			a.row.Count("loss.part_member", p.left)
		}
		switch {
		case p.call != "":
			name := p.call.Get("name").Body()
			if name == "" {
				return sdk.Reject("bad_call", path, "want the name of a function, have none")
			}
			a.row.Leave("loss.call_member", p.call, "id", "name", "args")
			said.Calls = append(said.Calls, build.Call{ID: p.call.Get("id").Body(), Name: name, Args: p.call.Get("args")})
		case p.response != "":
			a.row.Leave("loss.part_member", p.response, "id", "name", "response")
			t := a.row.Add(canonical.Tool, i)
			t.ID, t.Name = p.response.Get("id").Body(), p.response.Get("name").Body()
			t.Body = jsontext.BodyOf(jsontext.AppendCompact(nil, p.response.Get("response")))
		case p.thought:
			said.Thought.Add(build.BlankLine, p.text)
		case p.data != "":
			a.row.Leave("loss.part_member", p.data, "mimeType", "mime_type", "data", "fileUri", "file_uri")
			media = append(media, string(`{"type":"file","mediaType":"`+firstText(p.data, "mimeType", "mime_type")+
				`","data":"`+firstText(p.data, "data", "fileUri", "file_uri")+`"}`))
		case p.hasText:
			said.Text.Add(a.row.Joiner(), p.text)
		case p.code != "":
			a.row.Count("loss.code_execution", 1)
		default:
			return sdk.Reject("bad_part", path, "want text, a call, a response or data, have something else")
		}
	}
	if media != nil { // which leaves no place for thoughts and calls
		a.withMedia(role, i, said.Text.Body(), media)
		if n := len(said.Calls); n > 0 || said.Thought.Body() != "" {
			a.row.Count("loss.part_member", 1+n)
		}
		return nil
	}
	return a.row.AddSaid(role, i, &said, a.path(i))
}

// withMedia adds a turn that text alone cannot hold, as a message with parts.
func (a *adapter) withMedia(role canonical.Role, i int, body jsontext.Body, media []string) {
	if body != "" {
		media = append([]string{string(`{"type":"text","text":"` + body + `"}`)}, media...)
	}
	a.row.Add(role, i).Raw = jsontext.JSON(`{"role":"` + role.String() + `","content":[` + strings.Join(media, ",") + `]}`)
}

func firstText(object jsontext.JSON, names ...string) jsontext.Body {
	for _, name := range names {
		if body := object.Get(name).Body(); body != "" {
			return body
		}
	}
	return ""
}

// A part is one piece of a content, as JSON but for text, which is a body.
type part struct {
	text                       jsontext.Body
	hasText, thought           bool
	call, response, data, code jsontext.JSON
	left                       int
}

// readPart reads the part ahead, of whose members one says what it is.
func readPart(c *jsontext.Cursor) (p part) {
	kinds := 0
	for key := range c.Members() {
		v := c.Value()
		if kindsOfPart[key] && v.Truthy() {
			kinds++
		}
		switch key {
		case "text":
			p.text, p.hasText = v.Quoted()
		case "thought":
			p.thought = v == "true"
		case "functionCall", "function_call":
			p.call = v
		case "functionResponse", "function_response":
			p.response = v
		case "inlineData", "inline_data", "fileData", "file_data":
			p.data = v
		case "executableCode", "executable_code", "codeExecutionResult", "code_execution_result":
			p.code = v
		default:
			if v != "null" {
				p.left++
			}
		}
	}
	p.left += max(0, kinds-1)
	return p
}

var kindsOfPart = map[string]bool{
	"text": true, "functionCall": true, "function_call": true, "functionResponse": true, "function_response": true,
	"inlineData": true, "inline_data": true, "fileData": true, "file_data": true,
	"executableCode": true, "executable_code": true, "codeExecutionResult": true, "code_execution_result": true,
}

// tools collects the function declarations of all tools. Tools that Google runs itself have none.
func (a *adapter) tools() error {
	list := []byte("[")
	c := jsontext.Cursor{JSON: a.parts.tools}
	if c.Kind() == '{' {
		c.JSON = "[" + c.JSON + "]"
	}
	for range c.Elements() {
		tool := c.Value()
		declarations := tool.Get("functionDeclarations")
		if declarations == "" {
			declarations = tool.Get("function_declarations")
		}
		if declarations == "" {
			a.row.Count("loss.builtin_tool", 1)
			continue
		}
		a.row.Leave("loss.tool_member", tool, "functionDeclarations", "function_declarations")
		d := jsontext.Cursor{JSON: declarations}
		for range d.Elements() {
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = appendDeclaration(list, d.Value())
		}
	}
	return a.row.SetTools("tools", jsontext.JSON(append(list, ']')))
}

// appendDeclaration appends a function declaration with its schema under "parameters".
func appendDeclaration(dst []byte, declaration jsontext.JSON) []byte {
	if !strings.Contains(string(declaration), "JsonSchema") && !strings.Contains(string(declaration), "json_schema") {
		return append(dst, declaration...)
	}
	dst = append(dst, '{')
	c := jsontext.Cursor{JSON: declaration}
	n := 0
	for key := range c.Members() {
		if key == "parametersJsonSchema" || key == "parameters_json_schema" {
			key = "parameters"
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, key), ':')
		dst = append(dst, c.Value()...)
	}
	return append(dst, '}')
}

var finishes = map[string]string{"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "PROHIBITED_CONTENT": "content_filter", "RECITATION": "content_filter"}

// candidate adds the answer of a log.
func (a *adapter) candidate(c *jsontext.Cursor) error {
	v := c.Value()
	if reason := v.Get("finishReason"); reason.Body() != "" {
		if a.row.FinishReason = jsontext.Body(finishes[string(reason.Body())]); a.row.FinishReason == "" {
			a.row.FinishReason = "other"
			a.row.Keep("finishReason", reason)
		}
	}
	a.row.KeepOthers(v, "finishReason", "content", "index")
	content := v.Get("content")
	if role := content.Get("role"); role != "" && role != `"model"` {
		a.row.Count("loss.message_member", 1)
	}
	a.row.Leave("loss.message_member", content, "role", "parts")
	parts := content.Get("parts")
	return a.said(canonical.Assistant, len(a.row.Turns), parts)
}
