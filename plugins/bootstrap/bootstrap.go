// Package bootstrap reads the native tool calling rows that were made from older datasets, and gives eliza_native_v1
// rows.
//
// A row is taken when its "schema" is eliza.native_tool_calling.v1.
package bootstrap

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/columns"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the adapter for native tool calling rows.
var Plugin = sdk.Plugin{
	Name: "bootstrap",
	Doc:  "reads eliza.native_tool_calling.v1 rows and gives eliza_native_v1 rows",
	Args: config{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg config
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		return &adapter{metadata: columns.Defaults(cfg.Metadata)}, nil
	},
	Labels: []string{"trajectoryId"},
}

type config struct {
	Metadata map[string]string `hcl:"metadata,optional" doc:"texts for the metadata of rows that do not say so themselves"`
}

const schema = `"eliza.native_tool_calling.v1"`

type adapter struct {
	metadata columns.Beside

	parts fields
	row   canonical.Conversation
	rest  columns.Beside
}

// fields are the members of a row, as JSON.
type fields struct {
	stage                                              jsontext.Body
	schema, id, source, messages, tools, input, output jsontext.JSON
}

// Process implements sdk.Processor.
func (a *adapter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	a.row.Reset()
	a.rest.Reset()
	a.parts = fields{}
	if err := a.read(jsontext.Of(r.JSON())); err != nil {
		return err
	}
	a.describe()
	if err := a.rest.Settle(&a.row); err != nil {
		return err
	}
	if err := a.converse(); err != nil {
		return err
	}
	a.metadata.Fill(&a.row)
	return a.row.Emit(r, canonical.Last, emit)
}

func (a *adapter) read(record jsontext.JSON) error {
	p := &a.parts
	c := jsontext.Cursor{JSON: record}
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "schema":
			if p.schema = v; v != schema {
				return sdk.Decline("want schema eliza.native_tool_calling.v1")
			}
		case "id":
			p.id = v
		case "stage":
			p.stage = v.Body()
		case "source":
			p.source = v
		case "messages":
			p.messages = v
		case "tools":
			p.tools = v
		case "input":
			p.input = v
		case "output":
			p.output = v
		default:
			a.rest.Take(key, v)
		}
	}
	if p.schema == "" {
		return sdk.Decline("want schema eliza.native_tool_calling.v1")
	}
	return nil
}

// sourceNames are the members of "source" as metadata names them.
var sourceNames = map[string]string{
	"dataset": "source_dataset", "license": "license", "split": "split", "originalId": "original_id",
	"normalizer": "source_normalizer", "conversion": "source_conversion",
}

// tasks are the task types of the stages.
var tasks = map[string]string{
	"message_handler": "should_respond", "planner": "action_planner", "sub_planner": "action_planner", "evaluator": "evaluator",
}

// describe says where the row comes from. Rows of one original record share their trajectory, rows of a dataset do not.
func (a *adapter) describe() {
	p := &a.parts
	task := tasks[string(p.stage)]
	if task == "" {
		task = string(cmp.Or(p.stage, "response"))
	}
	a.row.Meta("task_type", jsontext.JSON(`"`+task+`"`))
	a.row.Identify("source", `"bootstrap_native_dataset"`)
	a.row.Identify("purpose", jsontext.JSON(`"`+task+`"`))
	if p.stage != "" {
		a.row.Identify("stepType", jsontext.JSON(`"`+p.stage+`"`))
	}
	id := p.id.Body()
	original := id
	var dataset jsontext.Body
	c := jsontext.Cursor{JSON: p.source}
	for key := range c.Members() {
		v := c.Value()
		if key == "dataset" {
			dataset = v.Body()
		}
		if key == "originalId" && v.Body() != "" {
			before, _, _ := strings.Cut(string(v.Body()), "#") // the turns of one conversation are id#0, id#1, ...
			original = jsontext.Body(before)
		}
		if v == "null" || v == `""` {
			continue
		}
		if name := sourceNames[key]; name != "" {
			key = name
		}
		a.rest.Take(key, v)
	}
	a.row.Meta("source_schema", schema)
	if id != "" {
		a.row.Meta("source_id", p.id)
		a.row.Identify("stepId", p.id)
		a.row.Identify("callId", p.id)
	}
	if original != "" {
		a.row.Identify("trajectoryId", jsontext.JSON(`"bootstrap:`+dataset+":"+original+`"`))
	}
}

// converse fills the conversation: tools, messages, and the answer of the stage.
func (a *adapter) converse() error {
	p := &a.parts
	if err := a.row.SetTools("tools", p.tools); err != nil {
		return err
	}
	a.row.Path = "messages"
	c := jsontext.Cursor{JSON: p.messages}
	if kind := c.Kind(); kind != '[' && kind != 'n' && kind != 0 {
		return sdk.Reject("bad_messages", "messages", "want an array, have another value")
	}
	for i := range c.Elements() {
		if err := a.message(i, &c); err != nil {
			return err
		}
	}
	if prompt := p.input.Get("prompt"); prompt.Body() != "" && len(a.row.Turns) == 0 {
		a.row.Add(eliza.User, 0).Body = prompt.Body()
	}
	t := a.row.Add(eliza.Assistant, len(a.row.Turns))
	switch p.stage {
	case "planner", "sub_planner", "":
		if p.stage != "" && a.row.HasTools() {
			a.row.ToolChoice = `"auto"`
		}
		return a.plan(t)
	case "message_handler":
		a.row.ToolChoice = `"required"`
		return a.document(t, "messageHandler")
	case "evaluator":
		return a.document(t, "evaluation")
	case "trajectory":
		return a.document(t, "trajectory")
	}
	return sdk.Reject("bad_stage", "stage", "want message_handler, planner, sub_planner, evaluator or trajectory, have another")
}

func (a *adapter) message(i int, c *jsontext.Cursor) error {
	path := "messages." + strconv.Itoa(i)
	var role, id, name jsontext.Body
	var content jsontext.JSON
	if c.Kind() != '{' {
		return sdk.Reject("bad_message", path, "want an object, have another value")
	}
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "role":
			role = v.Body()
		case "content":
			content = v
		case "tool_call_id", "toolCallId":
			id = v.Body()
		case "name":
			name = v.Body()
		}
	}
	body, ok := content.Quoted()
	if !ok && content != "" && content != "null" {
		return sdk.Reject("bad_content", path+".content", "want a text, have another value")
	}
	kind := canonical.RoleOf(strings.ToLower(string(role)))
	if kind == eliza.NoRole {
		return sdk.Reject("bad_role", path+".role", "want system, user, assistant or tool, have another")
	}
	t := a.row.Add(kind, i)
	t.Body, t.Name = body, name
	switch kind {
	case eliza.Tool:
		t.ID = id
	case eliza.Assistant:
		return speech.Assistant(&a.row, t, body, path+".content")
	}
	return nil
}

// document makes the answer of a stage that gives a decision and no calls: JSON as the Python upgrade writes it.
func (a *adapter) document(t *canonical.Turn, name string) error {
	value := a.parts.output.Get(name)
	if !python.Truthy(value) {
		return sdk.Reject("no_answer", "output."+name, "want the decision of the stage, have none")
	}
	doc := python.AppendDumps(nil, `{"`+jsontext.JSON(name)+`":`+value+"}", python.Layout{SortKeys: true})
	t.Body = jsontext.BodyOf(doc)
	return nil
}
