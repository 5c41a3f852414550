package canonical

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Digest identifies a content: 128 bits of XXH3, the same on every machine and in every version of sluice. Different contents
// have different digests, with a probability that suffices for any corpus; it is no protection against forgery.
type Digest struct{ Hi, Lo uint64 }

// A Content identifies what a row says, however it is written: white space, order of keys, escapes, the spelling of numbers,
// JSON in a string and ids do not count, nor does the order of results that stand together. Nor do the row's identity, times, usage
// and metadata. Rows of which plugin chatml writes the same for no model in particular have the same content: it makes no difference
// whether a thought is between tags in the text or beside it, or calls in a planner's answer or beside it, and neither do turns that
// say nothing, names of participants, or the place of a system message that is shown as a user's. Calls that are marked in texts
// count as such by calls.ReadContent alone.
type Content struct {
	// Whole identifies the turns, the response and the tools; for a record of another format, the whole value.
	Whole Digest
	// Until identifies the conversation up to each of the row's Turns, that turn included, and last all of it with the
	// response. It ignores tools and reasoning, which a history often leaves out. The system turns at the head count as one,
	// and so do the calls, and the results, of turns that follow each other. For another format it is empty.
	Until []Digest

	row           *Row
	shown         Rendering
	called        int    // how many calls of the row are in shown
	numbers       []int  // of these calls, by index in Parts of the row, from 1
	partial       bool   // a part's data are not in shown
	folded        int    // how many messages of shown are in said and thought
	said, thought Digest // of these
	text          []byte
	values        values
	tools         [KnownTools]struct {
		id     uint64
		digest Digest
	}
}

// Kinds of values that are joined to a digest.
const (
	ofTurn byte = iota
	ofConversation
	ofPart
	_
	ofRow
	ofTool
	ofArray
	ofObject
	ofMember
	ofNumber
	ofLiteral
)

func join(kind byte, a, b Digest) Digest {
	var text [33]byte
	binary.LittleEndian.PutUint64(text[0:], a.Hi)
	binary.LittleEndian.PutUint64(text[8:], a.Lo)
	binary.LittleEndian.PutUint64(text[16:], b.Hi)
	binary.LittleEndian.PutUint64(text[24:], b.Lo)
	text[32] = kind
	return Digest(xxh3.Hash128(text[:]))
}

// Read reads the content of a row. It reuses c's memory.
func (c *Content) Read(r *Row) {
	c.Until = c.Until[:0]
	if r.Format != Format {
		c.Whole = c.values.digest(r.record)
		return
	}
	c.said, c.thought, c.folded = Digest{}, Digest{}, 0
	c.system(r)
	turns := c.shown.Turns
	for i, t := range turns {
		c.turn(t)
		c.Until = append(c.Until, c.until(i+1 < len(turns) && c.goesOn(turns[i+1])))
	}
	history := len(c.shown.Messages)
	c.assistant(r.Response)
	c.shown.Trim(history)
	c.Until = append(c.Until, c.until(false))
	c.fold(len(c.shown.Messages))
	c.Whole = join(ofRow, join(ofRow, c.said, c.thought), c.offered(r))
	if c.partial {
		c.Whole = join(ofRow, c.Whole, c.values.digest(r.record.Get("request")))
		c.Whole = join(ofRow, c.Whole, c.values.digest(r.record.Get("response")))
	}
}

// system begins the messages of a row with that of the system. What the system says behind others is the user's.
func (c *Content) system(r *Row) {
	c.row, c.called, c.partial = r, 0, false
	c.numbers = append(jsontext.Reuse(c.numbers), make([]int, len(r.Parts))...)
	c.shown.Begin(r)
	for i, late := range c.shown.System() {
		t := &c.shown.Turns[i]
		if late {
			t.Role = User
			continue
		}
		c.shown.Paragraph()
		for n := t.From; n < t.To; n++ {
			if p := &r.Parts[n]; p.Kind == ResultPart {
				n += p.Sub
			} else {
				c.say(p)
			}
		}
	}
	c.shown.Close()
}

// turn adds the messages of a turn of the history.
func (c *Content) turn(t Turn) {
	switch t.Role {
	case Assistant:
		c.assistant(t)
		return
	case System, Developer:
		return
	}
	for i := range c.shown.Speech(t) {
		if p := &c.row.Parts[i]; p.Kind == ResultPart {
			c.answer(t, i)
		} else {
			c.say(p)
		}
	}
	c.shown.Close()
}

// assistant adds the messages of an assistant's turn.
func (c *Content) assistant(t Turn) {
	env, folded := c.row.EnvelopeOf(t)
	for i := range c.shown.Assistant(t) {
		switch p := &c.row.Parts[i]; p.Kind {
		case ResultPart:
			c.answer(t, i)
		case CallPart:
			c.called++
			c.numbers[i] = c.called
			c.shown.Call(i)
		case ReasoningPart:
			c.think(p.Body)
		case TextPart, MediaPart:
			if folded {
				c.think(env.Thought)
				c.shown.Say(env.Message, "")
				continue
			}
			thought, rest, ok := c.shown.Thought(p)
			if ok {
				c.think(thought)
			}
			if p.Kind == TextPart {
				c.shown.Say(rest, "")
			} else {
				c.say(p)
			}
		default:
			c.say(p)
		}
	}
}

