// Package gemini reads rows of the Gemini interface, as Vertex tuning files and logs have them, and the sessions and evaluation
// sets of Google's Agent Development Kit, and writes eliza_native_v1 rows.
//
// A row is taken when it has a list "contents" whose first element has parts, at the top or in "request" next to a
// "response", or the older list "messages" whose first element has an author. Both spellings of names are read,
// functionCall and function_call.
package gemini

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "gemini".
var Plugin = build.Adapter{
	Name: "gemini",
	Doc:  "reads rows of the Gemini interface and writes eliza_native_v1 rows",
	Codes: map[string]string{
		"bad_content":   "a content is not an object with parts; correct it where it was made, or leave it out",
		"bad_part":      "a part is not an object, or of no kind that is known; correct it where it was made, or leave it out",
		"too_many_rows": "one set holds more cases than its size allows; split it up first",
		"bad_role":      "a content has a role that the interface does not have; correct it where it was made, or leave it out",
	},
	New: func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked(
		[]string{"contents", "author", "user_content", "userContent", "expected_tool_use"},
		[]string{"parts", "author", "user_content", "userContent", "expected_tool_use"},
	),
}.Plugin()

var contents = blocks.Interface{
	Name: "Gemini",
	Fields: map[string]blocks.Field{
		"systemInstruction": blocks.System, "system_instruction": blocks.System, "context": blocks.System,
		"contents": blocks.Messages, "tools": blocks.Tools, "toolConfig": blocks.Choice, "tool_config": blocks.Choice,
		"candidates": blocks.Answer, "usageMetadata": blocks.Usage, "usage_metadata": blocks.Usage,
		"modelVersion": blocks.Model, "model": blocks.Model,
	},
	Logs:    map[string]string{"request": "", "response": ""},
	Foreign: []string{"format", "schema"},
	List:    "contents",
	Content: "parts",
	Message: "bad_content",
	Role:    role,
	Loose:   true,
	Stops: map[string]string{
		"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "PROHIBITED_CONTENT": "content_filter", "RECITATION": "content_filter",
	},
	Usages: map[string]string{
		"promptTokenCount": "promptTokens", "candidatesTokenCount": "completionTokens", "totalTokenCount": "totalTokens",
		"cachedContentTokenCount": "cacheReadInputTokens",
		"prompt_token_count":      "promptTokens", "candidates_token_count": "completionTokens", "total_token_count": "totalTokens",
		"cached_content_token_count": "cacheReadInputTokens",
	},
	Block: readPart,
	Media: (*blocks.Message).Parts,
}

func read(record jsontext.JSON, row *build.Builder) error {
	c := contents.New(row)
	if isAsked(record.First()) {
		return evaluated(&c, record)
	}
	if err := c.Fill(record); err != nil {
		return err
	}
	if c.Field[blocks.Answer].First().Get("content").Get("parts") != "" {
		c.Field[blocks.Messages] = listed(c.Field[blocks.Messages])
	}
	switch messages := row.Kept("messages"); {
	case c.Field[blocks.Messages].First().Get("parts") != "":
		row.Shape = "contents"
		return convert(&c)
	case c.Field[blocks.Messages] == "" && messages.First().Get("author") != "":
		row.Forget("messages")
		row.Path, row.Shape = "messages", "authored"
		row.Keep("tools", c.Field[blocks.Tools])
		row.Keep("toolConfig", c.Field[blocks.Choice])
		row.Keep("candidates", c.Field[blocks.Answer])
		return authored(&c, messages)
	}
	return ofADK(&c, record)
}

// listed returns the contents of a request as a list. The interface takes one content too, and texts of the user in place of contents.
func listed(contents jsontext.JSON) jsontext.JSON {
	switch first := contents.First(); {
	case contents.Kind() == '"' || contents.Get("parts") != "":
		contents = "[" + contents + "]"
	case first.Kind() != '"':
		return contents
	}
	list := []byte("[")
	for _, v := range contents.Elements() {
		if list = jsontext.AppendComma(list); v.Kind() == '"' {
			v = `{"role":"user","parts":[{"text":` + v + `}]}`
		}
		list = append(list, v...)
	}
	return jsontext.Of(append(list, ']'))
}

func role(c *blocks.Conversation, name jsontext.JSON) (canonical.Role, error) {
	switch name {
	case `"model"`, `"assistant"`:
		return canonical.Assistant, nil
	case `"system"`:
		return canonical.System, nil
	case `"user"`, `"function"`, `"tool"`, "", "null":
		return canonical.User, nil
	}
	return canonical.User, c.Refuse("bad_role", "role", "want user, model or function, have %s", jsontext.Seen(name))
}

