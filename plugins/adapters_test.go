package plugins_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/sjson"

	"github.com/sluicehq/sluice/plugins/bootstrap"
	chattext "github.com/sluicehq/sluice/plugins/chat-text"
	"github.com/sluicehq/sluice/plugins/chatml"
	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/plugins/pair"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// cases are recorded inputs and outputs of the Python adapters, in a folder next to the repository.
const cases = "../../shared/cases/adapter-cases.jsonl"

// A step does what a function of the existing tooling does.
type step struct {
	plugin sdk.Plugin
	args   string
}

// steps are by function, or by function/case where that is another shape.
var steps = map[string]step{
	"hermes_fc":                {messages.Plugin, `{"preset":"hermes_fc"}`},
	"sharegpt_tool_calls":      {messages.Plugin, `{"preset":"sharegpt_tool_calls"}`},
	"qwen36_trajectory":        {messages.Plugin, `{"preset":"qwen36_trajectory"}`},
	"dolci_instruct":           {messages.Plugin, `{"preset":"dolci_instruct"}`},
	"bitagent":                 {messages.Plugin, `{"preset":"bitagent"}`},
	"mobile_actions":           {messages.Plugin, `{"preset":"mobile_actions"}`},
	"nemotron_rl_tool_use":     {messages.Plugin, `{"preset":"nemotron_rl_tool_use"}`},
	"mcp_messages":             {messages.Plugin, `{"preset":"mcp_messages","target":"each"}`},
	"agent_trove":              {messages.Plugin, `{"preset":"agent_trove"}`},
	"terminal_corpus":          {messages.Plugin, `{"preset":"terminal_corpus"}`},
	"claude_distill":           {messages.Plugin, `{"preset":"claude_distill"}`},
	"nubilio_trajectories":     {messages.Plugin, `{"preset":"nubilio_trajectories"}`},
	"convert_hermes":           {messages.Plugin, `{"preset":"hermes_fc","target":"each"}`},
	"convert_openclaw":         {messages.Plugin, `{"preset":"openclaw"}`},
	"scambench_passthrough":    {elizarecord.Plugin, `{"prompt":"none"}`},
	"native_record_from_eliza": {elizarecord.Plugin, `{"prompt":"none"}`},
	"build_together_record":    {elizarecord.Plugin, `{}`},
	"mcp_messages/phi3-dsl":    {pair.Plugin, `{"preset":"phi3"}`}, "terminal_corpus/pair": {pair.Plugin, `{"preset":"terminal_corpus"}`},
	"functions_53k": {pair.Plugin, `{"preset":"functions_53k"}`}, "toolhop": {pair.Plugin, `{"preset":"toolhop"}`},
	"mcp_flow": {pair.Plugin, `{"preset":"mcp_flow"}`}, "mcp_routing": {pair.Plugin, `{"preset":"mcp_routing"}`},
	"reasoning_cot": {pair.Plugin, `{"preset":"reasoning_cot"}`}, "n8n_workflow": {pair.Plugin, `{"preset":"n8n_workflow"}`},
	"convert_xlam":    {pair.Plugin, `{"preset":"xlam"}`},
	"chatml_text":     {chattext.Plugin, `{"preset":"chatml_text"}`},
	"open_paws_llama": {chattext.Plugin, `{"preset":"open_paws_llama"}`}, "noesis_text": {chattext.Plugin, `{"preset":"noesis_text"}`},
	"glaive_fc": {chattext.Plugin, `{"preset":"glaive_fc"}`}, "glaive_fc_reasoning": {chattext.Plugin, `{"preset":"glaive_fc_reasoning"}`},
	"convert_hermes/glaive":                         {chattext.Plugin, `{"preset":"glaive_fc","target":"each"}`},
	"convert_hermes/glaive-nested-args-lost":        {chattext.Plugin, `{"preset":"glaive_fc","target":"each"}`},
	"convert_hermes/glaive-apostrophe-in-args-lost": {chattext.Plugin, `{"preset":"glaive_fc","target":"each"}`},
	"bootstrap.convert_row":                         {bootstrap.Plugin, ""},
	"eliza_native_passthrough":                      {native.Plugin, ""}, "examples_from_record": {native.Plugin, ""},
	"format_record":    {chatml.Plugin, ""},
	"light_multilight": {messages.Plugin, ""},
}

