package pair

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/ask"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A shape maps the columns of a record. Of the columns in a list, the first that is not empty counts.
type shape struct {
	prompts   []string // the user's turn; "a+b" joins the columns a and b
	answers   []string // the assistant's turn: a text, a number, or calls in one of their spellings
	calls     []string // a call, a list of calls, or JSON of either in a string
	commands  []string // a shell command, with the columns cwd and explanation
	routes    []string // the name of a tool, with the columns server and arguments
	workflows []string // an n8n workflow, as an object or in a text
	tools     []string
	reasoning []string
	system    []string
	history   []string // earlier turns, as pairs
	joiner    string   // between joined columns; a line break by default
	isOpen    bool     // the question may be in any columns that ask or are material
}

// anyShape is the shape without a preset.
var anyShape = shape{
	prompts:   slices.Concat(ask.Questions, ask.Alone),
	answers:   []string{"output", "response", "completion", "answer", "answers", "solution", "output_text", "generation", "generated_solution"},
	calls:     []string{"function_call", "tool_calls"},
	commands:  []string{"command"},
	routes:    []string{"tool"},
	workflows: []string{"workflow_json", "json", "value"},
	tools:     []string{"tools", "functions", "tool", "tool_definitions"},
	reasoning: []string{"reasoning", "reasoning_content", "thinking", "thought", "chain_of_thought", "complex_cot", "cot"},
	system: []string{
		"system", "system_prompt", "systemPrompt", "system_message", "systemMessage", "system_instruction", "systemInstruction", "custom_instructions",
	},
	history: []string{"history"},
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

// conversations are the keys of other shapes: a record with one of them is no pair, whatever else it has.
var conversations = []string{
	"format", "schema", "messages", "conversations", "conversation", "dialogue", "dialog", "trajectory", "chat", "contents",
	"steps", "stages", "chosen", "rejected", "expectedResponse", "currentMessage",
}

// media are columns with data that a text row cannot hold.
var media = []string{"image", "images", "video", "videos", "audio", "audios"}

// longName is how long the name of a column may be that is read in lower case.
const longName = 40

// columns index the columns of a shape by name.
type columns struct {
	shape
	asked    [][]string      // alternatives, each joined
	between  jsontext.Body   // of joined columns
	known    map[string]bool // the columns that may be read
	noAnswer error           // declines a record
	noPrompt error           // likewise
	foreign  map[string]bool // the keys that make a record another shape's: those of conversations that are no columns of this one
}

// decline makes the errors that decline a record without a question or an answer. They name the first columns that are looked for.
func (c *columns) decline(s shape) {
	const most = 6
	prompts := slices.Concat(c.asked...)
	if s.isOpen {
		prompts = ask.Questions
	}
	c.noPrompt = sdk.Decline("want a prompt column with a text, such as " + strings.Join(prompts[:min(len(prompts), most)], ", "))
	c.noAnswer = sdk.Decline("want an answer column, such as " + strings.Join(s.answers[:min(len(s.answers), most)], ", "))
}

func (s shape) columns(between jsontext.Body) *columns {
	c := &columns{shape: s, between: between, known: map[string]bool{}, foreign: map[string]bool{}}
	for _, key := range conversations {
		c.foreign[key] = true
	}
	for _, alternative := range s.prompts {
		c.asked = append(c.asked, strings.Split(alternative, "+"))
	}
	for _, list := range append(c.asked, s.answers, s.calls, s.commands, s.routes, s.workflows, s.tools, s.reasoning, s.system, s.history) {
		for _, column := range list {
			delete(c.foreign, column)
			c.known[column] = true
		}
	}
	for _, column := range ask.Material {
		c.known[column] = true
	}
	return c
}
