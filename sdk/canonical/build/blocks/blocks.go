// Package blocks reads conversations whose messages are lists of blocks, as the interfaces of model vendors have them.
//
// An Interface is the table of how one of them spells its members, roles and blocks. What they have in common is read here:
// a record is the conversation itself, or a log of a request and its response; a message is a text or a list of blocks; a
// block is a text, a thought, a call, a result or a medium.
package blocks

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An Interface is how one vendor spells a conversation.
type Interface struct {
	Name string // of the interface, for messages: "Gemini"

	Fields  map[string]Field         // members of a record, of its request and of its response
	Plain   map[string]jsontext.JSON // members that say nothing when they have this value
	Logs    map[string]string        // members that hold a request or a response, and the member in them that does, or ""
	Foreign []string                 // members that only other shapes have: their records are declined

	List    string   // the key of the list of messages
	Content string   // the member of a message that holds its blocks
	Message string   // the code of the reject of a message that is no object; "bad_message" by default
	Unlike  []string // members that only messages of other shapes have: their records are declined

	// Role returns the role that a message names, or an error for one that the interface does not have.
	Role func(c *Conversation, name jsontext.JSON) (canonical.Role, error)

	Texts bool // a content may be a text
	Loose bool // a content may be one block without a list, or missing

	Stops  map[string]string // why an answer ended, and the canonical word for it
	Usages map[string]string // figures of the usage, and their canonical names

	// Block reads one block of a message. An error rejects the record.
	Block func(c *Conversation, m *Message, block jsontext.JSON) (Block, error)

	// Media returns the canonical message that holds the media of a message, "" when it can have none: they are counted then.
	Media func(m *Message) jsontext.JSON
}

// A Field is what a member of a record holds.
type Field int

// The fields of a conversation.
const (
	System Field = iota
	Messages
	Tools
	Choice
	Answer // of a log
	Stop
	Usage
	Model
	fields
)

// A Conversation is one record while it is read.
type Conversation struct {
	Row   *build.Builder
	Field [fields]jsontext.JSON // "" for one that the record does not have

	// Defer lets reading go on after what is wrong with the record, until it is known whose the record is. Strange is then the
	// first thing that the interface does not have, and Broken the first that cannot be converted.
	Defer           bool
	Strange, Broken error
	Marked          bool // something that only this interface has was seen; for the adapter's own use

	in        *Interface
	at        int // the message
	message   Message
	prefilled int // how many messages there are, of which the answer holds the last one; 0 when it holds none
}

// New returns the conversation of a record, which nothing was read of yet.
func (in *Interface) New(row *build.Builder) Conversation { return Conversation{Row: row, in: in} }

// Codes says what each code means that this package rejects with.
var Codes = map[string]string{
	"bad_block":   "a block of a content is not an object, or of no kind that is known; correct it where it was made, or leave it out",
	"bad_content": "the content of a message is not what the interface has there; correct it where it was made, or leave it out",
	"bad_message": "a message is not an object; correct it where it was made, or leave it out",
	"bad_role":    "a message has a role that the interface does not have; correct it where it was made, or leave it out",
}

// Fill takes the members of a record, of its request and of its response, and keeps those that are no fields for the metadata.
func (c *Conversation) Fill(record jsontext.JSON) error {
	if !jsontext.IsObject(record) {
		return sdk.Decline("want an object")
	}
	for key, v := range record.Members() {
		if slices.Contains(c.in.Foreign, key) && v != "null" {
			return sdk.Decline("want members of the " + c.in.Name + " interface only")
		}
		if inner, ok := c.in.Logs[key]; (!ok || !c.log(key, inner, v)) && !c.take(key, v) {
			c.Row.Keep(key, v)
		}
	}
	c.Row.Path = cmp.Or(c.Row.Path, c.in.List)
	return nil
}

// log takes the members of a request or a response, and reports whether the value holds one.
func (c *Conversation) log(key, inner string, value jsontext.JSON) bool {
	body, path := value, key
	if inner != "" {
		body, path = value.Get(inner), key+"."+inner
	}
	if body.Kind() != '{' {
		return false
	}
	if key == "request" || key == "input" || key == "params" {
		c.Row.Path = path + "." + c.in.List
	}
	c.Row.KeepUntaken(body, c.take)
	if inner != "" {
		c.Row.KeepOthers(value, inner)
	}
	return true
}

// take takes a member that is a field or says nothing, and reports whether it is one.
func (c *Conversation) take(key string, value jsontext.JSON) bool {
	field, ok := c.in.Fields[key]
	switch {
	case !ok:
		return value == "null" || value == c.in.Plain[key]
	case field == Model:
		c.Row.Identify("model", value)
	case value != "null":
		c.Field[field] = value
	}
	return true
}

// Fail rejects the record, at once or, when Defer is set, for being broken.
func (c *Conversation) Fail(err error) error { return c.note(&c.Broken, err) }

