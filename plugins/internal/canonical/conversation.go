// Package canonical writes eliza_native_v1 rows. An adapter fills a Conversation with what it read, in order, and Emit
// settles it (one leading system text, unique call ids, every result with its call) and writes one row for the last
// assistant turn, or one for each.
//
// Texts are bodies, as in package eliza, so that what goes from JSON to JSON is copied and never decoded.
package canonical

import (
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Conversation is what an adapter read from one record. Its memory is used again after Reset.
type Conversation struct {
	Path string // of the list of turns in the record, for rejects

	ToolChoice, ResponseSchema, Usage jsontext.JSON // "" for none
	FinishReason                      jsontext.Body // "" when the record says nothing

	Merge  bool       // neighbouring assistant turns are one (formats, 3.12)
	Orphan eliza.Role // what a result whose call is not known becomes: User, or else it stays a result
	Turns  []Turn
	system jsontext.Body

	identity [len(identityNames)]jsontext.JSON
	metadata []Member

	keys    map[jsontext.Body]bool // of metadata, once there are many
	ids     map[string]bool        // of calls, decoded: false when the source has it, true when a call has it already
	serial  int                    // of the next call id that is made up
	pending []pending
	tools   tools
	history []byte
	row     []byte
}

// A Turn is one message.
type Turn struct {
	Role eliza.Role
	At   int // index in the list of turns, for rejects

	Body      jsontext.Body // what is said; of a tool turn the result
	Reasoning jsontext.Body // kept apart from what is said
	Calls     []Call
	ID, Name  jsontext.Body // of a tool turn: the id and name of the call it answers; Name of a user or assistant turn too
	Raw       jsontext.JSON // the message as it stands, when it holds what the other members cannot, such as an image
	NoTarget  bool          // not to be trained on (weight 0)
	Failed    bool          // of a tool turn: the tool failed or was denied
}

// A Call is a tool call. Args is JSON: an object, or a string that holds one; "" stands for no arguments.
type Call struct {
	ID, Name jsontext.Body
	Args     jsontext.JSON
}

// A Member is a member of an object: the body of its key and the JSON text of its value.
type Member struct {
	Key   jsontext.Body
	Value jsontext.JSON
}

// Reset makes the conversation empty. Orphan stays, since it is a step's choice and not a record's.
func (c *Conversation) Reset() {
	*c = Conversation{
		Turns: c.Turns[:0], metadata: c.metadata[:0], keys: c.keys, ids: c.ids, pending: c.pending[:0],
		tools: c.tools, history: jsontext.Reuse(c.history), row: jsontext.Reuse(c.row), Orphan: c.Orphan,
	}
	clear(c.keys)
	clear(c.ids)
	c.tools.list, c.tools.names = "", c.tools.names[:0]
}

// Add appends a turn and gives it, good until the next Add.
func (c *Conversation) Add(role eliza.Role, at int) *Turn {
	if len(c.Turns) < cap(c.Turns) {
		c.Turns = c.Turns[:len(c.Turns)+1]
	} else {
		c.Turns = append(c.Turns, Turn{})
	}
	t := &c.Turns[len(c.Turns)-1]
	*t = Turn{Role: role, At: at, Calls: t.Calls[:0]}
	return t
}

// Meta puts a value into the row's metadata, where provenance goes: the body of the key and JSON. The first value of a
// key stays.
func (c *Conversation) Meta(key jsontext.Body, value jsontext.JSON) {
	if c.HasMeta(key) {
		return
	}
	c.metadata = append(c.metadata, Member{key, value})
	switch n := len(c.metadata); {
	case n == fewKeys:
		if c.keys == nil {
			c.keys = map[jsontext.Body]bool{}
		}
		for _, m := range c.metadata {
			c.keys[m.Key] = true
		}
	case n > fewKeys:
		c.keys[key] = true
	}
}

// fewKeys is how many members of metadata are looked through one by one.
const fewKeys = 32

// HasMeta tells whether Meta has had that key.
func (c *Conversation) HasMeta(key jsontext.Body) bool {
	if len(c.metadata) >= fewKeys {
		return c.keys[key]
	}
	for _, m := range c.metadata {
		if m.Key == key {
			return true
		}
	}
	return false
}

// identityNames are the members that say which model call a row is, in order.
var identityNames = [...]string{
	"trajectoryId", "agentId", "source", "status", "scenarioId", "batchId", "stepId", "callId", "stepIndex", "callIndex",
	"timestamp", "purpose", "actionType", "stepType", "tags", "model", "modelVersion", "modelType", "provider",
}

// Identify sets an identity member of the row to a JSON value. It tells whether name is one.
func (c *Conversation) Identify(name string, value jsontext.JSON) bool {
	for i, n := range identityNames {
		if n == name {
			c.identity[i] = value
			return true
		}
	}
	return false
}

// Orphans are the values of the attribute orphan_results, which says what becomes of a result whose call is not known.
var Orphans = map[string]eliza.Role{"": eliza.Tool, "tool": eliza.Tool, "user": eliza.User}

// Join joins two bodies with a blank line, or gives the one that is not empty.
func Join(a, b jsontext.Body) jsontext.Body { return JoinBy(BlankLine, a, b) }

// BlankLine is what the parts of a text stand apart by.
const BlankLine jsontext.Body = `\n\n`

// A Joiner joins bodies in time proportional to them. The zero value is empty; a body alone is not copied.
type Joiner struct {
	alone jsontext.Body
	all   []byte
}

// Add appends a body, behind the joiner by when there is something before it. An empty one adds nothing.
func (j *Joiner) Add(by, body jsontext.Body) {
	switch {
	case body == "":
		return
	case j.alone == "":
		j.alone = body
		return
	case j.all == nil:
		j.all = append(j.all, j.alone...)
	}
	j.all = append(append(j.all, by...), body...)
}

// Take gives all bodies joined and leaves the joiner empty.
func (j *Joiner) Take() jsontext.Body {
	body := j.Body()
	*j = Joiner{}
	return body
}

// Body gives all bodies joined.
func (j *Joiner) Body() jsontext.Body {
	if j.all == nil {
		return j.alone
	}
	return jsontext.Body(jsontext.View(j.all))
}

// JoinBy joins two bodies with a body, or gives the one that is not empty.
func JoinBy(joiner, a, b jsontext.Body) jsontext.Body {
	if a == "" || b == "" {
		return a + b
	}
	return a + joiner + b
}
