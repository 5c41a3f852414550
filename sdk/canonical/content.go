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

	shown         rendering
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
	c.shown.begin(r)
	turns := c.shown.turns
	for i, t := range turns {
		c.shown.turn(t)
		c.Until = append(c.Until, c.until(i+1 < len(turns) && c.shown.goesOn(turns[i+1])))
	}
	c.shown.response()
	c.Until = append(c.Until, c.until(false))
	c.fold(len(c.shown.messages))
	c.Whole = join(ofRow, join(ofRow, c.said, c.thought), c.offered(r))
	if c.shown.partial {
		c.Whole = join(ofRow, c.Whole, c.values.digest(r.record.Get("request")))
		c.Whole = join(ofRow, c.Whole, c.values.digest(r.record.Get("response")))
	}
}

// until returns the digest of the messages so far, without the last one, or the results at the end, where these go on: they are none
// yet, and would be read anew for each turn of them.
func (c *Content) until(goesOn bool) Digest {
	last := len(c.shown.messages) - 1
	if last < 0 {
		return Digest{}
	}
	run := c.shown.messages[last].run
	c.fold(run)
	said := c.said
	for i := run; i <= last && !goesOn; i++ {
		said = join(ofConversation, said, c.message(&c.shown.messages[i]))
	}
	return said
}

// fold adds the messages up to the n-th to those that have been folded.
func (c *Content) fold(n int) {
	for ; c.folded < n; c.folded++ {
		m := &c.shown.messages[c.folded]
		c.said = join(ofConversation, c.said, c.message(m))
		if !m.thoughts.empty() {
			c.thought = join(ofPart, c.thought, c.values.body(c.joined(c.shown.thoughts, m.thoughts)))
		}
	}
}

// message returns the digest of a message without its thoughts.
func (c *Content) message(m *spoken) Digest {
	if m.known {
		return m.digest
	}
	digest := join(ofTurn, Digest{Lo: uint64(m.role)}, c.values.body(""))
	if m.role == Tool {
		digest = join(ofTurn, digest, c.result(m))
	} else if text := c.joined(c.shown.texts, m.texts); text != "" {
		digest = join(ofTurn, digest, join(ofPart, Digest{Lo: uint64(TextPart)}, c.values.body(text)))
	}
	for _, i := range c.shown.calls[m.calls.from:m.calls.to] {
		p := &c.shown.row.Parts[i]
		call := join(ofPart, Digest{Lo: uint64(CallPart)}, c.values.body(p.Name))
		digest = join(ofTurn, digest, join(ofPart, call, c.values.input(p.Value)))
	}
	m.digest, m.known = digest, true
	return digest
}

// result returns the digest of what a tool answered, and to which call.
func (c *Content) result(m *spoken) Digest {
	p := &c.shown.row.Parts[m.result]
	part := Digest{Lo: uint64(ResultPart)}
	if p.Mate >= 0 {
		part.Hi = uint64(c.shown.numbers[p.Mate])
	}
	switch {
	case p.Sub > 0:
		return join(ofPart, part, c.values.text(c.joined(c.shown.texts, m.texts)))
	case p.Value != "":
		return join(ofPart, part, c.values.shown(p.Value))
	}
	return join(ofPart, part, c.values.text(p.Body))
}

// joined returns texts as one. It is valid until the next call.
func (c *Content) joined(bodies []jsontext.Body, s span) jsontext.Body {
	if s.to-s.from == 1 {
		return bodies[s.from]
	}
	c.text = jsontext.Reuse(c.text)
	for _, body := range bodies[s.from:s.to] {
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
		digest = join(ofTool, digest, c.values.schema(t.Schema))
	}
	if r.ToolsID != 0 {
		known.id, known.digest = r.ToolsID, digest
	}
	return digest
}
