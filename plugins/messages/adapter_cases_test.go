package messages_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

const adapterCases = "../../../shared/cases/adapter-cases.jsonl"

// A function of the existing tooling, and the step that stands for it.
type step struct {
	plugin sdk.Plugin
	args   string
}

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
}

// declined are cases of those functions whose rows another adapter reads.
var declined = map[string]bool{
	"mcp_messages/phi3-dsl": true, "terminal_corpus/pair": true, "convert_hermes/glaive": true,
	"convert_hermes/glaive-nested-args-lost": true, "convert_hermes/glaive-apostrophe-in-args-lost": true,
}

// explained are the cases whose outcome is not the reference's, with the defect that it avoids: R is a number of
// render-and-adapters, 9, and N one found here:
//
//	N1 a system prompt nobody wrote takes the place of none, or of the row's own
//	N2 an answer is left out or cut for how it opens
//	N3 a plain answer is refused for the task its row is labelled with
//	N4 a row is cut at a tool's result, which becomes a word of the user, and the call before it is lost
//	N5 a plain answer is written down as text and as a call of REPLY, though no action was named
//	N6 an answer in the form that its own instructions ask for is rewritten as a call that they do not offer
//	N7 an answer is rewritten: members are renamed, or added with empty values
var explained = map[string]string{
	"bitagent/tool-call-role":                                                      "R13, R21",
	"nemotron_rl_tool_use/expected-action":                                         "R28",
	"mcp_messages/per-assistant-turn":                                              "N4",
	"agent_trove/json-shell":                                                       "N6",
	"agent_trove/envelope-without-commands-is-trace":                               "N6: the thought repeats what the answer says",
	"agent_trove/bash-fence":                                                       "N6",
	"claude_distill/verbatim":                                                      "N1",
	"nubilio_trajectories/xml-response":                                            "N6",
	"convert_hermes/xml-tool-call":                                                 "N1, R26",
	"convert_hermes/trope-dropped":                                                 "N1, N2",
	"convert_hermes/leading-newlines-before-think-corrupt-text":                    "N1, R28",
	"convert_openclaw/assistant-turns-lost-from-context":                           "N1, R28, R12",
	"hermes_fc/sdk-parts-lose-tool-call":                                           "R2",
	"hermes_fc/parallel-calls":                                                     "R28: arguments that are no JSON are rejected, not emptied",
	"native_record_from_eliza/tasks-action-not-unwrapped":                          "R25, R33",
	"native_record_from_eliza/reply-json":                                          "N5, R33",
	"native_record_from_eliza/reply-actions-string-list-ignored":                   "R25, R33: the text goes with the call alone",
	"native_record_from_eliza/evaluator":                                           "N7",
	"native_record_from_eliza/plain-text-reply":                                    "N5",
	"native_record_from_eliza/plain-text-tool_call-rejected":                       "N3",
	"native_record_from_eliza/unknown-normalizer":                                  "N5",
	"native_record_from_eliza/ignore-string-action-becomes-reply":                  "R25, R33",
	"native_record_from_eliza/ignore-string-action-no-text-falls-back-to-raw-json": "R25, R33",
	"native_record_from_eliza/multi-context-list-json-array":                       "N5",
	"native_record_from_eliza/sub-planner":                                         "N7",
	"build_together_record/collapse":                                               "R24: tool memory stays a result, in its place; actions are tools",
}

func TestAdapterCases(t *testing.T) {
	f, err := os.Open(adapterCases)
	if err != nil {
		t.Skipf("%s is absent", adapterCases)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 8<<20)
	for s.Scan() {
		var c struct {
			Fn, Name        string
			Input, Expected json.RawMessage
		}
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		step, ok := steps[c.Fn]
		if !ok {
			continue
		}
		name := c.Fn + "/" + c.Name
		have, verdict := converted(t, step, c.Input)
		if declined[name] {
			if verdict != "decline" {
				t.Errorf("%s: want it declined, have %s", name, verdict)
			}
			continue
		}
		want := expected(t, c.Expected)
		if _, known := explained[name]; known != (have != want) {
			t.Errorf("%s:\nwant %s\nhave %s%s", name, want, have, verdict)
		}
	}
}

