// Package conversation reads rows as the conversations that they are, whatever shape they have: canonical rows, chats of messages,
// threads, pairs of preferences, token texts, and rejects of any of them.
package conversation

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Conversation holds the messages of a row, in order. Shape is empty when the shape of the row is unknown.
type Conversation struct {
	Shape      string // as "canonical row"
	Reject     *Reject
	Tools      []Tool
	Turns      []Turn
	Candidates []Candidate // to go on, side by side
	Rest       []Member    // members that are no part of the conversation
}

// A Reject holds why a step has rejected the record.
type Reject struct {
	Code, Message, Path, Step, File string
	Line                            int64
}

// A Tool is one that the row offers. Schema is JSON, "" for none.
type Tool struct{ Name, Description, Schema string }

// A Candidate is one of several continuations of a conversation, such as the chosen one.
type Candidate struct {
	Name  string
	Turns []Turn
}

// A Turn is one message.
type Turn struct {
	Role     string // as it looks: system, developer, user, assistant or tool
	Spelling string // the role as the row spells it
	Name     string
	Path     string   // gjson path in the row, "" when it is the row
	Marks    []string // as "not trained on"
	Parts    []Part
}

// Kinds of parts.
const (
	Text    = "text"
	Thought = "thought"
	Call    = "call"
	Result  = "result"
	Media   = "media" // Name says what, as "image"
	Aside   = "aside" // likewise
)

// A Part is one piece of a message.
type Part struct {
	Kind     string
	Name, ID string // of calls and results
	Text     string // decoded
	JSON     string // the arguments of a call, or a result that is no text
	Path     string // gjson path of JSON in the row, "" when it is inside a string or its place is unknown
	Failed   bool
}

// A Member is a member of the row. Path is its gjson path there.
type Member struct{ Key, JSON, Path string }

// Read reads a row, which is valid JSON.
func Read(row []byte) *Conversation {
	t := &Conversation{}
	t.read(gjson.ParseBytes(row), "")
	return t
}

func (t *Conversation) read(v gjson.Result, at string) {
	var known []string
	knows := func(keys ...string) bool {
		known = keys
		return true
	}
	switch {
	case v.IsArray() && isMessages(v):
		t.Shape, t.Turns = "thread", turns(v, at)
		return
	case !v.IsObject():
		return
	case at == "" && v.Get("code").Type == gjson.String && v.Get("record").Exists() && v.Get("step").Exists():
		t.reject(v)
		return
	case v.Get("format").Str == canonical.Format:
		t.canonical(v, at)
		return
	case isCandidate(v.Get("chosen")) && isCandidate(v.Get("rejected")) && knows("prompt", "chosen", "rejected"):
		t.Shape, t.Turns = "preference pair", side(v.Get("prompt"), under(at, "prompt"), "user")
		for _, name := range []string{"chosen", "rejected"} {
			t.Candidates = append(t.Candidates, Candidate{name, side(v.Get(name), under(at, name), "assistant")})
		}
	case isMessages(v.Get("messages")) && knows("messages", "system", "response"):
		t.Shape = "messages"
		if v.Get("system_settings").Exists() {
			t.Shape = "thread"
		}
		t.Turns = t.around(v, at, "messages")
	case isMessages(v.Get("conversations")) && knows("conversations", "system"):
		t.Shape, t.Turns = "conversation", t.around(v, at, "conversations")
	case v.Get("currentMessage").IsObject() && v.Get("expectedResponse").Exists() && knows("memoryEntries", "currentMessage", "expectedResponse"):
		t.Shape = "flat record"
		t.Turns = append(turns(v.Get("memoryEntries"), under(at, "memoryEntries")), turn(v.Get("currentMessage"), under(at, "currentMessage"), "user"))
		t.Turns = append(t.Turns, turn(v.Get("expectedResponse"), under(at, "expectedResponse"), "assistant"))
	case v.Get("text").Type == gjson.String && tokens(v.Get("text").Str) && knows("text"):
		t.Shape, t.Turns = "token text", fromTokens(v.Get("text").Str)
	default:
		return
	}
	if tools := v.Get("tools"); tools.Exists() && t.offers(tools) {
		known = append(known, "tools")
	}
	t.keepRest(v, at, "", known...)
}

