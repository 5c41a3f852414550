package sdk

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A need is a group of strings of which a record must have one, and the verdict that declines other records.
type need struct {
	group  int // its number among the groups of all steps of the chain
	absent *verdict
}

// marks is the table of all strings that steps of a chain need. One pass over a record's strings finds the groups that the record has,
// for all steps.
type marks struct {
	table   []mark // by hash; at most a quarter is used
	shift   int    // of a hash
	lengths uint64 // bit n: a string of n bytes is in the table; bit 63: one of 63 or more
	groups  int

	of  source   // the record that has is about
	has []uint64 // bit n: the record may have a string of group n
}

// A mark is a string, with the groups that it belongs to: those that it may be a key or a value for, and those that want a key.
// The zero mark is an empty place.
type mark struct {
	word         string
	groups, keys []uint64
}

// newMarks makes the table for the steps of a chain, and sets the needs of the steps.
func newMarks(steps []*step) *marks {
	m := &marks{}
	words := map[string][]int{} // groups, by mark
	for _, s := range steps {
		s.needs = nil
		for _, group := range s.marks {
			for _, word := range group {
				words[word] = append(words[word], m.groups)
			}
			s.needs = append(s.needs, need{m.groups, absent(group)})
			m.groups++
		}
	}
	m.shift = 32 - max(4, bits.Len(uint(4*len(words))))
	m.table = make([]mark, 1<<(32-m.shift))
	m.has = make([]uint64, (m.groups+63)/64)
	for word, groups := range words {
		word, isKey := strings.CutSuffix(word, keyMark)
		at := m.place(word)
		if at.groups == nil {
			at.word, at.groups, at.keys = word, make([]uint64, len(m.has)), make([]uint64, len(m.has))
		}
		into := at.groups
		if isKey {
			into = at.keys
		}
		for _, g := range groups {
			into[g/64] |= 1 << (g % 64)
		}
		m.lengths |= 1 << min(len(word), 63)
	}
	return m
}

// keyMark ends a mark that only a key has.
const keyMark = ":"

// absent returns the verdict on a record that has no string of a group.
func absent(group []string) *verdict {
	var words, keys []string
	for _, m := range group {
		if key, isKey := strings.CutSuffix(m, keyMark); isKey {
			keys = append(keys, key)
		} else {
			words = append(words, m)
		}
	}
	var wanted []string
	for _, of := range []struct {
		what string
		list []string
	}{{"word", words}, {"key", keys}} {
		switch len(of.list) {
		case 0:
		case 1:
			wanted = append(wanted, "the "+of.what+" "+of.list[0])
		default:
			wanted = append(wanted, "one of the "+of.what+"s "+strings.Join(of.list, ", "))
		}
	}
	return Decline("want " + strings.Join(wanted, " or ")).(*verdict)
}

// place returns the place of a word in the table: where it is, or the empty place where it would be.
func (m *marks) place(word string) *mark {
	for i := hashOf(word) >> m.shift; ; i++ {
		p := &m.table[int(i)&(len(m.table)-1)]
		if p.groups == nil || p.word == word {
			return p
		}
	}
}

// hashOf mixes the length of a word with its ends and three bytes between them.
func hashOf(word string) uint32 {
	n := len(word)
	if n == 0 {
		return 0
	}
	h := uint32(n) ^ uint32(word[0])<<6 ^ uint32(word[n/2])<<12 ^ uint32(word[n-1])<<18 ^ uint32(word[n/4])<<24 ^ uint32(word[3*n/4])<<9
	return h * 0x9e3779b1
}

// longestMark is how long a mark may be in the record's spelling.
const longestMark = 200

