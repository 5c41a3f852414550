// Package calls reads tool calls, their results, tool lists and thoughts in text.
//
// It finds a mark such as <tool_call> by byte search, and reads the text after it with a parser of JSON and Python literals
// instead of patterns, so that braces and quotes inside strings do not matter.
package calls

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Row is what reading a text depends on besides the text. nil is one without tools.
type Row interface {
	Knows(tool string) bool             // reports whether a decoded name is that of a tool
	IsText(tool, parameter string) bool // reports whether the schema of a tool says that a parameter is a string
	Mentions(mark string) bool          // reports whether the prompt has a mark
}

type noRow struct{}

func (noRow) Knows(string) bool          { return false }
func (noRow) IsText(string, string) bool { return false }
func (noRow) Mentions(string) bool       { return false }

// A Reading holds the contents of an assistant's text.
type Reading struct {
	Thought string // in <think>, <thinking> or <scratch_pad> at the start, or before a lone </think>
	Text    string // the text around the calls; unchanged when there are no calls
	Calls   []Call
	Left    int // how many other members the object around the calls has
}

// Marked reports whether Read may find something in text. Most texts need not be read. It accepts bodies of JSON strings too.
func Marked(text string) bool {
	if strings.Contains(text, mistral) {
		return true
	}
	for i := 0; i+1 < len(text); i++ {
		n := strings.IndexByte(text[i:], '<')
		if n < 0 || i+n+1 == len(text) {
			break
		}
		i += n
		for _, m := range marks[text[i+1]] {
			if strings.HasPrefix(text[i:], m) {
				return true
			}
		}
	}
	return opensValue(text) || strings.Contains(text[:min(len(text), 64)], thoughtPrefix)
}

// opensValue reports whether text begins like a JSON value or a list of Python calls, after white space or its escapes.
func opensValue(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case isSpace(c):
		case c == '\\' && i+1 < len(text) && strings.IndexByte("nrt", text[i+1]) >= 0:
			i++
		default:
			return c == '{' || c == '['
		}
	}
	return false
}

// Read cuts thoughts and calls out of an assistant's text, and end marks such as <|endoftext|> off its end. It reads calls behind the
// marks of callMarks, in <function=name>, <|python_tag|>, in a text that consists of [f(a=1), g()], and in one that consists of a call in
// JSON. A mark followed by something that looks like a call and does not parse is an error, as is one of a family that is not read; a mark
// that prose only mentions, or that is in code, is text. A thought at the start that does not end is ErrThought.
func Read(text string, row Row) (Reading, error) {
	if row == nil {
		row = noRow{}
	}
	var r Reading
	body := TrimEnd(text)
	r.Thought, body = Thought(body)
	r.Text = body
	if opensThought(body) {
		return r, ErrThought
	}
	if err := r.marked(body, row); err != nil || len(r.Calls) > 0 {
		return r, err
	}
	trimmed := strings.TrimSpace(body)
	if trimmed == "" {
		return r, nil
	}
	if n := brokenCall(trimmed); n > 0 {
		return r, fmt.Errorf("want a call in JSON, or <function=, in the block that the text consists of, have %d bytes that are none", n)
	}
	switch trimmed[0] {
	case '{':
		r.whole(trimmed, row)
	case '`':
		r.fenced(trimmed, row)
	case '[':
		if inner := strings.TrimLeft(trimmed[1:], " \t\r\n"); inner != "" && inner[0] == '{' {
			r.whole(trimmed, row)
		} else if calls, err := pythonCalls(trimmed, row); err != nil {
			return r, err
		} else if len(calls) > 0 {
			r.Calls, r.Text = calls, ""
		}
	}
	return r, nil
}

