package elizarecord

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An action is an action of a planner's envelope.
type action struct {
	name   string
	params jsontext.JSON // "" for none
	left   int           // the number of other members
}

// readActions reads the actions of an envelope: one or a list, as names or as objects with params, or one text with commas.
func (e *envelope) readActions() (actions []action, err error) {
	switch kind := e.actions.Kind(); kind {
	case '[':
		for _, v := range e.actions.Elements() {
			actions = append(actions, readAction(v))
		}
	case '{':
		actions = append(actions, readAction(e.actions))
	case '"':
		for name := range strings.SplitSeq(e.actions.Text(), ",") {
			actions = append(actions, action{name: name})
		}
	case 'n':
	default:
		return nil, sdk.Reject("bad_actions", "expectedResponse", "want actions by name or as objects, have %s", jsontext.KindName(kind))
	}
	for i := range actions {
		if actions[i].name = strings.TrimFunc(actions[i].name, jsontext.IsSpace); actions[i].name == "" {
			return nil, sdk.Reject("bad_actions", "expectedResponse", "want a name in every action, number %d lacks it", i+1)
		}
	}
	return actions, e.assign(actions)
}

func readAction(value jsontext.JSON) (a action) {
	if value.Kind() != '{' {
		a.name = value.Text()
		return a
	}
	for key, v := range value.Members() {
		switch key {
		case "name", "action":
			a.name = v.Text()
		case "params", "parameters", "args", "arguments":
			if a.params != "" && a.params != v {
				a.left++
			}
			a.params = v
		default:
			if v != "null" {
				a.left++
			}
		}
	}
	return a
}

// recalled returns the actions of an envelope in the memory, where a command is one as well.
func (e *envelope) recalled() ([]action, error) {
	if e.actions != "" {
		return e.readActions()
	}
	if e.command != "" {
		return []action{{name: "SHELL", params: shellArguments(e.whole)}}, nil
	}
	return nil, nil
}

// assign distributes the envelope's parameters over the actions without their own: by the name of the action, one for each in
// order, or all of them to the only action that can have any.
func (e *envelope) assign(actions []action) error {
	params := e.params
	if body, ok := params.Quoted(); ok {
		if params = ""; !body.Blank() {
			params, _ = body.Embedded()
		}
	}
	switch {
	case !e.params.Truthy() || e.params == `""` || params.Kind() != 0 && params.Empty():
		return e.assignCommand(actions)
	case params.Kind() == '[':
		return assignList(actions, params)
	case params.Kind() != '{':
		return sdk.Reject("bad_actions", "expectedResponse", "want the parameters of actions in an object, have %s", jsontext.KindName(e.params.Kind()))
	}
	rest := 0
	for key, v := range params.Members() {
		at := slices.IndexFunc(actions, func(a action) bool { return a.params == "" && strings.EqualFold(a.name, key) })
		if at < 0 || v.Kind() != '{' && v.Kind() != '"' && v != "null" {
			rest++
			continue
		}
		actions[at].params = v
	}
	if rest == 0 {
		return nil
	}
	at := onlyOne(actions)
	if at < 0 || rest < members(params) {
		return sdk.Reject("bad_actions", "expectedResponse", "want parameters by the names of actions, have %d by other names", rest)
	}
	actions[at].params = params
	return nil
}

// assignList assigns each action its element of a list.
func assignList(actions []action, list jsontext.JSON) error {
	n := 0
	for i, v := range list.Elements() {
		if n++; i < len(actions) && actions[i].params == "" && v.Kind() == '{' {
			actions[i].params = v
		} else if v.Truthy() {
			n = -1
			break
		}
	}
	if n != len(actions) {
		return sdk.Reject("bad_actions", "expectedResponse", "want parameters for each action, have a list that does not fit")
	}
	return nil
}

// assignCommand assigns the envelope's command to the action that runs one.
func (e *envelope) assignCommand(actions []action) error {
	if e.command == "" {
		return nil
	}
	at := slices.IndexFunc(actions, func(a action) bool { return a.params == "" && strings.EqualFold(a.name, "SHELL") })
	if at < 0 {
		return sdk.Reject("bad_actions", "expectedResponse", "want an action SHELL without parameters for the command")
	}
	actions[at].params, e.command = shellArguments(e.whole), ""
	return nil
}

