// Package pair reads records of one question and one answer in columns, and gives eliza_native_v1 rows: Alpaca with
// its variants, xLAM, function pairs, MCP flows and routes, terminal commands, reasoning pairs, n8n workflows.
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
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// Plugin is the adapter for pairs.
var Plugin = sdk.Plugin{
	Name: "pair",
	Doc:  "reads records of one question and one answer in columns and gives eliza_native_v1 rows",
	New:  open,
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg struct {
		Preset   string            `hcl:"preset,optional"`
		Prompt   []string          `hcl:"prompt,optional"`
		Answer   []string          `hcl:"answer,optional"`
		Tools    []string          `hcl:"tools,optional"`
		Joiner   string            `hcl:"joiner,optional"`
		Metadata map[string]string `hcl:"metadata,optional"`
	}
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
	s.joiner = canonical.Body(s.joiner)
	names, n := s.columns()
	p := &adapter{shape: s, columns: names, metadata: columns.Defaults(cfg.Metadata)}
	for _, alternative := range s.prompts {
		p.asked = append(p.asked, strings.Split(alternative, "+"))
	}
	p.found, p.used = make([]string, n), make([]bool, n)
	return p, nil
}

type adapter struct {
	shape
	columns  map[string]int
	asked    [][]string // the alternatives of prompts
	metadata columns.Beside

	found   []string // the value of each column, "" without
	used    []bool
	members []member // all of the record
	row     canonical.Conversation
	rest    columns.Beside
}

type member struct {
	key, value string
	column     int // isForeign for none: a record with a foreign key does not come that far
}

// Process implements sdk.Processor.
func (p *adapter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if err := p.scan(jsontext.View(r.JSON())); err != nil {
		return err
	}
	prompt, err := p.prompt()
	if err != nil {
		return err
	}
	p.row.Reset()
	if err := p.convert(prompt); err != nil {
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
func (p *adapter) scan(record string) error {
	clear(p.found)
	clear(p.used)
	p.members = p.members[:0]
	c := jsontext.Cursor{Text: record}
	if c.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	for key := range c.Members() {
		value := c.Value()
		i, known := p.columns[key]
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
	if label := p.value("label"); label == "true" || label == "false" {
		return sdk.Decline("want no rating of the answer")
	}
	return nil
}

// value gives the value of a column, "" without.
func (p *adapter) value(name string) string { return p.found[p.columns[name]] }

// take is value, and notes that the row holds it.
func (p *adapter) take(name string) string {
	i := p.columns[name]
	p.used[i] = true
	return p.found[i]
}

// first gives the first column of a list that holds something that ok accepts, "" without.
func (p *adapter) first(list []string, ok func(value string) bool) string {
	for _, name := range list {
		if v := p.value(name); v != "" && ok(v) {
			return name
		}
	}
	return ""
}

func isText(v string) bool { return v[0] == '"' }
func present(string) bool  { return true }

// isList tells whether a value can be a list of tools: not the name of one, as a route has it.
func isList(v string) bool {
	body, ok := jsontext.Quoted(v)
	return !ok || strings.ContainsAny(body, "{[")
}

// says tells whether a value is a text that is not blank.
func says(v string) bool {
	body, ok := jsontext.Quoted(v)
	return ok && !jsontext.Blank(body)
}

// prompt gives the columns that hold what the user says.
func (p *adapter) prompt() ([]string, error) {
	var blank string
	for _, names := range p.asked {
		if p.first(names, isText) == "" {
			continue
		}
		if p.first(names, says) != "" {
			return names, nil
		}
		if blank == "" {
			blank = names[0]
		}
	}
	if blank == "" || p.answer() == "" {
		return nil, sdk.Decline("want a prompt column with a text")
	}
	return nil, sdk.Reject("no_prompt", blank, "want a text, have a blank one")
}

// answer gives the column that holds the answer, "" without.
func (p *adapter) answer() string {
	for _, k := range [...]struct {
		columns []string
		ok      func(string) bool
	}{{p.workflows, mentionsWorkflow}, {p.answers, present}, {p.calls, present}, {p.commands, says}} {
		if name := p.first(k.columns, k.ok); name != "" {
			return name
		}
	}
	if p.value("server") == "" {
		return ""
	}
	return p.first(p.routes, isText)
}

func (p *adapter) convert(prompt []string) error {
	answer := p.answer()
	if answer == "" {
		return sdk.Decline("want an answer column")
	}
	if name := p.first(media, jsontext.Truthy); name != "" {
		return sdk.Reject("media", name, "want a question of text alone, have other data beside it")
	}
	if err := p.before(); err != nil {
		return err
	}
	user := p.row.Add(eliza.User, 0)
	for _, name := range prompt {
		if says(p.value(name)) {
			body, _ := jsontext.Quoted(p.take(name))
			if user.Body != "" {
				user.Body += p.joiner
			}
			user.Body += body
		}
	}
	p.row.Path = answer
	return p.respond(p.row.Add(eliza.Assistant, 0))
}

// before sets tools and adds the turns before the prompt.
func (p *adapter) before() error {
	if name := p.first(p.tools, isList); name != "" {
		if err := p.row.SetTools(name, p.take(name)); err != nil {
			return err
		}
	}
	if name := p.first(p.system, says); name != "" {
		body, _ := jsontext.Quoted(p.take(name))
		p.row.Add(eliza.System, 0).Body = body
	}
	if name := p.first(p.history, present); name != "" {
		return p.earlier(name)
	}
	return nil
}

// earlier adds a history of [question, answer] pairs.
func (p *adapter) earlier(name string) error {
	c := jsontext.Cursor{Text: p.take(name)}
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
