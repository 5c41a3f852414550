package chattext

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// converse adds the turns of the text in a field to the row.
func (a *adapter) converse(turns []turn, field string) error {
	if err := a.row.SetTools("tools", a.tools); err != nil {
		return err
	}
	if body, ok := a.system.Quoted(); ok {
		if err := a.instruct(body.Text(), "system", 0); err != nil {
			return err
		}
	}
	for i := range turns {
		if err := a.add(&turns[i], i, field); err != nil {
			return err
		}
	}
	a.label(turns)
	if a.cleanEnd && !endsClean(a.row) {
		return sdk.Reject("truncated", field, "want a complete answer, have one that is cut off")
	}
	return nil
}

func (a *adapter) add(t *turn, i int, field string) error {
	switch t.role {
	case "call":
		return a.call(t, i, field)
	case "tools":
		return a.row.SetTools(field, jsontext.Quote(t.text))
	case "about":
		a.row.Meta("harmony_system", jsontext.Quote(t.text))
		return nil
	case "reasoning", "thought", "analysis":
		a.thought.Add(build.BlankLine, jsontext.BodyOf(t.text))
		return nil
	}
	role := canonical.RoleOf(t.role)
	switch role {
	case canonical.System, canonical.Developer:
		return a.instruct(t.text, field, i)
	case canonical.User:
		if !a.row.ResultsText(t.text, i) { // Qwen puts results into a turn of the user
			a.row.Add(role, i).Body = jsontext.BodyOf(t.text)
		}
	case canonical.Tool:
		if !a.row.ResultsText(t.text, i) {
			result := a.row.Add(role, i)
			result.Body, result.Name, result.ID = jsontext.BodyOf(t.text), jsontext.BodyOf(t.name), jsontext.BodyOf(t.id)
		}
	case canonical.Assistant:
		answer := a.row.Add(role, i)
		answer.Reasoning = build.Join(a.thought.Take(), jsontext.BodyOf(t.thought))
		if err := a.row.SayText(answer, t.text, field); err != nil {
			return err
		}
		answer.Calls = append(answer.Calls, t.calls...)
	default:
		return sdk.Reject("bad_role", field, "want a known role at byte %d, have %s", t.at, jsontext.Seen(jsontext.Quote(t.role)))
	}
	return nil
}

// label keeps the labels of answers in the row's metadata.
func (a *adapter) label(turns []turn) {
	list := []byte("[")
	for i := range turns {
		if t := &turns[i]; t.label != "" {
			list = jsontext.AppendString(jsontext.AppendComma(list), t.label)
		}
	}
	if len(list) > 1 {
		a.row.Meta("labels", jsontext.JSON(append(list, ']')))
	}
}

// call adds the call of a turn "FUNCTION CALL:".
func (a *adapter) call(t *turn, i int, field string) error {
	value, ok := calls.Value(calls.TrimEnd(t.text))
	if !ok {
		return sdk.Reject("bad_call", field, "want a call at byte %d", t.at)
	}
	c, ok := calls.Object(value)
	if !ok {
		return sdk.Reject("bad_call", field, "want a call with a name at byte %d, have %s", t.at, jsontext.Describe(value))
	}
	answer := a.row.Add(canonical.Assistant, i)
	answer.Calls = append(answer.Calls, c)
	return nil
}

// instruct adds a system text without its list of tools.
func (a *adapter) instruct(text, path string, i int) error {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "SYSTEM:"))
	if !a.row.HasTools() {
		for _, find := range []func(string) (tools, rest string, ok bool){calls.Tools, listedFunctions, declarations, namespace} {
			if tools, rest, ok := find(text); ok {
				if err := a.row.SetTools(path, jsontext.JSON(tools)); err != nil {
					return err
				}
				text = strings.TrimSpace(rest)
				break
			}
		}
	}
	a.row.Add(canonical.System, i).Body = jsontext.BodyOf(text)
	return nil
}
