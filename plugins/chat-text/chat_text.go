// Package chattext reads records that hold a whole conversation as one text, as chat templates and old datasets write
// it, and gives eliza_native_v1 rows: ChatML, Llama 2 and 3, Mistral, Gemma with its calls, Harmony, Glaive, Guanaco, and
// User:/Assistant: plays.
//
// A record is taken when one of its text columns (text, processed_chat_with_reasoning, chat, messages, conversation,
// conversations, prompt with completion, or chosen) holds a string that begins with a turn of one of these dialects, behind
// white space and a mark of a beginning such as <s>. Of the dialects that mark turns with plain words, an assistant
// must have one. A string that merely holds such marks further on is no conversation.
package chattext

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/choice"
	"github.com/sluicehq/sluice/plugins/internal/columns"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the adapter for conversations in text.
var Plugin = sdk.Plugin{
	Name: "chat-text",
	Doc:  "reads conversations that are one text and gives eliza_native_v1 rows",
	Args: config{},
	New:  open,

	Labels: []string{"trajectoryId"},
}

type config struct {
	Preset   string            `hcl:"preset,optional" doc:"one dialect, and its columns"`
	Fields   []string          `hcl:"fields,optional" doc:"the text columns, in order; a+b continues a with b"`
	CleanEnd bool              `hcl:"clean_end,optional" doc:"reject an answer that does not end like a sentence, a bracket or a code block"`
	Target   string            `hcl:"target,optional" doc:"last or each: one row for the last answer, or one for each"`
	Metadata map[string]string `hcl:"metadata,optional" doc:"texts for the metadata of rows that do not say so themselves"`
}

// A preset narrows the columns and the dialects.
type preset struct {
	fields   []string
	dialects []string // all without
	cleanEnd bool
}

var allFields = []string{"text", "processed_chat_with_reasoning", "chat", "messages", "conversation", "conversations", "prompt+completion", "chosen"}

var presets = map[string]preset{
	"":                    {fields: allFields},
	"chatml":              {fields: allFields, dialects: []string{"chatml"}},
	"chatml-text":         {fields: allFields, dialects: []string{"chatml"}},
	"llama3":              {fields: allFields, dialects: []string{"llama3"}},
	"open-paws-llama":     {fields: []string{"messages", "text"}, dialects: []string{"llama3"}},
	"gemma":               {fields: allFields, dialects: []string{"gemma"}},
	"gemma-text":          {fields: allFields, dialects: []string{"gemma"}},
	"harmony":             {fields: allFields, dialects: []string{"harmony"}},
	"llama2":              {fields: allFields, dialects: []string{"instruct"}},
	"mistral":             {fields: allFields, dialects: []string{"instruct"}},
	"guanaco":             {fields: allFields, dialects: []string{"guanaco"}},
	"glaive-v2":           {fields: []string{"chat"}, dialects: []string{"glaive"}},
	"glaive-fc":           {fields: []string{"processed_chat_with_reasoning", "chat"}, dialects: []string{"glaive"}},
	"glaive-fc-reasoning": {fields: []string{"processed_chat_with_reasoning", "chat"}, dialects: []string{"glaive"}},
	"noesis-text":         {fields: []string{"text"}, dialects: []string{"user-assistant"}, cleanEnd: true},
	"hh-rlhf":             {fields: []string{"chosen", "prompt+completion", "text"}, dialects: []string{"user-assistant"}},
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	p, badPreset := choice.Named(a, "preset", cfg.Preset, presets)
	target, badTarget := choice.Named(a, "target", cfg.Target, canonical.Targets)
	if err := errors.Join(badPreset, badTarget); err != nil {
		return nil, err
	}
	if cfg.Fields != nil {
		p.fields = cfg.Fields
	}
	ad := &adapter{target: target, cleanEnd: cfg.CleanEnd || p.cleanEnd, metadata: columns.Defaults(cfg.Metadata)}
	for _, f := range p.fields {
		name, second, _ := strings.Cut(f, "+")
		ad.fields = append(ad.fields, field{name: name, second: second})
	}
	for _, d := range dialects {
		if p.dialects == nil || slices.Contains(p.dialects, d.name) {
			ad.dialects = append(ad.dialects, d)
		}
	}
	return ad, nil
}

// A field is a column that may hold a conversation, or two that do together.
type field struct{ name, second string }

