package elizarecord

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An envelope is the JSON a flat row holds its answer in, as JSON values.
type envelope struct {
	actions, thought, text, providers jsontext.JSON
	command                           jsontext.JSON
	other                             bool // has members beside these

	planned   bool // names actions
	unwrapped bool // a TASKS action became the call of its tool
}

// answer adds the target: what expectedResponse holds as an envelope, and else as text.
func (a *adapter) answer() (e envelope, err error) {
	expected := a.record.expected
	body, isText := expected.Quoted()
	if isText && body.Blank() || !isText && expected[0] != '{' {
		return e, sdk.Reject("empty_response", "expectedResponse", "want text or an envelope, have neither")
	}
	t := a.row.Add(canonical.Assistant, -1)
	if a.Envelope == "text" {
		t.Body = body
		if !isText {
			t.Body = jsontext.BodyOf(expected)
		}
		return e, nil
	}
	whole := expected
	if isText {
		whole, _ = body.Embedded()
	}
	if whole.Kind() == '{' {
		e.read(whole)
	} else {
		whole = ""
	}
	if whole == "" && a.record.decision != "" && isText { // scambench keeps its decision beside the answer
		e = envelope{actions: jsontext.JSON(`["` + decisionAction(a.record.decision.Text()) + `"]`), thought: a.record.reasons, text: expected}
	}
	switch {
	case e.actions != "":
		err = a.plan(t, &e)
	case e.other || e.text == "" && e.command == "":
		if t.Body = body; !isText {
			t.Body = jsontext.BodyOf(jsontext.AppendCompact(nil, whole))
		}
	case e.command != "":
		t.Calls = append(t.Calls, canonical.Call{Name: "SHELL", Args: shellArguments(whole)})
		a.think(t, e.thought)
		e.planned = true
	default:
		t.Body, _ = e.text.Quoted()
		a.think(t, e.thought)
	}
	if err == nil && len(t.Calls) == 0 {
		err = a.row.Say(t, t.Body, "expectedResponse")
	}
	return e, err
}

func (e *envelope) read(object jsontext.JSON) {
	c := jsontext.Cursor{JSON: object}
	for key := range c.Members() {
		switch value := c.Value(); key {
		case "actions":
			e.actions = value
		case "thought":
			e.thought = value
		case "text":
			e.text = value
		case "providers":
			e.providers = value
		case "command":
			e.command = value
		case "simple", "cwd", "explanation":
		default:
			e.other = true
		}
	}
	if e.text != "" && e.text[0] != '"' || e.command != "" && e.command[0] != '"' {
		e.other = true
	}
}

// plan reads the actions of a planner's envelope: a list or one, names or objects with params.
func (a *adapter) plan(t *canonical.Message, e *envelope) error {
	e.planned = true
	t.Body, _ = e.text.Quoted()
	a.think(t, e.thought)
	if providers := strings.Trim(string(e.providers), "[] \n\t"); providers != "" && providers != "null" {
		a.row.Meta("providers", e.providers)
	}
	var actions []jsontext.JSON
	c := jsontext.Cursor{JSON: e.actions}
	switch c.Kind() {
	case '[':
		for range c.Elements() {
			actions = append(actions, c.Value())
		}
	case '{':
		actions = append(actions, c.Value())
	case '"':
		for name := range strings.SplitSeq(e.actions.Text(), ",") {
			actions = append(actions, quoted(strings.TrimSpace(name)))
		}
	case 'n':
	default:
		return sdk.Reject("bad_actions", "expectedResponse", "want actions by name or as objects, have another value")
	}
	for _, action := range actions {
		if err := a.act(t, e, action); err != nil {
			return err
		}
	}
	return nil
}

// act adds the call of one action. TASKS and TASK_CALL with a tool are a call of that tool; REPLY takes the text along.
func (a *adapter) act(t *canonical.Message, e *envelope, action jsontext.JSON) error {
	name, params := action.Text(), jsontext.JSON("")
	if action.Kind() == '{' {
		c := jsontext.Cursor{JSON: action}
		for key := range c.Members() {
			switch value := c.Value(); key {
			case "name", "action":
				name = value.Text()
			case "params", "parameters", "args", "arguments":
				params = value
			}
		}
	}
	if name = strings.TrimFunc(name, jsontext.IsSpace); name == "" {
		return sdk.Reject("bad_actions", "expectedResponse", "want a name in every action, have one without")
	}
	switch upper := strings.ToUpper(name); upper {
	case "NONE":
		return nil
	case "TASKS", "TASK_CALL":
		if tool := strings.TrimFunc(params.Get("tool").Text(), jsontext.IsSpace); tool != "" {
			e.unwrapped = true
			t.Calls = append(t.Calls, canonical.Call{Name: jsontext.BodyOf(tool), Args: params.Get("arguments")})
			return nil
		}
		name = upper
	case "REPLY":
		return a.reply(t, params)
	case "IGNORE", "STOP", "SHELL":
		name = upper
	}
	t.Calls = append(t.Calls, canonical.Call{Name: jsontext.BodyOf(name), Args: params})
	return nil
}

// reply adds the call of REPLY with the text it says, or the text alone.
func (a *adapter) reply(t *canonical.Message, params jsontext.JSON) error {
	if text, ok := params.Get("text").Quoted(); ok && !text.Blank() {
		t.Body = text
	}
	if t.Body.Blank() {
		return sdk.Reject("empty_response", "expectedResponse", "want a text to reply, have none")
	}
	had := t.Calls
	t.Calls = nil
	err := a.row.Say(t, t.Body, "expectedResponse")
	said := len(t.Calls) == 0
	if t.Calls = append(had, t.Calls...); err != nil || !said || a.Reply == "text" {
		return err
	}
	t.Calls = append(t.Calls, canonical.Call{Name: "REPLY", Args: jsontext.JSON(`{"text":"` + t.Body + `"}`)})
	t.Body = ""
	return nil
}

// think keeps a thought apart from the answer. Phrases that the tooling put in where there was none are left out.
func (a *adapter) think(t *canonical.Message, thought jsontext.JSON) {
	body, _ := thought.Quoted()
	if slices.Contains(leaked, strings.Trim(strings.TrimSpace(string(body)), `"'`)) {
		a.row.Count("loss.leaked_thought", 1)
		return
	}
	if !body.Blank() {
		t.Reasoning = body
	}
}

// leaked are thoughts that nobody thought.
var leaked = []string{
	"Reply to the user.", "Call the tool to satisfy the request.", "Let me work through this step by step.",
	"Let me handle this request.", "Let me figure out the correct tool and parameters.", "Processing the user's request now.",
	"Got the data. Let me figure out how to proceed.", "Information retrieved. Let me process this for the user.",
	"The tool returned data. Let me review it.",
}

// decisionAction gives the action that a decision of scambench stands for.
func decisionAction(decision string) string {
	switch strings.ToLower(decision) {
	case "ignore", "block", "decline", "decline_to_answer", "refuse":
		return "IGNORE"
	}
	return "REPLY"
}

// shellArguments gives the arguments of a shell command: the envelope without its thought.
func shellArguments(object jsontext.JSON) jsontext.JSON {
	args := []byte("{")
	c := object.Cursor()
	for key := range c.Members() {
		value := c.Value()
		if key != "command" && key != "cwd" && key != "explanation" {
			continue
		}
		if len(args) > 1 {
			args = append(args, ',')
		}
		args = append(append(append(append(args, '"'), key...), `":`...), value...)
	}
	return jsontext.Of(append(args, '}'))
}
