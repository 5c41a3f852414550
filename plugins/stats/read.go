package stats

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A shape is the format of a row.
type shape uint8

const (
	otherShape shape = iota // it has no turns that can be found
	canonicalShape
	chatShape // messages, as ChatML rows have them
)

// facts are the figures of one row. Their strings are views.
type facts struct {
	shape      shape
	turns      [canonical.Tool + 1]int64 // by role
	taught     []jsontext.Body           // names in the last answer, the target
	history    []jsontext.Body           // names in the history
	characters int64
	tokens     int64         // below 0 when not known
	split      jsontext.JSON // at the top
	metadata   jsontext.JSON
}

// A reader reads rows. It is used for one after the other.
type reader struct {
	facts
	count func(r *sdk.Record, row *canonical.Row) int64 // returns tokens; nil: they are not counted
	chat  canonical.Row                                 // of a row that is not canonical
	asked []byte
	runes tools // of the tools of the row before
}

// tools remembers how long the tools of a row are, since rows that follow each other often have the same.
type tools struct {
	id  uint64
	row *canonical.Row
	n   int64
}

// of returns the length of a row's tools.
func (t *tools) of(row *canonical.Row, measure func(piece) int64) int64 {
	if row.ToolsID == 0 || row.ToolsID != t.id || row != t.row {
		t.id, t.row, t.n = row.ToolsID, row, measure(pieceOf(row.Tools))
	}
	return t.n
}

func (rd *reader) row(r *sdk.Record) *facts {
	row := canonical.Read(r)
	rd.facts = facts{taught: rd.taught[:0], history: rd.history[:0], tokens: -1, split: row.Split, metadata: row.Metadata}
	if row.Format == canonical.Format {
		rd.shape = canonicalShape
	} else {
		rd.asked = asked(rd.asked, r.JSON())
		rd.chat.Read(jsontext.Of(rd.asked))
		if row = &rd.chat; len(row.Turns) == 0 {
			return &rd.facts
		}
		rd.shape = chatShape
	}
	for _, t := range row.Turns {
		rd.turns[t.Role]++
	}
	answer := lastAnswer(row)
	if rd.shape == canonicalShape {
		rd.turns[canonical.Assistant]++
	}
	pieces(row, func(p piece) { rd.characters += p.characters() })
	rd.characters += rd.runes.of(row, piece.characters)
	for i := range row.Parts {
		if p := &row.Parts[i]; p.Kind != canonical.CallPart {
			continue
		} else if answer.From <= i && i < answer.To {
			rd.taught = append(rd.taught, p.Name)
		} else {
			rd.history = append(rd.history, p.Name)
		}
	}
	if rd.count != nil {
		rd.facts.tokens = rd.count(r, row)
	}
	return &rd.facts
}

// lastAnswer is the target of a row: the response, or the last turn of a ChatML row.
func lastAnswer(row *canonical.Row) canonical.Turn {
	if n := len(row.Turns); row.Format != canonical.Format && row.Turns[n-1].Role == canonical.Assistant {
		return row.Turns[n-1]
	}
	return row.Response
}

// A piece is one text of a row: the body of a string, with its escapes, or JSON.
type piece struct {
	text    string
	escaped bool
}

func pieceOf(value jsontext.JSON) piece {
	if body, ok := value.Quoted(); ok {
		return piece{string(body), true}
	}
	return piece{string(value), false}
}

// decoded returns the decoded text of the piece.
func (p piece) decoded() string {
	if p.escaped {
		return jsontext.Body(p.text).Text()
	}
	return p.text
}

// characters counts those of the decoded text.
func (p piece) characters() int64 {
	n := runes(jsontext.Bytes(p.text))
	for rest := p.text; p.escaped; {
		i := strings.IndexByte(rest, '\\')
		if i < 0 || i+1 >= len(rest) {
			break
		}
		switch rest = rest[i+1:]; {
		case rest[0] != 'u' || len(rest) < 5:
			n, rest = n-1, rest[1:]
		case rest[1]|0x20 == 'd' && strings.IndexByte("cdefCDEF", rest[2]) >= 0: // the second half of a character
			n, rest = n-6, rest[5:]
		default:
			n, rest = n-5, rest[5:]
		}
	}
	return int64(n)
}

