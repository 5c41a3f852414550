package chatml

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// rules say how to render a row so that the family's chat template can show it.
type rules struct {
	target string

	arguments  string        // "string" or "object"
	toolForm   string        // "list" or "string"
	reasoning  string        // "field", "inline" or "drop"
	media      string        // "reject" or "placeholder"
	envelope   string        // "calls", "text" or "both"
	lateSystem string        // a system message that is not at the head: "user", "merge" or "reject"
	beside     string        // text and a call in one message: "keep", "split", "drop" or "reject"
	parallel   string        // more than one call in a message: "keep", "split" or "reject"
	dangling   string        // a call of the history without a result: "reject", "drop" or "keep"
	untrained  string        // an earlier answer that is not to be trained on: "count", "weight", "train" or "reject"
	join       jsontext.Body // between the text parts of one message

	field      string // the member that holds reasoning
	system     string // the system message: "first", or "fold" into the first user message
	shortIDs   bool   // call ids are nine letters and digits
	alternate  bool   // user and assistant take turns, the user begins
	hidesTools bool   // the template shows calls and results, but not the tools on offer
	userFirst  bool   // with tools, the template shows the first turn as the user's, whatever its role
	noTools    bool   // the template shows neither tools nor calls nor results
	noCalls    bool   // the template shows tools, and neither calls nor results
	noContent  bool   // the template shows the calls of a message only when its content is null
	switches   bool   // the template takes /think and /no_think out of a system message
	needsTools bool   // the template raises without tools
	closeTag   string // text with </think> is cut: "guard" with an empty reasoning field, or "reject"
}

// standard are the rules that every trainer accepts.
var standard = rules{
	arguments: "string", toolForm: "list", reasoning: "field", media: "reject", envelope: "calls", lateSystem: "user", beside: "keep",
	parallel: "keep", dangling: "reject", untrained: "count", field: "reasoning_content", system: "first",
}

// orStandard returns the rules with those of standard for the empty ones.
func (r rules) orStandard() rules {
	for _, f := range []struct{ have, otherwise *string }{
		{&r.arguments, &standard.arguments}, {&r.toolForm, &standard.toolForm}, {&r.reasoning, &standard.reasoning}, {&r.media, &standard.media},
		{&r.envelope, &standard.envelope}, {&r.lateSystem, &standard.lateSystem}, {&r.beside, &standard.beside},
		{&r.parallel, &standard.parallel}, {&r.dangling, &standard.dangling}, {&r.field, &standard.field},
		{&r.system, &standard.system}, {&r.untrained, &standard.untrained},
	} {
		if *f.have == "" {
			*f.have = *f.otherwise
		}
	}
	return r
}

// A target is a family of models whose published chat templates agree.
type target struct {
	name string
	rules
	source string // where the rules come from
}

