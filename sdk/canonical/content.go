package canonical

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// A Digest identifies a content: 128 bits of XXH3, the same on every machine and in every version of sluice. Different contents
// have different digests, with a probability that suffices for any corpus; it is no protection against forgery.
type Digest struct{ Hi, Lo uint64 }

// A Content identifies what a row says, however it is written: white space, order of keys, escapes, the spelling of numbers,
// JSON in a string and ids do not count. Nor do the row's identity, times, usage and metadata.
type Content struct {
	// Whole identifies the turns, the response and the tools; for a record of another format, the whole value.
	Whole Digest
	// Until identifies the conversation up to each of the row's Turns, that turn included, and last all of it with the
	// response. It ignores tools and reasoning, which a history often leaves out. For another format it is empty.
	Until []Digest

	said, thought Digest // as far as the row was read
	partial       bool   // the row says something that the reading does not hold
	called        int
	calls         []int // for each part that is a call, its number among the calls
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
	ofFailure
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
	c.said, c.thought, c.called, c.partial = Digest{}, Digest{}, 0, false
	c.calls = append(c.calls[:0], make([]int, len(r.Parts))...)
	for _, t := range r.Turns {
		c.turn(r, t)
	}
	c.turn(r, r.Response)
	c.Whole = join(ofRow, join(ofRow, c.said, c.thought), c.offered(r))
	if c.partial {
		c.Whole = join(ofRow, c.Whole, c.values.digest(r.record.Get("request")))
		c.Whole = join(ofRow, c.Whole, c.values.digest(r.record.Get("response")))
	}
}

func (c *Content) turn(r *Row, t Turn) {
	role := t.Role
	if role == Developer {
		role = System
	}
	turn, says := join(ofTurn, Digest{Lo: uint64(role)}, c.values.body(t.Name)), false
	for i := t.From; i < t.To; i++ {
		p := &r.Parts[i]
		part := Digest{Lo: uint64(p.Kind)}
		switch {
		case p.Kind == TextPart && p.Body == "":
			continue
		case p.Kind == ReasoningPart:
			c.thought = join(ofPart, c.thought, c.values.body(p.Body))
			continue
		case p.Kind == TextPart:
			part = join(ofPart, part, c.values.body(p.Body))
		case p.Kind == CallPart:
			c.called++
			c.calls[i] = c.called
			part = join(ofPart, join(ofPart, part, c.values.body(p.Name)), c.values.argument(p.Value))
		case p.Kind == ResultPart:
			if p.Mate >= 0 {
				part.Hi = uint64(c.calls[p.Mate])
			}
			part = join(ofPart, part, c.result(r.Parts[i:i+1+p.Sub]))
			i += p.Sub
		}
		c.partial = c.partial || p.Kind == MediaPart || p.Kind == UnknownPart // their data are not in the reading
		turn, says = join(ofTurn, turn, part), true
	}
	if says {
		c.said = join(ofConversation, c.said, turn)
	}
	c.Until = append(c.Until, c.said)
}

// result returns the digest of a result and the parts that are its content.
func (c *Content) result(parts []Part) Digest {
	p := &parts[0]
	answer := c.values.text(p.Body)
	if p.Value != "" {
		answer = c.values.argument(p.Value)
	}
	for i := range parts[1:] {
		more := &parts[i+1]
		c.partial = c.partial || more.Kind != TextPart
		if text := c.values.text(more.Body); i == 0 && p.Value == "" && p.Body == "" {
			answer = text
		} else {
			answer = join(ofPart, answer, text)
		}
	}
	if p.Failed {
		answer = join(ofFailure, answer, Digest{})
	}
	return answer
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
	for _, t := range tools {
		digest = join(ofTool, digest, c.values.body(t.Name))
		digest = join(ofTool, digest, c.values.body(t.Description))
		digest = join(ofTool, digest, c.values.digest(t.Schema))
	}
	if r.ToolsID != 0 {
		known.id, known.digest = r.ToolsID, digest
	}
	return digest
}