type adapter struct {
	fields   []field
	dialects []dialect
	target   canonical.Target
	cleanEnd bool
	metadata columns.Beside

	found   []jsontext.Body // the text in each field, as a body
	members columns.Beside
	system  jsontext.JSON
	tools   jsontext.JSON
	decoded []byte        // the conversation
	thought jsontext.Body // of a turn that only thinks, for the next one of the assistant
	row     canonical.Conversation
}

// Process implements sdk.Processor.
func (a *adapter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	a.row.Reset()
	if err := a.scan(jsontext.Of(r.JSON())); err != nil {
		return err
	}
	at, d := a.recognise()
	if d == nil {
		return sdk.Decline("want a text that begins with a turn")
	}
	a.decoded = jsontext.AppendText(jsontext.Reuse(a.decoded), a.found[at])
	if second := a.fields[at].second; second != "" {
		body, _ := a.members.Get(second).Quoted()
		a.decoded = jsontext.AppendText(a.decoded, body)
		a.members.Drop(second)
	}
	name := a.fields[at].name
	a.members.Drop(name)
	if err := a.preference(name); err != nil {
		return err
	}
	turns, err := d.split(jsontext.View(a.decoded))
	if err != nil {
		return sdk.Reject("bad_text", name, "%v", err)
	}
	if d.words && !slices.ContainsFunc(turns, func(t turn) bool { return t.role == "assistant" || t.role == "call" }) {
		return sdk.Decline("want a turn of the assistant")
	}
	if err := a.converse(turns, name); err != nil {
		return err
	}
	if err := a.members.Settle(&a.row); err != nil {
		return err
	}
	a.metadata.Fill(&a.row)
	return a.row.Emit(r, a.target, emit)
}

// scan goes over the record once.
func (a *adapter) scan(record jsontext.JSON) error {
	a.members.Reset()
	a.found = append(a.found[:0], make([]jsontext.Body, len(a.fields))...)
	a.system, a.tools = "", ""
	c := jsontext.Cursor{JSON: record}
	if c.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	for key := range c.Members() {
		v := c.Value()
		switch key {
		case "format", "schema", "expectedResponse":
			if v != "null" {
				return sdk.Decline("want no other shape beside the text")
			}
		case "chosen", "rejected":
			if v != "null" && v[0] != '"' {
				return sdk.Decline("want no other shape beside the text")
			}
		case "system", "system_prompt":
			a.system = v
			continue
		case "tools", "functions":
			a.tools = v
			continue
		}
		for i := range a.fields {
			if a.fields[i].name == key {
				a.found[i], _ = v.Quoted()
			}
		}
		a.members.Take(key, v)
	}
	return nil
}

// recognise gives the first field that begins in a dialect, and that dialect.
func (a *adapter) recognise() (int, *dialect) {
	for i, body := range a.found {
		if body == "" || a.fields[i].second != "" && a.members.Get(a.fields[i].second) == "" {
			continue
		}
		head := body
		if len(head) > 256 {
			head = head[:256]
		}
		text := head.Text()
		text = text[start(text):]
		for n := range a.dialects {
			if a.dialects[n].opens(text) {
				return i, &a.dialects[n]
			}
		}
	}
	return 0, nil
}

// preference keeps the answer that was not chosen. A record that has one beside another text is no conversation in text.
func (a *adapter) preference(field string) error {
	rejected := a.members.Get("rejected")
	switch {
	case rejected == "":
		return nil
	case field != "chosen":
		return sdk.Decline("want no other shape beside the text")
	}
	a.row.Meta("preference", `{"rejected":`+rejected+"}")
	a.members.Drop("rejected")
	return nil
}

// cleanEnds are the ends of an answer that was not cut off.
var cleanEnds = []string{".", "!", "?", "。", "！", "？", ")", "]", "}", "»", "」", "』", "```", "**."}

// endsClean tells whether the last answer seems whole.
func endsClean(row *canonical.Conversation) bool {
	for i := len(row.Turns) - 1; i >= 0; i-- {
		t := &row.Turns[i]
		if t.Role != eliza.Assistant {
			continue
		}
		text := strings.TrimRight(t.Body.Text(), " \t\r\n")
		return len(t.Calls) > 0 || slices.ContainsFunc(cleanEnds, func(end string) bool { return strings.HasSuffix(text, end) })
	}
	return true
}
