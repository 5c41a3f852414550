// Package openhands reads the event streams of OpenHands, from evaluations and saved sessions, and writes
// eliza_native_v1 rows: actions become calls, observations their results.
//
// The adapter takes a record when it is a list of events, or has one under "history" or "trajectory": objects with a source and an
// action or observation, or pairs of them.
package openhands

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "openhands".
var Plugin = build.Adapter{
	Name: "openhands",
	Doc:  "reads event streams of OpenHands and writes eliza_native_v1 rows",
	Codes: map[string]string{
		"bad_event": "an event is not an object, or comes from an unknown source; correct it where it was made, or leave it out",
	},
	New: func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked([]string{"source"}, []string{"action", "observation"}),
}.Plugin()

// An adapter reads one record.
type adapter struct {
	row         *build.Builder
	events      jsontext.JSON
	instruction jsontext.JSON
	calls       map[string]waiting // by the id of the event that made them
	response    jsontext.Body      // the model's response with the last call
}

// A waiting call has no result yet.
type waiting struct {
	id, action jsontext.Body
	made       jsontext.JSON // how the model made it
}

func read(record jsontext.JSON, row *build.Builder) error {
	a := adapter{row: row, calls: map[string]waiting{}}
	switch record.Kind() {
	case '[':
		a.events = record
	case '{':
		for key, v := range record.Members() {
			switch {
			case (key == "history" || key == "trajectory") && isEvents(v) && a.events == "":
				a.events, row.Path = v, key
			case key == "instruction" && v.Kind() == '"':
				a.instruction = v
			case key == "format" || key == "messages":
				return sdk.Decline("want a record with no other shape than the events")
			default:
				row.Keep(key, v)
			}
		}
	}
	if !isEvents(a.events) {
		return sdk.Decline("want a list of events with source, and action or observation")
	}
	if err := row.CheckRepair(); err != nil {
		return err
	}
	return a.converse()
}

// isEvents reports whether a list begins with an event, or with a pair of them.
func isEvents(list jsontext.JSON) bool {
	first := list.First()
	if first.Kind() == '[' {
		first = first.First()
	}
	source, did := false, false
	for key := range first.Members() {
		source = source || key == "source"
		did = did || key == "action" || key == "observation"
	}
	return source && did
}

// converse adds the turns of all events.
func (a *adapter) converse() error {
	for i, v := range a.events.Elements() {
		if v.Kind() != '[' {
			if err := a.event(i, v); err != nil {
				return err
			}
		}
		for _, event := range v.Elements() {
			if err := a.event(i, event); err != nil {
				return err
			}
		}
	}
	a.ask()
	return nil
}

// ask puts the instruction before the turns when the user has none, and drops it where a turn of the user repeats it.
func (a *adapter) ask() {
	if !a.instruction.Truthy() {
		return
	}
	for i := range a.row.Turns {
		if t := &a.row.Turns[i]; t.Role == canonical.User {
			if !t.Body.Is(a.instruction.Body()) {
				a.row.Keep("instruction", a.instruction)
			}
			return
		}
	}
	at := slices.IndexFunc(a.row.Turns, func(t build.Message) bool { return t.Role != canonical.System })
	if at < 0 {
		at = len(a.row.Turns)
	}
	a.row.Turns = slices.Insert(a.row.Turns, at, build.Message{Role: canonical.User, Body: a.instruction.Body()})
}

func (a *adapter) path(i int) string {
	if a.row.Path == "" {
		return strconv.Itoa(i)
	}
	return a.row.Path + "." + strconv.Itoa(i)
}
