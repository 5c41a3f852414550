package elizarecord

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/eliza-record/prompt"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

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
	a.offer(answer)
	return nil
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
		values := prompt.Values{Agent: a.agent(), Actions: strings.Join(a.actions, ", "), Current: r.current, Memory: r.memory}
		body = jsontext.BodyOf(prompt.Fill(template, &values, asText))
	default:
		a.row.Count("prompt.fallback", 1)
	}
	a.row.Add(canonical.System, -1).Body = body
	return nil
}

var fallback = jsontext.BodyOf(prompt.Fallback)

// offer adds the actions that an agent could take to the tools, if its answer is one of them. TASKS led to the other tools, which
// the row offers itself.
func (a *adapter) offer(e envelope) {
	if !e.planned {
		return
	}
	hasTools := a.row.HasTools()
	for _, name := range a.actions {
		switch name {
		case "RESPOND":
		case "TASKS", "TASK_CALL":
			if !hasTools && !e.unwrapped {
				a.row.AddTool(name, anyParameters)
			}
		case "REPLY":
			a.row.AddTool(name, `{"type":"object","properties":{"text":{"type":"string"}}}`)
		default:
			a.row.AddTool(name, anyParameters)
		}
	}
}

const anyParameters = `{"type":"object","properties":{}}`

// readActions reads the actions on offer: strings, the names of objects, or one string with commas.
func (a *adapter) readActions() {
	a.actions = a.actions[:0]
	c := jsontext.Cursor{JSON: a.record.actions}
	switch c.Kind() {
	case '"':
		body, _ := c.String()
		for name := range strings.SplitSeq(body.Text(), ",") {
			a.addAction(name)
		}
	case '[':
		for range c.Elements() {
			v := c.Value()
			if v[0] == '{' {
				v = v.Get("name")
			}
			a.addAction(v.Text())
		}
	}
}

func (a *adapter) addAction(name string) {
	if name = strings.TrimFunc(name, jsontext.IsSpace); name != "" {
		a.actions = append(a.actions, actionName(name))
	}
}

// actionName returns an action as agents know it: in upper case, and for the names of scambench the decision that they mean.
func actionName(name string) string {
	switch name {
	case "REPLY", "IGNORE", "TASKS", "TASK_CALL", "NONE", "STOP": // as most rows have them
		return name
	}
	switch strings.ReplaceAll(strings.ToLower(name), "-", "_") {
	case "ignore", "block", "decline", "decline_to_answer", "refuse":
		return "IGNORE"
	case "reply", "respond", "engage", "accept", "audit", "request_verification", "verify", "escalate", "ask", "clarify":
		if name != "RESPOND" {
			return "REPLY"
		}
	}
	return strings.ToUpper(name)
}
