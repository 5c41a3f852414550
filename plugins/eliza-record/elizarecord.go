// Package elizarecord reads the deprecated flat ElizaRecord and writes eliza_native_v1 rows: the planner envelope in
// expectedResponse becomes real calls and text, toolSpecs and availableActions become tools, and the memory keeps its
// tools' results in their place. It takes an object with expectedResponse and currentMessage that declares no other format and
// has no list of messages.
package elizarecord

import (
	"cmp"
	"errors"
	"strings"

	"github.com/sluicehq/sluice/plugins/eliza-record/prompt"
	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "eliza-record".
var Plugin = profile.Or(build.Adapter{
	Name: "eliza-record",
	Doc:  "reads deprecated flat ElizaRecord rows and writes eliza_native_v1 rows",
	Args: config{Choice: profile.Standard, Prompt: "fallback", Envelope: "calls", Reply: "call", Leading: "keep", Current: "restore", Calibration: "reject",
		Options: build.Options{Orphans: "user"}},
	Codes: map[string]string{
		"auxiliary":       "the row is of the repair loop, which profile reference leaves out",
		"bad_actions":     "the actions of the expected response do not fit each other; correct it where it was made, or leave it out",
		"bad_current":     "the current message has no text; correct it where it was made, or leave it out",
		"bad_envelope":    "the planner's envelope is cut off or broken; envelope = \"text\" keeps it as it is",
		"bad_memory":      "memoryEntries is not a list of entries; correct it where it was made, or leave it out",
		"bad_prompt":      "the prompt template of the task cannot be filled in; correct it in prompt_registry",
		"calibration":     "the row measures a model and does not train it; calibration = \"keep\" takes it all the same",
		"empty_response":  "the expected response says nothing and calls nothing, so there is nothing to train on",
		"reference_error": "the Python tooling cannot read the row, which profile reference follows",
	},
	New: open,

	Marks: build.Marked([]string{"currentMessage"}, []string{"expectedResponse"}),
}.Plugin(), openReference)

type config struct {
	profile.Choice
	PromptRegistry string `hcl:"prompt_registry,optional" doc:"a file of prompt templates by task" example:"\"prompts.json\""`
	Prompt         string `hcl:"prompt,optional" oneof:"fallback none" doc:"the system text of a row whose task has no template"`
	Envelope       string `hcl:"envelope,optional" oneof:"calls text" doc:"read the planner's envelope, or keep it as text"`
	Reply          string `hcl:"reply,optional" oneof:"call text" doc:"what an action REPLY becomes"`
	Leading        string `hcl:"leading_assistant,optional" oneof:"keep drop" doc:"turns of the assistant before anyone spoke"`
	Current        string `hcl:"current,optional" oneof:"restore last" doc:"the place of the current message when calls without a question precede it"`
	Calibration    string `hcl:"calibration,optional" oneof:"reject keep" doc:"rows that measure a model and do not train it"`
	build.Options
}

// settings reads the attributes, and the registry that they name.
func settings(args sdk.Args) (cfg config, prompts prompt.Registry, err error) {
	if err := args.Decode(&cfg); err != nil {
		return cfg, nil, err
	}
	if prompts, err = prompt.Read(cfg.PromptRegistry); err != nil {
		err = args.Errorf("prompt_registry", "%v", err)
	}
	return cfg, prompts, err
}

func open(args sdk.Args) (build.ReadFunc, error) {
	cfg, prompts, err := settings(args)
	a := &adapter{config: cfg, prompts: prompts}
	return a.read, err
}

func openReference(args sdk.Args) (sdk.Processor, error) {
	_, prompts, err := settings(args)
	reference, absent := profile.Reference[func(prompt.Registry) sdk.Processor](args, "eliza-record")
	if err := errors.Join(err, absent); err != nil {
		return nil, err
	}
	return reference(prompts), nil
}

// An adapter reads one record after the other.
type adapter struct {
	config
	prompts prompt.Registry

	row    *build.Builder
	record record

	actions   []offered
	unwrapped bool         // a TASKS action became the call of its tool
	thought   build.Joiner // of turns of reasoning, for the next turn of the assistant
}

// A record holds the members of a record that the adapter reads, as JSON. The row keeps all others, and these where marked so.
type record struct {
	agent, memory, current, expected jsontext.JSON
	actions                          jsontext.JSON // kept too
	prompt, tools                    jsontext.JSON // of metadata
	task, decision, reasons          jsontext.JSON // of metadata, kept too
}

func (a *adapter) read(value jsontext.JSON, row *build.Builder) error {
	a.row, a.record, a.thought, a.unwrapped = row, record{}, build.Joiner{}, false
	r, declared := &a.record, false
	value.Fill([]string{"agentId", "memoryEntries", "currentMessage", "expectedResponse"},
		[]*jsontext.JSON{&r.agent, &r.memory, &r.current, &r.expected}, func(key string, v jsontext.JSON) {
			switch key {
			case "availableActions":
				r.actions = v
			case "format":
				declared = declared || v == `"eliza_native_v1"`
			case "schema":
				declared = declared || v == `"eliza.native_tool_calling.v1"`
			case "messages": // a row of messages, whatever else it has
				declared = declared || v[0] == '['
			}
			row.Keep(key, v)
		})
	if r.expected == "" || r.current == "" || declared {
		return sdk.Decline("want expectedResponse and currentMessage")
	}
	if err := row.CheckRepair(); err != nil {
		return err
	}
	row.Path = "memoryEntries"
	if err := a.describe(); err != nil {
		return err
	}
	return a.convert()
}

// describe reads the metadata. The prompt and the tools become the row's own, and are no metadata.
func (a *adapter) describe() (err error) {
	r := &a.record
	if md := a.row.Kept("metadata"); md.Kind() == '{' {
		a.row.Forget("metadata")
		md.Fill([]string{"system_prompt", "toolSpecs"}, []*jsontext.JSON{&r.prompt, &r.tools}, func(key string, value jsontext.JSON) {
			err = cmp.Or(err, a.row.Beside(key, value))
			a.row.Meta(jsontext.BodyOf(key), value)
		})
		md.Fill([]string{"task_type", "decision_class", "reasoning_trace"}, []*jsontext.JSON{&r.task, &r.decision, &r.reasons}, nil)
	}
	if r.agent.Truthy() {
		a.row.Identify("agentId", jsontext.Quote(a.agent()))
	}
	return err
}

// agent returns the name of the agent, which is "assistant" by default.
func (a *adapter) agent() string {
	if !a.record.agent.Truthy() {
		return "assistant"
	}
	return asText(a.record.agent)
}

// asText returns the text of a string, and the JSON of any other value.
func asText(value jsontext.JSON) string {
	if body, ok := value.Quoted(); ok {
		return body.Text()
	}
	return string(value)
}

// convert fills the row.
func (a *adapter) convert() error {
	r := &a.record
	expected, _ := r.expected.Quoted()
	if a.Calibration != "keep" && canonical.IsCalibration(r.task, expected) {
		return sdk.Reject("calibration", "metadata.task_type", "want a row for training, have one for calibration")
	}
	if err := a.row.SetTools("metadata.toolSpecs", r.tools); err != nil {
		return err
	}
	a.readActions()
	if err := a.system(); err != nil {
		return err
	}
	if err := a.memory(); err != nil {
		return err
	}
	answer, err := a.answer()
	if err != nil {
		return err
	}
	return a.offer(&answer)
}

// system adds the system turn: the row's own text, the template of its task, or the fallback, which it counts.
func (a *adapter) system() error {
	r := &a.record
	if body, ok := r.prompt.Quoted(); ok && !body.Blank() {
		body, err := a.row.TakeTools(body, "metadata.system_prompt")
		if err != nil {
			return err
		}
		a.row.Add(canonical.System, -1).Body = body
		return nil
	}
	if a.Prompt == "none" {
		return nil
	}
	body := fallback
	task := r.task.Text()
	template, ok, err := a.prompts.Template(task)
	if ok { // {{{name}}} asks for the bare text, which is the same here
		template = strings.NewReplacer("{{{", "{{", "}}}", "}}").Replace(template)
	}
	switch {
	case task == "reply":
		body = jsontext.BodyOf(prompt.Reply(a.agent()))
	case err != nil:
		return sdk.Reject("bad_prompt", "metadata.task_type", "%v", err)
	case ok && prompt.Blocks(template):
		return sdk.Reject("bad_prompt", "metadata.task_type", "want a template of names alone, have conditions or loops")
	case ok:
		values := prompt.Values{Agent: a.agent(), Actions: a.actionNames(), Current: r.current, Memory: r.memory}
		body = jsontext.BodyOf(prompt.Fill(template, &values, asText))
	default:
		a.row.Count("prompt.fallback", 1)
	}
	a.row.Add(canonical.System, -1).Body = body
	return nil
}

var fallback = jsontext.BodyOf(prompt.Fallback)
