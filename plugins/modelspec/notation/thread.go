// Package notation is the one reading and writing of Modular Model Spec threads: rows, bare lists, preference rows and
// token text.
package notation

import (
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Thread is an ordered list of messages with the system settings it was made under. Of a preference row the messages
// are the prompt, and Chosen and Rejected are two ways to go on.
type Thread struct {
	Shape    Shape
	Settings jsontext.JSON // JSON of the system settings, or "" when the row has none
	Formats  Formats       // what the settings allow; nil when they say nothing
	Messages []Message
	Chosen   []Message
	Rejected []Message
	Reason   jsontext.Body     // of a preference row: why the rejected answer is wrong
	Beside   []jsontext.Member // what else stands in the row, in order
	Faults   []Fault           // in the order in which they stand
}

// A Shape is how a thread is written.
type Shape string

// The shapes of threads. Their names stand in the provenance of rows that are made from threads.
const (
	RowShape   Shape = "row"
	ListShape  Shape = "list"
	TokenShape Shape = "tokens"
	PairShape  Shape = "preference"
)

// Whole gives the messages of a preference row with one of its answers behind the prompt.
func (t *Thread) Whole(answer []Message) []Message {
	return append(t.Messages[:len(t.Messages):len(t.Messages)], answer...)
}

// part makes the messages that both answers of a preference row begin with part of its prompt. Each answer keeps its last message.
func (t *Thread) part() {
	n := 0
	for n < min(len(t.Chosen), len(t.Rejected))-1 && t.Chosen[n].says(&t.Rejected[n]) {
		n++
	}
	t.Messages, t.Chosen, t.Rejected = t.Whole(t.Chosen[:n]), t.Chosen[n:], t.Rejected[n:]
}

// A Message has the fields of its role.
type Message struct {
	Role    Role
	Later   bool   // the role is spelled as the authors' later version has it: "context" or "model"
	Name    string // of a tool message: the tool, or what the context is called
	Format  string // of an assistant: the response format, or "tool:format"
	Body    jsontext.Body
	EndTurn bool // of an assistant
	Correct Mark // of an assistant: whether the answer is one to learn from
	Halted  Mark // of an assistant: whether the system halted the model behind it
}

// A Role is one of those that the document has.
type Role string

// The roles of the document.
const (
	Platform  Role = "platform"
	Developer Role = "developer"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// RoleOf gives the role that a name stands for; later tells that it is the authors' later name. ok is false for others.
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

// String gives the role as the message spells it.
func (m *Message) String() string {
	switch {
	case m.Later && m.Role == Tool:
		return "context"
	case m.Later && m.Role == Assistant:
		return "model"
	}
	return string(m.Role)
}

// Instructs tells whether the message is the word of the platform or a developer.
func (m *Message) Instructs() bool { return m.Role == Platform || m.Role == Developer }

// says tells whether two messages are the same, whatever they are marked as.
func (m *Message) says(other *Message) bool {
	return m.Role == other.Role && m.Name == other.Name && m.Format == other.Format && m.EndTurn == other.EndTurn && m.Body.Is(other.Body)
}

// Text gives the content, decoded.
func (m *Message) Text() string { return m.Body.Text() }

// A Mark is a boolean that a message may lack.
type Mark uint8

// The values of a Mark.
const (
	Unmarked Mark = iota
	Yes
	No
)

// MarkOf gives the mark of a boolean.
func MarkOf(b bool) Mark {
	if b {
		return Yes
	}
	return No
}

// Wrong gives the index of the first message that is marked as wrong, or -1.
func Wrong(messages []Message) int {
	for i := range messages {
		if messages[i].Correct == No {
			return i
		}
	}
	return -1
}

// AppendMessage appends a message as JSON, its fields in the order of the document.
func AppendMessage(dst []byte, m *Message) []byte {
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
	dst = append(dst, '[')
	for i := range messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendMessage(dst, &messages[i])
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
	if b {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// AppendThread appends a row of the thread's shape: a list, or an object with the settings before the messages and the
// rest behind.
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
		return append(AppendBeside(dst, t), '}')
	}
	dst = AppendMessages(append(dst, `"prompt":`...), t.Messages)
	dst = AppendMessages(append(dst, `,"chosen":`...), t.Chosen)
	dst = AppendMessages(append(dst, `,"rejected":`...), t.Rejected)
	return append(AppendBeside(AppendReason(dst, t), t), '}')
}

// AppendReason appends the member "reason" of a preference row that says why, with a comma before it.
func AppendReason(dst []byte, t *Thread) []byte {
	if t.Reason == "" {
		return dst
	}
	return append(append(append(dst, `,"reason":"`...), t.Reason...), '"')
}

// AppendBeside appends the members that stand beside the thread, with a comma before each.
func AppendBeside(dst []byte, t *Thread) []byte {
	for _, m := range t.Beside {
		dst = append(jsontext.AppendString(append(dst, ','), m.Key), ':')
		dst = append(dst, m.Value...)
	}
	return dst
}