// targets are the families by name. Where a template shows no reasoning the target drops it, so that the loss is counted
// and not left to the template. "Matrix" is the rendering of one tool conversation through 62 published templates;
// the name of a model means its template.
var targets = []target{
	{"qwen2.5", rules{arguments: "object", reasoning: "drop"},
		"Qwen2.5-7B-Instruct: arguments pass tojson, so a string is encoded twice (matrix)"},
	{"qwen2.5-vl", rules{arguments: "object", reasoning: "drop", noTools: true},
		"Qwen2-VL and Qwen2.5-VL: show neither tools nor calls"},
	{"qwen3", rules{arguments: "object", closeTag: "guard"},
		"Qwen3-0.6B: without reasoning_content it cuts content at </think>"},
	{"qwen3-coder", rules{arguments: "object", reasoning: "drop"},
		"Qwen3-Coder: iterates arguments, a string raises"},
	{"qwen3.5", rules{arguments: "object", closeTag: "guard"},
		"Qwen3.5 and 3.6: iterates arguments; a system message must be first; cuts content at </think>"},
	{"llama3", rules{arguments: "object", reasoning: "drop", beside: "split", parallel: "reject", userFirst: true},
		"Llama-3.1 to 3.3: \"This model only supports single tool-calls at once!\"; drops text beside a call; tools go into the first turn (matrix)"},
	{"mistral", rules{arguments: "object", reasoning: "drop", beside: "split", shortIDs: true, alternate: true, system: "fold"},
		"Mistral-Nemo-2407: ids of nine characters, roles alternate, text beside a call is lost, a system message shows only when the last turn is the user's"},
	{"mistral-small", rules{arguments: "object", reasoning: "drop", beside: "split", shortIDs: true, alternate: true},
		"Mistral-Small-3.2-24B: as mistral, with [SYSTEM_PROMPT] for the first system message"},
	{"mistral-v7", rules{arguments: "object", reasoning: "drop", noTools: true},
		"Mistral v7 tekken as axolotl ships it: \"Only user, system and assistant roles are supported!\""},
	{"hermes", rules{arguments: "object", reasoning: "drop", beside: "split"},
		"Hermes-2-Pro and 3, tool_use: text beside a call is lost (matrix)"},
	{"gemma", rules{arguments: "object", reasoning: "drop", system: "fold", alternate: true, noTools: true},
		"Gemma 2: \"System role not supported\", roles alternate, no tools"},
	{"gemma4", rules{arguments: "object", beside: "split"},
		"gemma-4-31B-it: a string is shown in braces of its own; shows text behind calls of the same message, and reasoning beside them"},
	{"deepseek", rules{arguments: "object", reasoning: "drop", closeTag: "reject", hidesTools: true},
		"DeepSeek-V3.1: arguments pass tojson; content is cut at </think>; shows no tools"},
	{"deepseek-v3", rules{arguments: "string", reasoning: "drop", beside: "split", closeTag: "reject", hidesTools: true},
		"DeepSeek-V3: joins arguments to text, an object raises; shows text beside the first call only; shows no tools"},
	{"deepseek-r1", rules{arguments: "string", reasoning: "drop", beside: "split", closeTag: "reject", hidesTools: true, noContent: true},
		"DeepSeek-R1 and R1-Distill: joins arguments to text; shows calls when content is null; shows no tools"},
	{"gpt-oss", rules{arguments: "object", beside: "split", parallel: "reject", field: "thinking"},
		"gpt-oss-120b: one call a message, content and thinking beside a call raise, reasoning is thinking"},
	{"glm", rules{arguments: "object", closeTag: "guard"},
		"GLM-4.6: arguments must be a mapping; cuts content at </think>"},
	{"granite", rules{arguments: "object", reasoning: "drop"},
		"granite-4.0: takes either, an object keeps the separators of tojson"},
	{"granite3", rules{arguments: "object", reasoning: "drop", noCalls: true},
		"granite-3.3: shows tools, and no calls"},
	{"minimax-m2", rules{arguments: "object", closeTag: "guard"},
		"MiniMax-M2: a string raises (matrix); cuts content at </think>"},
	{"seed-oss", rules{arguments: "object"},
		"Seed-OSS: iterates arguments, a string raises; iterates the properties of every tool"},
	{"command-r", rules{arguments: "object", beside: "split"},
		"Command-R7B, tool_use: arguments pass tojson; shows reasoning beside a call and drops text there"},
	{"command-a", rules{arguments: "object", reasoning: "drop", alternate: true, noTools: true},
		"Command A and Cohere2 without tools: roles alternate, neither tools nor calls; command-r is for the tool_use template"},
	{"functionary", rules{arguments: "string"},
		"functionary-v3.2: takes a string only (matrix)"},
	{"phi3", rules{arguments: "object", reasoning: "drop", noTools: true},
		"Phi-3.5-mini: shows system, user and assistant text only"},
	{"plain", rules{arguments: "object", reasoning: "drop", noTools: true},
		"ChatML, Llama 3.0, Phi-4 and others that show system, user and assistant text only, in any order"},
	{"kimi-k2", rules{arguments: "object", reasoning: "drop"},
		"Kimi-K2: arguments pass tojson; shows no reasoning"},
	{"nemotron3", rules{arguments: "object"},
		"Nemotron-3: iterates arguments, a string raises"},
	{"step3.5", rules{arguments: "object", closeTag: "guard"},
		"Step-3.5-Flash: iterates arguments, a string raises"},
	{"lfm2", rules{arguments: "object", reasoning: "drop", noCalls: true},
		"LFM2: shows tools, and no calls"},
	{"lfm2.5", rules{arguments: "object"},
		"LFM2.5: a string raises"},
	{"exaone4", rules{arguments: "object", reasoning: "drop", closeTag: "reject"},
		"EXAONE-4: arguments pass tojson; cuts content at </think>"},
	{"solar", rules{arguments: "object", reasoning: "drop", beside: "split"},
		"Solar-Open: drops text beside a call"},
	{"gigachat", rules{arguments: "object", reasoning: "drop", beside: "split", parallel: "reject"},
		"GigaChat: one call a message, text beside it is lost"},
	{"smollm3", rules{arguments: "object", reasoning: "drop", noTools: true, switches: true},
		"SmolLM3-3B: shows neither tools nor calls; takes /think in a system message for a switch"},
}

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
			return rules{}, err
		}
		t := trial{renderer: r}
		found := t.rules()
		return found, errors.Join(t.err, r.Close())
	}))
	return once.(func() (rules, error))()
}

