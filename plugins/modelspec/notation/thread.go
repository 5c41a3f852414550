// Package notation reads and writes threads of the Modular Model Spec: rows, bare lists, preference rows and token text.
package notation

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Thread is an ordered list of messages with the system settings it was made under. In a preference row the messages are
// the prompt, and Chosen and Rejected are two answers to it.
type Thread struct {
	Shape    Shape
	Settings jsontext.JSON // the system settings, or "" when the row has none
	Formats  Formats       // that the settings allow; nil without settings
	Messages []Message
	Chosen   []Message
	Rejected []Message
	Reason   jsontext.Body     // why the rejected answer of a preference row is wrong
	Extra    []jsontext.Member // other members of the row, in order
	Faults   []Fault           // in order
}

// Shape is the form in which a thread is written.
type Shape string

// The shapes of threads. The provenance of rows that are made from threads names them.
const (
	RowShape   Shape = "row"
	ListShape  Shape = "list"
	TokenShape Shape = "tokens"
	PairShape  Shape = "preference"
)

// Member returns the path of message i among those of a thread, or of its prompt. Token text is read as if it were a row.
func (t *Thread) Member(i int) string {
	switch t.Shape {
	case ListShape:
		return strconv.Itoa(i)
	case PairShape:
		return "prompt." + strconv.Itoa(i)
	}
	return "messages." + strconv.Itoa(i)
}

// Whole returns the prompt of a preference row and one of its answers behind it.
func (t *Thread) Whole(answer []Message) []Message {
	return append(t.Messages[:len(t.Messages):len(t.Messages)], answer...)
}

// moveCommon moves the messages that both answers begin with to the prompt. Each answer keeps its last message.
func (t *Thread) moveCommon() {
	n := 0
	for n < min(len(t.Chosen), len(t.Rejected))-1 && t.Chosen[n].equals(&t.Rejected[n]) {
		n++
	}
	t.Messages, t.Chosen, t.Rejected = t.Whole(t.Chosen[:n]), t.Chosen[n:], t.Rejected[n:]
}

// Message is one message of a thread. Which fields it has depends on its role.
type Message struct {
	Role    Role
	Later   bool   // the role has the name of the authors' later version: "context" or "model"
	Name    string // of the tool that answers, or of the context
	Format  string // of an assistant: the response format, or "tool:format"
	Body    jsontext.Body
	EndTurn bool // of an assistant
	Correct Mark // whether the assistant's answer is one to learn from
	Halted  Mark // whether the system halted the assistant behind the message
}

// Role is who speaks in a message.
type Role string

// The roles of the document.
const (
	Platform  Role = "platform"
	Developer Role = "developer"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// RoleOf returns the role of a name. later reports whether it is a name of the authors' later version.
func RoleOf(name string) (role Role, later, ok bool) {
	switch name {
	case "platform", "developer", "user", "assistant", "tool":
		return Role(name), false, true
	case "context":
		return Tool, true, true
	case "model":
		return Assistant, true, true
	}
	return "", false, false
}

// String returns the name of the role in the message's version.
func (m *Message) String() string {
	switch {
	case m.Later && m.Role == Tool:
		return "context"
	case m.Later && m.Role == Assistant:
		return "model"
	}
	return string(m.Role)
}

// Instructs reports whether the platform or a developer speaks.
func (m *Message) Instructs() bool { return m.Role == Platform || m.Role == Developer }

// equals reports whether two messages are the same but for their marks.
func (m *Message) equals(other *Message) bool {
	return m.Role == other.Role && m.Name == other.Name && m.Format == other.Format && m.EndTurn == other.EndTurn && m.Body.Is(other.Body)
}

// Text returns the decoded content.
func (m *Message) Text() string { return m.Body.Text() }

// Mark is a boolean that a message may lack.
type Mark uint8

// The values of a Mark.
const (
	Unmarked Mark = iota
	Yes
	No
)

// Wrong returns the index of the first message that is marked as incorrect, or -1.
func Wrong(messages []Message) int {
	return slices.IndexFunc(messages, func(m Message) bool { return m.Correct == No })
}

// appendMessage appends a message as JSON, its fields in the order of the document.
func appendMessage(dst []byte, m *Message) []byte {
	dst = append(append(append(dst, `{"role":"`...), m.String()...), '"')
	if m.Name != "" {
		dst = jsontext.AppendString(append(dst, `,"name":`...), m.Name)
	}
	if m.Role == Assistant {
		dst = jsontext.AppendString(append(dst, `,"format":`...), m.Format)
	}
	dst = append(append(append(dst, `,"content":"`...), m.Body...), '"')
	if m.Role == Assistant {
		dst = appendBool(append(dst, `,"end_turn":`...), m.EndTurn)
		dst = appendMark(dst, `,"correct":`, m.Correct)
		dst = appendMark(dst, `,"halted_on_completion":`, m.Halted)
	}
	return append(dst, '}')
}

// AppendMessages appends a list of messages as JSON.
func AppendMessages(dst []byte, messages []Message) []byte {
	return AppendList(dst, messages, appendMessage)
}

// AppendList appends a list as JSON.
func AppendList[T any](dst []byte, list []T, appendElement func(dst []byte, element *T) []byte) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendElement(dst, &list[i])
	}
	return append(dst, ']')
}

