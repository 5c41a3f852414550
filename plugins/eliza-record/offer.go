package elizarecord

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An offered action is one that the agent could take.
type offered struct {
	name string        // decoded, as calls spell it
	spec jsontext.JSON // the object that describes it, "" for a name alone
}

// readActions reads the actions on offer: strings, objects with a name or by name, or one string with commas.
func (a *adapter) readActions() {
	a.actions = a.actions[:0]
	actions := a.record.actions
	if body, ok := actions.Quoted(); ok {
		for name := range strings.SplitSeq(body.Text(), ",") {
			a.addAction(name, "")
		}
	}
	for _, v := range actions.Elements() {
		switch function := v.Get("function"); {
		case function.Kind() == '{':
			a.addAction(function.Get("name").Text(), function)
		case v.Kind() == '{':
			a.addAction(v.Get("name").Text(), v)
		default:
			a.addAction(v.Text(), "")
		}
	}
	for name, v := range actions.Members() {
		a.addAction(name, v)
	}
}

func (a *adapter) addAction(name string, spec jsontext.JSON) {
	if name = strings.TrimFunc(name, jsontext.IsSpace); name == "" {
		return
	}
	if spec.Kind() != '{' {
		spec = ""
	}
	a.actions = append(a.actions, offered{a.actionName(name), spec})
}

// actionNames returns the names of the actions on offer as a prompt lists them.
func (a *adapter) actionNames() string {
	var names []string
	for _, action := range a.actions {
		names = append(names, action.name)
	}
	return strings.Join(names, ", ")
}

// ownActions are the actions that every agent has. Their names are in upper case, however a row spells them.
var ownActions = []string{"REPLY", "IGNORE", "STOP", "NONE", "TASKS", "TASK_CALL", "SHELL", "RESPOND"}

// actionName returns the name under which an action is offered and called: that of an agent's own action, in a row of scambench
// that of the decision which it means, or else the name as it is.
func (a *adapter) actionName(name string) string {
	if a.record.decision.Truthy() {
		return decided(name)
	}
	if upper := strings.ToUpper(name); slices.Contains(ownActions, upper) {
		return upper
	}
	return name
}

// decided returns the action that an action of scambench means.
func decided(name string) string {
	if slices.Contains(ownActions, name) {
		return name
	}
	switch strings.ReplaceAll(strings.ToLower(name), "-", "_") {
	case "ignore", "block", "decline", "decline_to_answer", "refuse":
		return "IGNORE"
	case "reply", "respond", "engage", "accept", "audit", "request_verification", "verify", "escalate", "ask", "clarify":
		return "REPLY"
	}
	return strings.ToUpper(name)
}

// called returns the name of an action that an answer takes, as it is on offer.
func (a *adapter) called(name string) string {
	name = a.actionName(name)
	spelled := name
	for _, action := range a.actions {
		if action.name == name {
			return name
		}
		if strings.EqualFold(action.name, name) {
			spelled = action.name
		}
	}
	return spelled
}

// say reads a text of the answer. Actions that it calls in the text have the names under which they are on offer.
func (a *adapter) say(t *build.Message, body jsontext.Body) error {
	err := a.row.Say(t, body, "expectedResponse")
	for i := range t.Calls {
		name := t.Calls[i].Name.Text()
		called := a.called(name)
		if !a.row.Knows(name) && slices.ContainsFunc(a.actions, func(action offered) bool { return action.name == called }) {
			t.Calls[i].Name = jsontext.BodyOf(called)
		}
	}
	return err
}

// offer adds the actions that an agent could take to the tools, if its answer, or one before it, is one of them. TASKS led to the
// other tools, which the row offers itself, and RESPOND is a decision: neither is a tool unless a turn calls it.
func (a *adapter) offer(e *envelope) error {
	taken := map[string]bool{}
	for i := range a.row.Turns {
		for _, c := range a.row.Turns[i].Calls {
			taken[c.Name.Text()] = true
		}
	}
	takes := func(action offered) bool { return taken[action.name] }
	if !e.planned && !slices.ContainsFunc(a.actions, takes) {
		return nil
	}
	leads := a.row.HasTools() || a.unwrapped
	for _, action := range a.actions {
		switch name := action.name; {
		case a.row.Knows(name):
			continue
		case (name == "RESPOND" || leads && (name == "TASKS" || name == "TASK_CALL")) && !takes(action):
			continue
		}
		if err := a.declare(action); err != nil {
			return err
		}
	}
	return nil
}

// declare adds an action to the tools. REPLY has the parameter that its calls have here, whatever a row describes.
func (a *adapter) declare(action offered) error {
	parameters := jsontext.JSON(`{"type":"object","properties":{}}`)
	if action.name == "REPLY" {
		parameters = `{"type":"object","properties":{"text":{"type":"string"}}}`
	}
	if action.spec == "" {
		a.row.AddTool(action.name, parameters)
		return nil
	}
	tool := append([]byte(`{"name":`), jsontext.Quote(action.name)...)
	for key, v := range action.spec.Members() {
		if key != "name" && (action.name != "REPLY" || key == "description") {
			tool = append(jsontext.AppendKey(jsontext.AppendComma(tool), key), v...)
		}
	}
	if action.name == "REPLY" {
		tool = append(append(tool, `,"parameters":`...), parameters...)
	}
	return a.row.AddFunction("availableActions", jsontext.JSON(append(tool, '}')))
}

// decisionAction returns the action that a decision of scambench means.
func decisionAction(decision string) string {
	if decided(decision) == "IGNORE" {
		return "IGNORE"
	}
	return "REPLY"
}