func (r *Reading) marked(body string, row Row) error {
	var around []string
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			around = append(around, text)
		}
	}
	from := 0
	code := fences{text: body}
	for i := 0; i < len(body); {
		n := nextMark(body[i:])
		if n < 0 {
			break
		}
		i += n
		if !opens(body[i:]) || code.holds(i) {
			i++
			continue
		}
		behind, err := r.call(body[i:], row)
		if err != nil {
			return fmt.Errorf("call at byte %d: %w", i, err)
		}
		if behind < 0 {
			i++
			continue
		}
		add(body[from:i])
		i += behind
		from = i
		code.pass(i)
	}
	if len(r.Calls) > 0 {
		add(body[from:])
		r.Text = strings.Join(around, "\n")
	}
	return nil
}

// fenced reads a text that consists of one block of code with marked calls of tools that the row has. Any other is an example.
func (r *Reading) fenced(text string, row Row) {
	_, inner, ok := strings.Cut(text, "\n")
	inner, closed := strings.CutSuffix(inner, "```")
	if !ok || !closed || !strings.HasPrefix(text, "```") || strings.Contains(inner, "```") {
		return
	}
	var in Reading
	if err := in.marked(inner, row); err != nil || len(in.Calls) == 0 || in.Text != "" {
		return
	}
	for _, c := range in.Calls {
		if !row.Knows(c.Name.Text()) {
			return
		}
	}
	r.Calls, r.Text = in.Calls, ""
}

// call reads the mark that s begins with and its calls, and returns the offset after them, -1 when no mark counts.
func (r *Reading) call(s string, row Row) (int, error) {
	if strings.HasPrefix(s, "<function=") {
		return r.function(s, row)
	}
	for i := range callMarks {
		if m := &callMarks[i]; strings.HasPrefix(s, m.open) {
			n, err := r.block(s, m, row)
			if n < 0 && m.certain && !row.Mentions(m.open) {
				return 0, fmt.Errorf("want calls in JSON behind %s, have %d other bytes", m.open, len(s)-len(m.open))
			}
			return n, err
		}
	}
	if tag := "<|python_tag|>"; strings.HasPrefix(s, tag) {
		return r.pythonTag(s, len(tag))
	}
	for _, open := range unread {
		if strings.HasPrefix(s, open) && !row.Mentions(open) {
			return 0, fmt.Errorf("want a call of a form that is read, have one that begins with %s", open)
		}
	}
	return -1, nil
}

// block reads one or more literals up to the end of a mark, which may be missing at the end of the text.
func (r *Reading) block(s string, m *callMark, row Row) (int, error) {
	body := strings.TrimLeft(s[len(m.open):], " \t\r\n")
	if body == "" || body[0] != '{' && body[0] != '[' && !strings.HasPrefix(body, "<function=") {
		return -1, nil
	}
	for {
		switch {
		case m.end != "" && strings.HasPrefix(body, m.end):
			return len(s) - len(body) + len(m.end), nil
		case body == "" || strings.HasPrefix(body, "<|"):
			return len(s) - len(body), nil
		case strings.HasPrefix(body, "<function="):
			n, err := r.function(body, row)
			if err != nil {
				return 0, err
			}
			if n < 0 {
				return 0, fmt.Errorf("want the name of a function and its arguments behind <function=, have %d bytes that are none", len(body)-len("<function="))
			}
			body = body[n:]
		default:
			value, rest, err := Literal(nil, body)
			if err != nil {
				return 0, err
			}
			if err := r.add(jsontext.JSON(value)); err != nil {
				return 0, err
			}
			body = rest
			if m.mayEnd && (m.end == "" || !strings.HasPrefix(strings.TrimLeft(body, " \t\r\n"), m.end)) {
				return len(s) - len(body), nil
			}
		}
		body = strings.TrimLeft(body, " \t\r\n")
	}
}

// add adds a call or a list of calls that a mark announced.
func (r *Reading) add(value jsontext.JSON) error {
	if value[0] == '[' {
		for _, call := range value.Elements() {
			if err := r.add(call); err != nil {
				return err
			}
		}
		return nil
	}
	c, ok := Object(value)
	if !ok {
		have := jsontext.KindName(value.Kind())
		if value.Kind() == '{' {
			have += " without a name"
		}
		return fmt.Errorf("want an object with a name, have %s", have)
	}
	r.Calls = append(r.Calls, c)
	return nil
}