// explained are the cases whose outcome is not that of the Python adapters, with the defect of theirs that it avoids:
//
//	P1 tool-call parts of the AI SDK are ignored
//	P2 arguments that are no JSON become {}
//	P3 a row that declares a format and fails is tried as another shape
//	P4 a planner's envelope in the text repeats the calls of the row
//	P5 calls and results are not paired, and ids repeat
//	P6 contents and ids have Python's spelling of values
//	P7 tools' entries in the memory of a flat row are left out, and its order is broken
//	P8 a planner's envelope is trained as text where it is a call
//	P9 calls between tags are trained as text, and end marks stay
//	P10 arguments in strings, or nested ones, are lost
//	P11 a mark within a word splits the text
//	P12 the split, the quality and the thought are dropped
//	N1 an invented system prompt or thought replaces none, or the row's own
//	N2 an answer is left out or cut for how it opens
//	N3 a plain answer is refused for the task its row is labelled with
//	N4 a row is cut at a tool's result, which becomes a word of the user, and the call before it is lost
//	N5 a plain answer is written down as text and as a call of REPLY, though no action was named
//	N6 an answer in the form that its own instructions ask for is rewritten as a call that they do not offer
//	N7 an answer is rewritten: members are renamed, or added with empty values
//	N8 one explanation is trained twice, as the thought and as an argument
var explained = map[string]string{
	"bitagent/tool-call-role":                                                      "P5, P6",
	"nemotron_rl_tool_use/expected-action":                                         "P10",
	"mcp_messages/per-assistant-turn":                                              "N4",
	"agent_trove/json-shell":                                                       "N6",
	"agent_trove/envelope-without-commands-is-trace":                               "N6: the thought repeats what the answer says",
	"agent_trove/bash-fence":                                                       "N6",
	"claude_distill/verbatim":                                                      "N1",
	"nubilio_trajectories/xml-response":                                            "N6",
	"convert_hermes/xml-tool-call":                                                 "N1, P9",
	"convert_hermes/trope-dropped":                                                 "N1, N2",
	"convert_hermes/leading-newlines-before-think-corrupt-text":                    "N1, P10",
	"convert_openclaw/assistant-turns-lost-from-context":                           "N1, P10, P4",
	"hermes_fc/sdk-parts-lose-tool-call":                                           "P1",
	"hermes_fc/parallel-calls":                                                     "P10: arguments that are no JSON are rejected, not emptied",
	"native_record_from_eliza/tasks-action-not-unwrapped":                          "P8, P12",
	"native_record_from_eliza/reply-json":                                          "N5, P12",
	"native_record_from_eliza/reply-actions-string-list-ignored":                   "P8, P12: the text goes with the call alone",
	"native_record_from_eliza/evaluator":                                           "N7",
	"native_record_from_eliza/plain-text-reply":                                    "N5",
	"native_record_from_eliza/plain-text-tool_call-rejected":                       "N3",
	"native_record_from_eliza/unknown-normalizer":                                  "N5",
	"native_record_from_eliza/ignore-string-action-becomes-reply":                  "P8, P12",
	"native_record_from_eliza/ignore-string-action-no-text-falls-back-to-raw-json": "P8, P12",
	"native_record_from_eliza/multi-context-list-json-array":                       "N5",
	"native_record_from_eliza/sub-planner":                                         "N7",
	"build_together_record/collapse":                                               "P7: tool memory stays a result, in its place; actions are tools",
	"glaive_fc/chat-string":                                                        "P9, P10: tools and calls stay in the text, an end mark in the answer",
	"glaive_fc/A-colon-marker-splits-words":                                        "P11",
	"terminal_corpus/pair":                                                         "N8",
	"n8n_workflow/pair":                                                            "N1: a thought and a text made from a template",
	"convert_xlam/row":                                                             "N1",
	"convert_hermes/glaive":                                                        "N1, P10: a call stays in the context as text",
	"convert_hermes/glaive-nested-args-lost":                                       "N1, P10",
	"convert_hermes/glaive-apostrophe-in-args-lost":                                "P2, P10: arguments that are no JSON are rejected, not emptied",
	"bootstrap.convert_row/tasks-action-not-unwrapped":                             "P8",
	"bootstrap.convert_row/plain-text-reply":                                       "P4",
	"bootstrap.convert_row/ignore-string-action-becomes-reply":                     "P4",
	"scambench_passthrough/ignore":                                                 "P8: the actions on offer become tools",
	"eliza_native_passthrough/text-row":                                            "P3: the request's own system text is lost",
	"light_multilight/episode":                                                     "N1: decisions and reasons that no speaker gave; the row is declined",
}

