package pair

import (
	"strings"
)

// A shape says which columns of a record hold what. Of the columns in a list, the first that says something counts.
type shape struct {
	prompts   []string // what the user says; "a+b" joins the columns a and b
	answers   []string // what the assistant says: a text, a number, or calls in one of their spellings
	calls     []string // a call, a list of calls, or JSON of either in a string
	commands  []string // a shell command, with the columns cwd and explanation beside it
	routes    []string // the name of a tool, with the columns server and arguments beside it
	workflows []string // an n8n workflow, as an object or in a text
	tools     []string
	reasoning []string
	system    []string
	history   []string // earlier turns, as pairs
	joiner    string   // between joined columns; a line break unless it says otherwise
}

// anyShape is what the plugin reads without a preset.
var anyShape = shape{
	prompts:   []string{"instruction+input+context", "source_instruction", "query", "prompt", "question", "problem", "input", "input_text", "key"},
	answers:   []string{"output", "response", "completion", "answer", "answers", "solution", "output_text"},
	calls:     []string{"function_call", "tool_calls"},
	commands:  []string{"command"},
	routes:    []string{"tool"},
	workflows: []string{"workflow_json", "json", "value"},
	tools:     []string{"tools", "functions", "tool"},
	reasoning: []string{"reasoning", "reasoning_content", "thinking", "thought", "chain_of_thought"},
	system:    []string{"system", "system_prompt"},
	history:   []string{"history"},
}

// presets are the shapes that people know by name. A preset reads its own columns only.
var presets = map[string]shape{
	"": anyShape,
	"alpaca": {
		prompts: []string{"instruction+input"}, answers: []string{"output", "response"},
		system: []string{"system"}, history: []string{"history"}, reasoning: anyShape.reasoning,
	},
	"dolly": {
		prompts: []string{"instruction+context"}, answers: []string{"response"},
	},
	"bfcl": {}, // its own columns: question, function, ground_truth
	"xlam": {
		prompts: []string{"query"}, answers: []string{"answers"}, tools: []string{"tools"}, system: []string{"system"},
	},
	"functions-53k": {
		prompts: []string{"prompt", "input"}, answers: []string{"completion", "output"}, tools: []string{"functions"},
	},
	"toolhop": {
		prompts: []string{"question", "query"}, answers: []string{"answer"}, tools: []string{"functions", "tools"},
	},
	"mcp-flow": {
		prompts: []string{"source_instruction", "instruction"}, calls: []string{"function_call"}, tools: []string{"tools", "tool"},
	},
	"mcp-routing": {
		prompts: []string{"query", "input", "instruction"}, routes: []string{"tool"},
	},
	"phi3": {
		prompts: []string{"instruction+input"}, answers: []string{"output", "response", "completion"}, tools: []string{"tools"},
		joiner: "\n\n",
	},
	"terminal-corpus": {
		prompts: []string{"instruction"}, commands: []string{"command"},
	},
	"reasoning-cot": {
		prompts: []string{"prompt", "instruction", "input"}, answers: []string{"response", "output", "completion"},
		reasoning: anyShape.reasoning, system: []string{"system"},
	},
	"n8n-workflow": {
		prompts: []string{"instruction+input", "prompt", "query", "key"}, workflows: []string{"workflow_json", "json", "value", "output", "response", "completion"},
		system: []string{"system"},
	},
	"ms-swift": {
		prompts:   []string{"query", "prompt", "input", "instruction", "question", "problem"},
		answers:   []string{"response", "answer", "output", "targets", "target", "answer_key", "answers", "solution", "text", "completion", "content"},
		system:    []string{"system", "system_prompt"},
		history:   []string{"history"},
		tools:     []string{"tools"},
		reasoning: anyShape.reasoning,
	},
}

// foreign are the keys of other shapes: a record with one of them is no pair, whatever else it has.
var foreign = []string{
	"format", "schema", "messages", "conversations", "conversation", "dialogue", "dialog", "trajectory", "chat", "contents",
	"steps", "stages", "chosen", "rejected", "expectedResponse", "currentMessage",
}

// media are columns with what a text row cannot hold.
var media = []string{"image", "images", "video", "videos", "audio", "audios"}

// A column is one that a shape reads: its name, and where its value is kept.
type column struct {
	name string
	at   int
}

const isForeign = -1

// slots are the columns of a shape.
type slots struct {
	prompts                                                                        [][]column // alternatives, each joined
	answers, calls, commands, routes, workflows, tools, reasoning, system, history []column
	media                                                                          []column
	cwd, explanation, server, arguments, label                                     column
	question, function, truth                                                      column // of BFCL

	numbers map[string]int // of all names; isForeign for the keys of other shapes
	n       int
}

// columns numbers the columns of the shape.
func (s shape) columns() *slots {
	t := &slots{numbers: map[string]int{}}
	for _, name := range foreign {
		t.numbers[name] = isForeign
	}
	for _, alternative := range s.prompts {
		t.prompts = append(t.prompts, t.list(strings.Split(alternative, "+")))
	}
	t.answers, t.calls, t.commands, t.routes, t.workflows = t.list(s.answers), t.list(s.calls), t.list(s.commands), t.list(s.routes), t.list(s.workflows)
	t.tools, t.reasoning, t.system, t.history, t.media = t.list(s.tools), t.list(s.reasoning), t.list(s.system), t.list(s.history), t.list(media)
	t.cwd, t.explanation, t.server = t.column("cwd"), t.column("explanation"), t.column("server")
	t.arguments, t.label = t.column("arguments"), t.column("label")
	t.question, t.function, t.truth = t.column("question"), t.column("function"), t.column("ground_truth")
	return t
}

func (t *slots) list(names []string) (list []column) {
	for _, name := range names {
		list = append(list, t.column(name))
	}
	return list
}

func (t *slots) column(name string) column {
	at, ok := t.numbers[name]
	if !ok || at == isForeign {
		at = t.n
		t.numbers[name] = at
		t.n++
	}
	return column{name, at}
}
