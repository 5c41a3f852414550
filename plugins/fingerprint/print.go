package fingerprint

import (
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Print identifies the content of a row and its place in a trajectory.
type Print struct {
	Native     bool             // the row is canonical; other rows have only Content and Trajectory
	Content    canonical.Digest // of the content
	Trajectory uint64           // hash of its id; 0: it has none
	End        uint64           // its conversation in its trajectory; 0: it has none
	Inner      []uint64         // the same up to each answer that others follow, the last maxInner ones
	Sketch     Sketch
	Sketched   bool // Sketch was asked for, and the row has words

	Asked, Answered []byte // the last thing a user says and the response, decoded and cut
}

const maxInner = 64

// A Reader computes prints, one after the other.
type Reader struct {
	Sketches bool // prints have them
	Text     int  // most bytes of Asked and of Answered

	content  canonical.Content
	sketcher sketcher
	buf      []byte
}

// Read computes the print of a row in p, whose memory it reuses. id is its trajectory, "" for the one that the row names.
func (rd *Reader) Read(row *canonical.Row, id string, p *Print) {
	calls.ReadContent(&rd.content, row)
	*p = Print{
		Native: row.Format == canonical.Format, Content: rd.content.Whole, Inner: p.Inner[:0], Asked: p.Asked[:0], Answered: p.Answered[:0],
	}
	if id == "" {
		id = row.Trajectory().Text()
	}
	if id != "" {
		p.Trajectory = max(1, xxh3.HashString(id))
	}
	if !p.Native {
		return
	}
	if rd.Text > 0 {
		p.Asked = rd.excerpt(p.Asked, row, lastUser(row))
		p.Answered = rd.excerpt(p.Answered, row, row.Response)
	}
	if rd.Sketches {
		p.Sketch, p.Sketched = rd.sketcher.row(row)
	}
	if p.Trajectory == 0 {
		return
	}
	for i, t := range row.Turns {
		if t.Role == canonical.Assistant {
			p.Inner = append(p.Inner, p.in(rd.content.Until[i]))
		}
	}
	p.Inner = slices.Delete(p.Inner, 0, max(0, len(p.Inner)-maxInner))
	p.End = p.in(rd.content.Until[len(rd.content.Until)-1])
}

// in returns the hash of a conversation in the row's trajectory.
func (p *Print) in(said canonical.Digest) uint64 { return spread(said.Lo ^ spread(p.Trajectory)) }

// Record computes the print of a record, or takes it from the label that plugin fingerprint has set if the record still has the
// same bytes.
func (rd *Reader) Record(r *sdk.Record, p *Print) {
	id := r.Label(trajectoryID)
	if text := r.Label(Label); text == "" || !p.parse(text, stampOf(r, id), rd.Sketches, rd.Text) {
		rd.Read(canonical.Read(r), id, p)
	}
}

// TakeLabel removes the label that plugin fingerprint has set, so that it does not travel through the steps behind.
func TakeLabel(r *sdk.Record) {
	if r.Label(Label) != "" {
		r.SetLabel(Label, "")
	}
}

// Label is the label that plugin fingerprint sets.
const Label = "fingerprint"

const trajectoryID = "trajectoryId"

// stampOf differs between records that may have different prints.
func stampOf(r *sdk.Record, id string) uint64 { return xxh3.Hash(r.JSON()) ^ xxh3.HashString(id) }

// Marks of a print in a label.
const (
	version  = 2 << 4 // of the layout
	native   = 1 << 0
	asked    = 1 << 1 // for a sketch
	sketched = 1 << 2
)

// text encodes the print for a label: a byte of marks, the stamp, the numbers, the sketch if one was asked for, the texts, and Inner.
// limit is that of the texts. The label is a view of the buffer.
func (p *Print) text(stamp uint64, sketches bool, limit int, buf []byte) ([]byte, string) {
	marks := byte(version)
	for _, m := range []struct {
		holds bool
		bit   byte
	}{{p.Native, native}, {sketches, asked}, {p.Sketched, sketched}} {
		if m.holds {
			marks |= m.bit
		}
	}
	b := append(buf[:0], marks)
	for _, n := range []uint64{stamp, p.Content.Hi, p.Content.Lo, p.Trajectory, p.End} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	if sketches {
		b = p.Sketch.Append(b)
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(limit))
	for _, text := range [][]byte{p.Asked, p.Answered} {
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(text))), text...)
	}
	for _, n := range p.Inner {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	at := len(b)
	b = base64.RawStdEncoding.AppendEncode(b, b)
	return b, jsontext.View(b[at:])
}

// parse decodes the print of a record with the same stamp. It returns false for any other text, when the sketch is missing, and
// when the limit of the texts differs.
func (p *Print) parse(text string, stamp uint64, sketches bool, limit int) bool {
	const numbers = 1 + 5*8
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(b) < numbers || b[0]&^(version-1) != version || sketches && b[0]&asked == 0 {
		return false
	}
	number := func() (x uint64) {
		x, b = binary.LittleEndian.Uint64(b), b[8:]
		return x
	}
	marks := b[0]
	if b = b[1:]; number() != stamp {
		return false
	}
	*p = Print{
		Native: marks&native != 0, Content: canonical.Digest{Hi: number(), Lo: number()}, Trajectory: number(), End: number(),
		Sketched: marks&sketched != 0, Inner: p.Inner[:0], Asked: p.Asked[:0], Answered: p.Answered[:0],
	}
	if marks&asked != 0 {
		if len(b) < SketchSize {
			return false
		}
		p.Sketch.Parse(b[:SketchSize])
		b = b[SketchSize:]
	}
	if len(b) < 2 || int(binary.LittleEndian.Uint16(b)) != limit {
		return false
	}
	b = b[2:]
	for _, text := range []*[]byte{&p.Asked, &p.Answered} {
		if len(b) < 2 || len(b)-2 < int(binary.LittleEndian.Uint16(b)) {
			return false
		}
		n := int(binary.LittleEndian.Uint16(b))
		*text, b = append(*text, b[2:2+n]...), b[2+n:]
	}
	if len(b) > 8*maxInner {
		return false
	}
	for len(b) >= 8 {
		p.Inner = append(p.Inner, number())
	}
	return true
}
