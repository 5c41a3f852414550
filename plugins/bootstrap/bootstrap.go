// Package bootstrap reads the native tool calling rows that were made from older datasets, and writes eliza_native_v1 rows. It
// takes a row whose "schema" is eliza.native_tool_calling.v1.
package bootstrap

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/pyjson"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "bootstrap".
var Plugin = build.Adapter{
	Name: "bootstrap",
	Doc:  "reads eliza.native_tool_calling.v1 rows and writes eliza_native_v1 rows",
	Codes: map[string]string{
		"bad_content":  "the content of a message is not text; correct it where it was made, or leave it out",
		"bad_message":  "a message is not an object; correct it where it was made, or leave it out",
		"bad_messages": "the messages of a stage are not a list; correct it where it was made, or leave it out",
		"bad_role":     "a message has a role that stages do not have; correct it where it was made, or leave it out",
		"bad_stage":    "a stage is not an object, or none that is known; correct it where it was made, or leave it out",
		"no_answer":    "no stage holds an answer, so there is nothing to train on",
	},
	New: func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked([]string{"eliza.native_tool_calling.v1"}),
}.Plugin()

const schema = `"eliza.native_tool_calling.v1"`

// An adapter reads one record.
type adapter struct {
	row                                        *build.Builder
	stage                                      jsontext.Body
	id, source, messages, tools, input, output jsontext.JSON
}

func read(record jsontext.JSON, row *build.Builder) error {
	a := adapter{row: row}
	var said, stage jsontext.JSON
	record.Fill([]string{"schema", "id", "stage", "source", "messages", "tools", "input", "output"},
		[]*jsontext.JSON{&said, &a.id, &stage, &a.source, &a.messages, &a.tools, &a.input, &a.output}, row.Keep)
	if a.stage = stage.Body(); said != schema {
		return sdk.Decline("want schema eliza.native_tool_calling.v1")
	}
	a.describe()
	if err := row.CheckRepair(); err != nil {
		return err
	}
	return a.converse()
}

// sourceNames are the names in metadata of members of "source".
var sourceNames = map[string]string{
	"dataset": "source_dataset", "originalId": "original_id", "normalizer": "source_normalizer", "conversion": "source_conversion",
}

// tasks are the task types of the stages.
var tasks = map[jsontext.Body]jsontext.Body{
	"message_handler": "should_respond", "planner": "action_planner", "sub_planner": "action_planner", "evaluator": "evaluator",
}

// describe sets the origin of the row. Rows of one original record share their trajectory, rows of a dataset do not.
func (a *adapter) describe() {
	task := cmp.Or(tasks[a.stage], a.stage, "response").JSON()
	a.row.Meta("task_type", task)
	a.row.Identify("source", `"bootstrap_native_dataset"`)
	a.row.Identify("purpose", task)
	if a.stage != "" {
		a.row.Identify("stepType", a.stage.JSON())
	}
	original := a.id.Body()
	for key, v := range a.source.Members() {
		if key == "originalId" && v.Body() != "" {
			before, _, _ := strings.Cut(string(v.Body()), "#") // the turns of one conversation are id#0, id#1, ...
			original = jsontext.Body(before)
		}
		if v != "null" && v != `""` {
			a.row.Keep(cmp.Or(sourceNames[key], key), v)
		}
	}
	a.row.Meta("source_schema", schema)
	if id := a.id.Body(); id != "" {
		a.row.Meta("source_id", a.id)
		a.row.Identify("stepId", a.id)
		a.row.Identify("callId", a.id)
	}
	if original != "" {
		a.row.Identify("trajectoryId", ("bootstrap:" + a.source.Get("dataset").Body() + ":" + original).JSON())
	}
}

// converse fills the conversation: tools, messages, and the answer of the stage.
func (a *adapter) converse() error {
	a.row.Path = "messages"
	if err := a.row.SetTools("tools", a.tools); err != nil {
		return err
	}
	if kind := a.messages.Kind(); kind != '[' && kind != 'n' && kind != 0 {
		return sdk.Reject("bad_messages", "messages", "want an array, have %s", jsontext.KindName(kind))
	}
	for i, message := range a.messages.Elements() {
		if err := a.message(i, message); err != nil {
			return err
		}
	}
	prompt := a.input.Get("prompt").Body()
	if len(a.row.Turns) == 0 && prompt != "" {
		a.row.Add(canonical.User, 0).Body = prompt
		prompt = ""
	}
	if prompt != "" {
		a.row.KeepOthers(a.input)
	} else {
		a.row.KeepOthers(a.input, "prompt")
	}
	return a.answer(a.row.Add(canonical.Assistant, len(a.row.Turns)))
}

// decisions are the stages that answer with one document, with its name.
var decisions = map[jsontext.Body]string{"message_handler": "messageHandler", "evaluator": "evaluation", "trajectory": "trajectory"}

