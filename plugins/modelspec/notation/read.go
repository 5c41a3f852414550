package notation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Read reads a thread from a JSON value: a row {"system_settings", "messages"}, the later {"system", "messages"} and
// {"allowed_formats", "messages"}, a preference row {"system_settings", "prompt", "chosen", "rejected"}, a bare list of
// messages, or token text as a string or as {"text"}. It returns an error for other values.
// Mistakes in a thread are its Faults.
//
// A list of messages is a thread when the row has system settings, or a message has a format or a role that only threads
// have; chat rows with plain roles are none. Roles of the later version are read as the document's: "context" as "tool",
// "model" as "assistant". Lists within the list are for ReadBranches.
func Read(json jsontext.JSON) (Thread, error) {
	switch json.Kind() {
	case '[':
		if !isThread(json) {
			return Thread{}, errPlain
		}
		r := reader{Thread: Thread{Shape: ListShape}}
		r.Messages = r.messages(json, "")
		return r.Thread, nil
	case '"':
		return readText(json.Body(), "")
	case '{':
		r := reader{}
		var m rowMembers
		m, r.Extra = sortMembers(json)
		return r.row(m)
	}
	return Thread{}, errors.New("want a thread as an object, list or string, have " + jsontext.KindName(json.Kind()))
}

var errPlain = errors.New("want messages with a format or with a role that only threads have")

// rowMembers are the members of a row that may belong to a thread: the settings, under one of their names, and ownMembers.
type rowMembers struct {
	settings    jsontext.JSON
	settingsKey string
	own         map[string]jsontext.JSON
}

// ownMembers lists the members of threads, their types where other types are no thread's, and the shape that has them.
var ownMembers = []struct {
	key  string
	kind byte
	of   Shape
}{
	{"messages", 0, RowShape}, {"text", '"', TokenShape}, {"prompt", '[', PairShape}, {"chosen", '[', PairShape},
	{"rejected", '[', PairShape}, {"reason", '"', PairShape}, {"segments", 0, ""}, {"allowed_formats", 0, ""},
}

// sortMembers parts the members of a row that may belong to a thread from the others.
func sortMembers(json jsontext.JSON) (m rowMembers, extra []jsontext.Member) {
	m.own = map[string]jsontext.JSON{}
	for key, value := range json.Members() {
		at := 0
		for at < len(ownMembers) && (key != ownMembers[at].key || ownMembers[at].kind != 0 && ownMembers[at].kind != value.Kind()) {
			at++
		}
		switch {
		case key == "system_settings", key == "system" && value.Kind() == '{':
			if m.settings != "" {
				extra = append(extra, jsontext.Member{Key: m.settingsKey, Value: m.settings})
			}
			m.settings, m.settingsKey = value, key
		case at < len(ownMembers):
			m.own[key] = value
		default:
			extra = append(extra, jsontext.Member{Key: key, Value: value})
		}
	}
	return m, extra
}

func (r *reader) row(m rowMembers) (Thread, error) {
	settled := m.settings.Kind() == '{' || m.own["allowed_formats"] != ""
	messages, chosen, rejected, prompt := m.own["messages"], m.own["chosen"], m.own["rejected"], m.own["prompt"]
	switch {
	case messages != "":
		if !settled && !isThread(messages) {
			return Thread{}, errPlain
		}
		r.Shape = RowShape
		r.settings(m)
		r.Messages = r.messages(messages, "messages.")
	case chosen != "" && rejected != "":
		if !settled && !isThread(prompt) && !isThread(chosen) {
			return Thread{}, errPlain
		}
		r.Shape, r.Reason = PairShape, m.own["reason"].Body()
		r.settings(m)
		r.Messages = r.messages(prompt, "prompt.")
		r.Chosen = r.messages(chosen, "chosen.")
		r.Rejected = r.messages(rejected, "rejected.")
	case m.own["text"] != "":
		t, err := readText(m.own["text"].Body(), "text")
		if err != nil {
			return t, err
		}
		r.Shape, r.Messages = t.Shape, t.Messages
		r.settings(m)
		r.Faults = append(r.Faults, t.Faults...)
	default:
		return Thread{}, errors.New("want messages or token text")
	}
	// What a thread of this shape does not have belongs to the other members of the row.
	for _, o := range ownMembers {
		value := m.own[o.key]
		used := o.of == r.Shape || o.key == "allowed_formats" && m.settings.Kind() != '{' ||
			o.key == "segments" && r.Shape == TokenShape && areSegments(value)
		if value != "" && !used {
			r.Extra = append(r.Extra, jsontext.Member{Key: o.key, Value: value})
		}
	}
	return r.Thread, nil
}

