// Package react reads runs of agents as lists of steps, each with a thought, an action and an observation, and writes
// eliza_native_v1 rows: thoughts become reasoning, actions calls, and observations their results.
//
// A record is taken when it has such a list, under steps or another of a few names, beside what was asked.
package react

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "react".
var Plugin = build.Adapter{
	Name: "react",
	Doc:  "reads steps of thought, action and observation and writes eliza_native_v1 rows",
	Codes: map[string]string{
		"bad_step": "a step is not an object, or its action names no tool; correct it where it was recorded, or leave it out",
	},
	New: func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked(lists, []string{"action", "tool", "tool_name"}, []string{"observation", "thought"}),
}.Plugin()

// The names of members, in order: where a record has several of one meaning, the first counts and the others go to the metadata.
var (
	lists     = []string{"steps", "trajectory", "trace", "history", "react_steps", "intermediate_steps"}
	questions = []string{"question", "query", "task", "instruction", "goal", "problem", "prompt", "user_query", "user_input", "request", "input"}
	answers   = []string{"final_answer", "answer", "final_response", "response", "output"}
	systems   = []string{"system", "system_prompt"}
	offers    = []string{"tools", "tool_definitions", "available_tools"}

	thoughts     = []string{"thought", "reasoning", "thinking", "rationale"}
	actions      = []string{"action", "tool", "tool_name"}
	inputs       = []string{"action_input", "tool_input", "tool_args", "arguments", "args", "input", "parameters", "params"}
	observations = []string{"observation", "result", "output", "tool_output"}
	names        = []string{"tool_name", "name", "tool", "function", "action", "type"}
	finishes     = map[string]bool{"finish": true, "final_answer": true, "final answer": true, "final": true, "answer": true}
)

// A holder collects the members of an object by their meaning.
type holder struct{ others []jsontext.Member }

// take returns the members of an object that have one of some names each, and notes the others.
func (h *holder) take(object jsontext.JSON, groups ...[]string) []jsontext.Member {
	found, rank := make([]jsontext.Member, len(groups)), make([]int, len(groups))
	h.others = h.others[:0]
members:
	for key, v := range object.Members() {
		for g, group := range groups {
			for at, name := range group {
				if name != key || v == "null" {
					continue
				}
				had := found[g]
				if had.Value == "" || at < rank[g] {
					found[g], rank[g] = jsontext.Member{Key: key, Value: v}, at
				} else {
					had = jsontext.Member{Key: key, Value: v}
				}
				if had.Value != "" {
					h.others = append(h.others, had)
				}
				continue members
			}
		}
		h.others = append(h.others, jsontext.Member{Key: key, Value: v})
	}
	return found
}

// An adapter reads one record.
type adapter struct {
	row *build.Builder
	holder
	path string
	done bool         // the agent gave its answer in a step
	mind build.Joiner // thoughts of steps that do nothing, for the next turn
}

func read(record jsontext.JSON, row *build.Builder) error {
	a := adapter{row: row}
	found := a.take(record, lists, questions, answers, systems, offers)
	list, asked, said, system, tools := found[0], found[1], found[2], found[3], found[4]
	if !isSteps(list.Value) {
		return sdk.Decline("want a list of steps with action, tool or tool_name each")
	}
	for _, m := range a.others {
		if m.Key == "format" || m.Key == "schema" || m.Key == "schema_version" {
			return sdk.Decline("want a record with no other shape than the steps")
		}
		row.Keep(m.Key, m.Value)
	}
	if err := row.CheckRepair(); err != nil {
		return err
	}
	a.path, row.Path, row.Shape = list.Key, list.Key, list.Key
	if err := row.SetTools(tools.Key, tools.Value); err != nil {
		return err
	}
	if asked.Value.Kind() != '"' {
		return sdk.Reject("no_user_turn", "", "want what was asked in %s or %s, have %s", questions[0], strings.Join(questions[1:4], ", "), jsontext.KindName(asked.Value.Kind()))
	}
	row.Add(canonical.System, 0).Body = build.AsText(system.Value)
	row.Add(canonical.User, 0).Body = asked.Value.Body()
	n := 0
	for i, step := range list.Value.Elements() {
		if err := a.step(i, step); err != nil {
			return err
		}
		n = i
	}
	return a.answer(n+1, said)
}

// answer adds the answer in a column of its own, unless the last step held one.
func (a *adapter) answer(at int, said jsontext.Member) error {
	switch last := &a.row.Turns[len(a.row.Turns)-1]; {
	case said.Value.Kind() != '"' || said.Value.Body().Blank():
		a.row.Keep(said.Key, said.Value)
	case !a.done || last.Role != canonical.Assistant:
		t := a.row.Add(canonical.Assistant, at)
		t.Reasoning = a.mind.Take()
		return a.row.Say(t, said.Value.Body(), said.Key)
	case !last.Body.Is(said.Value.Body()):
		a.row.Keep(said.Key, said.Value)
	}
	if a.mind.Body() != "" {
		a.row.Count("loss.thought", 1)
	}
	return nil
}

