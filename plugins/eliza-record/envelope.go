package elizarecord

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An envelope is the JSON that holds the answer of a flat row, as JSON values.
type envelope struct {
	actions, thought, text, providers jsontext.JSON
	command, params                   jsontext.JSON
	whole                             jsontext.JSON
	other                             bool // has other members

	planned   bool // names actions
	unwrapped bool // a TASKS action became the call of its tool
}

// answer adds the answer in expectedResponse, as an envelope or else as text.
func (a *adapter) answer() (e envelope, err error) {
	expected := a.record.expected
	body, isText := expected.Quoted()
	if isText && body.Blank() || !isText && expected[0] != '{' {
		return e, sdk.Reject("empty_response", "expectedResponse", "want text or an envelope")
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
		if whole, _ = body.Embedded(); whole == "" && isBroken(body) {
			return e, sdk.Reject("bad_envelope", "expectedResponse", "want an envelope that is JSON, have a broken one")
		}
	}
	if whole.Kind() == '{' {
		e.read(whole)
	} else {
		whole = ""
	}
	if whole == "" && a.record.decision != "" && isText { // scambench keeps its decision outside of the answer
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
		t.Calls = append(t.Calls, build.Call{Name: "SHELL", Args: shellArguments(whole)})
		t.Body, _ = e.text.Quoted()
		a.think(t, e.thought)
		a.keepOthers(&envelope{whole: whole})
		e.planned = true
	default:
		t.Body, _ = e.text.Quoted()
		a.think(t, e.thought)
		a.keepOthers(&e)
	}
	if err == nil && len(t.Calls) == 0 {
		err = a.row.Say(t, t.Body, "expectedResponse")
	}
	return e, err
}

// isBroken reports whether a text that is no JSON begins like an envelope.
func isBroken(body jsontext.Body) bool {
	text := strings.TrimSpace(body.Text())
	if !strings.HasPrefix(text, "{") {
		return false
	}
	key := strings.TrimLeft(text[1:], " \t\r\n")
	return strings.HasPrefix(key, `"thought"`) || strings.HasPrefix(key, `"actions"`)
}

// paramNames are the members of an envelope that hold the parameters of its actions.
var paramNames = []string{"params", "parameters", "action_params", "actionParams", "actionParameters", "args", "arguments"}

func (e *envelope) read(object jsontext.JSON) {
	e.whole = object
	object.Fill([]string{"actions", "thought", "text", "providers", "command"},
		[]*jsontext.JSON{&e.actions, &e.thought, &e.text, &e.providers, &e.command}, func(key string, value jsontext.JSON) {
			e.other = e.other || key != "simple" && key != "cwd" && key != "explanation"
			if slices.Contains(paramNames, key) && value.Truthy() {
				e.params = value
			}
		})
	if e.thought != "" && e.thought != "null" && e.thought[0] != '"' || e.text != "" && e.text[0] != '"' || e.command != "" && e.command[0] != '"' {
		e.other = true
	}
}

// think sets the reasoning to a thought, without the phrases that the tooling put in place of a missing one.
func (a *adapter) think(t *build.Message, thought jsontext.JSON) {
	body, _ := thought.Quoted()
	if slices.Contains(leaked, strings.Trim(strings.TrimSpace(string(body)), `"'`)) {
		a.row.Count("loss.leaked_thought", 1)
		return
	}
	if !body.Blank() {
		t.Reasoning = body
	}
}

// leaked are those phrases.
var leaked = []string{
	"Reply to the user.", "Call the tool to satisfy the request.", "Let me work through this step by step.",
	"Let me handle this request.", "Let me figure out the correct tool and parameters.", "Processing the user's request now.",
	"Got the data. Let me figure out how to proceed.", "Information retrieved. Let me process this for the user.",
	"The tool returned data. Let me review it.",
}

// decisionAction returns the action that a decision of scambench means.
func decisionAction(decision string) string {
	switch strings.ToLower(decision) {
	case "ignore", "block", "decline", "decline_to_answer", "refuse":
		return "IGNORE"
	}
	return "REPLY"
}

// shellArguments returns the arguments of a shell command: the envelope without its thought.
func shellArguments(object jsontext.JSON) jsontext.JSON {
	args := []byte("{")
	for key, value := range object.Members() {
		if key == "command" || key == "cwd" || key == "explanation" {
			args = append(jsontext.AppendKey(args, key), value...)
		}
	}
	return jsontext.Of(append(args, '}'))
}