// convert fills the row from contents.
func convert(c *blocks.Conversation) error {
	if err := tools(c); err != nil {
		return err
	}
	system(c)
	if err := c.AddMessages(); err != nil {
		return err
	}
	if candidates := c.Field[blocks.Answer].List(); len(candidates) > 0 {
		c.Row.Count("loss.choice", len(candidates)-1)
		if err := candidate(c, candidates[0]); err != nil {
			return err
		}
	}
	choice(c, c.Field[blocks.Choice])
	c.Settle("finishReason", "other")
	return nil
}

// candidate adds the answer of a log.
func candidate(c *blocks.Conversation, v jsontext.JSON) error {
	c.Field[blocks.Stop] = v.Get("finishReason")
	c.Row.KeepOthers(v, "finishReason", "content", "index")
	content := v.Get("content")
	if role := content.Get("role"); role != "" && role != `"model"` {
		c.Row.Count("loss.message_member", 1)
	}
	c.Row.Leave("loss.message_member", content, "role", "parts")
	return c.AddBlocks(canonical.Assistant, len(c.Row.Turns), content.Get("parts"), "")
}

// system adds a text, or the texts of parts.
func system(c *blocks.Conversation) {
	text := c.Field[blocks.System]
	if text == "" {
		return
	}
	if text.Kind() == '{' {
		if role := text.Get("role"); role != "" && role != `"system"` && role != `"user"` {
			c.Row.Count("loss.message_member", 1)
		}
		c.Row.Leave("loss.message_member", text, "role", "parts")
		text = text.Get("parts")
	}
	c.Row.Add(canonical.System, 0).Body = c.TextOf(text)
}

// authored reads the older form: messages with author and content.
func authored(c *blocks.Conversation, messages jsontext.JSON) error {
	system(c)
	for i, m := range messages.Elements() {
		path, content := "messages."+strconv.Itoa(i), m.Get("content")
		role := canonical.User
		c.Row.Leave("loss.message_member", m, "author", "content")
		switch author := m.Get("author"); author {
		case `"user"`, `"0"`:
		case `"model"`, `"bot"`, `"assistant"`, `"1"`:
			role = canonical.Assistant
		default:
			return sdk.Reject("bad_role", path+".author", "want user or model, have %s", jsontext.Seen(author))
		}
		if content.Kind() != '"' {
			return sdk.Reject("bad_content", path+".content", "want a string, have %s", jsontext.KindName(content.Kind()))
		}
		c.Row.Add(role, i).Body = content.Body()
	}
	return nil
}

// choice sets which function the model had to choose.
func choice(c *blocks.Conversation, tools jsontext.JSON) {
	config := either(tools, "functionCallingConfig", "function_calling_config")
	c.Row.Leave("loss.choice_member", tools, "functionCallingConfig", "function_calling_config")
	c.Row.Leave("loss.choice_member", config, "mode")
	switch strings.ToUpper(string(config.Get("mode").Body())) {
	case "AUTO":
		c.Row.ToolChoice = `"auto"`
	case "ANY":
		c.Row.ToolChoice = `"required"`
	case "NONE":
		c.Row.ToolChoice = `"none"`
	case "":
	default:
		c.Row.Count("loss.choice_member", 1)
	}
}

// tools collects the function declarations of all tools. Tools that Google runs itself have none.
func tools(c *blocks.Conversation) error {
	list := []byte("[")
	tools := c.Field[blocks.Tools]
	if tools.Kind() == '{' {
		tools = "[" + tools + "]"
	}
	for _, tool := range tools.Elements() {
		declarations := either(tool, "functionDeclarations", "function_declarations")
		if declarations == "" {
			c.Row.Count("loss.builtin_tool", 1)
			continue
		}
		c.Row.Leave("loss.tool_member", tool, "functionDeclarations", "function_declarations")
		for _, d := range declarations.Elements() {
			list = blocks.AppendTool(list, d, "", "parametersJsonSchema", "parameters_json_schema")
		}
	}
	return c.Row.SetTools("tools", jsontext.JSON(append(list, ']')))
}

// either returns the member of an object that has one of two spellings, the first if it has both.
func either(object jsontext.JSON, a, b string) jsontext.JSON {
	return cmp.Or(object.Get(a), object.Get(b))
}
