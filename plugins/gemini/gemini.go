// Package gemini reads rows of the Gemini interface, as Vertex tuning files and logs have them, and gives
// eliza_native_v1 rows.
//
// A row is taken when it has a list "contents" whose first element has parts, at the top or in "request" beside a
// "response", or the older list "messages" whose first element has an author. Both spellings of names are read,
// functionCall and function_call.
package gemini

import (
	"context"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/choice"
	"github.com/sluicehq/sluice/plugins/internal/columns"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the adapter for Gemini rows.
var Plugin = sdk.Plugin{
	Name: "gemini",
	Doc:  "reads rows of the Gemini interface and gives eliza_native_v1 rows",
	Args: config{Joiner: "\n"},
	New:  open,

	Labels: []string{"trajectoryId"},
}

type config struct {
	Target   string            `hcl:"target,optional" doc:"last or each: one row for the last answer, or one for each"`
	Joiner   string            `hcl:"joiner,optional" doc:"between the text parts of a content"`
	Metadata map[string]string `hcl:"metadata,optional" doc:"texts for the metadata of rows that do not say so themselves"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	target, err := choice.Named(a, "target", cfg.Target, canonical.Targets)
	if err != nil {
		return nil, err
	}
	return &adapter{target: target, joiner: jsontext.BodyOf(cfg.Joiner), metadata: columns.Defaults(cfg.Metadata)}, nil
}

type adapter struct {
	target   canonical.Target
	joiner   jsontext.Body // between the text parts of one content
	metadata columns.Beside

	parts fields
	row   canonical.Conversation
	rest  columns.Beside
}

// fields are the members of a row that make the conversation, as JSON.
type fields struct{ system, contents, messages, tools, config, candidates, usage jsontext.JSON }

// Process implements sdk.Processor.
func (a *adapter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	a.row.Reset()
	a.rest.Reset()
	a.parts, a.row.Path = fields{}, "contents"
	if err := a.read(jsontext.Of(r.JSON())); err != nil {
		return err
	}
	var err error
	switch p := &a.parts; {
	case firstHas(p.contents, "parts"):
		err = a.convert(r)
	case p.contents == "" && firstHas(p.messages, "author"):
		a.row.Path = "messages"
		err = a.authored()
	default:
		return sdk.Decline("want contents with parts")
	}
	if err != nil {
		return err
	}
	if err := a.rest.Settle(&a.row); err != nil {
		return err
	}
	a.metadata.Fill(&a.row)
	return a.row.Emit(r, a.target, emit)
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

// read goes over the members of the record, and over those of the request and response of a log.
func (a *adapter) read(record jsontext.JSON) error {
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
			a.object(v)
		case key == "response" && v[0] == '{':
			a.object(v)
		case !a.member(key, v):
			a.rest.Take(key, v)
		}
	}
	return nil
}

func (a *adapter) object(text jsontext.JSON) {
	c := jsontext.Cursor{JSON: text}
	for key := range c.Members() {
		if v := c.Value(); !a.member(key, v) {
			a.rest.Take(key, v)
		}
	}
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
func (a *adapter) convert(r *sdk.Record) error {
	p := &a.parts
	if err := a.tools(r); err != nil {
		return err
	}
	a.system(p.system)
	c := jsontext.Cursor{JSON: p.contents}
	for i := range c.Elements() {
		if err := a.content(r, i, &c); err != nil {
			return err
		}
	}
	candidates := jsontext.Cursor{JSON: p.candidates}
	for range candidates.Elements() {
		if err := a.candidate(r, &candidates); err != nil {
			return err
		}
		break // others are alternatives
	}
	a.settings()
	return nil
}

// system adds a text, or the texts of parts.
func (a *adapter) system(value jsontext.JSON) {
	if value == "" {
		return
	}
	body, ok := value.Quoted()
	if !ok {
		parts := jsontext.Cursor{JSON: value.Get("parts")}
		if parts.Kind() == '{' {
			body = parts.JSON.Get("text").Body()
		}
		var said canonical.Joiner
		said.Add("", body)
		for range parts.Elements() {
			said.Add(a.joiner, parts.Value().Get("text").Body())
		}
		body = said.Body()
	}
	a.row.Add(eliza.System, 0).Body = body
}

// authored reads the older form: messages with author and content.
func (a *adapter) authored() error {
	a.system(a.parts.system)
	c := jsontext.Cursor{JSON: a.parts.messages}
	for i := range c.Elements() {
		m := c.Value()
		body, ok := m.Get("content").Quoted()
		role := eliza.User
		switch m.Get("author") {
		case `"user"`, `"0"`:
		case `"model"`, `"bot"`, `"assistant"`, `"1"`:
			role = eliza.Assistant
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
	switch strings.ToUpper(string(config.Get("mode").Body())) {
	case "AUTO":
		a.row.ToolChoice = `"auto"`
	case "ANY":
		a.row.ToolChoice = `"required"`
	case "NONE":
		a.row.ToolChoice = `"none"`
	}
	a.row.Usage = columns.Renamed(a.parts.usage, usages)
}

var usages = map[string]string{
	"promptTokenCount": "promptTokens", "candidatesTokenCount": "completionTokens", "totalTokenCount": "totalTokens",
	"cachedContentTokenCount": "cacheReadInputTokens",
}
