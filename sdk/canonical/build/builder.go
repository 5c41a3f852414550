// Package build writes eliza_native_v1 rows: adapters of other shapes are written with it.
//
// An Adapter makes a plugin of a function that fills a Builder with the contents of one record. The Builder settles what
// corpora leave open, such as ids of calls and spellings of tools, and writes the row. Package calls finds calls, results and
// thoughts in text.
package build

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Builder writes eliza_native_v1 rows. An adapter adds what it reads, in order. Emit normalises it (one leading
// system text, unique call ids, every result with its call) and writes one row for the last assistant turn, or one for
// each. Texts are bodies, so that what goes from JSON to JSON is copied and never decoded.
type Builder struct {
	Path  string // of the list of turns in the record, for rejects
	Shape string // which of the adapter's shapes the record has, for the row's provenance; "" if the adapter reads only one

	ToolChoice, ResponseSchema, Usage jsontext.JSON // "" for none
	FinishReason                      jsontext.Body // "" when the record has none

	Merge       bool // merge neighbouring assistant turns into one
	PlacesMedia bool // put images, videos and audio of kept columns into the turns
	Turns       []Message

	settings settings
	record   *sdk.Record
	emit     func(*sdk.Record)
	emitted  bool // for this record

	rest     []kept
	restBits uint64            // a bit for each key that was kept
	columns  int               // counted as beside
	known    []string          // columns whose long text has been read
	counts   map[string]string // names of counts, by column
	identity [len(identityNames)]jsontext.JSON
	unkept   uint32 // a bit for each member of identity that did not come from rest
	metadata []Member
	places   []uint32 // by hash of the key, with gaps of 0: i+1 for metadata[i]; of more than fewMembers
	clashes  int      // members whose name metadata has with another value
	origin   []byte   // the text of metadata.conversion

	system  jsontext.Body
	above   *Message         // a turn of more than a row may have
	blank   []canonical.Role // of the turns that were left out, since they say nothing
	ids     map[string]idUse // decoded
	serial  int              // of the next generated call id
	pending []pending
	later   laterResults
	left    leftCalls
	tools   tools

	history, row         []byte
	historyLong, rowLong jsontext.Longs
}

type settings struct {
	origin        string // the beginning of metadata.conversion
	each          bool   // a row for each assistant turn
	orphansToUser bool   // a result whose call is not known becomes a turn of the user
	keepsRepair   bool   // rows of the repair loop are not rejected
	rejectsText   bool   // a long text that is not read rejects its row
	onlyCounts    bool   // columns that are not read are counted, and never a warning
	joiner        jsontext.Body
	defaults      []Member // of metadata
}

// A Message is one turn of the conversation.
type Message struct {
	Role canonical.Role
	At   int // index in the list of turns, for rejects

	Body      jsontext.Body // the text; of a tool turn the result
	Reasoning jsontext.Body // not part of the text
	Calls     []Call
	ID, Name  jsontext.Body // of a tool turn: the id and name of the call it answers; Name of a user or assistant turn too
	Raw       jsontext.JSON // the message itself, when it holds what the other members cannot, such as an image
	NoTarget  bool          // not to be trained on (weight 0)
	Failed    bool          // of a tool turn: the tool failed or was denied

	spoken *spoken       // where its calls are from its text
	then   *continued    // results and turns that its text shows behind it
	whole  jsontext.Body // of a tool turn: the text that ID, Name and Body are from, unless these are certain
}

// A Call is a tool call. Args is JSON: an object, or a string that holds one; "" means no arguments.
type Call = calls.Call

// A Member is a member of an object: the body of its key and the JSON text of its value.
type Member struct {
	Key   jsontext.Body
	Value jsontext.JSON
}

// Reset empties the row, for the next row of a record that holds several.
func (c *Builder) Reset() {
	*c = Builder{
		settings: c.settings, record: c.record, emit: c.emit, emitted: c.emitted, PlacesMedia: c.PlacesMedia,
		Turns: jsontext.Reuse(c.Turns), rest: jsontext.Reuse(c.rest), known: c.known[:0], counts: c.counts,
		metadata: jsontext.Reuse(c.metadata), places: jsontext.Reuse(c.places), origin: c.origin,
		ids: c.ids, pending: jsontext.Reuse(c.pending), later: laterResults{ids: emptied(c.later.ids)}, tools: c.tools,
		history: jsontext.Reuse(c.history), historyLong: jsontext.Reuse(c.historyLong),
		row: jsontext.Reuse(c.row), rowLong: jsontext.Reuse(c.rowLong),
	}
	c.ids = emptied(c.ids)
	c.tools.list, c.tools.offered, c.tools.extra = "", nil, emptied(c.tools.extra)
}

// emptied returns a map without members for the next row, nil when one large row made it grow.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > 1000 {
		return nil
	}
	clear(m)
	return m
}

