package modelspecdocument

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
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
			open = open || n.message.Role == modelspec.Assistant
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
			all = append(all, branch{line: good[0].line, messages: slices.Concat(prefix, good)})
			for _, bad := range wrong {
				pairs = append(pairs, pair(prefix, good, bad))
			}
		}
		prefix = slices.Concat(prefix, right[0])
		open = false
	}
	switch {
	case prefix.incorrect():
		unpaired = append(unpaired, prefix)
	case open && len(prefix) > 0:
		all = append(all, branch{line: c.line, messages: prefix})
	}
	return all, pairs, unpaired
}

// pair moves what both columns begin with into the prompt, but leaves each at least its last message.
func pair(prefix, good, bad column) preference {
	n := 0
	for n < min(len(good), len(bad))-1 && good[n].same(bad[n]) {
		n++
	}
	return preference{
		line: bad[0].line, prompt: slices.Concat(prefix, good[:n]), chosen: good[n:], rejected: bad[n:], reason: bad.reason(),
	}
}