// around returns the messages of a row, with a system text before and a response behind them.
func (t *Conversation) around(v gjson.Result, at, list string) (all []Turn) {
	if system := v.Get("system"); system.Type == gjson.String && system.Str != "" {
		all = append(all, turn(system, under(at, "system"), "system"))
	}
	all = append(all, turns(v.Get(list), under(at, list))...)
	if response := v.Get("response"); response.Exists() && list == "messages" {
		all = append(all, turn(response, under(at, "response"), "assistant"))
	}
	return all
}

// reject reads a row of a dead letter: why it is there, and the record itself.
func (t *Conversation) reject(v gjson.Result) {
	t.Reject = &Reject{
		Code: v.Get("code").Str, Message: v.Get("message").Str, Path: v.Get("path").Str, Step: v.Get("step").Str,
		File: v.Get("file").Str, Line: v.Get("line").Int(),
	}
	record := v.Get("record")
	if record.Type == gjson.String { // it was no JSON
		t.Shape = "no JSON"
		t.Turns = []Turn{{Role: "other", Spelling: "record", Path: "record", Parts: []Part{{Kind: Text, Text: record.Str}}}}
		return
	}
	t.read(record, "record")
}

// keepRest keeps the members of an object that are no part of the conversation.
func (t *Conversation) keepRest(v gjson.Result, at, prefix string, known ...string) {
	v.ForEach(func(key, value gjson.Result) bool {
		if !slices.Contains(known, key.Str) {
			t.Rest = append(t.Rest, Member{prefix + key.Str, value.Raw, under(at, gjson.Escape(key.Str))})
		}
		return true
	})
}

func (t *Conversation) offers(tools gjson.Result) bool {
	specs, _ := canonical.ReadTools(jsontext.JSON(tools.Raw))
	for _, s := range specs {
		schema, _, _ := s.Schema()
		t.Tools = append(t.Tools, Tool{s.Name.Text(), s.Description.Text(), string(schema)})
	}
	return len(specs) > 0
}

func isMessages(v gjson.Result) bool {
	if !v.IsArray() {
		return false
	}
	n, ok := 0, true
	v.ForEach(func(_, m gjson.Result) bool {
		n++
		ok = m.IsObject() && roleOf(m) != ""
		return ok && n < 3
	})
	return ok && n > 0
}

func isCandidate(v gjson.Result) bool { return v.Type == gjson.String || isMessages(v) }

func side(v gjson.Result, at, role string) []Turn {
	switch {
	case !v.Exists():
		return nil
	case v.IsArray():
		return turns(v, at)
	}
	return []Turn{turn(v, at, role)}
}

func under(path, step string) string {
	if path == "" {
		return step
	}
	return path + "." + step
}

// special finds the special tokens that a text of a thread or of ChatML is made with.
var special = regexp.MustCompile(`<\|(role|im_start)\|>`)

func tokens(text string) bool { return special.MatchString(text) }

func fromTokens(text string) (all []Turn) {
	places := special.FindAllStringSubmatchIndex(text, -1)
	if places[0][0] > 0 {
		all = append(all, Turn{Role: "other", Spelling: "text", Path: "text", Parts: []Part{{Kind: Text, Text: text[:places[0][0]]}}})
	}
	for i, place := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		kind, body := text[place[2]:place[3]], text[place[1]:end]
		if kind == "role" {
			all = append(all, fromThread(body))
			continue
		}
		role, content, _ := strings.Cut(body, "\n")
		all = append(all, Turn{Role: shownRole(role), Spelling: role, Path: "text", Parts: textOf(strings.TrimSpace(strings.Replace(content, "<|im_end|>", "", 1)))})
	}
	return all
}

func fromThread(body string) Turn {
	head, content, _ := strings.Cut(body, "<|content|>")
	role, format, _ := strings.Cut(head, "<|format|>")
	role, name, _ := strings.Cut(role, "<|name|>")
	t := Turn{Role: shownRole(role), Spelling: role, Name: name, Path: "text"}
	content, ends := strings.CutSuffix(strings.TrimSuffix(content, "\n"), "<|end_turn|>")
	content = strings.TrimSuffix(content, "<|end_message|>")
	if format != "" {
		t.Marks = append(t.Marks, "format "+format)
		if !ends {
			t.Marks = append(t.Marks, "goes on")
		}
	}
	t.Parts = textOf(content)
	t.format(format)
	return t
}

func textOf(text string) []Part {
	if text == "" {
		return nil
	}
	return []Part{{Kind: Text, Text: text}}
}
