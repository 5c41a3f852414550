package alias

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// text walks what an assistant said: a planner envelope, calls between tool_call tags, or "ACTION: NAME" at the
// beginning of a line. Prose stays.
func (w *walk) text(c *jsontext.Cursor) {
	if c.Kind() != '"' {
		c.Skip()
		return
	}
	start := c.At + 1
	body, _ := c.String()
	if w.inside || len(body) == 0 {
		return
	}
	at := opening(body)
	if at < len(body) && (body[at] == '{' || body[at] == '[') {
		first := len(w.edits)
		if w.nested(start+at, body[at:], (*walk).envelope); len(w.edits) > first {
			return
		}
	}
	const tag = "<tool_call>"
	for at := 0; ; {
		i := strings.Index(string(body[at:]), tag)
		if i < 0 {
			break
		}
		at += i + len(tag)
		end := at + max(0, strings.IndexByte(string(body[at:]), '<'))
		from := at + space(body[at:end])
		w.nested(start+from, body[from:end], (*walk).envelope)
	}
	w.lines(start, body)
}

// lines rewrites the names in lines that begin with "ACTION: NAME".
func (w *walk) lines(start int, body jsontext.Body) {
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
			w.span(start+at, body[at:at+n])
			at += n
		}
	}
}

// endsLine tells whether a body ends with a line break: an n behind one backslash, not behind the second of two.
func endsLine(body jsontext.Body) bool {
	line, ok := strings.CutSuffix(string(body), "n")
	return ok && (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// prompt rewrites the line "Available actions: A, B" that a flat row's prompt ends in.
func (w *walk) prompt(c *jsontext.Cursor) {
	if c.Kind() != '"' {
		c.Skip()
		return
	}
	start := c.At + 1
	body, _ := c.String()
	const line = "Available actions: "
	at := strings.Index(string(body), line)
	if at < 0 || at > 0 && !endsLine(body[:at]) {
		return
	}
	mark, first := len(w.entries), len(w.edits)
	for at += len(line); ; {
		n := nameLength(body[at:])
		e := entry{start: start + at, end: start + at + n}
		e.name, e.renamed = w.span(e.start, body[at:at+n])
		w.entries = append(w.entries, e)
		at += n
		if !strings.HasPrefix(string(body[at:]), ", ") {
			break
		}
		at += len(", ")
	}
	w.merge(mark, first)
}

// opening skips what may stand before an envelope: white space, a thought between tags, the line of a code fence.
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

// space is the length of the white space that a body begins with.
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

// nameLength is the length of the action name that a body begins with.
func nameLength(body jsontext.Body) int {
	n := 0
	for n < len(body) && (body[n] == '_' || body[n] == '-' || body[n] == '.' || isAlphanumeric(body[n])) {
		n++
	}
	for n > 0 && (body[n-1] == '.' || body[n-1] == '-') { // the end of a sentence
		n--
	}
	return n
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// nested walks the JSON that the body of a string holds, which begins at start.
func (w *walk) nested(start int, body jsontext.Body, read func(*walk, *jsontext.Cursor)) {
	if w.inside {
		return
	}
	text := jsontext.JSON(body)
	if strings.IndexByte(string(body), '\\') >= 0 {
		w.decoded = jsontext.AppendText(jsontext.Reuse(w.decoded), body)
		text = jsontext.Of(w.decoded)
	}
	first := len(w.edits)
	w.inside = true
	read(w, &jsontext.Cursor{JSON: text})
	w.inside = false
	if len(w.edits) > first {
		w.edits[first:].raise(body, start)
	}
}

// envelope walks what a planner or message handler answered, or a call or list of calls that is a whole text.
func (w *walk) envelope(c *jsontext.Cursor) {
	if c.Kind() == '[' {
		for range c.Elements() {
			w.envelope(c)
		}
		return
	}
	name, called := -1, false
	for key := range c.Members() {
		switch key {
		case "toolCalls", "tool_calls":
			w.calls(c)
		case "actions":
			for range c.Elements() {
				if c.Kind() == '"' {
					w.name(c)
				} else {
					w.call(c)
				}
			}
		case "plan":
			w.envelope(c)
		case "name":
			name = c.At
		case "arguments", "args", "parameters", "input":
			called = true
		default:
			w.nameList(key, c)
		}
	}
	if called && name >= 0 {
		w.name(&jsontext.Cursor{JSON: c.JSON, At: name})
	}
}
