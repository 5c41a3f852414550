package plaintext

import (
	"sort"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Change is a part of a text that reads as something else: the colours of a terminal as nothing, %40 as an @. Where it may
// be a border between two values as well as inside of one, both readings are searched.
type Change struct {
	Start, End int
	Out        string // how it reads inside of a value
	Apart      string // how it reads as a border
}

// A Stretch is text[Start:End] with its changes, as it reads, and for each change where that begins in it.
type Stretch struct {
	Start, End int
	Changes    []Change
	Text       string
	at         []int
}

// Stretch returns the lines around the change with that index and those near it, and the index of the next change.
func (d *Reader) Stretch(text string, from int, whole bool) (t Stretch, next int) {
	if whole {
		return Stretch{Start: 0, End: len(text), Changes: d.Changes}, len(d.Changes)
	}
	first := d.Changes[from].Start
	t.Start = strings.LastIndexByte(text[:first], '\n') + 1
	if t.Start > 0 {
		t.Start = strings.LastIndexByte(text[:t.Start-1], '\n') + 1
	}
	line := -1 // the end of the line of the last change
	for next = from; next < len(d.Changes); next++ {
		if c := &d.Changes[next]; c.End > line {
			if line >= 0 && c.Start > t.End {
				break
			}
			line = lineEnd(text, c.End)
			t.End = line
			for range 2 {
				t.End = lineEnd(text, min(len(text), t.End+1))
			}
		}
	}
	t.Changes = d.Changes[from:next]
	return t, next
}

// lineEnd returns the end of the line that at is in.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// Normalize writes a stretch as it reads, over the one before.
func (d *Reader) Normalize(t *Stretch, text string, apart bool) {
	b, at, last := d.stretched.text[:0], d.stretched.at[:0], t.Start
	for i := range t.Changes {
		c := &t.Changes[i]
		b = append(b, text[last:c.Start]...)
		at = append(at, len(b))
		if apart {
			b = append(b, c.Apart...)
		} else {
			b = append(b, c.Out...)
		}
		last = c.End
	}
	b = append(b, text[last:t.End]...)
	d.stretched.text, d.stretched.at = b, at
	t.Text, t.at = jsontext.View(b), at
}

// Origin returns the offset in the text of an offset in the stretch. Of a change, which is never split, it is the beginning, or
// the end where a match ends. What a change removes at either end of a match is not in it.
func (t *Stretch) Origin(at int, end bool) int {
	if end {
		at--
	}
	i := sort.SearchInts(t.at, at+1) - 1 // the last change that begins at or before at
	offset := t.Start + at
	if i >= 0 {
		c := &t.Changes[i]
		size := len(t.Text) - t.at[i] - (t.End - c.End) // of how it reads, and of the changes behind it
		if i+1 < len(t.at) {
			size = t.at[i+1] - t.at[i] - (t.Changes[i+1].Start - c.End)
		}
		if at < t.at[i]+size {
			if end {
				return c.End
			}
			return c.Start
		}
		offset = c.End + at - t.at[i] - size
	}
	if end {
		offset++
	}
	return offset
}

// Removes reports whether nothing but dress and blanks is in text[from:to].
func (d *Reader) Removes(from, to int) bool {
	i := sort.Search(len(d.Changes), func(i int) bool { return d.Changes[i].Start >= from })
	for ; from < to; i++ {
		if i == len(d.Changes) || d.Changes[i].Start != from || strings.TrimSpace(d.Changes[i].Out) != "" {
			return false
		}
		from = d.Changes[i].End
	}
	return from == to
}