// converted gives the conversations that a step makes of a case's input: one row, a list, or a row with its source.
func converted(t *testing.T, s step, input json.RawMessage) (conversations, verdict string) {
	var rows []json.RawMessage
	if json.Unmarshal(input, &rows) != nil {
		var wrapped struct{ Record json.RawMessage }
		if json.Unmarshal(input, &wrapped); wrapped.Record != nil {
			input = wrapped.Record
		}
		rows = []json.RawMessage{input}
	}
	var b strings.Builder
	for _, row := range rows {
		results, _ := sdktest.Run(t, s.plugin, s.args, string(row))
		for _, e := range results[0].Emitted {
			b.WriteString(conversation(t, e))
		}
		if results[0].Verdict != "emit" {
			verdict = results[0].Verdict + " " + results[0].Code
		}
	}
	return b.String(), strings.TrimSpace(verdict)
}

// expected gives the conversations of a reference outcome, whatever shape it has. A flat record's envelope is read as
// the adapter for flat records reads it.
func expected(t *testing.T, outcome json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(outcome, &list) != nil {
		list = []json.RawMessage{outcome}
	}
	var b strings.Builder
	for _, o := range list {
		var shape struct {
			Format, Schema   string
			ExpectedResponse *string
			Record           json.RawMessage
			Stage            string
			Messages         json.RawMessage
			Output           struct {
				Planner, Evaluation json.RawMessage
			}
		}
		json.Unmarshal(o, &shape)
		switch {
		case shape.Format == "eliza_native_v1":
			b.WriteString(conversation(t, string(o)))
		case shape.ExpectedResponse != nil:
			results, _ := sdktest.Run(t, elizarecord.Plugin, `{"prompt":"none","reply":"text"}`, string(o))
			b.WriteString(conversation(t, results[0].Emitted[0]))
		case shape.Schema != "" && shape.Output.Planner != nil:
			row := fmt.Sprintf(`{"request":{"messages":%s},"response":%s}`, shape.Messages, shape.Output.Planner)
			b.WriteString(conversation(t, row))
		case shape.Schema != "":
			text, _ := json.Marshal(string(shape.Output.Evaluation))
			row := fmt.Sprintf(`{"request":{"messages":%s},"response":{"text":%s}}`, shape.Messages, text)
			b.WriteString(conversation(t, row))
		case shape.Record != nil:
			results, _ := sdktest.Run(t, messages.Plugin, `{}`, string(shape.Record))
			b.WriteString(conversation(t, results[0].Emitted[0]))
		}
	}
	return b.String()
}

type call struct {
	ToolName, Name string
	Input, Args    any
	Function       struct {
		Name      string
		Arguments any
	}
}

// conversation writes what is said in a canonical row, one line for the system text and each turn, and one for the
// answer: text, calls with their arguments, and thought. A planner's envelope beside the calls that mirror it counts as
// its thought and its word to the user.
func conversation(t *testing.T, row string) string {
	var r struct {
		Request struct {
			System   string
			Messages []struct {
				Role, Content, Reasoning string
				Tool_calls               []call
			}
		}
		Response struct {
			Text, Reasoning string
			ToolCalls       []call
		}
	}
	if err := json.Unmarshal([]byte(row), &r); err != nil {
		t.Fatalf("%v: %s", err, row)
	}
	if strings.HasPrefix(r.Response.Text, "{") && len(r.Response.ToolCalls) > 0 {
		var e struct{ Thought, MessageToUser string }
		if json.Unmarshal([]byte(r.Response.Text), &e) == nil {
			r.Response.Text, r.Response.Reasoning = e.MessageToUser, e.Thought
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "system %q", r.Request.System)
	for _, m := range r.Request.Messages {
		fmt.Fprintf(&b, " | %s %q%s", m.Role, m.Content, spell(m.Tool_calls, m.Reasoning))
	}
	fmt.Fprintf(&b, " => %q%s\n", r.Response.Text, spell(r.Response.ToolCalls, r.Response.Reasoning))
	return b.String()
}

func spell(calls []call, reasoning string) string {
	var b strings.Builder
	for _, c := range calls {
		name, args := c.ToolName+c.Name+c.Function.Name, c.Input
		if args == nil {
			args = c.Args
		}
		if args == nil {
			args = c.Function.Arguments
		}
		if text, ok := args.(string); ok {
			json.Unmarshal([]byte(text), &args)
		}
		spelled, _ := json.Marshal(args)
		fmt.Fprintf(&b, " %s%s", name, spelled)
	}
	if reasoning != "" {
		fmt.Fprintf(&b, " (%q)", reasoning)
	}
	return b.String()
}
