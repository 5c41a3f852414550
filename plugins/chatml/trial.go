package chatml

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// autoTarget is the target whose rules are found by trying a chat template.
const autoTarget = "auto"

// tried caches the rules of templates, since every worker of a step asks for the same.
var tried sync.Map // of path and Python to func() (rules, error)

// try returns the rules under which a chat template shows all that rows say. It starts Python once.
func try(path, python string) (rules, error) {
	once, _ := tried.LoadOrStore(path+"\x00"+python, sync.OnceValues(func() (rules, error) {
		file, err := template.Read(path)
		if err != nil {
			return rules{}, err
		}
		r, err := template.Start(context.Background(), python, file)
		if err != nil {
			return rules{}, fmt.Errorf("%w (%s)", err, otherPython())
		}
		t := trial{renderer: r, fields: fields(file)}
		found := t.rules()
		found.renderer = r.Name
		return found, errors.Join(t.err, r.Close())
	}))
	return once.(func() (rules, error))()
}

// otherPython says how to have another Python try the template. A step sees PATH only where its host block says so.
func otherPython() string {
	const named = "another Python is named by the attribute python, which is --var python=PATH in the shipped pipelines"
	if os.Getenv("PATH") == "" {
		return named + ", or found in PATH with host { env = [\"PATH\", \"HOME\"] } in the step"
	}
	return named
}

// fields returns the members that may hold reasoning, with those that the templates name first: Transformers of earlier versions
// do not fill one from the other.
func fields(file *template.File) (all []string) {
	texts := strings.Join(slices.Collect(maps.Values(file.Templates)), "\n")
	for _, named := range []bool{true, false} {
		for _, field := range template.ReasoningFields {
			if word := regexp.MustCompile(`\b` + field + `\b`); word.MatchString(texts) == named {
				all = append(all, field)
			}
		}
	}
	return all
}

// A trial renders small conversations and compares each with its text.
type trial struct {
	renderer *template.Renderer
	fields   []string // that may hold reasoning
	tools    string   // of every row, when the template needs them
	err      error
}

// Pieces of the conversations. {A} becomes the arguments of a call, {C} for the content of a message with calls, {I} for an id.
const (
	saysSystem  = `{"role":"system","content":"Answer as a harbour pilot would."}`
	asksUser    = `{"role":"user","content":"Which ships lie at the northern quay?"}`
	asksImage   = `{"role":"user","content":[{"type":"image","path":"quay.png"},{"type":"text","text":"Which ships lie at the northern quay?"}]}`
	saysParts   = `{"role":"assistant","content":[{"type":"text","text":"Two ships lie there, both from Riga."}]}`
	asksMore    = `{"role":"user","content":"And tell me their flags."}`
	answers     = `{"role":"assistant","content":"Two ships lie there, both from Riga."}`
	answersMore = `{"role":"assistant","content":"One more arrives tonight."}`
	saysFirst   = `{"role":"assistant","content":"I will look that up."}`
	calls       = `{"role":"assistant","content":{C},"tool_calls":[` + oneCall + `]}`
	oneCall     = `{"id":"{I}1","type":"function","function":{"name":"list_ships","arguments":{A}}}`
	callsTwo    = `{"role":"assistant","content":{C},"tool_calls":[` + oneCall + `,` + otherCall + `]}`
	otherCall   = `{"id":"{I}2","type":"function","function":{"name":"read_tide","arguments":{A}}}`
	says        = `{"role":"assistant","content":"I will look that up.","tool_calls":[` + oneCall + `]}`
	saysToo     = `{"role":"assistant","content":"And the tide.","tool_calls":[` + otherCall + `]}`
	saysNext    = `{"role":"assistant","content":"And the tide."}`
	callsNext   = `{"role":"assistant","content":{C},"tool_calls":[` + otherCall + `]}`
	result      = `{"role":"tool","tool_call_id":"{I}1","name":"list_ships","content":"Daugava, Gauja"}`
	otherResult = `{"role":"tool","tool_call_id":"{I}2","name":"read_tide","content":"low at nine"}`
	shipTools   = `[` + shipTool + `,` + tideTool + `]`
	shipTool    = `{"type":"function","function":{"name":"list_ships","description":"Lists the ships at a quay.","parameters":` + quayIn + `}}`
	tideTool    = `{"type":"function","function":{"name":"read_tide","description":"Reads the tide tables.","parameters":` + quayIn + `}}`
	quayIn      = `{"type":"object","properties":{"quay":{"type":"string","description":"which quay","enum":["north","south"]},` + berthIn + `},"required":["quay"]}`
	berthIn     = `"berth":{"type":"object","properties":{"number":{"type":"integer"}}}`
	berthOrNull = `"berth":{"type":["string","null"]}`
	berthAnyOf  = `"berth":{"anyOf":[{"type":"string"},{"type":"null"}]}`
	quay        = `{"quay":"north"}`
)