func appendMark(dst []byte, key string, m Mark) []byte {
	if m == Unmarked {
		return dst
	}
	return appendBool(append(dst, key...), m == Yes)
}

func appendBool(dst []byte, b bool) []byte {
	return strconv.AppendBool(dst, b)
}

// AppendThread appends a thread in its shape: a list, or an object of settings, messages and other members.
func AppendThread(dst []byte, t *Thread) []byte {
	if t.Shape == ListShape {
		return AppendMessages(dst, t.Messages)
	}
	dst = append(dst, '{')
	if t.Settings != "" {
		dst = append(append(append(dst, `"system_settings":`...), t.Settings...), ',')
	}
	if t.Shape != PairShape {
		dst = AppendMessages(append(dst, `"messages":`...), t.Messages)
		return append(appendExtra(dst, t), '}')
	}
	dst = AppendMessages(append(dst, `"prompt":`...), t.Messages)
	dst = AppendMessages(append(dst, `,"chosen":`...), t.Chosen)
	dst = AppendMessages(append(dst, `,"rejected":`...), t.Rejected)
	return append(appendExtra(AppendReason(dst, t), t), '}')
}

// AppendReason appends a comma and the member "reason", if the thread has one.
func AppendReason(dst []byte, t *Thread) []byte {
	if t.Reason == "" {
		return dst
	}
	return append(append(append(dst, `,"reason":"`...), t.Reason...), '"')
}

// appendExtra appends the other members of the row, with a comma before each.
func appendExtra(dst []byte, t *Thread) []byte {
	for _, m := range t.Extra {
		dst = append(jsontext.AppendString(append(dst, ','), m.Key), ':')
		dst = append(dst, m.Value...)
	}
	return dst
}

// Fault is a mistake in a thread, at a gjson path.
type Fault struct{ Code, Path, Message string }

// The codes of faults.
const (
	BadThread     = "bad_thread"     // the types of the document do not allow it
	UnknownMember = "unknown_member" // no type of the document has the member
	RoleMember    = "role_member"    // only messages of the assistant have the member
)

// SameAnswers is the code of pairs whose answers are the same.
const SameAnswers = "same_answers"

// Same reports whether two answers are the same but for their marks and white space.
func Same(a, b []Message) bool {
	return slices.EqualFunc(a, b, func(a, b Message) bool {
		return a.Role == b.Role && a.EndTurn == b.EndTurn && Canonical(a.Format) == Canonical(b.Format) &&
			slices.Equal(strings.Fields(a.Text()), strings.Fields(b.Text()))
	})
}

// Codes returns the codes of a step that reads threads: those of Accept and the step's own.
func Codes(own map[string]string) map[string]string {
	all := map[string]string{BadThread: "the types of the document do not allow it"}
	maps.Copy(all, own)
	return all
}

// reading is what Read made of a record.
type reading struct {
	thread Thread
	err    error
}

// ReadRecord reads a record as Read does, once for all steps of a chain.
func ReadRecord(r *sdk.Record) (Thread, error) {
	kept := sdk.Reading(r, func(into *reading, json jsontext.JSON) { into.thread, into.err = Read(json) })
	return kept.thread, kept.err
}

// Accepted returns a thread that was read for a step. It declines what is no thread and rejects what Accept rejects.
func Accepted(t Thread, err error) (accepted Thread, unknown int, _ error) {
	if err != nil {
		return t, 0, sdk.Decline(err.Error())
	}
	unknown, err = t.Accept()
	return t, unknown, err
}

// Accept rejects a thread that the document's types do not allow, or returns how many members none of these types has.
func (t *Thread) Accept() (unknown int, err error) {
	for _, f := range t.Faults {
		if f.Code == BadThread {
			return 0, sdk.Reject(f.Code, f.Path, "%s", f.Message)
		}
		unknown++
	}
	return unknown, nil
}

// Count adds n to a figure of the step, unless n is 0, so that receipts name only what occurred.
func Count(r *sdk.Record, name string, n int) {
	if n > 0 {
		r.Count(name, n)
	}
}

// RejectWrong rejects a thread with a message that is marked as incorrect, among those to learn from.
func (t *Thread) RejectWrong() error {
	path := ""
	if i := Wrong(t.Messages); i >= 0 {
		path = t.Member(i)
	} else if i = Wrong(t.Chosen); i >= 0 {
		path = "chosen." + strconv.Itoa(i)
	} else {
		return nil
	}
	return sdk.Reject("wrong_answer", path, "want answers to learn from, have one that is marked as incorrect")
}
