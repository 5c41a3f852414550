package document

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A branch is a path through a conversation that ends with a correct answer.
type branch struct {
	line     int // of the column, or of the conversation when it has none
	messages column
}

// A preference is a correct column and an incorrect one.
type preference struct {
	line                     int // of the incorrect column
	prompt, chosen, rejected column
	reason                   string
}

// branches expands a conversation. Every correct column becomes a branch, the messages before it and its own; messages behind
// the columns follow the first correct one. A conversation without columns, or with messages of the assistant behind the
// last ones, is a branch itself. unpaired holds incorrect answers without a correct one.
func (c conversation) branches() (all []branch, pairs []preference, unpaired []column) {
	var prefix column
	open := true // there is an answer that no branch holds yet, or there were no columns
	for _, n := range c.nodes {
		if n.columns == nil {
			prefix = append(prefix, n.message)
			open = open || n.message.Role == notation.Assistant
			continue
		}
		right := slices.DeleteFunc(slices.Clone(n.columns), column.incorrect)
		wrong := slices.DeleteFunc(slices.Clone(n.columns), func(c column) bool { return !c.incorrect() })
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

// paths returns a column for each path through nodes. Messages behind columns follow the first correct one.
func paths(nodes []node) []column {
	all := []column{nil}
	at := 0 // the path that messages behind columns continue
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

// ended ends the turn of an answer that is the last message of its turn, where the notation does not say: the later documents
// leave end_turn out. A call that halted waits for its result.
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

// mostOutput bounds the size of a conversation's rows, as a multiple of its own, since each row repeats the messages before it.
const mostOutput = 256

// tooLong reports whether the rows of a conversation are larger than that.
func (c conversation) tooLong() bool {
	own, before, written := 0, 0, 0
	for _, n := range c.nodes {
		if n.columns == nil {
			own, before = own+n.message.size(), before+n.message.size()
			continue
		}
		right, wrong, widest, first := 0, 0, 0, 0 // first: the size of the first correct column
		for _, col := range n.columns {
			size := 0
			for _, m := range col {
				size += m.size()
			}
			own, widest = own+size, max(widest, size)
			if col.incorrect() {
				wrong++
			} else if right++; right == 1 {
				first = size
			}
		}
		written += right * (1 + wrong) * (before + 2*widest)
		before += first
	}
	return written > mostOutput*own
}

// size returns about how many bytes a message takes in a row.
func (m message) size() int { return len(m.Body) + 64 }

// pair moves the messages that both columns begin with to the prompt, but leaves each its last message.
func pair(prefix, good, bad column) preference {
	n := 0
	for n < min(len(good), len(bad))-1 && good[n].same(bad[n]) {
		n++
	}
	return preference{
		line: bad[0].line, prompt: slices.Concat(prefix, good[:n]), chosen: good[n:].ended(), rejected: bad[n:].ended(), reason: bad.reason(),
	}
}
