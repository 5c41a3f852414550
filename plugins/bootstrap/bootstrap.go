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
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "bootstrap".
var Plugin = build.Adapter{
	Name: "bootstrap",
	Doc:  "reads eliza.native_tool_calling.v1 rows and writes eliza_native_v1 rows",
	Codes: map[string]string{
		"bad_content":  "the content of a message is no text; mend it where it was made, or leave it out",
		"bad_message":  "a message is no object; mend it where it was made, or leave it out",
		"bad_messages": "the messages of a stage are no list; mend it where it was made, or leave it out",
		"bad_role":     "a message has a role that stages do not have; mend it where it was made, or leave it out",
		"bad_stage":    "a stage is no object, or none that is known; mend it where it was made, or leave it out",
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
	if !a.members(record) {
		return sdk.Decline("want schema eliza.native_tool_calling.v1")
	}
	a.describe()
	if err := row.CheckRepair(); err != nil {
		return err
	}
	return a.converse()
}

// members reads the members of the record, and reports whether it has the schema.
func (a *adapter) members(record jsontext.JSON) (ok bool) {
	c := jsontext.Cursor{JSON: record}
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "schema":
			if ok = v == schema; !ok {
				return false
			}
		case "id":
			a.id = v
		case "stage":
			a.stage = v.Body()
		case "source":
			a.source = v
		case "messages":
			a.messages = v
		case "tools":
			a.tools = v
		case "input":
			a.input = v
		case "output":
			a.output = v
		default:
			a.row.Keep(key, v)
		}
	}
	return ok
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
	task := quoted(cmp.Or(tasks[a.stage], a.stage, "response"))
	a.row.Meta("task_type", task)
	a.row.Identify("source", `"bootstrap_native_dataset"`)
	a.row.Identify("purpose", task)
	if a.stage != "" {
		a.row.Identify("stepType", quoted(a.stage))
	}
	original := a.id.Body()
	c := jsontext.Cursor{JSON: a.source}
	for key := range c.Members() {
		v := c.Value()
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
		a.row.Identify("trajectoryId", quoted("bootstrap:"+a.source.Get("dataset").Body()+":"+original))
	}
}

func quoted(body jsontext.Body) jsontext.JSON { return jsontext.JSON(`"` + body + `"`) }

// converse fills the conversation: tools, messages, and the answer of the stage.
func (a *adapter) converse() error {
	a.row.Path = "messages"
	if err := a.row.SetTools("tools", a.tools); err != nil {
		return err
	}
	c := jsontext.Cursor{JSON: a.messages}
	if kind := c.Kind(); kind != '[' && kind != 'n' && kind != 0 {
		return sdk.Reject("bad_messages", "messages", "want an array, have %s", jsontext.KindName(c.Kind()))
	}
	for i := range c.Elements() {
		if err := a.message(i, &c); err != nil {
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
		return sdk.Reject("bad_stage", "stage", "want message_handler, planner, sub_planner, evaluator or trajectory, have %s", jsontext.Seen(quoted(a.stage)))
	}
	value := a.output.Get(name)
	if !value.Truthy() {
		return sdk.Reject("no_answer", "output."+name, "want the decision of the stage, have %s", jsontext.Seen(value))
	}
	// Rows that were prepared before have the decision as Python spells it, and new rows must not differ.
	t.Body = jsontext.BodyOf(pyjson.AppendDumps(nil, `{"`+jsontext.JSON(name)+`":`+value+"}", pyjson.Layout{SortKeys: true}))
	return nil
}

// message adds the next message.
func (a *adapter) message(i int, c *jsontext.Cursor) error {
	path := "messages." + strconv.Itoa(i)
	if c.Kind() != '{' {
		return sdk.Reject("bad_message", path, "want an object, have %s", jsontext.KindName(c.Kind()))
	}
	var role string
	var said jsontext.JSON
	var id, name jsontext.Body
	var content jsontext.JSON
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "role":
			role, said = canonical.RoleName(v), v
		case "content":
			content = v
		case "tool_call_id", "toolCallId":
			id = v.Body()
		case "name":
			name = v.Body()
		default:
			if v != "null" {
				a.row.Count("loss.message_member", 1)
			}
		}
	}
	body, ok := content.Quoted()
	if !ok && content != "" && content != "null" {
		return sdk.Reject("bad_content", path+".content", "want a text, have %s", jsontext.KindName(content.Kind()))
	}
	kind := canonical.RoleOf(role)
	if kind == canonical.NoRole {
		return sdk.Reject("bad_role", path+".role", "want system, user, assistant or tool, have %s", jsontext.Seen(said))
	}
	if id != "" && kind != canonical.Tool || name != "" && kind == canonical.System {
		a.row.Count("loss.message_member", 1)
	}
	t := a.row.Add(kind, i)
	t.Body, t.Name = body, name
	switch kind {
	case canonical.Tool:
		t.ID = id
	case canonical.Assistant:
		return a.row.Say(t, body, path+".content")
	}
	return nil
}
