// Package chattext reads records that hold a whole conversation as one text, as chat templates and old datasets write
// it, and writes eliza_native_v1 rows: ChatML, Llama 2 and 3, Mistral, Gemma with its calls, Harmony, NeMo, Glaive, Guanaco,
// and User:/Assistant: plays.
//
// The adapter takes a record when one of its text columns (text, processed_chat_with_reasoning, chat, messages, conversation,
// conversations, chosen, or a prompt that another column continues) holds a string that begins with a turn of one of these dialects, after
// white space and marks such as <s>. In dialects that mark turns with plain words, there must be a turn of the assistant.
package chattext

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "chat-text".
var Plugin = build.Adapter{
	Name: "chat-text",
	Doc:  "reads conversations that are one text and writes eliza_native_v1 rows",
	Args: config{},
	Codes: map[string]string{
		"bad_role":  "a marker names a role that the dialect does not have; choose another preset or fields, or correct the text",
		"bad_text":  "the text is not in the dialect that it begins in; choose another preset, or correct the text",
		"truncated": "the answer is cut off; clean_end = false takes it all the same",
	},
	New: open,

	Marks: marks,
}.Plugin()

type config struct {
	Preset   string   `hcl:"preset,optional" doc:"one dialect, and its columns" example:"\"llama3\""`
	Fields   []string `hcl:"fields,optional" doc:"the text columns, in order; a+b continues a with b" example:"[\"prompt+completion\"]"`
	CleanEnd bool     `hcl:"clean_end,optional" doc:"reject an answer that does not end like a sentence, a bracket or a code block"`
	build.Options
}

// A preset narrows the dialects and the columns.
type preset struct {
	dialect  string   // "" for all
	fields   []string // nil for allFields
	cleanEnd bool
}

var allFields = slices.Concat([]string{"text", "processed_chat_with_reasoning", "chat", "messages", "conversation", "conversations"}, halves, []string{"chosen", baizeColumn})

// halves are columns with the text that a model was given, each with a column that continues it.
var halves = []string{
	"prompt+completion", "prompt+response", "prompt+output", "prompt+answer", "prompt+generation", "prompt+chosen",
	"instruction+output", "instruction+response", "instruction+completion", "instruction+chosen", "query+response", "question+answer",
	"input+output", "input+response", "input+completion", "input+chosen",
}

// baizeColumn holds the conversations of Baize. In other corpora a column of this name is what a question is about.
const baizeColumn = "input"

var presets = map[string]preset{
	"baize":               {dialect: "baize", fields: []string{baizeColumn}},
	"chatml":              {dialect: "chatml"},
	"chatml-text":         {dialect: "chatml"},
	"llama3":              {dialect: "llama3"},
	"open-paws-llama":     {dialect: "llama3", fields: []string{"messages", "text"}},
	"gemma":               {dialect: "gemma"},
	"gemma-text":          {dialect: "gemma"},
	"harmony":             {dialect: "harmony"},
	"nemo":                {dialect: "nemo"},
	"llama2":              {dialect: "instruct"},
	"mistral":             {dialect: "instruct"},
	"guanaco":             {dialect: "guanaco"},
	"glaive-v2":           {dialect: "glaive", fields: []string{"chat"}},
	"glaive-fc":           {dialect: "glaive", fields: []string{"processed_chat_with_reasoning", "chat"}},
	"glaive-fc-reasoning": {dialect: "glaive", fields: []string{"processed_chat_with_reasoning", "chat"}},
	"noesis-text":         {dialect: "user-assistant", fields: []string{"text"}, cleanEnd: true},
	"hh-rlhf":             {dialect: "user-assistant", fields: []string{"chosen", "prompt+completion", "prompt+chosen", "text"}},
	"rendered":            {fields: halves},
}

// presetOf returns the preset of a step, with its attributes applied.
func presetOf(args sdk.Args) (p preset, err error) {
	var cfg config
	if err := args.Decode(&cfg); err != nil {
		return p, err
	}
	p, err = build.Preset(args, cfg.Preset, presets)
	p.fields = build.Given(cfg.Fields, build.Given(p.fields, allFields))
	p.cleanEnd = p.cleanEnd || cfg.CleanEnd
	return p, err
}

// marks returns the columns of which a record has one, and their second columns if all have one.
func marks(args sdk.Args) [][]string {
	p, _ := presetOf(args)
	var names, seconds []string
	for _, f := range p.fields {
		name, second, continued := strings.Cut(f, "+")
		if names = append(names, name); continued {
			seconds = append(seconds, second)
		}
	}
	all := len(seconds) == len(names)
	if names = distinct(names); !all {
		return [][]string{names}
	}
	return [][]string{names, distinct(seconds)}
}