// A form is a spelling of calls.
type form struct{ arguments, content, id string }

func (f form) of(piece string) string {
	return strings.NewReplacer("{A}", f.arguments, "{C}", f.content, "{I}", f.id).Replace(piece)
}

// row puts messages together, with tools unless these are "".
func row(tools string, messages ...string) string {
	row := `{"messages":[` + strings.Join(messages, ",") + `]`
	if tools != "" {
		row += `,"tools":` + tools
	}
	return row + `}`
}

// lost returns what a rendering leaves out.
func (t *trial) lost(row string) []template.Loss {
	made, err := t.renderer.Render(jsontext.JSON(row))
	if err != nil {
		t.err = errors.Join(t.err, err)
		return nil
	}
	return template.Losses(jsontext.JSON(row), made)
}

// thinks reports whether the template shows all of a row, its reasoning included.
func (t *trial) thinks(row string) bool {
	return !slices.ContainsFunc(t.lost(row), func(l template.Loss) bool { return l.Code != template.UntrainedEnd })
}

// shows reports whether the template shows all of a row, but for losses of one kind.
func (t *trial) shows(row, except string) bool {
	for _, l := range t.lost(row) {
		if l.Code != except && template.Incomplete([]template.Loss{l}) {
			return false
		}
	}
	return true
}

func (t *trial) rules() rules {
	r := rules{target: autoTarget}
	if !t.shows(row("", asksUser, answers), "") {
		t.tools, r.needsTools = shipTools, true
		if !t.shows(row(t.tools, asksUser, answers), "") {
			t.err = errors.Join(t.err, errors.New("want a template that shows a question and its answer as text"))
			return r
		}
	}
	r.alternate = !t.shows(row(t.tools, asksUser, asksMore, answers), "") || !t.shows(row(t.tools, asksUser, answers, answersMore), "")
	if !t.shows(row(t.tools, saysSystem, asksUser, answers), "") {
		r.system = "fold"
	}
	tagged := strings.Replace(saysSystem, "would.", "would, and think before </think>.", 1)
	r.switches = r.system == "" && !t.shows(row(t.tools, tagged, asksUser, answers), "")
	r.channels = !t.shows(row(t.tools, asksUser, strings.Replace(answers, "Two", "After <|channel|>final<|message|> two", 1)), "")
	r.asks = !t.shows(row(t.tools, `{"role":"user","content":"<tool_response>\nlow at nine\n</tool_response>"}`, answers), "")
	r.openEnd = slices.ContainsFunc(t.lost(row(t.tools, asksUser, answers)), func(l template.Loss) bool { return l.Code == template.UntrainedEnd })
	r.images = t.shows(row(t.tools, asksImage, saysParts), "")
	t.thoughts(&r)
	if f, ok := t.form(&r); ok {
		t.calls(&r, f)
	}
	if !r.hidesTools && !r.noTools {
		t.types(&r)
	}
	return r.orStandard()
}

// thoughts finds the member that holds reasoning, and the rule for text with </think> in it.
func (t *trial) thoughts(r *rules) {
	answer := func(more string) string {
		return row(t.tools, asksUser, `{"role":"assistant","content":"Two ships `+more+`}`)
	}
	r.reasoning = "drop"
	for _, field := range t.fields {
		if r.reasoning == "drop" && t.thinks(answer(`lie there.","`+field+`":"The quay is long."`)) {
			r.reasoning, r.field = "field", field
		}
	}
	field := r.field
	if field == "" {
		field = standard.field
	}
	switch tagged := `</think> lie there."`; {
	case t.shows(answer(tagged), ""):
	case t.shows(answer(tagged+`,"`+field+`":""`), "") && r.reasoning == "field":
		r.closeTag = "guard"
	default:
		r.closeTag = "reject"
	}
}

// form finds the spelling of calls that the template shows. It is not ok when the template shows none.
func (t *trial) form(r *rules) (form, bool) {
	text := string(jsontext.AppendString(nil, quay))
	for _, except := range []string{"", template.LostTool} {
		for _, f := range []form{
			{quay, `""`, "call_0000"}, {quay, `""`, "call0000"}, {text, `""`, "call_0000"}, {text, `""`, "call0000"},
			{quay, `null`, "call_0000"}, {quay, `null`, "call0000"}, {text, `null`, "call_0000"}, {text, `null`, "call0000"},
		} {
			if !t.shows(row(shipTools, asksUser, f.of(calls), f.of(result), answers), except) {
				continue
			}
			r.arguments, r.hidesTools, r.noContent, r.shortIDs = "object", except != "", f.content == "null", f.id == "call0000"
			if f.arguments == text {
				r.arguments = "string"
			}
			return f, true
		}
	}
	r.noCalls = t.shows(row(shipTools, asksUser, answers), "")
	r.noTools = !r.noCalls
	for _, f := range []form{{quay, `null`, "call0000"}, {text, `null`, "call0000"}} {
		kept := strings.Replace(row(shipTools, asksUser, f.of(calls), f.of(result), answers), "{", `{"nulls":true,`, 1)
		if t.shows(kept, template.LostTool) {
			r.nulled, r.noCalls, r.noTools = true, true, false
			r.hidesTools = !t.shows(kept, "")
		}
	}
	return form{}, false
}