// A trial renders small conversations and compares each with its text.
type trial struct {
	renderer *template.Renderer
	tools    string // of every row, when the template needs them
	err      error
}

// Pieces of the conversations. {A} stands for the arguments of a call, {C} for the content of a message with calls, {I} for an id.
const (
	saysSystem  = `{"role":"system","content":"Answer as a harbour pilot would."}`
	asksUser    = `{"role":"user","content":"Which ships lie at the northern quay?"}`
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
	quayIn      = `{"type":"object","properties":{"quay":{"type":"string","description":"which quay"}},"required":["quay"]}`
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

// shows reports whether the template shows all of a row, but for losses of one kind.
func (t *trial) shows(row, except string) bool {
	for _, l := range t.lost(row) {
		if l.Code != except && l.Code != template.LostReasoning {
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
	t.thoughts(&r)
	if f, ok := t.form(&r); ok {
		t.calls(&r, f)
	}
	return r.orStandard()
}

// thoughts finds the member that holds reasoning, and the rule for text with </think> in it.
func (t *trial) thoughts(r *rules) {
	answer := func(more string) string {
		return row(t.tools, asksUser, `{"role":"assistant","content":"Two ships `+more+`}`)
	}
	r.reasoning = "drop"
	for _, field := range []string{"reasoning_content", "thinking"} {
		if r.reasoning == "drop" && len(t.lost(answer(`lie there.","`+field+`":"The quay is long."`))) == 0 {
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
	for _, field := range []string{"reasoning_content", "thinking"} {
		thinks := strings.Replace(f.of(calls), `"tool_calls"`, `"`+field+`":"The quay is long.","tool_calls"`, 1)
		if r.reasoning == "drop" && len(t.lost(row(shipTools, asksUser, thinks))) == 0 {
			r.reasoning, r.field = "field", field
		}
	}
	r.userFirst = t.text(row(shipTools, saysFirst, asksUser, answers)) == t.text(row(shipTools, strings.Replace(saysFirst, "assistant", "user", 1), asksUser, answers))
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
		{r.alternate, "turns alternate"}, {r.userFirst, "user first when there are tools"}, {r.hidesTools, "no tools shown"}, {r.noTools, "neither tools nor calls"}, {r.needsTools, "tools in every row"}, {r.switches, "no /think in a system message"},
		{r.noCalls, "no calls"}, {r.noContent, "null content with calls"}, {r.closeTag != "", "</think> " + r.closeTag},
	} {
		if f.on {
			s += "; " + f.what
		}
	}
	return s
}

// Suggest returns the attributes under which the template at path shows rows in full, and the targets with the same rules.
func Suggest(path, python string) (attributes string, names []string, err error) {
	found, err := try(path, python)
	if err != nil {
		return "", nil, err
	}
	for _, t := range targets {
		same := t.rules.orStandard()
		same.target = found.target
		if same.String() == found.String() {
			names = append(names, t.name)
		}
	}
	return found.String(), names, nil
}
