package notation

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Read reads a thread from a JSON value: a row {"system_settings", "messages"}, the later {"system", "messages"} and
// {"allowed_formats", "messages"}, a preference row {"system_settings", "prompt", "chosen", "rejected"}, a bare list of
// messages, or token text as a string or as {"text"}. It returns a *NotThreadError for other values. Mistakes in a thread are
// its Faults.
//
// A list of messages is a thread when the row has system settings, or a message has a format or a role that only threads
// have; chat rows with plain roles are none. Roles of the later version are read as the document's: "context" as "tool",
// "model" as "assistant". The messages of a list within the list are read in its place.
func Read(json jsontext.JSON) (Thread, error) {
	c := json.Cursor()
	switch c.Kind() {
	case '[':
		list := c.Value()
		if !isThread(list) {
			return Thread{}, errPlain
		}
		r := reader{Thread: Thread{Shape: ListShape}}
		r.Messages = r.messages(list, "")
		return r.Thread, nil
	case '"':
		body, _ := c.String()
		return readText(body, "")
	case '{':
		r := reader{}
		var m rowMembers
		m, r.Extra = sortMembers(json)
		return r.row(m)
	}
	return Thread{}, &NotThreadError{"want a thread as an object, list or string, have " + jsontext.KindName(c.Kind())}
}

var errPlain = &NotThreadError{"want messages with a format or with a role that only threads have, have none"}

// rowMembers are the members of a row that may belong to a thread.
type rowMembers struct {
	settings, settingsKey, formats, messages, text, prompt, chosen, rejected, reason, segments jsontext.JSON
}

// sortMembers parts the members of a row that may belong to a thread from the others.
func sortMembers(json jsontext.JSON) (m rowMembers, extra []jsontext.Member) {
	c := json.Cursor()
	for key := range c.Members() {
		value := c.Value()
		switch {
		case key == "system_settings", key == "system" && value.Kind() == '{':
			if m.settings != "" {
				extra = append(extra, jsontext.Member{Key: string(m.settingsKey), Value: m.settings})
			}
			m.settings, m.settingsKey = value, jsontext.JSON(key)
		case key == "allowed_formats":
			m.formats = value
		case key == "messages":
			m.messages = value
		case key == "text" && value.Kind() == '"':
			m.text = value
		case key == "segments":
			m.segments = value
		case key == "prompt" && value.Kind() == '[':
			m.prompt = value
		case key == "chosen" && value.Kind() == '[':
			m.chosen = value
		case key == "rejected" && value.Kind() == '[':
			m.rejected = value
		case key == "reason" && value.Kind() == '"':
			m.reason = value
		default:
			extra = append(extra, jsontext.Member{Key: key, Value: value})
		}
	}
	return m, extra
}

func (r *reader) row(m rowMembers) (Thread, error) {
	settled := m.settings.Kind() == '{' || m.formats != ""
	switch {
	case m.messages != "":
		if !settled && !isThread(m.messages) {
			return Thread{}, errPlain
		}
		r.Shape = RowShape
		r.settings(m)
		r.Messages = r.messages(m.messages, "messages.")
	case m.chosen != "" && m.rejected != "":
		if !settled && !isThread(m.prompt) && !isThread(m.chosen) {
			return Thread{}, errPlain
		}
		r.Shape, r.Reason = PairShape, m.reason.Body()
		r.settings(m)
		r.Messages = r.messages(m.prompt, "prompt.")
		r.Chosen = r.messages(m.chosen, "chosen.")
		r.Rejected = r.messages(m.rejected, "rejected.")
	case m.text != "":
		t, err := readText(m.text.Body(), "text")
		if err != nil {
			return t, err
		}
		r.Shape, r.Messages = t.Shape, t.Messages
		r.settings(m)
		r.Faults = append(r.Faults, t.Faults...)
	default:
		return Thread{}, &NotThreadError{"want messages or token text, have neither"}
	}
	r.keepUnused(m)
	return r.Thread, nil
}

// keepUnused adds the members that a thread of this shape does not have to the other members of the row.
func (r *reader) keepUnused(m rowMembers) {
	if m.settings.Kind() != '{' {
		m.formats = ""
	}
	if r.Shape == TokenShape && areSegments(m.segments) {
		m.segments = ""
	}
	for _, o := range [...]struct {
		key   string
		value jsontext.JSON
		of    Shape
	}{
		{"messages", m.messages, RowShape}, {"text", m.text, TokenShape}, {"prompt", m.prompt, PairShape}, {"chosen", m.chosen, PairShape},
		{"rejected", m.rejected, PairShape}, {"reason", m.reason, PairShape}, {"segments", m.segments, ""}, {"allowed_formats", m.formats, ""},
	} {
		if o.value != "" && o.of != r.Shape {
			r.Extra = append(r.Extra, jsontext.Member{Key: o.key, Value: o.value})
		}
	}
}

// areSegments reports whether a value lists segments as TokenWriter writes them, so that they can be made again.
func areSegments(segments jsontext.JSON) bool {
	c := segments.Cursor()
	for range c.Elements() {
		if c.Kind() != '{' {
			return false
		}
		for key := range c.Members() {
			if key != "start" && key != "end" && key != "train" {
				return false
			}
		}
	}
	return segments.Kind() == '['
}

func readText(body jsontext.Body, path string) (Thread, error) {
	text := body.Text()
	if !strings.HasPrefix(strings.TrimSpace(text), RoleToken) {
		return Thread{}, &NotThreadError{"want text that begins with " + RoleToken}
	}
	t := Thread{Shape: TokenShape}
	t.Messages, t.Faults = parseTokens(text, path)
	return t, nil
}

