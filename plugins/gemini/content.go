package gemini

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/sdk"
)

func (a *adapter) path(i int) string { return a.row.Path + "." + strconv.Itoa(i) }

// content adds the turns of the content ahead: results first, then what is said.
func (a *adapter) content(r *sdk.Record, i int, c *jsontext.Cursor) error {
	if c.Kind() != '{' {
		return sdk.Reject("bad_content", a.path(i), "want an object, have another value")
	}
	role, parts := "", ""
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "role":
			role = v
		case "parts":
			parts = v
		}
	}
	turn := eliza.User
	switch role {
	case `"model"`, `"assistant"`:
		turn = eliza.Assistant
	case `"system"`:
		turn = eliza.System
	case `"user"`, `"function"`, `"tool"`, "", "null":
	default:
		return sdk.Reject("bad_role", a.path(i)+".role", "want user, model or function, have another")
	}
	if strings.HasPrefix(parts, "{") {
		parts = "[" + parts + "]"
	}
	return a.said(r, turn, i, parts)
}

// said adds what the parts of one content hold.
func (a *adapter) said(r *sdk.Record, role eliza.Role, i int, parts string) error {
	var said canonical.Turn
	var media []string // parts of a canonical message, in place of plain text
	c := jsontext.Cursor{Text: parts}
	for n := range c.Elements() {
		p := readPart(&c)
		path := a.path(i) + ".parts." + strconv.Itoa(n)
		switch {
		case p.call != "":
			name := jsontext.LookupBody(p.call, "name")
			if name == "" {
				return sdk.Reject("bad_call", path, "want the name of a function, have none")
			}
			said.Calls = append(said.Calls, canonical.Call{ID: jsontext.LookupBody(p.call, "id"), Name: name, Args: jsontext.Lookup(p.call, "args")})
		case p.response != "":
			t := a.row.Add(eliza.Tool, i)
			t.ID, t.Name = jsontext.LookupBody(p.response, "id"), jsontext.LookupBody(p.response, "name")
			t.Body = canonical.Body(string(jsontext.AppendCompact(nil, jsontext.Lookup(p.response, "response"))))
		case p.thought:
			said.Reasoning = canonical.Join(said.Reasoning, p.text)
		case p.data != "":
			media = append(media, `{"type":"file","mediaType":"`+firstText(p.data, "mimeType", "mime_type")+
				`","data":"`+firstText(p.data, "data", "fileUri", "file_uri")+`"}`)
		case p.hasText:
			said.Body = canonical.JoinBy(a.joiner, said.Body, p.text)
		case p.code != "":
			r.Count("loss.code_execution", 1)
		default:
			return sdk.Reject("bad_part", path, "want text, a call, a response or data, have something else")
		}
	}
	if media != nil {
		a.withMedia(role, i, said.Body, media)
		return nil
	}
	if said.Body == "" && said.Reasoning == "" && said.Calls == nil {
		return nil
	}
	t := a.row.Add(role, i)
	t.Body, t.Reasoning = said.Body, said.Reasoning
	t.Calls = append(t.Calls, said.Calls...)
	if role == eliza.Assistant && said.Calls == nil {
		return speech.Assistant(&a.row, t, t.Body, a.path(i))
	}
	return nil
}

// withMedia adds a turn that text alone cannot hold, as a message with parts.
func (a *adapter) withMedia(role eliza.Role, i int, body string, media []string) {
	if body != "" {
		media = append([]string{`{"type":"text","text":"` + body + `"}`}, media...)
	}
	a.row.Add(role, i).Raw = `{"role":"` + role.String() + `","content":[` + strings.Join(media, ",") + `]}`
}

func firstText(object string, names ...string) string {
	for _, name := range names {
		if body := jsontext.LookupBody(object, name); body != "" {
			return body
		}
	}
	return ""
}

// A part is one piece of a content, as JSON but for text, which is a body.
type part struct {
	text                       string
	hasText, thought           bool
	call, response, data, code string
}

// readPart reads the part ahead.
func readPart(c *jsontext.Cursor) (p part) {
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "text":
			p.text, p.hasText = jsontext.Quoted(v)
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
		}
	}
	return p
}

// tools collects the function declarations of all tools. Tools that Google runs itself have none.
func (a *adapter) tools(r *sdk.Record) error {
	list := []byte("[")
	c := jsontext.Cursor{Text: a.parts.tools}
	if c.Kind() == '{' {
		c.Text = "[" + c.Text + "]"
	}
	for range c.Elements() {
		tool := c.Value()
		declarations := jsontext.Lookup(tool, "functionDeclarations")
		if declarations == "" {
			declarations = jsontext.Lookup(tool, "function_declarations")
		}
		if declarations == "" {
			r.Count("loss.builtin_tool", 1)
			continue
		}
		d := jsontext.Cursor{Text: declarations}
		for range d.Elements() {
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = appendDeclaration(list, d.Value())
		}
	}
	return a.row.SetTools("tools", string(append(list, ']')))
}

// appendDeclaration appends a function declaration with its schema under "parameters".
func appendDeclaration(dst []byte, declaration string) []byte {
	if !strings.Contains(declaration, "JsonSchema") && !strings.Contains(declaration, "json_schema") {
		return append(dst, declaration...)
	}
	dst = append(dst, '{')
	c := jsontext.Cursor{Text: declaration}
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
func (a *adapter) candidate(r *sdk.Record, c *jsontext.Cursor) error {
	v := c.Value()
	if reason := jsontext.LookupBody(v, "finishReason"); reason != "" {
		if a.row.FinishReason = finishes[reason]; a.row.FinishReason == "" {
			a.row.FinishReason = "other"
		}
	}
	parts := jsontext.Lookup(jsontext.Lookup(v, "content"), "parts")
	return a.said(r, eliza.Assistant, len(a.row.Turns), parts)
}
