package chatml

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// rules say how to render a row so that the family's chat template can show it.
type rules struct {
	target   string
	renderer string // what found the rules of target "auto"

	arguments  string        // "string" or "object"
	toolForm   string        // "list" or "string"
	reasoning  string        // "field", "inline" or "drop"
	media      string        // "reject" or "placeholder"
	spoken     string        // "text" or "members"
	envelope   string        // "calls", "text" or "both"
	lateSystem string        // a system message that is not at the head: "user", "merge" or "reject"
	beside     string        // text and a call in one message: "keep", "split", "drop" or "reject"
	parallel   string        // more than one call in a message: "keep", "split" or "reject"
	dangling   string        // a call of the history without a result: "reject", "drop" or "keep"
	hidden     string        // tools that the template does not show: "reject" or "drop"
	untrained  string        // an earlier answer that is not to be trained on: "count", "weight", "train" or "reject"
	join       jsontext.Body // between the text parts of one message

	field          string // the member that holds reasoning
	system         string // the system message: "first", or "fold" into the first user message
	shortIDs       bool   // call ids are nine letters and digits
	alternate      bool   // user and assistant take turns, the user begins
	hidesTools     bool   // the template shows calls and results, but not the tools on offer
	userFirst      bool   // with tools, the template shows the first turn as the user's, whatever its role
	noTools        bool   // the template shows neither tools nor calls nor results
	noCalls        bool   // the template shows tools, and neither calls nor results
	noContent      bool   // the template shows the calls of a message only when its content is null
	switches       bool   // the template takes /think and /no_think out of a system message
	channels       bool   // the template refuses marks of channels in what the assistant says or thinks
	asks           bool   // the template refuses a row in which all that the user says is marked as a tool's response
	needsTools     bool   // the template raises without tools
	callsNeedTools bool   // a row without tools is rendered by another template, or in another way, which shows neither calls nor results
	images         bool   // the template shows images among the parts of a message
	openEnd        bool   // the template marks text to train on without the mark at its end
	nulled         bool   // the template shows calls only beside null content, which Transformers takes out before
	types          string // a type of a parameter that is a list with null, or null: "anyOf" in its place, or "reject"
	closeTag       string // text with </think> is cut: "guard" with an empty reasoning field, or "reject"
}

// standard are the rules that every trainer accepts.
var standard = rules{
	arguments: "string", toolForm: "list", reasoning: "field", media: "reject", spoken: "text", envelope: "calls", lateSystem: "user", beside: "keep",
	parallel: "keep", dangling: "reject", hidden: "reject", untrained: "count", field: "reasoning_content", system: "first",
}

// orStandard returns the rules with those of standard for the empty ones.
func (r rules) orStandard() rules {
	for _, f := range []struct{ have, otherwise *string }{
		{&r.arguments, &standard.arguments}, {&r.toolForm, &standard.toolForm}, {&r.reasoning, &standard.reasoning}, {&r.media, &standard.media},
		{&r.envelope, &standard.envelope}, {&r.lateSystem, &standard.lateSystem}, {&r.beside, &standard.beside},
		{&r.parallel, &standard.parallel}, {&r.dangling, &standard.dangling}, {&r.field, &standard.field},
		{&r.system, &standard.system}, {&r.untrained, &standard.untrained}, {&r.hidden, &standard.hidden},
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
	{"qwen3.5", rules{arguments: "object", closeTag: "guard", asks: true},
		"Qwen3.5 and 3.6: iterates arguments; a system message must be first; cuts content at </think>; \"No user query found\""},
	{"llama3", rules{arguments: "object", reasoning: "drop", beside: "split", parallel: "reject", userFirst: true},
		"Llama-3.1 to 3.3: \"This model only supports single tool-calls at once!\"; drops text beside a call; tools go into the first turn (matrix)"},
	{"mistral", rules{arguments: "object", reasoning: "drop", beside: "split", shortIDs: true, alternate: true, system: "fold"},
		"Mistral-Nemo-2407: ids of nine characters, roles alternate, text beside a call is lost, a system message shows only when the last turn is the user's"},
	{"mistral-small", rules{arguments: "object", reasoning: "drop", beside: "split", shortIDs: true, alternate: true},
		"Mistral-Small-3.2-24B: as mistral, with [SYSTEM_PROMPT] for the first system message"},
	{"mistral-v7", rules{arguments: "object", reasoning: "drop", noTools: true},
		"Mistral v7 tekken as axolotl ships it: \"Only user, system and assistant roles are supported!\""},
	{"hermes", rules{arguments: "object", reasoning: "drop", beside: "split", types: "anyOf", callsNeedTools: true},
		"Hermes-2-Pro and 3: rows without tools have the default template, which shows texts alone; tool_use: text beside a call is lost (matrix); recurses without end at a parameter of type null, alone or in a list"},
	{"gemma", rules{arguments: "object", reasoning: "drop", system: "fold", alternate: true, noTools: true},
		"Gemma 2: \"System role not supported\", roles alternate, no tools"},
	{"gemma4", rules{arguments: "object", beside: "split"},
		"gemma-4-31B-it: a string is shown in braces of its own; shows text behind calls of the same message, and reasoning beside them"},
	{"deepseek", rules{arguments: "object", reasoning: "drop", closeTag: "reject", hidesTools: true},
		"DeepSeek-V3.1: arguments pass tojson; content is cut at </think>; shows no tools"},
	{"deepseek-v3", rules{arguments: "string", reasoning: "drop", beside: "split", closeTag: "reject", hidesTools: true},
		"DeepSeek-V3: joins arguments to text, an object raises; shows text beside the first call only; shows no tools"},
	{"deepseek-r1", rules{reasoning: "drop", closeTag: "reject", hidesTools: true, noCalls: true, nulled: true},
		"DeepSeek-R1 and R1-Distill: show calls only when content is null, which Transformers 5.23 takes out before, so that they raise"},
	{"gpt-oss", rules{arguments: "object", beside: "split", parallel: "reject", field: "thinking", channels: true},
		"gpt-oss-120b: marks of channels in content or thinking raise; one call a message, content and thinking beside a call raise, reasoning is thinking"},
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

// untargeted is the code of the warning about rows with calls that are for no template in particular.
const untargeted = "untargeted"

// untargetedCalls says which families do not take the calls of such rows.
func untargetedCalls() string {
	var refuse, hide []string
	for _, t := range targets {
		switch {
		case t.noTools || t.noCalls:
			hide = append(hide, t.name)
		case t.arguments == "object":
			refuse = append(refuse, t.name)
		}
	}
	some := func(names []string) string {
		const most = 3
		return fmt.Sprintf("%s and %d others", strings.Join(names[:most], ", "), len(names)-most)
	}
	return "the row has calls, with arguments as text, and is for no model in particular: the templates of " + some(refuse) +
		" refuse such arguments or encode them twice, and those of " + some(hide) + " show no calls; name the model's family in target"
}
