// Package pair reads records of one question and one answer in columns, and writes eliza_native_v1 rows: Alpaca with
// its variants, Dolly, xLAM, BFCL, function pairs, MCP flows and routes, terminal commands, reasoning pairs, n8n workflows.
//
// A record is a pair when it has no key of a conversation (format, schema, messages, conversations, ...; null
// does not count), a prompt column holds a string, and an answer column is there. A preset names these
// columns. A record with a boolean label rates its answer and is no pair either.
package pair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/ask"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "pair".
var Plugin = build.Adapter{
	Name: "pair",
	Doc:  "reads records of one question and one answer in columns and writes eliza_native_v1 rows",
	Args: config{},
	Codes: map[string]string{
		"bad_answer":   "the answer is neither text nor calls, or there are not as many as questions; name other columns in answer",
		"bad_choice":   "the column that says which choice is right names none of them, or may name two; correct it where it was made, or leave it out",
		"bad_context":  ask.Codes["bad_context"],
		"bad_history":  "the history is not a list of pairs; choose another preset, or correct the row",
		"bad_message":  "a message of the question has no role or no text; correct it where it was made, or leave it out",
		"bad_workflow": "the answer holds no workflow that can be read; correct it where it was made, or leave it out",
		"no_answer":    "the answer is blank, so there is nothing to train on",
		"no_prompt":    "the question is blank; name other columns in prompt, or leave the row out",
		"rated_texts":  "the answer is a number, beside texts that are not read and that it seems to rate; name the columns in prompt and answer",
		"undesired":    "the label says that the answer is wrong; leave the row out, or name the column otherwise where it is a class",
		"two_prompts":  ask.Codes["two_prompts"],
	},
	New: open,
}.Plugin()

type config struct {
	Preset string   `hcl:"preset,optional" doc:"reads the columns of one family only" example:"\"alpaca\""`
	Prompt []string `hcl:"prompt,optional" doc:"columns of the question, in order; a+b joins two by the joiner, a line break when it is empty" example:"[\"instruction+input\"]"`
	Answer []string `hcl:"answer,optional" doc:"columns of the answer, in order" example:"[\"output\"]"`
	Tools  []string `hcl:"tools,optional" doc:"columns of the tools, in order" example:"[\"tools\"]"`
	Media  string   `hcl:"media,optional" oneof:"reject keep" doc:"rows with columns of images, videos or audio; keep puts them into the question"`
	build.Options
}

func open(a sdk.Args) (build.ReadFunc, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	s, err := build.Preset(a, cfg.Preset, presets)
	if err != nil {
		return nil, err
	}
	s.isOpen = cfg.Prompt == nil && cfg.Preset == ""
	s.prompts, s.answers, s.tools = build.Given(cfg.Prompt, s.prompts), build.Given(cfg.Answer, s.answers), build.Given(cfg.Tools, s.tools)
	columns := s.columns(jsontext.BodyOf(cmp.Or(cfg.Joiner, s.joiner, "\n")))
	columns.decline(s)
	return func(record jsontext.JSON, row *build.Builder) error {
		p := adapter{columns: columns, row: row}
		row.PlacesMedia = cfg.Media == "keep"
		if err := p.scan(record); err != nil {
			return err
		}
		if p.isBFCL() {
			return p.bfcl()
		}
		return p.convert()
	}, nil
}

// An adapter reads one record, whose members the row keeps until a turn takes them.
type adapter struct {
	*columns
	row     *build.Builder
	renamed int    // how many columns were looked up in lower case
	null    string // the last column of answers that holds null
}

// scan reads the record once, and stops at the first key that belongs to another shape.
func (p *adapter) scan(record jsontext.JSON) error {
	if record.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	for key, value := range record.Members() {
		switch {
		case value == "null":
			if slices.Contains(p.answers, key) {
				p.null = key
			}
		case p.foreign[key]:
			return sdk.Decline("want a pair without a conversation")
		default:
			p.row.Keep(p.nameOf(record, key), value)
		}
	}
	if label := p.value("label"); label == "true" || label == "false" {
		return sdk.Decline("want no rating of the answer")
	}
	return nil
}

// maxRenamed is how many columns of a record may have names in capitals.
const maxRenamed = 50

// nameOf returns the name by which a column is read: in lower case where that is one that the adapter knows and the record has no
// other, as in Question and Answer.
func (p *adapter) nameOf(record jsontext.JSON, key string) string {
	if !p.isOpen || key == "" || key[0] < 'A' || key[0] > 'Z' || len(key) > longName {
		return key
	}
	lower := strings.ToLower(key)
	if p.renamed++; !p.known[lower] || p.renamed > maxRenamed || record.Get(lower) != "" {
		return key
	}
	return lower
}

// value returns the value of a column, "" without.
func (p *adapter) value(column string) jsontext.JSON { return p.row.Kept(column) }

// take returns the value of a column for a turn, and takes it out of the metadata.
func (p *adapter) take(column string) jsontext.JSON {
	value := p.row.Kept(column)
	p.row.Forget(column)
	return value
}

// first returns the first column of a list that holds something that ok accepts, "" for none.
func (p *adapter) first(columns []string, ok func(value jsontext.JSON) bool) string {
	for _, c := range columns {
		if v := p.value(c); v != "" && ok(v) {
			return c
		}
	}
	return ""
}