// areSegments reports whether a value lists segments as TokenWriter writes them, so that they can be made again.
func areSegments(segments jsontext.JSON) bool {
	return segments.Kind() == '[' && !anyElement(segments, func(segment jsontext.JSON) bool {
		for key := range segment.Members() {
			if key != "start" && key != "end" && key != "train" {
				return true
			}
		}
		return segment.Kind() != '{'
	})
}

func readText(body jsontext.Body, path string) (Thread, error) {
	text := body.Text()
	if !strings.HasPrefix(strings.TrimSpace(text), RoleToken) {
		return Thread{}, errors.New("want text that begins with " + RoleToken)
	}
	t := Thread{Shape: TokenShape}
	t.Messages, t.Faults = parseTokens(text, path)
	return t, nil
}

// maxDepth bounds how deep lists may nest.
const maxDepth = 100

// isThread distinguishes a thread from a chat row without reading contents.
func isThread(messages jsontext.JSON) bool {
	return messages.Kind() == '[' && isMarkedThread(messages, 0)
}

func isMarkedThread(list jsontext.JSON, depth int) bool {
	return anyElement(list, func(m jsontext.JSON) bool {
		if m.Kind() == '[' {
			return depth < maxDepth && isMarkedThread(m, depth+1)
		}
		role, format := "", false
		for key, value := range m.Members() {
			switch key {
			case "format":
				format = value.Kind() == '"'
			case "role":
				role = value.Text()
			}
		}
		switch role {
		case "platform", "context":
			return true
		case "assistant", "model":
			return format
		}
		return false
	})
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
	if list != "" && list.Kind() != '[' {
		r.bad(strings.TrimSuffix(prefix, "."), "want a list of messages, have %s", jsontext.KindName(list.Kind()))
		return nil
	}
	var all []Message
	c := list.Cursor()
	for i := range c.Elements() {
		switch kind := c.Kind(); kind {
		case '{':
			if all == nil {
				all = make([]Message, 0, 4)
			}
			all = append(all, r.message(&c, prefix, i))
		case '[':
			r.bad(fmt.Sprintf("%s%d", prefix, i), "want an object, have an array, which plugin modelspec-document expands")
		default:
			r.bad(fmt.Sprintf("%s%d", prefix, i), "want an object, have %s", jsontext.KindName(kind))
		}
	}
	return all
}

// messageMembers lists the members of a message. Only assistants have those behind the name.
var messageMembers = []string{"role", "content", "name", "format", "end_turn", "correct", "halted_on_completion"}

// message reads the message ahead. Its path is made only for a fault.
func (r *reader) message(c *jsontext.Cursor, prefix string, index int) (m Message) {
	path := func(name string) string { return fmt.Sprintf("%s%d.%s", prefix, index, name) }
	var have [7]jsontext.JSON // by the index in messageMembers
	for key := range c.Members() {
		if i := slices.Index(messageMembers, key); i >= 0 {
			have[i] = c.Value()
		} else {
			r.unknown(path(key), "messages")
		}
	}
	role, content, name, format := have[0].Text(), have[1], have[2], have[3]
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
		m.EndTurn = r.mark(have[4], path, "end_turn", true) == Yes
		m.Correct, m.Halted = r.mark(have[5], path, "correct", false), r.mark(have[6], path, "halted_on_completion", false)
		return m
	}
	for i := 3; i < len(have) && ok; i++ {
		if have[i] != "" && have[i] != "null" { // which tables have where a member is missing
			r.Faults = append(r.Faults, Fault{RoleMember, path(messageMembers[i]), "want a member that " + string(m.Role) + " messages have, have one of the assistant's"})
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