// read notes which groups a record may have strings of. An escape that may spell any string makes all possible, and so does a record
// that is neither an object nor an array.
func (m *marks) read(record jsontext.JSON) {
	clear(m.has)
	c := record.Cursor()
	if kind := c.Kind(); kind != '{' && kind != '[' {
		m.hasAll()
		return
	}
	escapes := strings.IndexByte(string(record), '\\') >= 0
	for at := c.At; ; {
		for at < len(record) && record[at] != '"' {
			at++
		}
		if at == len(record) {
			return
		}
		c.At = at
		body, _ := c.String()
		word := string(body)
		at = c.At
		switch n := len(word); {
		case n > longestMark:
		case escapes && strings.IndexByte(word, '\\') >= 0:
			if strings.Contains(word, `\u`) {
				m.hasAll()
				return
			}
		case m.lengths>>min(n, 63)&1 != 0:
			if found := m.place(word); found.groups != nil {
				m.note(found, c.Kind() == ':')
			}
		}
	}
}

// note notes a string of the table, which is a key or a value.
func (m *marks) note(found *mark, isKey bool) {
	for k := range m.has {
		m.has[k] |= found.groups[k]
		if isKey {
			m.has[k] |= found.keys[k]
		}
	}
}

func (m *marks) hasAll() {
	for k := range m.has {
		m.has[k] = ^uint64(0)
	}
}

// mayHave reports whether the record that was read last may have a string of a group.
func (m *marks) mayHave(group int) bool { return m.has[group/64]>>(group%64)&1 != 0 }

// screen declines a record for a step whose strings it does not have, before anything is made for the step. It reports whether it did.
func (c *chain) screen(at int, in *inputRecord) bool {
	s := c.steps[at]
	if len(s.needs) == 0 {
		return false
	}
	if s.skipped != nil {
		s.touch()
	}
	if s.lethal(in) != nil {
		return false
	}
	if of := sourceOf(jsontext.View(in.data), c.readings.turn); c.marks.of != of {
		s.note()
		c.marks.read(jsontext.Of(in.data))
		c.marks.of = of
	}
	for i := range s.needs {
		switch n := &s.needs[i]; {
		case c.marks.mayHave(n.group):
		case at < c.first:
			c.declined = append(c.declined, skip{s, n.absent})
			return true
		default:
			c.skip(s, n.absent, in)
			return true
		}
	}
	return false
}

// A skip is the verdict of a step on a record that lacks its marks.
type skip struct {
	step    *step
	verdict *verdict
}

// commitDeclined notes which of the first steps declined the current record. Records in a row are mostly declined by the same steps,
// for the same reasons: the chain counts them, and adds them to the reply together.
func (c *chain) commitDeclined() {
	if !slices.Equal(c.declined, c.same) {
		c.addDeclined()
		c.same = append(c.same[:0], c.declined...)
	}
	c.times++
}

// addDeclined adds what the first steps declined to the reply.
func (c *chain) addDeclined() {
	for i := range c.same {
		d := &c.same[i]
		if c.times > 0 {
			r := c.begun(d.step)
			r.Verdicts = append(r.Verdicts, bytes.Repeat([]byte{byte(wire.Declined)}, c.times)...)
			r.AddFaults(&wire.Fault{Message: d.verdict.message}, c.times)
		}
	}
	c.times = 0
}

// skip declines a record for a step. If that is all that the record of the batch becomes there, nothing else is kept of it.
func (c *chain) skip(s *step, v *verdict, in *inputRecord) {
	shows := in.bytesOf.made && !c.orNext(s.index) // the host does not have the record
	if !s.touched && !shows {
		s.touched, s.skipped = true, v
		c.skips = append(c.skips, s)
		return
	}
	s.touch()
	s.answers = append(s.answers, decision{refused: v})
	if shows {
		s.in = *in
		s.answers[len(s.answers)-1].record = s.show(v)
	}
}

// commitSkips adds to the reply what steps declined by their marks alone.
func (c *chain) commitSkips() {
	for _, s := range c.skips {
		if s.skipped == nil { // it has other answers too
			continue
		}
		r := c.begun(s)
		r.Verdicts = append(r.Verdicts, byte(wire.Declined))
		r.AddFault(&wire.Fault{Message: s.skipped.message})
	}
}
