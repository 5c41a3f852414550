package document

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A branch is one way through a conversation that ends with a correct answer.
type branch struct {
	line     int // of the column, or of the conversation when it has none
	messages column
}

// A preference sets a correct column against an incorrect one.
type preference struct {
	line                     int // of the incorrect column
	prompt, chosen, rejected column
	reason                   string
}

// branches expands a conversation. Every correct column gives a branch: the messages before it and its own; what
// follows the columns goes on from the first correct one. A conversation without columns, or with messages of the
// assistant after the last ones, is a branch itself. unpaired are incorrect answers that no correct one faces.
func (c conversation) branches() (all []branch, pairs []preference, unpaired []column) {
	var prefix column
	open := true // the assistant said something that no branch holds yet, or there were no columns
	for _, n := range c.nodes {
		if n.columns == nil {
			prefix = append(prefix, n.message)
			open = open || n.message.Role == notation.Assistant
			continue
		}
		var right, wrong []column
		for _, col := range n.columns {
			if col.incorrect() {
				wrong = append(wrong, col)
			} else {
				right = append(right, col)
			}
		}
		if len(right) == 0 {
			return all, pairs, wrong
		}
		for _, good := range right {
			if good.speaks() {
				all = append(all, branch{line: good[0].line, messages: slices.Concat(prefix, good).ended()})
			}
			for _, bad := range wrong {
				pairs = append(pairs, pair(prefix, good, bad))
			}
		}
		prefix = slices.Concat(prefix, right[0])
		open = open && !right[0].speaks()
	}
	switch {
	case prefix.incorrect():
		unpaired = append(unpaired, prefix)
	case open && len(prefix) > 0:
		all = append(all, branch{line: c.line, messages: prefix.ended()})
	}
	return all, pairs, unpaired
}

// ways returns a column for each way through nodes. What follows columns goes on from the first correct one.
func ways(nodes []node) []column {
	all := []column{nil}
	at := 0 // the way that goes on
	for _, n := range nodes {
		if n.columns == nil {
			all[at] = append(all[at], n.message)
			continue
		}
		before := all[at]
		inner := make([]column, len(n.columns))
		for i, c := range n.columns {
			inner[i] = slices.Concat(before, c)
		}
		all = slices.Replace(all, at, at+1, inner...)
		at += max(0, slices.IndexFunc(inner, func(c column) bool { return !c.incorrect() }))
	}
	return all
}

// ended ends the turn of an answer behind which nothing of its turn stands, where the notation does not say: the later documents
// leave end_turn out. A call that halted waits.
func (c column) ended() column {
	for i, m := range c {
		last := i+1 == len(c) || c[i+1].Role == notation.User
		if tool, _ := notation.Split(m.Format); last && m.openEnds && m.Role == notation.Assistant && m.Halted != notation.Yes && tool == "" {
			c = slices.Clone(c)
			c[i].EndTurn = true
		}
	}
	return c
}

// mostOutput is how many times a conversation's own size its rows may come to: each of them holds all that stands before.
const mostOutput = 256

// tooLong reports whether the rows of a conversation come to more.
func (c conversation) tooLong() bool {
	own, before, written := 0, 0, 0
	for _, n := range c.nodes {
		if n.columns == nil {
			own, before = own+n.message.size(), before+n.message.size()
			continue
		}
		right, wrong, widest, first := 0, 0, 0, -1
		for _, col := range n.columns {
			size := 0
			for _, m := range col {
				size += m.size()
			}
			own, widest = own+size, max(widest, size)
			switch {
			case col.incorrect():
				wrong++
			case first < 0:
				first = size
				right++
			default:
				right++
			}
		}
		written += right * (1 + wrong) * (before + 2*widest)
		before += max(first, 0)
	}
	return written > mostOutput*own
}

// size is about what a message takes in a row.
func (m message) size() int { return len(m.Body) + 64 }

// pair moves what both columns begin with into the prompt, but leaves each at least its last message.
func pair(prefix, good, bad column) preference {
	n := 0
	for n < min(len(good), len(bad))-1 && good[n].same(bad[n]) {
		n++
	}
	return preference{
		line: bad[0].line, prompt: slices.Concat(prefix, good[:n]), chosen: good[n:].ended(), rejected: bad[n:].ended(), reason: bad.reason(),
	}
}