// maxDepth bounds how deep lists may nest.
const maxDepth = 100

// isThread distinguishes a thread from a chat row without reading contents.
func isThread(messages jsontext.JSON) bool {
	c := jsontext.Cursor{JSON: messages}
	return c.Kind() == '[' && marked(&c, 0)
}

func marked(c *jsontext.Cursor, depth int) bool {
	for range c.Elements() {
		if c.Kind() == '[' && depth < maxDepth {
			if marked(c, depth+1) {
				return true
			}
			continue
		}
		assistant, format := false, false
		for key := range c.Members() {
			switch key {
			case "role":
				switch role, _ := c.String(); role {
				case "platform", "context":
					return true
				case "assistant", "model":
					assistant = true
				}
			case "format":
				_, format = c.String()
			}
		}
		if assistant && format {
			return true
		}
	}
	return false
}

// A reader reads the parts of a thread and notes their faults.
type reader struct {
	Thread
	mistakes int
}

// mostBad bounds how many mistakes of a thread are listed.
const mostBad = 32

func (r *reader) bad(path, format string, args ...any) {
	if r.mistakes++; r.mistakes > mostBad {
		return
	}
	r.Faults = append(r.Faults, Fault{BadThread, path, fmt.Sprintf(format, args...)})
}

func (r *reader) unknown(path, where string) {
	r.Faults = append(r.Faults, Fault{UnknownMember, path, "want a member that the document has in " + where + ", have one of another name"})
}

// messages reads a list of messages. prefix is the path of the list with a dot behind it, or "".
func (r *reader) messages(list jsontext.JSON, prefix string) []Message {
	c := list.Cursor()
	if list != "" && c.Kind() != '[' {
		r.bad(strings.TrimSuffix(prefix, "."), "want a list of messages, have %s", jsontext.KindName(list.Kind()))
		return nil
	}
	if holdsLists(c) {
		r.bad(strings.TrimSuffix(prefix, "."), branching)
		return nil
	}
	return r.elements(nil, &c, prefix, 0)
}

// branching is the fault of a thread that has branches.
const branching = "want a message, have branches, which plugin modelspec-document expands"

func (r *reader) elements(all []Message, c *jsontext.Cursor, prefix string, depth int) []Message {
	for i := range c.Elements() {
		switch kind := c.Kind(); {
		case kind == '{':
			all = append(all, r.message(c, prefix, i))
		case kind == '[' && depth < maxDepth:
			if inner := c.Value().Cursor(); holdsLists(inner) {
				r.bad(fmt.Sprintf("%s%d", prefix, i), branching)
			} else {
				all = r.elements(all, &inner, fmt.Sprintf("%s%d.", prefix, i), depth+1)
			}
		case kind == 'n': // an editor's message that is taken out
			c.Skip()
		default:
			r.bad(fmt.Sprintf("%s%d", prefix, i), "want an object, have %s", jsontext.KindName(c.Value().Kind()))
		}
	}
	return all
}

// message reads a message. Its path is made only for a fault.
func (r *reader) message(c *jsontext.Cursor, prefix string, index int) (m Message) {
	path := func(name string) string { return fmt.Sprintf("%s%d.%s", prefix, index, name) }
	var role string
	var format, content, name, end, correct, halted jsontext.JSON
	for key := range c.Members() {
		switch key {
		case "role":
			role = c.Value().Text()
		case "name":
			name = c.Value()
		case "format":
			format = c.Value()
		case "content":
			content = c.Value()
		case "end_turn":
			end = c.Value()
		case "correct":
			correct = c.Value()
		case "halted_on_completion":
			halted = c.Value()
		default:
			c.Skip()
			r.unknown(path(key), "messages")
		}
	}
	var ok bool
	if m.Role, m.Later, ok = RoleOf(role); !ok {
		r.bad(path("role"), "want platform, developer, user, assistant or tool, have an unknown role")
	}
	if m.Body, ok = content.Quoted(); !ok {
		r.bad(path("content"), "want a string, have %s", jsontext.KindName(content.Kind()))
	}
	if m.Role == Tool && name != "null" {
		if m.Name = name.Text(); name != "" && name.Kind() != '"' {
			r.bad(path("name"), "want a string, have %s", jsontext.KindName(name.Kind()))
		}
	} else if name != "" && m.Role != Tool {
		r.unknown(path("name"), string(m.Role)+" messages")
	}
	if m.Role == Assistant {
		if m.Format = format.Text(); !goodName(m.Format) {
			r.bad(path("format"), "want the name of a format, without white space, have %s", nameKind(format))
		}
		m.EndTurn = r.mark(end, path, "end_turn", true) == Yes
		m.Correct, m.Halted = r.mark(correct, path, "correct", false), r.mark(halted, path, "halted_on_completion", false)
		return m
	}
	for _, member := range []struct {
		name  string
		value jsontext.JSON
	}{{"format", format}, {"end_turn", end}, {"correct", correct}, {"halted_on_completion", halted}} {
		if member.value != "" && ok {
			r.unknown(path(member.name), string(m.Role)+" messages")
		}
	}
	return m
}

func (r *reader) mark(value jsontext.JSON, path func(string) string, name string, needed bool) Mark {
	switch {
	case value == "true":
		return Yes
	case value == "false":
		return No
	case value != "" || needed:
		r.bad(path(name), "want true or false, have %s", jsontext.KindName(value.Kind()))
	}
	return Unmarked
}

// nameKind names the kind of a value that is no goodName.
func nameKind(v jsontext.JSON) string {
	switch {
	case v.Text() != "":
		return "a string with white space"
	case v.Kind() == '"':
		return "an empty string"
	}
	return jsontext.KindName(v.Kind())
}