// answer fills the turn with the output of the stage.
func (a *adapter) answer(t *build.Message) error {
	switch a.stage {
	case "planner", "sub_planner", "":
		a.row.Leave("loss.answer_member", a.output, "planner")
	}
	switch a.stage {
	case "planner", "sub_planner":
		if a.row.HasTools() {
			a.row.ToolChoice = `"auto"`
		}
		return a.plan(t)
	case "":
		return a.plan(t)
	case "message_handler":
		a.row.ToolChoice = `"required"`
	}
	name, ok := decisions[a.stage]
	a.row.Leave("loss.answer_member", a.output, name)
	if !ok {
		return sdk.Reject("bad_stage", "stage", "want message_handler, planner, sub_planner, evaluator or trajectory, have %s", jsontext.Seen(a.stage.JSON()))
	}
	value := a.output.Get(name)
	if !value.Truthy() {
		return sdk.Reject("no_answer", "output."+name, "want the decision of the stage, have %s", jsontext.Seen(value))
	}
	// Rows that were prepared before have the decision as Python spells it, and new rows must not differ.
	t.Body = jsontext.BodyOf(pyjson.AppendDumps(nil, `{"`+jsontext.JSON(name)+`":`+value+"}", pyjson.Layout{SortKeys: true}))
	return nil
}

// message adds one message.
func (a *adapter) message(i int, message jsontext.JSON) error {
	path := "messages." + strconv.Itoa(i)
	if message.Kind() != '{' {
		return sdk.Reject("bad_message", path, "want an object, have %s", jsontext.KindName(message.Kind()))
	}
	read := []string{"role", "content", "tool_call_id", "toolCallId", "name"}
	var role, content, id, name jsontext.JSON
	message.Fill(read, []*jsontext.JSON{&role, &content, &id, &id, &name}, nil)
	a.row.Leave("loss.message_member", message, read...)
	body, ok := content.Quoted()
	if !ok && content != "" && content != "null" {
		return sdk.Reject("bad_content", path+".content", "want a text, have %s", jsontext.KindName(content.Kind()))
	}
	kind := canonical.RoleOf(canonical.RoleName(role))
	if kind == canonical.NoRole {
		return sdk.Reject("bad_role", path+".role", "want system, user, assistant or tool, have %s", jsontext.Seen(role))
	}
	if id.Body() != "" && kind != canonical.Tool || name.Body() != "" && kind == canonical.System {
		a.row.Count("loss.message_member", 1)
	}
	t := a.row.Add(kind, i)
	t.Body, t.Name = body, name.Body()
	switch kind {
	case canonical.Tool:
		t.ID, _ = canonical.ReadID(id)
	case canonical.Assistant:
		return a.row.Say(t, body, path+".content")
	}
	return nil
}

// plan fills the turn with the text and the calls of a planner. It drops a text that a call of REPLY repeats.
func (a *adapter) plan(t *build.Message) error {
	read := []string{"text", "messageToUser", "thought", "finishReason", "toolCalls"}
	var text, alone, thought, reason, list jsontext.JSON
	planner := a.output.Get("planner")
	planner.Fill(read, []*jsontext.JSON{&text, &alone, &thought, &reason, &list}, nil)
	a.row.Leave("loss.answer_member", planner, read...)
	a.row.FinishReason = jsontext.Body(strings.ReplaceAll(string(reason.Body()), "-", "_"))
	for i, v := range list.Elements() {
		call, err := readCall(v, i)
		if err != nil {
			return err
		}
		t.Calls = append(t.Calls, call)
	}
	message := alone.Body()
	t.Body, t.Reasoning = text.Body(), thought.Body()
	if message != t.Body { // both members may have one text
		t.Body = build.Join(t.Body, message)
	}
	for _, call := range t.Calls {
		if call.Name == "REPLY" && call.Args.Get("text").Body() == t.Body {
			t.Body = ""
		}
	}
	if t.Body.Blank() && len(t.Calls) == 0 {
		return sdk.Reject("no_answer", "output.planner", "want a text or a call")
	}
	return nil
}

// readCall reads a call, without TASKS or TASK_CALL around the call of a tool.
func readCall(value jsontext.JSON, i int) (calls.Call, error) {
	path := "output.planner.toolCalls." + strconv.Itoa(i)
	call, ok := calls.Object(value)
	if input := value.Get("input"); input != "" && input != "null" { // which goes before args there
		call.Args = input
	}
	if !ok {
		return call, sdk.Reject("bad_call", path, "want a call with the name of a tool, have %s", jsontext.KindName(value.Kind()))
	}
	if kind := call.Args.Kind(); call.Args != "null" && kind != 0 && kind != '{' && kind != '"' {
		return call, sdk.Reject("bad_arguments", path, "want an object, have %s", jsontext.KindName(kind))
	}
	if call.Name == "TASKS" || call.Name == "TASK_CALL" {
		if tool := call.Args.Get("tool").Body(); tool != "" {
			for key := range call.Args.Members() {
				if key != "tool" && key != "arguments" {
					call.Left++
				}
			}
			call.Name, call.Args = tool, call.Args.Get("arguments")
		}
	}
	return call, nil
}
