// Package gemini reads rows of the Gemini interface, as Vertex tuning files and logs have them, and gives
// eliza_native_v1 rows.
//
// A row is taken when it has a list "contents" whose first element has parts, at the top or in "request" beside a
// "response", or the older list "messages" whose first element has an author. Both spellings of names are read,
// functionCall and function_call.
package gemini

import (
	"cmp"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "gemini".
var Plugin = build.Adapter{
	Name: "gemini",
	Doc:  "reads rows of the Gemini interface and gives eliza_native_v1 rows",
	Args: build.Options{Joiner: "\n"},
	Codes: map[string]string{
		"bad_content": "a content is no object with parts; mend it where it was made, or leave it out",
		"bad_part":    "a part is no object, or of no kind that is known; mend it where it was made, or leave it out",
		"bad_role":    "a content has a role that the interface does not have; mend it where it was made, or leave it out",
	},
	New: func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked([]string{"contents", "author"}, []string{"parts", "author"}),
}.Plugin()

// An adapter is about one record.
type adapter struct {
	row   *build.Builder
	parts fields
}

// fields are the members of a row that make the conversation, as JSON.
type fields struct{ system, contents, messages, tools, config, candidates, usage jsontext.JSON }

func read(record jsontext.JSON, row *build.Builder) error {
	a := adapter{row: row}
	if err := a.members(record); err != nil {
		return err
	}
	switch p := &a.parts; {
	case firstHas(p.contents, "parts"):
		row.Path, row.Shape = cmp.Or(row.Path, "contents"), "contents"
		a.keep("messages", p.messages)
		return a.convert()
	case p.contents == "" && firstHas(p.messages, "author"):
		row.Path, row.Shape = "messages", "authored"
		a.keep("tools", p.tools)
		a.keep("toolConfig", p.config)
		a.keep("candidates", p.candidates)
		return a.authored()
	}
	return sdk.Decline("want contents with parts")
}

// keep keeps a member that a record of this shape does not have.
func (a *adapter) keep(key string, value jsontext.JSON) {
	if value != "" {
		a.row.Keep(key, value)
	}
}

// firstHas tells whether a list begins with an object that has a key.
func firstHas(list jsontext.JSON, key string) bool {
	c := jsontext.Cursor{JSON: list}
	if c.Kind() != '[' {
		return false
	}
	for range c.Elements() {
		for k := range c.Members() {
			if k == key {
				return true
			}
		}
		return false
	}
	return false
}

// members goes over the members of the record, and over those of the request and response of a log.
func (a *adapter) members(record jsontext.JSON) error {
	c := jsontext.Cursor{JSON: record}
	if c.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	for key := range c.Members() {
		switch v := c.Value(); {
		case key == "format" || key == "schema":
			return sdk.Decline("declares another format")
		case key == "request" && v[0] == '{':
			a.row.Path = "request.contents"
			a.row.KeepUntaken(v, a.member)
		case key == "response" && v[0] == '{':
			a.row.KeepUntaken(v, a.member)
		case !a.member(key, v):
			a.row.Keep(key, v)
		}
	}
	return nil
}

func (a *adapter) member(key string, value jsontext.JSON) bool {
	switch key {
	case "systemInstruction", "system_instruction", "context":
		a.parts.system = value
	case "contents":
		a.parts.contents = value
	case "messages":
		a.parts.messages = value
	case "tools":
		a.parts.tools = value
	case "toolConfig", "tool_config":
		a.parts.config = value
	case "candidates":
		a.parts.candidates = value
	case "usageMetadata", "usage_metadata":
		a.parts.usage = value
	case "modelVersion", "model":
		a.row.Identify("model", value)
	default:
		return false
	}
	return true
}

// convert fills the conversation from contents.
func (a *adapter) convert() error {
	p := &a.parts
	if err := a.tools(); err != nil {
		return err
	}
	a.system(p.system)
	c := jsontext.Cursor{JSON: p.contents}
	for i := range c.Elements() {
		if err := a.content(i, &c); err != nil {
			return err
		}
	}
	candidates := jsontext.Cursor{JSON: p.candidates}
	for i := range candidates.Elements() {
		if i > 0 { // an alternative
			a.row.Count("loss.choice", 1)
		} else if err := a.candidate(&candidates); err != nil {
			return err
		}
	}
	a.settings()
	return nil
}

// system adds a text, or the texts of parts.
func (a *adapter) system(value jsontext.JSON) {
	if value == "" {
		return
	}
	text := value
	if value.Kind() == '{' {
		if role := value.Get("role"); role != "" && role != `"system"` && role != `"user"` {
			a.row.Count("loss.message_member", 1)
		}
		a.row.Leave("loss.message_member", value, "role", "parts")
		text = value.Get("parts")
	}
	a.row.Add(canonical.System, 0).Body = a.row.TextOf(text)
}

// authored reads the older form: messages with author and content.
func (a *adapter) authored() error {
	a.system(a.parts.system)
	c := jsontext.Cursor{JSON: a.parts.messages}
	for i := range c.Elements() {
		m := c.Value()
		body, ok := m.Get("content").Quoted()
		role := canonical.User
		a.row.Leave("loss.message_member", m, "author", "content")
		switch m.Get("author") {
		case `"user"`, `"0"`:
		case `"model"`, `"bot"`, `"assistant"`, `"1"`:
			role = canonical.Assistant
		default:
			return sdk.Reject("bad_role", a.path(i)+".author", "want user or model, have another")
		}
		if !ok {
			return sdk.Reject("bad_content", a.path(i)+".content", "want a text, have another value")
		}
		a.row.Add(role, i).Body = body
	}
	return nil
}

// settings sets what belongs to the call and not to the conversation.
func (a *adapter) settings() {
	config := a.parts.config.Get("functionCallingConfig")
	if config == "" {
		config = a.parts.config.Get("function_calling_config")
	}
	a.row.Leave("loss.choice_member", a.parts.config, "functionCallingConfig", "function_calling_config")
	a.row.Leave("loss.choice_member", config, "mode")
	switch strings.ToUpper(string(config.Get("mode").Body())) {
	case "AUTO":
		a.row.ToolChoice = `"auto"`
	case "ANY":
		a.row.ToolChoice = `"required"`
	case "NONE":
		a.row.ToolChoice = `"none"`
	case "":
	default:
		a.row.Count("loss.choice_member", 1)
	}
	a.row.Usage = build.Renamed(a.parts.usage, usages)
}

var usages = map[string]string{
	"promptTokenCount": "promptTokens", "candidatesTokenCount": "completionTokens", "totalTokenCount": "totalTokens",
	"cachedContentTokenCount": "cacheReadInputTokens",
}