// calls finds what a message may hold in addition to a call, given the spelling of calls.
func (t *trial) calls(r *rules, f form) {
	except := ""
	if r.hidesTools {
		except = template.LostTool
	}
	// Twice, since some templates show such text only with the first call of a conversation.
	joined := row(shipTools, asksUser, f.of(says), f.of(result), f.of(saysToo), f.of(otherResult), answers)
	apart := row(shipTools, asksUser, saysFirst, f.of(calls), f.of(result), saysNext, f.of(callsNext), f.of(otherResult), answers)
	switch {
	case t.shows(joined, except):
	case t.shows(apart, except), r.alternate: // where turns alternate, the rows that cannot be split are rejected
		r.beside = "split"
	default:
		r.beside = "reject"
	}
	if !t.shows(row(shipTools, asksUser, f.of(callsTwo), f.of(result), f.of(otherResult), answers), except) {
		r.parallel = "reject"
	}
	r.callsNeedTools = !r.needsTools && !t.shows(row("", asksUser, f.of(calls), f.of(result), answers), except)
	for _, field := range t.fields {
		thinks := strings.Replace(f.of(calls), `"tool_calls"`, `"`+field+`":"The quay is long.","tool_calls"`, 1)
		if r.reasoning == "drop" && t.thinks(row(shipTools, asksUser, thinks)) {
			r.reasoning, r.field = "field", field
		}
	}
	r.userFirst = t.text(row(shipTools, saysFirst, asksUser, answers)) == t.text(row(shipTools, strings.Replace(saysFirst, "assistant", "user", 1), asksUser, answers))
}

// types finds the rule for parameters that may be null.
func (t *trial) types(r *rules) {
	with := func(berth string) string {
		return row(strings.ReplaceAll(shipTools, berthIn, berth), asksUser, answers)
	}
	switch {
	case t.shows(with(berthOrNull), ""):
	case t.shows(with(berthAnyOf), ""):
		r.types = "anyOf"
	default:
		r.types = "reject"
	}
}

// text returns a row as the template shows it. For a row that it refuses, this is the row itself, so that no two are equal.
func (t *trial) text(row string) string {
	made, err := t.renderer.Render(jsontext.JSON(row))
	if err != nil || made.Error != "" {
		return row
	}
	return made.Text()
}

// String returns the attributes that lead to the rules, for people.
func (r rules) String() string {
	s := fmt.Sprintf("arguments = %q, reasoning = %q, text_beside_call = %q, parallel = %q", r.arguments, r.reasoning, r.beside, r.parallel)
	for _, f := range []struct {
		on   bool
		what string
	}{
		{r.field != standard.field, "reasoning as " + r.field}, {r.system == "fold", "system in the first user message"}, {r.shortIDs, "ids of nine characters"},
		{r.alternate, "turns alternate"}, {r.userFirst, "user first when there are tools"}, {r.hidesTools, "no tools shown"}, {r.noTools, "neither tools nor calls"}, {r.channels, "no marks of channels in what the assistant says"}, {r.asks, "a user turn that is no <tool_response>"}, {r.needsTools, "tools in every row"}, {r.callsNeedTools, "calls in rows with tools only"}, {r.switches, "no /think in a system message"},
		{r.noCalls, "no calls"}, {r.noContent, "null content with calls"}, {r.closeTag != "", "</think> " + r.closeTag},
		{r.types == "anyOf", "anyOf for types with null"}, {r.types == "reject", "no parameters that may be null"},
		{r.nulled, "calls show beside null content only, which Transformers takes out"},
		{r.images, "images as parts"},
		{r.openEnd, "the mask leaves out the end of a turn, so that a model does not learn to stop"},
	} {
		if f.on {
			s += "; " + f.what
		}
	}
	return s
}

// Suggest returns the attributes under which the template at path shows rows in full, the targets with the same rules, and
// what rendered the template.
func Suggest(path, python string) (renderer, attributes string, names []string, err error) {
	found, err := try(path, python)
	if err != nil {
		return "", "", nil, err
	}
	for _, t := range targets {
		same := t.rules.orStandard()
		same.target, same.openEnd, same.images = found.target, found.openEnd, found.images
		if found.noTools || found.noCalls { // there are no arguments to write
			same.arguments = found.arguments
		}
		if same.String() == found.String() {
			names = append(names, t.name)
		}
	}
	return found.renderer, found.String(), names, nil
}

// ShowsImages reports whether the template at path shows images among the parts of a message.
func ShowsImages(path, python string) bool {
	found, err := try(path, python)
	return err == nil && found.images
}