// isSteps reports whether a list begins with a step.
func isSteps(list jsontext.JSON) bool {
	acts, sees := false, false
	for key, v := range list.First().Members() {
		switch key {
		case "action", "tool", "tool_name":
			acts = acts || v.Kind() == '"' || v.Kind() == '{' || v == "null"
		case "observation", "thought":
			sees = true
		case "role", "from", "source", "llmCalls":
			return false
		}
	}
	return acts && sees
}

// step adds the turns of one step: what the agent thought and did, then what it saw.
func (a *adapter) step(i int, value jsontext.JSON) error {
	if value.Kind() != '{' {
		return a.bad(i, "", "want an object, have %s", jsontext.KindName(value.Kind()))
	}
	found := a.take(value, thoughts, actions, inputs, observations, answers[:3])
	thought, action, input, seen, said := found[0].Value, found[1], found[2].Value, found[3].Value, found[4].Value
	for _, m := range a.others { // its time, its number
		a.left(m.Value)
	}
	a.mind.Add(build.BlankLine, build.AsText(thought))
	if !action.Value.Truthy() && !said.Truthy() {
		a.left(input)
		if seen.Truthy() { // of no action
			a.row.Add(canonical.User, i).Body = build.AsText(seen)
		}
		return nil
	}
	t := a.row.Add(canonical.Assistant, i)
	t.Reasoning = a.mind.Take()
	if !action.Value.Truthy() {
		a.left(input)
	} else if call, err := a.call(i, action, input); err != nil {
		return err
	} else if finishes[strings.ToLower(call.Name.Text())] && !seen.Truthy() {
		t.Body, a.done = answerOf(call.Args), true
		a.row.Count("loss.call_member", call.Left)
	} else {
		t.Calls = append(t.Calls, call)
	}
	if t.Body != "" {
		a.left(said)
	} else if said.Truthy() {
		t.Body, a.done = build.AsText(said), true
	}
	switch {
	case seen == "":
	case len(t.Calls) > 0:
		a.row.Add(canonical.Tool, i).Body = build.AsText(seen)
	default:
		a.row.Add(canonical.User, i).Body = build.AsText(seen)
	}
	return nil
}

// left counts a value of a step that no turn has a place for.
func (a *adapter) left(value jsontext.JSON) {
	if value.Truthy() {
		a.row.Count("loss.step_member", 1)
	}
}

// call returns the call of an action: an object, the name of a tool beside its input, or a text such as Search[Oslo].
func (a *adapter) call(i int, action jsontext.Member, input jsontext.JSON) (call build.Call, err error) {
	if action.Value.Kind() == '{' {
		var inside holder
		found := inside.take(action.Value, names, inputs, []string{"id", "tool_call_id"})
		call.Name = found[0].Value.Body()
		call.ID, _ = canonical.ReadID(found[2].Value)
		call.Args = found[1].Value
		switch {
		case call.Args == "" && !input.Truthy(): // a click with its place
			flat := []byte("{")
			for _, m := range inside.others {
				flat = append(jsontext.AppendKey(flat, m.Key), m.Value...)
			}
			call.Args = jsontext.JSON(append(flat, '}'))
		case call.Args == "":
			call.Args, call.Left = input, len(inside.others)
		default:
			call.Left = len(inside.others)
			a.left(input)
		}
	} else {
		text, args := strings.TrimSpace(action.Value.Text()), input
		if name, rest, ok := strings.Cut(text, "["); ok && strings.HasSuffix(rest, "]") && isName(name) && !input.Truthy() {
			text, args = name, jsontext.Quote(strings.TrimSuffix(rest, "]"))
		}
		if isName(text) || finishes[strings.ToLower(text)] {
			call.Name, call.Args = jsontext.BodyOf(text), args
		}
	}
	if call.Name.Blank() {
		return call, a.bad(i, "."+action.Key, "want the name of a tool, alone or as in Search[text], have %s", jsontext.KindName(action.Value.Kind()))
	}
	if inner := call.Args.Inner(); call.Args.Kind() == '"' && inner.Kind() != '{' && call.Args.Truthy() {
		call.Args = `{"input":` + call.Args + `}` // the one parameter of a tool without names for any
	}
	return call, nil
}

// isName reports whether a text may be the name of a tool: one word.
func isName(text string) bool {
	for _, r := range text {
		if r != '_' && r != '-' && r != '.' && r != '/' && r != ':' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') {
			return false
		}
	}
	return text != ""
}

// answerOf returns the text that an agent finishes with: the one argument, or all as JSON.
func answerOf(args jsontext.JSON) jsontext.Body {
	if members := args.Inner().Unique(); len(members) == 1 {
		return build.AsText(members[0].Value)
	}
	return build.AsText(args)
}

func (a *adapter) bad(i int, under, format string, args ...any) error {
	return sdk.Reject("bad_step", a.path+"."+strconv.Itoa(i)+under, format, args...)
}
