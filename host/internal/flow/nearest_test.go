package flow

import (
	"strings"
	"testing"
)

// TestAllDeclined protects that a record which no member takes is told in one line: all reasons where they are few, else the nearest
// one, by the members that the record has and never by a value.
func TestAllDeclined(t *testing.T) {
	few := []string{"a.x: want the word messages", "b.y: not mine"}
	many := []string{
		"native.canonical: want format eliza_native_v1", "thread.thread: want messages or token text",
		"messages.messages: want a list of messages", "oasst.trees: want the word message_id",
		"pair.pair: want an answer column, such as output, response, answer", "flat.flat: want the word currentMessage",
	}
	deep := []string{
		"steps.steps: want a list of steps with action, tool or tool_name each", "events.events: want the word source", "list.list: want a list of messages",
		"more.more: want one of the words conversations, trajectory, history, currentMessage, expectedResponse",
	}
	const begins = "no step of first shape took it: "
	for _, c := range []struct {
		reason string
		why    []string
		record string
		want   string
	}{
		{"few reasons", few, `{"mesages": 1}`, "a.x: want the word messages; b.y: not mine"},
		{"a letter is missing, and a step is called so", many, `{"mesages": 1}`, `nearest is messages.messages: want "messages", have "mesages"`},
		{"two letters changed places", many, `{"question": "q", "anwser": "a"}`, `nearest is pair.pair: want "answer", have "anwser"`},
		{"one edit before two", many, `{"mssges": 1, "respons": 1}`, `nearest is pair.pair: want "response", have "respons"`},
		{"a word that another step wants is no misspelt one", many, `{"messages": 1}`, "none is near, have an object with messages"},
		{"more members than are shown", many, `{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "a": 8}`, "none is near, have an object with a, b, c, d, e, f and 1 more"},
		{"two letters changed places in a short word", deep, `{"stpes": []}`, `nearest is steps.steps: want "steps", have "stpes"`},
		{"a misspelt member of an element", deep, `{"events": [{"sorce": "x"}]}`, `nearest is events.events: want "source", have "sorce" in events.0`},
		{"a step that found a part of what it wants", append(deep, "list.list: want a list of messages, have a string in messages"),
			`{"messages": "hi", "x": {"sorce": 1}}`, "nearest is list.list: want a list of messages, have a string in messages"},
		{"one of two plural words inside", append(deep, "contents.contents: want contents with parts"), `{"messages": [{"content": "x"}]}`, "none is near, have an object with messages"},
		{"a word of the reasons' English", deep, `{"lists": 1, "wants": 2}`, "none is near, have an object with lists, wants"},
		{"a name that may be a value", many, `{"Ada Lovelace": 1, "ada@engines.org": 2, "0049301234567": 3}`, "none is near, have an object"},
		{"no object", many, `[1]`, "none is near, have an array"},
		{"a record that is not shown", many, "", "none is near"},
	} {
		if have := newWanted(c.why).message("shape", []byte(c.record)); have != begins+c.want || strings.Count(have, "") > 200 {
			t.Errorf("%s: want %q, have %q", c.reason, begins+c.want, have)
		}
	}
}