// Add appends a turn and returns it. The pointer is valid until the next Add. A row of more than canonical.MaxParts turns is
// rejected by Emit, and those above do not become part of it.
func (c *Builder) Add(role canonical.Role, at int) *Message {
	if len(c.Turns) >= canonical.MaxParts {
		c.above = &Message{Role: role, At: at}
		return c.above
	}
	if len(c.Turns) < cap(c.Turns) {
		c.Turns = c.Turns[:len(c.Turns)+1]
	} else {
		c.Turns = append(c.Turns, Message{})
	}
	t := &c.Turns[len(c.Turns)-1]
	*t = Message{Role: role, At: at, Calls: t.Calls[:0]}
	return t
}

// Meta adds a value to the row's metadata, which holds provenance: the body of the key and JSON. The first value of a
// key stays.
func (c *Builder) Meta(key jsontext.Body, value jsontext.JSON) {
	if c.HasMeta(key) {
		return
	}
	c.metadata = append(c.metadata, Member{key, value})
	n := len(c.metadata)
	if n <= fewMembers {
		return
	}
	if len(c.places) > n+n/2 {
		c.places[c.placeOf(key)] = uint32(n)
		return
	}
	size := 1 << bits.Len(uint(2*n))
	c.places = slices.Grow(c.places[:0], size)[:size]
	clear(c.places)
	for i, m := range c.metadata {
		c.places[c.placeOf(m.Key)] = uint32(i + 1)
	}
}

// placeOf returns where places has a key, or where there is room for it.
func (c *Builder) placeOf(key jsontext.Body) int {
	for i := maphash.String(keySeed, string(key)); ; i++ {
		i &= uint64(len(c.places) - 1)
		if at := c.places[i]; at == 0 || c.metadata[at-1].Key == key {
			return int(i)
		}
	}
}

var keySeed = maphash.MakeSeed()

// HasMeta reports whether the metadata has a key.
func (c *Builder) HasMeta(key jsontext.Body) bool {
	if len(c.metadata) > fewMembers {
		return c.places[c.placeOf(key)] > 0
	}
	return slices.ContainsFunc(c.metadata, func(m Member) bool { return m.Key == key })
}

// identityNames are the members that identify the model call of a row, in order.
var identityNames = [...]string{
	"trajectoryId", "agentId", "source", "status", "scenarioId", "batchId", "stepId", "callId", "stepIndex", "callIndex",
	"timestamp", "purpose", "actionType", "stepType", "tags", "model", "modelVersion", "modelType", "provider",
}

const stepIndex = 8 // in identityNames

// Identify sets an identity member of the row to a JSON value. It reports whether name is one.
func (c *Builder) Identify(name string, value jsontext.JSON) bool {
	i := slices.Index(identityNames[:], name)
	if i >= 0 {
		c.identity[i] = value
		c.unkept |= 1 << i
	}
	return i >= 0
}

// identified reports whether an identity member has another value already.
func (c *Builder) identified(name string, value jsontext.JSON) bool {
	i := slices.Index(identityNames[:], name)
	return i >= 0 && c.identity[i] != "" && c.identity[i] != value
}

// AsText returns a value as the body of a text: a string's body, or the JSON of any other value without white space.
func AsText(value jsontext.JSON) jsontext.Body {
	if body, ok := value.Quoted(); ok || value == "" {
		return body
	}
	return jsontext.BodyOf(jsontext.AppendPlain(nil, value))
}

// Join joins two bodies with a blank line, or returns the one that is not empty.
func Join(a, b jsontext.Body) jsontext.Body {
	if a == "" || b == "" {
		return a + b
	}
	return a + BlankLine + b
}

// BlankLine separates the parts of a text.
const BlankLine jsontext.Body = `\n\n`

// A Joiner joins bodies in time proportional to them. The zero value is empty; a single body is not copied.
type Joiner struct {
	alone jsontext.Body
	all   []byte
}

// Add appends a body, after the separator by unless it is the first. An empty body adds nothing.
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

// Take returns all bodies joined and empties the joiner.
func (j *Joiner) Take() jsontext.Body {
	body := j.Body()
	*j = Joiner{}
	return body
}

// Body returns all bodies joined.
func (j *Joiner) Body() jsontext.Body {
	if j.all == nil {
		return j.alone
	}
	return jsontext.Body(jsontext.View(j.all))
}
