package rows

import (
	"encoding/binary"
	"sort"
	"strings"
)

// A table is what is known of the rows of a file. What is published does not change: a builder only appends behind it.
type table struct {
	Offsets []int64
	Sizes   []uint32
	Sums    []uint32 // of the bytes of each row, so that a row that has changed is not taken for it
	Turns   []uint32
	Calls   []uint32
	Blanks  []blank
	Bad     int64
	Words   [stored]coded
	Said    origins // that rows tell of themselves, where nobody has noted them
}

// A blank says how many lines before a row and all behind it are no rows.
type blank struct{ Row, Before uint32 }

// coded are the words of a column: a number for each row, which stands for a set of words. Set 0 is none, and rows behind
// the last number have it.
type coded struct {
	Sets  [][]string
	Small []uint8
	Wide  []uint32 // instead of Small, when there are more than 256 sets
	all   int      // the set of every row instead
}

func (t *table) rows() int { return len(t.Offsets) }

// line is the line that a row stands on, from 1.
func (t *table) line(row int) int64 {
	i := sort.Search(len(t.Blanks), func(i int) bool { return int(t.Blanks[i].Row) > row })
	line := int64(row) + 1
	if i > 0 {
		line += int64(t.Blanks[i-1].Before)
	}
	return line
}

// at gives the row on a line.
func (t *table) at(line int64) (row int, ok bool) {
	row = sort.Search(t.rows(), func(i int) bool { return t.line(i) >= line })
	return row, row < t.rows() && t.line(row) == line
}

// isJSON tells whether a row is a JSON value.
func (t *table) isJSON(row int) bool {
	is := t.Words[shape].words(row)
	return is[0] != noJSON && is[0] != tooLong
}

func (c *coded) at(row int) int {
	switch {
	case row < len(c.Wide):
		return int(c.Wide[row])
	case row < len(c.Small):
		return int(c.Small[row])
	}
	return c.all
}

func (c *coded) words(row int) []string {
	if set := c.at(row); set > 0 {
		return c.Sets[set]
	}
	return nil
}

// put gives a row its set. Rows come in order.
func (c *coded) put(row, set int) {
	if set == 0 {
		return
	}
	if set > 255 && c.Wide == nil {
		c.Wide = make([]uint32, len(c.Small), 2*len(c.Small)+1)
		for i, small := range c.Small {
			c.Wide[i] = uint32(small)
		}
		c.Small = nil
	}
	if c.Wide != nil {
		c.Wide = append(padded(c.Wide, row), uint32(set))
	} else {
		c.Small = append(padded(c.Small, row), uint8(set))
	}
}

// padded makes a list as long as there are rows before the next.
func padded[T any](list []T, rows int) []T {
	return append(list, make([]T, rows-len(list))...)
}

// Limits of what a table keeps of words.
const (
	longestWord = 80
	mostWords   = 32      // of a row
	mostSets    = 1 << 16 // of a column of a file
)

// Words that stand for what is not kept.
const (
	longWord  = "(long)"
	otherWord = "(other)"
)

// A builder makes a table.
type builder struct {
	table
	numbers [stored]map[string]int // sets by their words
}

// add takes in the next row, and what is said in it.
func (b *builder) add(offset int64, size int, sum uint32, s *said) {
	row := b.rows()
	b.Offsets = append(b.Offsets, offset)
	b.Sizes = append(b.Sizes, uint32(size))
	b.Sums = append(b.Sums, sum)
	b.Turns = append(b.Turns, s.turns)
	b.Calls = append(b.Calls, s.calls)
	for c := range s.words {
		if len(s.words[c]) > 0 {
			b.Words[c].put(row, b.set(column(c), s.words[c]))
		}
	}
}

// set gives the number of a set of words.
func (b *builder) set(c column, words []string) int {
	var few [256]byte
	key := few[:0]
	for _, word := range words {
		key = append(binary.AppendUvarint(key, uint64(len(word))), word...)
	}
	if set, ok := b.numbers[c][string(key)]; ok {
		return set
	}
	to := &b.Words[c]
	if len(to.Sets) > mostSets && words[0] != otherWord {
		return b.set(c, []string{otherWord})
	}
	if to.Sets == nil {
		b.numbers[c] = map[string]int{}
		to.Sets = [][]string{nil}
	}
	set := len(to.Sets)
	own := make([]string, len(words))
	for i, word := range words {
		own[i] = strings.Clone(word)
	}
	to.Sets = append(to.Sets, own)
	b.numbers[c][string(key)] = set
	return set
}

// gap notes how many lines before a row are no rows.
func (b *builder) gap(row, before int) {
	last := len(b.Blanks) - 1
	switch {
	case last >= 0 && int(b.Blanks[last].Row) == row:
		b.Blanks = b.Blanks[:last]
	case last < 0 && before == 0, last >= 0 && int(b.Blanks[last].Before) == before:
		return
	}
	b.Blanks = append(b.Blanks, blank{uint32(row), uint32(before)})
}

// join takes in the rows of the next part of the file. So many lines stand before it.
func (b *builder) join(part *table, lines int64) {
	first := b.rows()
	blanks := int(lines) - first
	if part.rows() > 0 {
		b.gap(first, blanks)
	}
	for _, x := range part.Blanks {
		b.gap(first+int(x.Row), blanks+int(x.Before))
	}
	b.Offsets = append(b.Offsets, part.Offsets...)
	b.Sizes = append(b.Sizes, part.Sizes...)
	b.Sums = append(b.Sums, part.Sums...)
	b.Turns = append(b.Turns, part.Turns...)
	b.Calls = append(b.Calls, part.Calls...)
	b.Bad += part.Bad
	for c := range part.Words {
		from := &part.Words[c]
		sets := make([]int, len(from.Sets))
		for i, words := range from.Sets {
			if i > 0 {
				sets[i] = b.set(column(c), words)
			}
		}
		for row := range max(len(from.Small), len(from.Wide)) {
			if set := from.at(row); set > 0 {
				b.Words[c].put(first+row, sets[set])
			}
		}
	}
	b.Said.join(&part.Said, first)
}

// snapshot is the table so far.
func (b *builder) snapshot() *table {
	t := b.table
	return &t
}