// function reads <function=name>{...}</function>, or parameters as <parameter=key>value</parameter>. It returns -1 for what prose
// says of the mark: no name of a tool is there, or nothing of a call behind it.
func (r *Reading) function(s string, row Row) (int, error) {
	name, body, ok := strings.Cut(s[len("<function="):], ">")
	if name = strings.TrimSpace(name); !ok || !isName(name) && !row.Knows(name) {
		return -1, nil
	}
	args := []byte("{")
	body = strings.TrimLeft(body, " \t\r\n")
	switch {
	case strings.HasPrefix(body, "{"):
		value, rest, err := Literal(nil, body)
		if err != nil {
			return 0, err
		}
		args, body = value, strings.TrimLeft(rest, " \t\r\n")
	case strings.HasPrefix(body, "<parameter="), strings.HasPrefix(body, "</function>"), strings.HasPrefix(body, "</tool_call>"), strings.HasPrefix(body, "</seed:tool_call>"), body == "" && row.Knows(name):
		for strings.HasPrefix(body, "<parameter=") {
			key, rest, ok := strings.Cut(body[len("<parameter="):], ">")
			value, rest, closed := strings.Cut(rest, "</parameter>")
			if !ok || !closed {
				return 0, fmt.Errorf("want </parameter> behind <parameter=, have the end")
			}
			key = strings.TrimSpace(key)
			args = appendParameter(jsontext.AppendKey(args, key), value, row.IsText(name, key))
			body = strings.TrimLeft(rest, " \t\r\n")
		}
		args = append(args, '}')
	default:
		return -1, nil
	}
	r.Calls = append(r.Calls, Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON(args)})
	return len(s) - len(strings.TrimPrefix(body, "</function>")), nil
}

// isName reports whether a text can be the name of a tool: it has a letter, and no sign of code or prose.
func isName(text string) bool {
	return strings.IndexFunc(text, unicode.IsLetter) >= 0 && !strings.ContainsAny(text, "<>(){}[]\"'`\\|*+?$, \t\r\n")
}

// appendParameter appends JSON as it is, and anything else, or what is a string by its schema, as a string without the line breaks that
// the template adds.
func appendParameter(dst []byte, value string, isText bool) []byte {
	value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
	if v, ok := jsontext.Embedded(value); ok && !isText {
		return append(dst, v...)
	}
	return jsontext.AppendString(dst, value)
}

// whole reads a text that consists of a call in JSON, a list of calls, or an object that holds a list of calls.
func (r *Reading) whole(text string, row Row) {
	whole, ok := jsontext.Embedded(text)
	if !ok {
		return
	}
	if whole.Kind() == '[' {
		if calls, ok := list(whole, row, false); ok {
			r.Calls, r.Text = calls, ""
		}
		return
	}
	var thought, say jsontext.JSON
	var calls []Call
	left := 0
	for key, value := range whole.Members() {
		switch key {
		case "tool_calls", "toolCalls":
			found, ok := list(value, row, true)
			if !ok {
				return
			}
			calls = found
		case "thought":
			thought = value
		case "messageToUser", "content", "text":
			if say.Text() != "" && say != value {
				left++
			}
			say = value
		default:
			if value.Truthy() {
				left++
			}
		}
	}
	if calls != nil {
		r.Calls, r.Text, r.Left = calls, say.Text(), left
		r.Thought = Join(r.Thought, thought.Text())
		return
	}
	if c, key := read(whole); sure(c, key, row) {
		r.Calls, r.Text = []Call{c}, ""
	}
}

// list reads an array of calls. announced says that its key names calls.
func list(v jsontext.JSON, row Row, announced bool) ([]Call, bool) {
	calls := make([]Call, 0, 4)
	for _, call := range v.Elements() {
		c, key := read(call)
		if !sure(c, key, row) && (!announced || c.Name.Blank()) {
			return nil, false
		}
		calls = append(calls, c)
	}
	return calls, len(calls) > 0
}

// Join joins two texts with a blank line, or returns the one that is not empty.
func Join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
