package redact

import (
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var seedWord = &recognise.Label{Rule: "seed-phrase", Entity: rules.SeedPhrase}

// seeds replaces the elements of an array, from next on, if they are the words of a wallet. It returns where to continue.
func (f *Filter) seeds(s *sweep, next int) int {
	type element struct{ start, end int }
	var elements []element
	var words []string
	at := next
	for len(words) <= recognise.MostSeeds {
		kind, start, end, behind := Token(s.doc, at)
		if kind != StringKind {
			break
		}
		elements, words, at = append(elements, element{start, end}), append(words, Decode(s.doc[start:end], start).Decoded), behind
	}
	if kind, _, _, _ := Token(s.doc, at); kind != ']' || !recognise.AreSeeds(words) || f.Engine.IsOff(rules.SeedPhrase) {
		return next
	}
	for i, word := range words {
		if s.top().index, s.at = i, nil; f.allows(s, word) {
			continue
		}
		out := f.replacement(s, seedWord.Rule, seedWord.Entity, word)
		s.note(seedWord, false, word, 0, len(word), word, out)
		s.edits = append(s.edits, Edit{elements[i].start, elements[i].end, escaped(out)})
	}
	return at
}

// opened searches an array, from next on, that as a whole is a place or the words of a wallet. It returns where to continue.
func (f *Filter) opened(s *sweep, top *frame, next int) int {
	if top.kind == '[' && top.class&rules.CoordinatesKey != 0 {
		next = f.position(s, next)
	}
	if top.kind == '[' && top.class&rules.SeedKey != 0 {
		next = f.seeds(s, next)
	}
	if top.kind == '[' && next < len(s.doc) && s.doc[next] != '{' {
		s.arguments = f.arguments(s.doc, next)
	}
	return next
}