// runes counts the characters of valid UTF-8: the bytes that do not go on with one.
func runes(text []byte) int {
	const high = 0x8080808080808080
	n := len(text)
	for ; len(text) >= 32; text = text[32:] {
		a, b := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])
		c, d := binary.LittleEndian.Uint64(text[16:]), binary.LittleEndian.Uint64(text[24:])
		if (a|b|c|d)&high != 0 {
			n -= bits.OnesCount64(a&high&^(a<<1)) + bits.OnesCount64(b&high&^(b<<1)) + bits.OnesCount64(c&high&^(c<<1)) + bits.OnesCount64(d&high&^(d<<1))
		}
	}
	for _, c := range text {
		if c&0xC0 == 0x80 {
			n--
		}
	}
	return n
}

// pieces yields the contents of a row without its tools: texts, thoughts, names and arguments of calls, results.
func pieces(row *canonical.Row, yield func(piece)) {
	for i := range row.Parts {
		p := &row.Parts[i]
		switch p.Kind {
		case canonical.TextPart, canonical.ReasoningPart:
			yield(piece{string(p.Body), true})
		case canonical.CallPart:
			yield(piece{string(p.Name), true})
			yield(pieceOf(p.Value))
		case canonical.ResultPart:
			yield(piece{string(p.Body), true})
			yield(pieceOf(p.Value))
		}
	}
}

// Characters counts the characters of a row's contents and tools.
func Characters(row *canonical.Row) int64 {
	n := pieceOf(row.Tools).characters()
	pieces(row, func(p piece) { n += p.characters() })
	return n
}

// Said counts the characters of what a turn of the assistant says.
func Said(row *canonical.Row, t canonical.Turn) (n int64) {
	for body := range Texts(row, t) {
		n += piece{string(body), true}.characters()
	}
	return n
}

// Texts yields the texts of a turn of the assistant as they are shown: neither a thought between tags at the head nor what tools answer
// is one of them.
func Texts(row *canonical.Row, t canonical.Turn) iter.Seq[jsontext.Body] {
	return func(yield func(jsontext.Body) bool) {
		first := true
		for i := t.From; i < t.To; i++ {
			p := &row.Parts[i]
			if p.Kind != canonical.TextPart {
				i += p.Sub // of a tool
				continue
			}
			body := p.Body
			if first {
				_, body, _ = p.Thought()
			}
			if first = false; !yield(body) {
				return
			}
		}
	}
}

// A Counter counts turns, calls and characters of rows as the step does.
type Counter struct {
	row   canonical.Row
	asked []byte
}

// Counted is how many turns a row has, its answer included, how many calls they hold, and how many characters it has as Lengths count them.
type Counted struct{ Turns, Calls, Characters int64 }

// Count returns the counts of a row. It reports false for a row that is neither canonical nor ChatML, or not JSON.
func (c *Counter) Count(row []byte) (n Counted, ok bool) {
	if jsontext.Check(row, jsontext.EmbeddedDepth) != nil {
		return n, false
	}
	c.row.Read(jsontext.Of(row))
	n.Turns = int64(len(c.row.Turns)) + 1
	if c.row.Format != canonical.Format {
		c.asked = asked(c.asked, row)
		c.row.Read(jsontext.Of(c.asked))
		n.Turns = int64(len(c.row.Turns))
	}
	for i := range c.row.Parts {
		if c.row.Parts[i].Kind == canonical.CallPart {
			n.Calls++
		}
	}
	pieces(&c.row, func(p piece) { n.Characters += p.characters() })
	n.Characters += pieceOf(c.row.Tools).characters()
	return n, n.Turns > 0
}

// asked wraps a ChatML row as the request of a canonical row.
func asked(buf, row []byte) []byte {
	return append(append(append(jsontext.Reuse(buf), `{"request":`...), row...), '}')
}