// distinct returns names without those that occur earlier.
func distinct(names []string) (all []string) {
	for _, name := range names {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

func open(args sdk.Args) (build.ReadFunc, error) {
	p, err := presetOf(args)
	if err != nil {
		return nil, err
	}
	r := &reader{cleanEnd: p.cleanEnd}
	for _, f := range p.fields {
		name, second, _ := strings.Cut(f, "+")
		r.fields = append(r.fields, field{name, second})
	}
	r.dialects = slices.DeleteFunc(slices.Clone(dialects), func(d dialect) bool { return p.dialect != "" && p.dialect != d.name })
	return func(record jsontext.JSON, row *build.Builder) error {
		a := adapter{reader: r, row: row}
		return a.read(record)
	}, nil
}

// A reader holds the attributes, and memory that all records share.
type reader struct {
	fields   []field
	dialects []dialect
	cleanEnd bool
	text     []byte // the conversation
}

// A field is a column that may hold a conversation, or two that hold its halves.
type field struct{ name, second string }

// An adapter reads one record.
type adapter struct {
	*reader
	row           *build.Builder
	system, tools jsontext.JSON
	listed        bool         // there is a list of messages, which a rendered prompt only repeats
	thought       build.Joiner // reasoning for the next turn of the assistant
}

func (a *adapter) read(record jsontext.JSON) error {
	if err := a.members(record); err != nil {
		return err
	}
	f, d := a.recognise()
	if d == nil {
		return sdk.Decline("want a text that begins with a turn")
	}
	a.row.Path, a.row.Shape = f.name, d.name
	if a.row.Kept("rejected").Kind() == '"' && f.name != "chosen" && f.second != "chosen" { // it belongs to another text
		return sdk.Decline("want a record with no other shape than the text")
	}
	turns, err := a.turns(f, d)
	if err != nil {
		return err
	}
	if d.words && !slices.ContainsFunc(turns, func(t turn) bool { return t.role == "assistant" || t.role == "call" }) {
		return sdk.Decline("want a turn of the assistant, have " + rolesOf(turns))
	}
	return a.converse(turns, f.name)
}

// rolesOf names the roles of some turns, each once.
func rolesOf(turns []turn) string {
	var roles []string
	for _, t := range turns {
		if !slices.Contains(roles, t.role) {
			roles = append(roles, t.role)
		}
	}
	return "only " + strings.Join(roles, ", ")
}

// members stores the members of the record.
func (a *adapter) members(record jsontext.JSON) error {
	if record.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	for key, v := range record.Members() {
		switch key {
		case "format", "schema", "expectedResponse":
			if v != "null" {
				return sdk.Decline("want a record with no other shape than the text")
			}
		case "chosen", "rejected":
			if v != "null" && v[0] != '"' {
				return sdk.Decline("want a record with no other shape than the text")
			}
		case "system", "system_prompt":
			a.system = v
			continue
		case "tools", "functions":
			a.tools = v
			continue
		case "messages", "conversations", "conversation":
			a.listed = a.listed || v[0] == '[' && !v.Empty()
		}
		a.row.Keep(key, v)
	}
	return nil
}

// recognise returns the first field that begins with a turn of a dialect, and the dialect.
func (a *adapter) recognise() (field, *dialect) {
	for _, f := range a.fields {
		head, _ := a.row.Kept(f.name).Quoted()
		if head == "" || f.second != "" && !a.continues(f) {
			continue
		}
		text := head[:min(len(head), 256)].Text()
		text = text[start(text):]
		for n := range a.dialects {
			if f == (field{name: baizeColumn}) && (a.dialects[n].name != "baize" || a.answered()) {
				continue
			}
			if a.dialects[n].opens(text) {
				return f, &a.dialects[n]
			}
		}
	}
	return field{}, nil
}

// continues reports whether a record without messages has a text that continues the first column of a field.
func (a *adapter) continues(f field) bool {
	return !a.listed && a.row.Kept(f.second).Kind() == '"' && (f.name != baizeColumn || !a.asks())
}

// asks reports whether a column asks what "input" is about.
func (a *adapter) asks() bool {
	return slices.ContainsFunc([]string{"instruction", "prompt", "question", "query"}, func(column string) bool { return a.row.Kept(column).Truthy() })
}

// answered reports whether a column answers what another asks.
func (a *adapter) answered() bool {
	return slices.ContainsFunc([]string{"output", "response", "completion", "answer"}, func(column string) bool { return a.row.Kept(column).Truthy() })
}

// cleanEnds are the ends of complete answers.
var cleanEnds = []string{".", "!", "?", "。", "！", "？", ")", "]", "}", "»", "」", "』", "```"}

// endsClean reports whether the last answer looks complete.
func endsClean(row *build.Builder) bool {
	for _, t := range slices.Backward(row.Turns) {
		if t.Role != canonical.Assistant {
			continue
		}
		text := strings.TrimRight(t.Body.Text(), " \t\r\n")
		return len(t.Calls) > 0 || slices.ContainsFunc(cleanEnds, func(end string) bool { return strings.HasSuffix(text, end) })
	}
	return true
}