// speaking are the actions that are at most a word to the user, and have no result.
var speaking = []string{"REPLY", "NONE", "IGNORE", "STOP"}

// onlyOne returns the only action without parameters that is more than a word to the user, or -1.
func onlyOne(actions []action) int {
	at := -1
	for i, a := range actions {
		if a.params != "" || slices.Contains(speaking, strings.ToUpper(a.name)) && len(actions) > 1 {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

// members counts the members of an object.
func members(object jsontext.JSON) (n int) {
	for range object.Members() {
		n++
	}
	return n
}

// plan reads the actions of a planner's envelope.
func (a *adapter) plan(t *build.Message, e *envelope) error {
	e.planned = true
	if providers := strings.Trim(string(e.providers), "[] \n\t"); providers != "" && providers != "null" {
		if err := a.row.Beside("providers", e.providers); err != nil {
			return err
		}
		a.row.Meta("providers", e.providers)
	}
	actions, err := e.readActions()
	if err != nil {
		return err
	}
	a.keepOthers(e)
	for _, action := range actions {
		if a.called(action.name) == "REPLY" {
			err = a.reply(t, action)
		} else {
			a.act(t, action)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepOthers keeps the members of an envelope other than its actions, thought and text.
func (a *adapter) keepOthers(e *envelope) {
	for key, v := range e.whole.Members() {
		switch key {
		case "actions", "thought", "text", "providers":
		case "command", "cwd", "explanation":
			if e.command != "" || key != "command" && e.whole.Get("command") == "" {
				a.row.Keep(key, v)
			}
		case "simple":
			if v != "true" && v != "false" {
				a.row.Keep(key, v)
			}
		default:
			if !slices.Contains(paramNames, key) {
				a.row.Keep(key, v)
			}
		}
	}
}

// paramsOf returns the parameters of an action, which may be an object in a text.
func paramsOf(act action) jsontext.JSON {
	if body, ok := act.params.Quoted(); ok {
		if inner, ok := body.Embedded(); ok && inner.Kind() == '{' {
			return inner
		}
	}
	return act.params
}

// act adds the call of one action. TASKS and TASK_CALL with a tool are a call of that tool.
func (a *adapter) act(t *build.Message, act action) {
	name, params := a.called(act.name), paramsOf(act)
	switch name {
	case "NONE":
		a.row.Count("loss.call_member", act.left+members(params))
		return
	case "TASKS", "TASK_CALL":
		if tool := strings.TrimFunc(params.Get("tool").Text(), jsontext.IsSpace); tool != "" {
			a.unwrapped = true
			a.row.Leave("loss.call_member", params, "tool", "arguments")
			t.Calls = append(t.Calls, build.Call{Name: jsontext.BodyOf(tool), Args: params.Get("arguments"), Left: act.left})
			return
		}
	}
	t.Calls = append(t.Calls, build.Call{Name: jsontext.BodyOf(name), Args: params, Left: act.left})
}

// reply adds the call of REPLY with its text, or the text alone. The call has its own text if there is one, and the envelope's
// text stays next to it.
func (a *adapter) reply(t *build.Message, act action) error {
	params := paramsOf(act)
	rest := jsontext.Body("")
	if text, ok := params.Get("text").Quoted(); ok && !text.Blank() && !text.Is(t.Body) {
		rest, t.Body = t.Body, text
	}
	if t.Body.Blank() {
		return sdk.Reject("empty_response", "expectedResponse", "want a text to reply")
	}
	had := t.Calls
	t.Calls = nil
	err := a.say(t, t.Body)
	textOnly := len(t.Calls) == 0
	if t.Calls = append(had, t.Calls...); err != nil || !textOnly || a.Reply == "text" {
		t.Body = build.Join(rest, t.Body)
		a.row.Leave("loss.call_member", params, "text")
		return err
	}
	args := append([]byte(`{"text":`), t.Body.JSON()...)
	for key, v := range params.Members() {
		if key != "text" {
			args = append(jsontext.AppendKey(args, key), v...)
		}
	}
	t.Calls = append(t.Calls, build.Call{Name: "REPLY", Args: jsontext.Of(append(args, '}')), Left: act.left})
	t.Body = rest
	return nil
}