// TestReference compares what becomes of each recorded case as a conversation: system, turns, calls, tools and the
// answer. What differs must be explained, and what is explained must differ.
func TestReference(t *testing.T) {
	file, err := os.Open(filepath.FromSlash(cases))
	if err != nil {
		t.Skipf("the recorded cases of the Python adapters are absent: %v", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c recorded
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		name := c.Fn + "/" + c.Name
		s, ok := steps[name]
		if !ok {
			s, ok = steps[c.Fn]
		}
		if !ok {
			t.Errorf("want a step for %s, have none", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			diff := cmp.Diff(c.outlines(t), run(t, s, c.inputs()))
			switch defect := explained[name]; {
			case diff != "" && defect == "":
				t.Errorf("want the reference's outcome or an explanation (-reference +have):\n%s", diff)
			case diff == "" && defect != "":
				t.Errorf("want no explanation, have %q and the same outcome", defect)
			}
		})
	}
}

type recorded struct {
	Fn, Name        string
	Input, Expected json.RawMessage
}

// inputs returns the rows that a case begins with: one, a list, or one with its source.
func (c recorded) inputs() []string {
	var wrapped struct{ Record json.RawMessage }
	if json.Unmarshal(c.Input, &wrapped) == nil && wrapped.Record != nil {
		return []string{string(wrapped.Record)}
	}
	return list(c.Input)
}

func list(value json.RawMessage) (rows []string) {
	var many []json.RawMessage
	if json.Unmarshal(value, &many) != nil {
		many = []json.RawMessage{value}
	}
	for _, m := range many {
		rows = append(rows, string(m))
	}
	return rows
}

func run(t *testing.T, s step, rows []string) (out []outline) {
	results, _ := sdktest.Run(t, s.plugin, s.args, rows...)
	for _, r := range results {
		for _, row := range r.Emitted {
			out = append(out, outlineOf(t, row)...)
		}
	}
	return out
}

func (c recorded) outlines(t *testing.T) (out []outline) {
	for _, row := range list(c.Expected) {
		out = append(out, outlineOf(t, row)...)
	}
	return out
}

// An outline is a conversation without its spelling.
type outline struct {
	System  string
	Turns   []string // "user: hi"
	Thought string
	Text    string
	Calls   []string // "name {args}"
	Tools   []string
}

// A row is an outcome in any shape: canonical, flat, ChatML, of a stage, or one of these under record.
type row struct {
	Format, Schema   string
	ExpectedResponse *string
	Record           json.RawMessage

	Request struct {
		System   string
		Messages []message
		Tools    []any
	}
	Response answer

	Messages []message
	Tools    []any
	Output   struct {
		Planner    *answer
		Evaluation json.RawMessage
	}
}

type answer struct {
	Text, Reasoning string
	ToolCalls       []call
}

type message struct {
	Role, Content string
	ToolCalls     []call `json:"tool_calls"`
}

type call struct {
	ToolName, Name string
	Input, Args    any
	Function       struct {
		Name      string
		Arguments any
	}
}

// outlineOf reads a row. A flat one is read as its adapter reads it; null is none.
func outlineOf(t *testing.T, text string) []outline {
	t.Helper()
	var r row
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	switch {
	case text == "null":
		return nil
	case r.Record != nil:
		return run(t, step{messages.Plugin, ""}, []string{string(r.Record)})
	case r.ExpectedResponse != nil:
		said, _ := sjson.Delete(text, "availableActions") // which the reference gives every flat row
		return run(t, step{elizarecord.Plugin, `{"prompt":"none","reply":"text","orphan_results":"tool"}`}, []string{said})
	case r.Format == canonical.Format:
	case r.Output.Planner != nil:
		r.Request.Messages, r.Request.Tools, r.Response = r.Messages, r.Tools, *r.Output.Planner
	case r.Schema != "":
		r.Request.Messages, r.Request.Tools, r.Response = r.Messages, r.Tools, answer{Text: string(r.Output.Evaluation)}
	default: // ChatML
		last := r.Messages[len(r.Messages)-1]
		r.Request.Messages, r.Request.Tools, r.Response = r.Messages[:len(r.Messages)-1], r.Tools, answer{Text: last.Content, ToolCalls: last.ToolCalls}
	}
	o := outline{System: r.Request.System, Text: r.Response.Text, Thought: r.Response.Reasoning, Calls: spell(r.Response.ToolCalls), Tools: toolNames(r.Request.Tools)}
	for _, m := range r.Request.Messages {
		o.Turns = append(o.Turns, strings.Join(append([]string{m.Role + ": " + m.Content}, spell(m.ToolCalls)...), " "))
	}
	var planned struct{ Thought, MessageToUser string }
	if len(o.Calls) > 0 && json.Unmarshal([]byte(o.Text), &planned) == nil { // a planner's envelope mirrors the calls
		o.Text, o.Thought = planned.MessageToUser, planned.Thought
	}
	return []outline{o}
}

func spell(calls []call) (spelled []string) {
	for _, c := range calls {
		args := c.Input
		for _, other := range []any{c.Args, c.Function.Arguments} {
			if args == nil {
				args = other
			}
		}
		if text, ok := args.(string); ok {
			json.Unmarshal([]byte(text), &args)
		}
		text, _ := json.Marshal(args)
		spelled = append(spelled, c.ToolName+c.Name+c.Function.Name+" "+string(text))
	}
	return spelled
}

func toolNames(tools []any) (names []string) {
	for _, tool := range tools {
		m, _ := tool.(map[string]any)
		if f, ok := m["function"].(map[string]any); ok {
			m = f
		}
		name, _ := m["name"].(string)
		names = append(names, name)
	}
	return names
}
