package openhands

import (
	"cmp"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An event is an action or an observation, as JSON.
type event struct {
	id, source, cause, action, observation jsontext.JSON
	args, content, extras, success, call   jsontext.JSON
}

// event adds the turn of one event. What only keeps the program going, such as a change of the agent's state, is counted.
func (a *adapter) event(i int, value jsontext.JSON) error {
	if value.Kind() != '{' {
		return sdk.Reject("bad_event", a.path(i), "want an object, have %s", jsontext.KindName(value.Kind()))
	}
	var e event
	value.Fill([]string{"id", "source", "cause", "action", "observation", "args", "content", "extras", "success", "tool_call_metadata"},
		[]*jsontext.JSON{&e.id, &e.source, &e.cause, &e.action, &e.observation, &e.args, &e.content, &e.extras, &e.success, &e.call},
		func(_ string, other jsontext.JSON) { a.misplaced(other) }) // time, cost and display
	a.misplaced(e.extras)
	if e.observation.Body() != "" {
		a.see(i, &e)
		return nil
	}
	return a.act(i, &e)
}

// see adds the result of an action.
func (a *adapter) see(i int, e *event) {
	call, ok := a.calls[string(e.cause)]
	if !ok {
		a.row.Count("loss.event", 1)
		return
	}
	delete(a.calls, string(e.cause))
	t := a.row.Add(canonical.Tool, i)
	t.ID, t.Body = call.id, build.AsText(e.content)
	t.Failed = e.success == "false" || e.observation == `"error"`
	if kind := e.observation.Body(); kind != call.action && !t.Failed {
		a.row.Count("loss.event_member", 1)
	}
	a.misplaced(e.args, e.action)
	if e.call != call.made { // the event of the call has it too
		a.misplaced(e.call)
	}
}

// misplaced counts values that the turn of this event has no place for.
func (a *adapter) misplaced(values ...jsontext.JSON) {
	for _, v := range values {
		if v.Truthy() {
			a.row.Count("loss.event_member", 1)
		}
	}
}

// act adds an action or a message.
func (a *adapter) act(i int, e *event) error {
	a.misplaced(e.content)
	switch action := e.action.Body(); {
	case action == "system":
		a.misplaced(e.call)
		return a.instruct(i, e)
	case action == "message":
		a.misplaced(e.call)
		return a.say(i, e)
	case e.source != `"agent"` || action == "change_agent_state" || action == "recall" || action == "null" || action == "":
		a.row.Count("loss.event", 1)
		return nil
	case e.call == "" && action == "finish":
		a.row.Leave("loss.call_member", e.args, "final_thought", "thought")
		body := cmp.Or(e.args.Get("final_thought").Body(), e.args.Get("thought").Body())
		if other := e.args.Get("thought").Body(); other != "" && other != body {
			a.row.Count("loss.call_member", 1)
		}
		if !body.Blank() {
			a.row.Add(canonical.Assistant, i).Body = body
		}
		return nil
	case e.call == "" && action == "think":
		a.row.Leave("loss.call_member", e.args, "thought")
		a.row.Merge = true
		a.row.Add(canonical.Assistant, i).Reasoning = e.args.Get("thought").Body()
		return nil
	}
	a.call(i, e)
	return nil
}

// instruct adds the system prompt, with the tools that come with it.
func (a *adapter) instruct(i int, e *event) error {
	a.row.Leave("loss.event_member", e.args, "content", "tools")
	a.row.Add(canonical.System, i).Body = e.args.Get("content").Body()
	if tools := e.args.Get("tools"); tools.Truthy() {
		return a.row.OfferTools(a.path(i)+".args.tools", tools)
	}
	return nil
}

// say adds a message of the user or the agent.
func (a *adapter) say(i int, e *event) error {
	role := canonical.User
	switch e.source {
	case `"user"`:
	case `"agent"`:
		role = canonical.Assistant
	default:
		return sdk.Reject("bad_event", a.path(i)+".source", "want user or agent, have %s", jsontext.Seen(e.source))
	}
	if urls := e.args.Get("image_urls"); urls.Truthy() {
		a.row.Count("loss.media", 1)
	}
	a.row.Leave("loss.event_member", e.args, "content", "thought", "image_urls", "wait_for_response")
	body := e.args.Get("content").Body()
	if thought := e.args.Get("thought").Body(); body == "" {
		body = thought
	} else if thought != "" && thought != body {
		a.row.Count("loss.event_member", 1)
	}
	t := a.row.Add(role, i)
	if t.Body = body; role == canonical.Assistant {
		return a.row.Say(t, body, a.path(i)+".args.content")
	}
	return nil
}

// call adds the call of a tool: as the model made it, where the event still has the model's response, and else the action with
// its arguments. The thought of the action becomes the text of the turn.
func (a *adapter) call(i int, e *event) {
	found := build.Call{Name: cmp.Or(e.call.Get("function_name").Body(), e.action.Body()), ID: e.call.Get("tool_call_id").Body()}
	response := e.call.Get("model_response")
	found.Args = asked(response, found.ID)
	thought := e.args.Get("thought").Body()
	a.row.Leave("loss.event_member", e.call, "function_name", "tool_call_id", "model_response", "total_calls_in_response")
	if response != "" { // of which a row has the call alone
		a.row.Count("loss.model_response", 1)
	}
	if action := e.action.Body(); found.Name != action && !actions[action] {
		a.row.Count("loss.event_member", 1)
	}
	if found.Args == "" {
		found.Args = arguments(e.args)
	} else {
		found.Left = unsaid(e.args, found.Args)
	}
	if found.ID == "" {
		found.ID = "event_" + jsontext.Body(e.id)
	}
	if e.id != "" {
		a.calls[string(e.id)] = waiting{found.ID, e.action.Body(), e.call}
	}
	id := response.Get("id").Body()
	if n := len(a.row.Turns); n > 0 && id != "" && id == a.response && len(a.row.Turns[n-1].Calls) > 0 {
		t := &a.row.Turns[n-1] // calls of one response
		t.Calls = append(t.Calls, found)
		return
	}
	a.response = id
	t := a.row.Add(canonical.Assistant, i)
	t.Body = thought
	t.Calls = append(t.Calls, found)
}

// actions map the actions of OpenHands to the names of their tools.
var actions = map[jsontext.Body]bool{
	"run": true, "run_ipython": true, "read": true, "write": true, "edit": true, "browse": true, "browse_interactive": true,
	"call_tool_mcp": true, "delegate": true, "finish": true, "think": true, "task_tracking": true, "condensation_request": true,
}

// unsaid counts the members of an action that the arguments of its call do not have.
func unsaid(args, arguments jsontext.JSON) (n int) {
	known := map[string]bool{"thought": true}
	for _, m := range arguments.Inner().Unique() {
		known[m.Key] = true
	}
	for key, v := range args.Members() {
		if v.Truthy() && !known[key] {
			n++
		}
	}
	return n
}

// asked returns the arguments of a call as the model wrote them, or "".
func asked(response jsontext.JSON, id jsontext.Body) jsontext.JSON {
	for _, v := range response.Get("choices").Elements() {
		for _, call := range v.Get("message").Get("tool_calls").Elements() {
			if id != "" && call.Get("id").Body() == id {
				return call.Get("function").Get("arguments")
			}
		}
	}
	return ""
}

// arguments returns the arguments of an action without the thought.
func arguments(args jsontext.JSON) jsontext.JSON {
	b := []byte("{")
	for key, v := range args.Members() {
		if key == "thought" || v == "null" {
			continue
		}
		b = append(jsontext.AppendKey(b, key), v...)
	}
	return jsontext.Of(append(b, '}'))
}
