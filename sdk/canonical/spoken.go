package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// speech adds the names in a model's text: in planner envelopes, marked calls and lines "ACTION: NAME", not in prose.
func (f *found) speech(body jsontext.Body) {
	if answer := body[opening(body):]; f.envelopeIn(answer, (*reader).envelope) || f.plain(answer) {
		return
	}
	f.marked(body, '<')
	if strings.Contains(string(body), mistralMark) {
		f.marked(body, '[')
	}
	f.lines(body)
}

const mistralMark = "[TOOL_CALLS]"

// callMarks are the marks before a call in JSON, and what ends it: its end, or the next one.
var callMarks = [...]struct{ open, end string }{
	{"<tool_call>", "tool_call>"}, {"<functioncall>", "functioncall>"}, {"<function_call>", "function_call>"}, {"<TOOLCALL>", "TOOLCALL>"},
	{"<|tool_call|>", "tool_call|>"}, {"<|python_tag|>", "<|"}, {mistralMark, mistralMark},
}

// marked adds the names behind the marks of calls that begin with a byte.
func (f *found) marked(body jsontext.Body, first byte) {
	const function = "<function="
	for at := 0; ; at++ {
		n := strings.IndexByte(string(body[at:]), first)
		if n < 0 {
			return
		}
		at += n
		if rest, ok := strings.CutPrefix(string(body[at:]), function); ok {
			f.add(TextUse, jsontext.Body(rest[:nameLength(jsontext.Body(rest))]))
			continue
		}
		for i := range callMarks {
			call, ok := strings.CutPrefix(string(body[at:]), callMarks[i].open)
			if !ok {
				continue
			}
			if end := strings.Index(call, callMarks[i].end); end >= 0 {
				call = call[:end]
			}
			f.envelopeIn(jsontext.Body(call[space(jsontext.Body(call)):]), (*reader).announced)
			break
		}
	}
}

// announced reads a call, or a list of calls, behind a mark.
func (rd *reader) announced() {
	if rd.Kind() == '[' {
		rd.calls("")
	} else {
		rd.call("", -1)
	}
}

// envelopeIn reads the JSON that the body of a string begins with.
func (f *found) envelopeIn(body jsontext.Body, read func(*reader)) bool {
	if body == "" || body[0] != '{' && body[0] != '[' || len(body) > 6*jsontext.EmbeddedSize {
		return false
	}
	text := body.Text()
	c := jsontext.JSON(text).Cursor()
	value, ok := jsontext.Embedded(string(c.Value()))
	if !ok {
		return false
	}
	f.inner, f.sorted = append(f.inner, inner{body: body, text: text}), false
	read(&reader{Cursor: f.shorten(value).Cursor(), found: f, row: f.aside})
	return true
}

// envelope reads the answer of a planner or message handler, or a call or list of calls.
func (rd *reader) envelope() {
	if rd.Kind() == '[' {
		for range rd.Elements() {
			rd.envelope()
		}
		return
	}
	name, called := jsontext.Body(""), false
	var actions []jsontext.Body
	params := rd.at("")
	for key := range rd.Members() {
		switch key {
		case "toolCalls", "tool_calls":
			rd.calls("")
		case "actions":
			actions = rd.actionNames()
		case "action": // one word may be a decision
			if body, ok := rd.String(); ok && strings.Contains(string(body), "_") {
				rd.found.listed(body)
			}
		case "plan":
			rd.envelope()
		case "name":
			name, _ = rd.String()
		default:
			if argumentsRank(key) > 0 || key == "action_params" || key == "actionParams" || key == "actionParameters" {
				called = called || argumentsRank(key) > 0
				params = rd.at(rd.Value())
			}
			if isList(key) {
				rd.entries(ListUse)
			}
		}
	}
	if params.keysAmong(actions); called {
		rd.found.add(TextUse, name)
	}
}

// lines adds the names in lines that begin with "ACTION: NAME".
func (f *found) lines(body jsontext.Body) {
	const word = "ACTION:"
	for at := 0; ; {
		i := strings.Index(string(body[at:]), word)
		if i < 0 {
			return
		}
		begins := at+i == 0 || endsLine(body[:at+i])
		at += i + len(word)
		if begins {
			at += space(body[at:])
			n := nameLength(body[at:])
			f.add(TextUse, body[at:at+n])
			at += n
		}
	}
}

// endsLine reports whether a body ends with a line break: an n after one backslash, not after the second of two.
func endsLine(body jsontext.Body) bool {
	line, ok := strings.CutSuffix(string(body), "n")
	return ok && (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// available adds the names in the lines "Available actions: A, B" and "Available tools (JSON):", which JSON follows, of a text that
// instructs, and in tools between tags.
func (f *found) available(body jsontext.Body) {
	const word, actions, tools = "Available ", "actions: ", `tools (JSON):\n`
	for at, listed := 0, false; ; {
		n := strings.Index(string(body[at:]), word)
		if n < 0 {
			break
		}
		begins := at+n == 0 || endsLine(body[:at+n])
		at += n + len(word)
		switch rest := string(body[at:]); {
		case !begins:
		case strings.HasPrefix(rest, actions):
			at += len(actions)
			at += f.availableActions(body[at:])
		case strings.HasPrefix(rest, tools) && !listed: // one list, since all that follows is decoded
			listed = true
			f.toolsIn(body[at+len(tools):])
		}
	}
	f.offered(body)
}

// availableActions adds the names of a list that a body begins with, and returns its length.
func (f *found) availableActions(body jsontext.Body) (at int) {
	const comma = ", "
	for list := f.list(); ; at += len(comma) {
		n := nameLength(body[at:])
		f.entry(list, TextUse, body[at:at+n], string(body[at:at+n]))
		if at += n; !strings.HasPrefix(string(body[at:]), comma) {
			return at
		}
	}
}

// opening returns the length of what may precede an envelope: white space, a thought between tags, the line of a code fence.
func opening(body jsontext.Body) int {
	at := space(body)
	if strings.HasPrefix(string(body[at:]), "<think>") {
		if i := strings.Index(string(body[at:]), "</think>"); i >= 0 {
			at += i + len("</think>")
			at += space(body[at:])
		}
	}
	if strings.HasPrefix(string(body[at:]), "```") {
		if i := strings.Index(string(body[at:]), `\n`); i >= 0 {
			at += i
			at += space(body[at:])
		}
	}
	return at
}

// space returns the length of the white space that a body begins with.
func space(body jsontext.Body) int {
	at := 0
	for at < len(body) {
		switch {
		case body[at] == ' ':
			at++
		case body[at] == '\\' && at+1 < len(body) && strings.IndexByte("nrt", body[at+1]) >= 0:
			at += 2
		default:
			return at
		}
	}
	return at
}

// nameLength returns the length of the name that a body begins with, without the end of a sentence.
func nameLength(body jsontext.Body) int {
	name := body[:len(body)-len(strings.TrimLeft(string(body), nameBytes))]
	return len(strings.TrimRight(string(name), ".-"))
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
