// Package pair reads records of one question and one answer in columns, and gives eliza_native_v1 rows: Alpaca with
// its variants, Dolly, xLAM, BFCL, function pairs, MCP flows and routes, terminal commands, reasoning pairs, n8n workflows.
//
// A record is a pair when no key of a conversation stands in it (format, schema, messages, conversations, ...; null
// does not count), a prompt column holds a string, and an answer column is there. Which columns these are is what a
// preset says. A record with a boolean label rates its answer and is no pair either.
package pair

import (
	"context"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/choice"
	"github.com/sluicehq/sluice/plugins/internal/columns"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the adapter for pairs.
var Plugin = sdk.Plugin{
	Name: "pair",
	Doc:  "reads records of one question and one answer in columns and gives eliza_native_v1 rows",
	Args: config{},
	New:  open,

	Labels: []string{"trajectoryId"},
}

type config struct {
	Preset   string            `hcl:"preset,optional" doc:"reads the columns of one family only"`
	Prompt   []string          `hcl:"prompt,optional" doc:"columns of the question, in order; a+b joins two"`
	Answer   []string          `hcl:"answer,optional" doc:"columns of the answer, in order"`
	Tools    []string          `hcl:"tools,optional" doc:"columns of the tools, in order"`
	Joiner   string            `hcl:"joiner,optional" doc:"between joined columns; a line break when it is empty"`
	Metadata map[string]string `hcl:"metadata,optional" doc:"texts for the metadata of rows that do not say so themselves"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	s, err := choice.Named(a, "preset", cfg.Preset, presets)
	if err != nil {
		return nil, err
	}
	if cfg.Prompt != nil {
		s.prompts = cfg.Prompt
	}
	if cfg.Answer != nil {
		s.answers = cfg.Answer
	}
	if cfg.Tools != nil {
		s.tools = cfg.Tools
	}
	if cfg.Joiner != "" {
		s.joiner = cfg.Joiner
	}
	if s.joiner == "" {
		s.joiner = "\n"
	}
	p := &adapter{slots: s.columns(), joiner: jsontext.BodyOf(s.joiner), metadata: columns.Defaults(cfg.Metadata)}
	p.found, p.used = make([]jsontext.JSON, p.n), make([]bool, p.n)
	return p, nil
}

type adapter struct {
	*slots
	joiner   jsontext.Body
	metadata columns.Beside

	found   []jsontext.JSON // the value of each column, "" without
	used    []bool
	members []member // all of the record
	row     canonical.Conversation
	rest    columns.Beside
}

type member struct {
	key    string // decoded
	value  jsontext.JSON
	column int // isForeign for none: a record with a foreign key does not come that far
}

// Process implements sdk.Processor.
func (p *adapter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if err := p.scan(jsontext.Of(r.JSON())); err != nil {
		return err
	}
	p.row.Reset()
	if p.isBFCL() {
		if err := p.bfcl(); err != nil {
			return err
		}
	} else if err := p.convert(); err != nil {
		return err
	}
	p.rest.Reset()
	for _, m := range p.members {
		if m.column < 0 || !p.used[m.column] {
			p.rest.Take(m.key, m.value)
		}
	}
	if err := p.rest.Settle(&p.row); err != nil {
		return err
	}
	p.metadata.Fill(&p.row)
	return p.row.Emit(r, canonical.Last, emit)
}

// scan goes over the record once. It stops at the first key that belongs to another shape.
func (p *adapter) scan(record jsontext.JSON) error {
	clear(p.found)
	clear(p.used)
	p.members = p.members[:0]
	c := jsontext.Cursor{JSON: record}
	if c.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	for key := range c.Members() {
		value := c.Value()
		i, known := p.numbers[key]
		switch {
		case !known:
			i = isForeign
		case value == "null":
		case i == isForeign:
			return sdk.Decline("want no conversation beside the pair")
		default:
			p.found[i] = value
		}
		p.members = append(p.members, member{key, value, i})
	}
	if label := p.value(p.label); label == "true" || label == "false" {
		return sdk.Decline("want no rating of the answer")
	}
	return nil
}

// value gives the value of a column, "" without.
func (p *adapter) value(c column) jsontext.JSON { return p.found[c.at] }

// take is value, and notes that the row holds it.
func (p *adapter) take(c column) jsontext.JSON {
	p.used[c.at] = true
	return p.found[c.at]
}

// first gives the first column of a list that holds something that ok accepts.
func (p *adapter) first(list []column, ok func(value jsontext.JSON) bool) (column, bool) {
	for _, c := range list {
		if v := p.value(c); v != "" && ok(v) {
			return c, true
		}
	}
	return column{}, false
}

func isText(v jsontext.JSON) bool { return v[0] == '"' }
func present(jsontext.JSON) bool  { return true }

// isList tells whether a value can be a list of tools: not the name of one, as a route has it.
func isList(v jsontext.JSON) bool {
	body, ok := v.Quoted()
	return !ok || strings.ContainsAny(string(body), "{[")
}

// says tells whether a value is a text that is not blank.
func says(v jsontext.JSON) bool {
	body, ok := v.Quoted()
	return ok && !body.Blank()
}

// prompt gives the columns that hold what the user says.
func (p *adapter) prompt() ([]column, error) {
	blank := ""
	for _, list := range p.prompts {
		if _, ok := p.first(list, isText); !ok {
			continue
		}
		if _, ok := p.first(list, says); ok {
			return list, nil
		}
		if blank == "" {
			blank = list[0].name
		}
	}
	if _, ok := p.answer(); blank == "" || !ok {
		return nil, sdk.Decline("want a prompt column with a text")
	}
	return nil, sdk.Reject("no_prompt", blank, "want a text, have a blank one")
}

// answer gives the column that holds the answer.
func (p *adapter) answer() (column, bool) {
	for _, k := range [...]struct {
		columns []column
		ok      func(jsontext.JSON) bool
	}{{p.workflows, mentionsWorkflow}, {p.answers, present}, {p.calls, present}, {p.commands, says}} {
		if c, ok := p.first(k.columns, k.ok); ok {
			return c, true
		}
	}
	if p.value(p.server) == "" {
		return column{}, false
	}
	return p.first(p.routes, isText)
}

// convert fills the conversation of a pair.
func (p *adapter) convert() error {
	prompt, err := p.prompt()
	if err != nil {
		return err
	}
	answer, ok := p.answer()
	if !ok {
		return sdk.Decline("want an answer column")
	}
	if c, ok := p.first(p.media, python.Truthy); ok {
		return sdk.Reject("media", c.name, "want a question of text alone, have other data beside it")
	}
	if err := p.before(); err != nil {
		return err
	}
	user := p.row.Add(eliza.User, 0)
	for _, c := range prompt {
		if says(p.value(c)) {
			user.Body = canonical.JoinBy(p.joiner, user.Body, p.take(c).Body())
		}
	}
	p.row.Path = answer.name
	return p.respond(p.row.Add(eliza.Assistant, 0))
}

// before sets tools and adds the turns before the prompt.
func (p *adapter) before() error {
	if c, ok := p.first(p.tools, isList); ok {
		if err := p.row.SetTools(c.name, p.take(c)); err != nil {
			return err
		}
	}
	if c, ok := p.first(p.system, says); ok {
		p.row.Add(eliza.System, 0).Body = p.take(c).Body()
	}
	if c, ok := p.first(p.history, present); ok {
		return p.earlier(c.name, p.take(c))
	}
	return nil
}

// earlier adds a history of [question, answer] pairs.
func (p *adapter) earlier(name string, pairs jsontext.JSON) error {
	c := jsontext.Cursor{JSON: pairs}
	if kind := c.Kind(); kind != '[' {
		return sdk.Reject("bad_history", name, "want an array of pairs, have another value")
	}
	for i := range c.Elements() {
		n := 0
		for range c.Elements() {
			null := c.Kind() == 'n'
			body, ok := c.String()
			if n++; n > 2 || !ok && !null {
				return sdk.Reject("bad_history", name, "want a pair of texts at element %d, have something else", i)
			}
			if role := [...]eliza.Role{eliza.User, eliza.Assistant}[n-1]; ok {
				p.row.Add(role, i).Body = body
			}
		}
		if n == 0 {
			return sdk.Reject("bad_history", name, "want a pair of texts at element %d, have something else", i)
		}
	}
	return nil
}