func isText(v jsontext.JSON) bool { return v[0] == '"' }
func present(jsontext.JSON) bool  { return true }

// isList reports whether a value can be a list of tools, and not the name of one, as in a route.
func isList(v jsontext.JSON) bool {
	body, ok := v.Quoted()
	return !ok || strings.ContainsAny(string(body), "{[")
}

// says reports whether a value is a text with more than blanks.
func says(v jsontext.JSON) bool {
	body, ok := v.Quoted()
	return ok && !body.Blank()
}

// convert fills the conversation of a pair.
func (p *adapter) convert() error {
	prompt, err := p.prompt()
	if err != nil {
		return err
	}
	answer, shape := p.answer(prompt.choices)
	switch {
	case answer != "":
	case p.null != "":
		return sdk.Decline("want an answer, have null in " + p.null)
	default:
		return p.noAnswer
	}
	if c := p.first(media, jsontext.JSON.Truthy); c != "" && !p.row.PlacesMedia {
		return sdk.Reject("media", c, "want a question without media: media = \"keep\" puts them into it")
	}
	if shape != chosenShape && p.value("label") == "0" { // of a wrong answer, as in WikiQA
		return sdk.Reject("undesired", "label", "want a desired answer, have the label 0")
	}
	p.row.Path, p.row.Shape = answer, shape
	if err := p.before(); err != nil {
		return err
	}
	asked := p.ask(prompt)
	if isPlay(string(asked)) {
		p.row.Count("loss.roles", 1)
	}
	p.row.Add(canonical.User, 0).Body = asked
	if shape == chosenShape {
		return p.choose(p.row.Add(canonical.Assistant, 0), prompt.choices)
	}
	return p.respond(p.row.Add(canonical.Assistant, 0))
}

// isPlay reports whether the body of a question is a conversation written as a text, of which the user's turn keeps the roles as
// words.
func isPlay(body string) bool {
	for _, mark := range renderedMarks {
		if strings.HasPrefix(body, mark) {
			return true
		}
	}
	for _, role := range []string{"system:", "developer:", "user:", "System:", "User:", "Human:"} {
		if strings.HasPrefix(body, role) {
			return strings.Contains(body, `\nuser:`) || strings.Contains(body, `\nassistant:`) ||
				strings.Contains(body, `\nUser:`) || strings.Contains(body, `\nAssistant:`)
		}
	}
	return false
}

// renderedMarks begin the prompts that chat templates write.
var renderedMarks = []string{
	"<|im_start|>", "<|start_header_id|>", "<|begin_of_text|>", "<start_of_turn>", "<bos><start_of_turn>", "[INST]", "<s>[INST]",
}

// chosenShape is the shape of a question with choices.
const chosenShape = "choice"

// answer returns the column that holds the answer, "" for none, and its kind.
func (p *adapter) answer(c choices) (column, shape string) {
	if c.key != "" {
		return c.key, chosenShape
	}
	kinds := [...]struct {
		shape   string
		columns []string
		ok      func(jsontext.JSON) bool
	}{
		{"workflow", p.workflows, mentionsWorkflow}, {"answer", []string{p.answerColumn()}, present}, {"calls", p.calls, present},
		{"command", p.commands, says}, {"route", p.routes, isText},
	}
	for _, k := range kinds {
		if c := p.first(k.columns, k.ok); c != "" && (k.shape != "route" || p.value("server") != "") {
			return c, k.shape
		}
	}
	return "", ""
}

// before sets tools and adds the turns before the prompt.
func (p *adapter) before() error {
	if c := p.first(p.tools, isList); c != "" {
		if err := p.row.SetTools(c, p.take(c)); err != nil {
			return err
		}
	}
	if c := p.first(p.system, says); c != "" {
		p.row.Add(canonical.System, 0).Body = p.take(c).Body()
	}
	if c := p.first(p.history, present); c != "" {
		return p.earlier(c, p.take(c))
	}
	return nil
}

// seenPair says what is in place of a pair of texts.
func seenPair(pair jsontext.JSON, texts []jsontext.JSON) string {
	if len(texts) > 2 {
		return fmt.Sprintf("an array of %d", len(texts))
	}
	for _, text := range texts {
		if text != "null" && text.Kind() != '"' {
			return "an array with " + jsontext.Describe(text)
		}
	}
	return jsontext.Describe(pair)
}

// earlier adds a history of [question, answer] pairs, either of which may be null.
func (p *adapter) earlier(name string, pairs jsontext.JSON) error {
	if pairs.Kind() != '[' {
		return sdk.Reject("bad_history", name, "want an array of pairs, have %s", jsontext.KindName(pairs.Kind()))
	}
	for i, pair := range pairs.Elements() {
		texts := pair.List()
		isPair := len(texts) == 1 || len(texts) == 2
		if !isPair || slices.ContainsFunc(texts, func(v jsontext.JSON) bool { return v != "null" && v[0] != '"' }) {
			return sdk.Reject("bad_history", name, "want a pair of texts at element %d, have %s", i, seenPair(pair, texts))
		}
		for n, role := range []canonical.Role{canonical.User, canonical.Assistant}[:len(texts)] {
			if texts[n] != "null" {
				p.row.Add(role, i).Body = texts[n].Body()
			}
		}
	}
	return nil
}
