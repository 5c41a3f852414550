package elizarecord

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An envelope is the JSON that holds the answer of a flat row, as JSON values.
type envelope struct {
	actions, thought, text, providers jsontext.JSON
	command, params                   jsontext.JSON
	whole                             jsontext.JSON
	other                             bool // has other members

	planned bool // names actions
}

// answer adds the answer in expectedResponse, as an envelope or else as text.
func (a *adapter) answer() (e envelope, err error) {
	expected := a.record.expected
	body, isText := expected.Quoted()
	if isText && body.Blank() || !isText && expected[0] != '{' {
		return e, sdk.Reject("empty_response", "expectedResponse", "want text or an envelope")
	}
	t := a.row.Add(canonical.Assistant, -1)
	t.Body, t.Reasoning = build.AsText(expected), a.thought.Take()
	if a.Envelope == "text" {
		if !isText {
			t.Body = jsontext.BodyOf(expected)
		}
		return e, nil
	}
	whole, thought, rest := expected, "", ""
	if isText {
		if whole, thought, rest = enveloped(body); whole == "" && isBroken(rest) {
			return e, sdk.Reject("bad_envelope", "expectedResponse", "want an envelope that is JSON, have a broken one")
		}
	}
	if whole.Kind() == '{' {
		e.read(whole)
	} else if a.record.decision.Truthy() && isText { // scambench keeps its decision outside of the answer
		e = envelope{actions: jsontext.JSON(`["` + decisionAction(a.record.decision.Text()) + `"]`), thought: a.record.reasons, text: jsontext.Quote(rest)}
	}
	if e.isEnvelope() {
		if thought != strings.TrimSpace(e.thought.Text()) { // else it is said twice
			a.think(t, jsontext.BodyOf(thought))
		}
		a.think(t, e.thought.Body())
		if t.Body, _ = e.text.Quoted(); e.actions != "" {
			err = a.plan(t, &e)
		} else {
			a.command(t, &e)
		}
	}
	if err == nil && len(t.Calls) == 0 {
		err = a.say(t, t.Body)
	}
	return e, err
}

// isEnvelope reports whether JSON is an envelope, and no answer in JSON.
func (e *envelope) isEnvelope() bool {
	return e.actions != "" || !e.other && (e.text != "" || e.command != "")
}

// command adds the call of an envelope that has a command in place of actions.
func (a *adapter) command(t *build.Message, e *envelope) {
	if e.command != "" {
		t.Calls = append(t.Calls, build.Call{Name: "SHELL", Args: shellArguments(e.whole)})
		e.planned, e.command = true, ""
	}
	a.keepOthers(e)
}

// enveloped returns the JSON that an answer consists of, "" for another text, the thought that precedes it, and what is behind the
// thought.
func enveloped(body jsontext.Body) (whole jsontext.JSON, thought, rest string) {
	thought, rest = calls.Thought(body.Text())
	if whole, _ = jsontext.Embedded(unfenced(rest)); jsontext.Longhand(whole, 0) >= 0 {
		whole = jsontext.Of(jsontext.AppendShort(nil, whole))
	}
	return whole, thought, rest
}

// unfenced returns a text without the code fence that surrounds it.
func unfenced(text string) string {
	inner, fenced := strings.CutPrefix(strings.TrimSpace(text), "```")
	if !fenced {
		return text
	}
	_, inner, _ = strings.Cut(inner, "\n")
	return strings.TrimSuffix(inner, "```")
}

// isBroken reports whether a text that is no JSON begins like an envelope.
func isBroken(text string) bool {
	if text = strings.TrimSpace(unfenced(text)); !strings.HasPrefix(text, "{") {
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

// others counts the members of an envelope that an earlier answer has no place for.
func others(object jsontext.JSON) (n int) {
	for key, value := range object.Members() {
		switch key {
		case "actions", "thought", "text", "simple", "command", "cwd", "explanation":
		default:
			if !slices.Contains(paramNames, key) && value.Truthy() && !value.Empty() {
				n++
			}
		}
	}
	return n
}

// think adds a thought to the reasoning, without the phrases that the tooling put in place of a missing one.
func (a *adapter) think(t *build.Message, thought jsontext.Body) {
	if slices.Contains(leaked, strings.Trim(strings.TrimSpace(string(thought)), `"'`)) {
		a.row.Count("loss.leaked_thought", 1)
	} else if !thought.Blank() {
		t.Reasoning = build.Join(t.Reasoning, thought)
	}
}

// leaked are those phrases.
var leaked = []string{
	"Reply to the user.", "Call the tool to satisfy the request.", "Let me work through this step by step.",
	"Let me handle this request.", "Let me figure out the correct tool and parameters.", "Processing the user's request now.",
	"Got the data. Let me figure out how to proceed.", "Information retrieved. Let me process this for the user.",
	"The tool returned data. Let me review it.",
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