// answer adds the message of a result.
func (c *Content) answer(t Turn, i int) {
	c.shown.Open(Tool, t).Result = i
	for n := range c.row.Parts[i].Sub {
		c.say(&c.row.Parts[i+1+n])
	}
	c.shown.Place()
}

// say adds the text of a part, or a word for a medium. What else a text has no place for is left out.
func (c *Content) say(p *Part) {
	switch p.Kind {
	case TextPart:
		c.shown.Say(p.Body, "")
	case MediaPart:
		c.shown.Say("[media]", "")
		c.partial = true
	case ReasoningPart, StepPart, AsidePart:
	default:
		c.partial = true
	}
}

// think adds a thought, unless its provider gave it in no readable form.
func (c *Content) think(body jsontext.Body) {
	if body != "" {
		c.shown.Think(body)
	}
}

// goesOn reports whether a turn begins with what belongs to the messages before it: more calls, or more results.
func (c *Content) goesOn(t Turn) bool {
	if n := len(c.shown.Messages); n > 0 && c.shown.Last().Role == Tool {
		return (t.Role == Tool || t.Role == User) && c.row.Has(t, ResultPart)
	}
	return c.shown.Continues(t)
}

// until returns the digest of the messages so far, without the last one, or the results at the end, where these go on: they are none
// yet, and would be read anew for each turn of them.
func (c *Content) until(goesOn bool) Digest {
	last := len(c.shown.Messages) - 1
	if last < 0 {
		return Digest{}
	}
	run := c.shown.Messages[last].run
	c.fold(run)
	said := c.said
	for i := run; i <= last && !goesOn; i++ {
		said = join(ofConversation, said, c.message(&c.shown.Messages[i]))
	}
	return said
}

// fold adds the messages up to the n-th to those that have been folded.
func (c *Content) fold(n int) {
	for ; c.folded < n; c.folded++ {
		m := &c.shown.Messages[c.folded]
		c.said = join(ofConversation, c.said, c.message(m))
		if len(m.Thoughts) > 0 {
			c.thought = join(ofPart, c.thought, c.values.body(c.joined(m.Thoughts)))
		}
	}
}

// message returns the digest of a message without its thoughts.
func (c *Content) message(m *Message) Digest {
	if m.known {
		return m.digest
	}
	digest := join(ofTurn, Digest{Lo: uint64(m.Role)}, c.values.body(""))
	if m.Role == Tool {
		digest = join(ofTurn, digest, c.result(m))
	} else if text := c.joined(m.Texts); text != "" {
		digest = join(ofTurn, digest, join(ofPart, Digest{Lo: uint64(TextPart)}, c.values.body(text)))
	}
	for _, i := range m.Calls {
		p := &c.row.Parts[i]
		call := join(ofPart, Digest{Lo: uint64(CallPart)}, c.values.body(p.Name))
		digest = join(ofTurn, digest, join(ofPart, call, c.values.input(p.Value)))
	}
	m.digest, m.known = digest, true
	return digest
}

// result returns the digest of what a tool answered, and to which call.
func (c *Content) result(m *Message) Digest {
	p := &c.row.Parts[m.Result]
	part := Digest{Lo: uint64(ResultPart)}
	if p.Mate >= 0 {
		part.Hi = uint64(c.numbers[p.Mate])
	}
	switch {
	case p.Sub > 0:
		return join(ofPart, part, c.values.text(c.joined(m.Texts)))
	case p.Value != "":
		return join(ofPart, part, c.values.shown(p.Value))
	}
	return join(ofPart, part, c.values.text(p.Body))
}

// joined returns texts as one. It is valid until the next call.
func (c *Content) joined(bodies []jsontext.Body) jsontext.Body {
	if len(bodies) == 1 {
		return bodies[0]
	}
	c.text = jsontext.Reuse(c.text)
	for _, body := range bodies {
		c.text = append(c.text, body...)
	}
	return jsontext.Body(jsontext.View(c.text))
}

// offered returns the digest of the row's tools, which many rows share.
func (c *Content) offered(r *Row) Digest {
	if r.Tools == "" || r.Tools == "null" || r.Tools.Empty() {
		return Digest{}
	}
	known := &c.tools[r.ToolsID%KnownTools]
	if r.ToolsID != 0 && known.id == r.ToolsID {
		return known.digest
	}
	digest := Digest{}
	tools, fault := ReadTools(r.Tools)
	if fault != nil {
		digest = c.values.digest(r.Tools)
	}
	listed := make(map[string]bool, len(tools))
	for _, t := range tools {
		name := t.Name.Text()
		if listed[name] { // the first one is shown
			continue
		}
		listed[name] = true
		digest = join(ofTool, digest, c.values.body(t.Name))
		digest = join(ofTool, digest, c.values.body(t.Description))
		digest = join(ofTool, digest, c.values.schema(&t))
	}
	if r.ToolsID != 0 {
		known.id, known.digest = r.ToolsID, digest
	}
	return digest
}