// Refuse is Fail for something that the interface does not have in the message at hand; under is its path in the message.
func (c *Conversation) Refuse(code, under, format string, args ...any) error {
	return c.note(&c.Strange, sdk.Reject(code, c.path(under), format, args...))
}

// RefuseBlock is Refuse with bad_block for the block at hand.
func (c *Conversation) RefuseBlock(under, format string, args ...any) error {
	return c.note(&c.Strange, sdk.Reject("bad_block", c.Path()+"."+under, format, args...))
}

// path returns the path of something in the message at hand.
func (c *Conversation) path(under string) string {
	path := c.Row.Path + "." + strconv.Itoa(c.at)
	if under != "" {
		path += "." + under
	}
	return path
}

func (c *Conversation) note(first *error, err error) error {
	if !c.Defer {
		return err
	}
	if *first == nil {
		*first = err
	}
	return nil
}

// AddMessages adds the turns of all messages.
func (c *Conversation) AddMessages() error {
	for i, message := range c.Field[Messages].Elements() {
		if i == c.prefilled-1 {
			break
		}
		if err := c.AddMessage(i, message); err != nil {
			return err
		}
	}
	return nil
}

// AddMessage adds the turns of one message, the i-th of the list: its results first, then the text.
func (c *Conversation) AddMessage(i int, message jsontext.JSON) error {
	c.at = i
	if message.Kind() != '{' {
		return c.Refuse(cmp.Or(c.in.Message, "bad_message"), "", "want an object, have %s", jsontext.KindName(message.Kind()))
	}
	var name, content jsontext.JSON
	for key, v := range message.Members() {
		switch {
		case key == "role":
			name = v
		case key == c.in.Content:
			content = v
		case slices.Contains(c.in.Unlike, key):
			return sdk.Decline("want blocks of the " + c.in.Name + " interface")
		case v != "null":
			c.Row.Count("loss.message_member", 1)
		}
	}
	role, err := c.in.Role(c, name)
	if err != nil {
		return err
	}
	switch kind := content.Kind(); {
	case kind == '{' && c.in.Loose:
		content = "[" + content + "]"
	case kind == '"' && c.in.Texts:
		turn := c.Row.Add(role, i)
		if turn.Body = content.Body(); role == canonical.Assistant {
			return c.Fail(c.Row.Say(turn, turn.Body, c.path(c.in.Content)))
		}
		return nil
	case kind != '[' && !c.in.Loose:
		return c.Refuse("bad_content", c.in.Content, "want blocks, have %s", jsontext.KindName(kind))
	}
	return c.AddBlocks(role, i, content, message)
}

// A Message is what the blocks of one message say.
type Message struct {
	Role    canonical.Role
	Whole   jsontext.JSON // as the record spells it, "" for the answer of a log
	Results bool          // it holds results too
	block   int           // the one that is read
	last    Kind          // of the block before it
	media   bool
	said    build.Said
	parts   []part // its texts and media, in order
}

// A part is the body of a text, or a medium as a part of a canonical message.
type part struct {
	text bool
	body jsontext.Body
}

// Parts returns the texts and media as a canonical message.
func (m *Message) Parts() jsontext.JSON {
	var parts build.Joiner
	for _, p := range m.parts {
		if p.text {
			p.body = `{"type":"text","text":"` + p.body + `"}`
		}
		parts.Add(",", p.body)
	}
	return `{"role":"` + jsontext.JSON(m.Role.String()) + `","content":[` + jsontext.JSON(parts.Body()) + `]}`
}

// AddBlocks adds the turns of one message from the list of its blocks. Text of an assistant behind a result is a turn of its own.
func (c *Conversation) AddBlocks(role canonical.Role, i int, blocks, whole jsontext.JSON) error {
	c.at = i
	m := &c.message
	*m = Message{Role: role, Whole: whole, parts: m.parts[:0]}
	for n, block := range blocks.Elements() {
		m.block = n
		b, err := c.in.Block(c, m, block)
		if err == nil {
			err = c.add(m, &b)
		}
		if err != nil {
			return err
		}
	}
	if m.media {
		if raw := c.in.Media(m); raw != "" {
			if n := len(m.said.Calls); n > 0 || m.said.Thought.Body() != "" {
				c.Row.Count("loss.part_member", 1+n)
			}
			c.Row.Add(role, i).Raw = raw
			return nil
		}
		c.Row.Count("loss.media", 1)
	}
	return c.say(m)
}

func (c *Conversation) say(m *Message) error {
	path := ""
	if m.Role == canonical.Assistant { // whose text may hold calls that do not parse
		path = c.path(c.in.Content)
	}
	return c.Fail(c.Row.AddSaid(m.Role, c.at, &m.said, path))
}

// Path returns the path of the block at hand.
func (c *Conversation) Path() string {
	return c.path(c.in.Content + "." + strconv.Itoa(c.message.block))
}
