package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// keepParts keeps the parts of some matches on either side of one that won over them: the winner need not cover all that is personal there.
func (s *Scan) keepParts() {
	parted := s.parted[:0]
	for _, m := range s.matches {
		if m.rank == rankHint || m.label == rulePassword || m.label == ruleSecret || m.label == ruleCard || m.label == rulePhone && m.rank >= rankFormat {
			parted = append(parted, m)
		}
	}
	if s.parted = parted; len(parted) == 0 {
		return
	}
	slices.SortStableFunc(parted, func(a, b match) int { return a.start - b.start })
	kept, out := s.kept, s.other[:0]
	last := 0 // the end of the parted ones so far
	for _, t := range parted {
		for at := max(t.start, last); at < t.end; {
			for len(kept) > 0 && kept[0].end <= at {
				out, kept = append(out, kept[0]), kept[1:]
			}
			end, next := t.end, t.end
			if len(kept) > 0 && kept[0].start < t.end {
				end, next = kept[0].start, kept[0].end
			}
			if start, end := s.part(t, at, end); start < end {
				out = append(out, match{start, end, t.label, t.rank})
			}
			at = next
		}
		last = max(last, t.end)
	}
	s.kept, s.other = append(out, kept...), s.kept
}

// leastPart is the fewest digits of a part of a number that is kept.
const leastPart = 4

// part returns what is personal in the part s.s[start:end] of a match that others won over: start is not before end when nothing is.
func (s *Scan) part(m match, start, end int) (int, int) {
	if start >= end || m.rank == rankHint {
		return s.trimmed(start, end)
	}
	text := s.s[start:end]
	if m.label == rulePassword && shape.LooksLikePassword(text, true) || m.label == ruleSecret && looksDrawn(text) {
		return start, end
	}
	text = strings.TrimLeft(text, " -./)")
	start = end - len(text)
	text = strings.TrimRight(text, " -./(")
	if m.label == rulePassword || m.label == ruleSecret || len(digitsOf(text)) < leastPart {
		return start, start
	}
	return start, start + len(text)
}

// trimmed returns a part without markers, spaces and signs at its ends.
func (s *Scan) trimmed(start, end int) (int, int) {
	if start >= end {
		return start, start
	}
	if start, end = s.withoutMarkers(start, end, true); start >= end {
		return start, start
	}
	text := strings.TrimLeftFunc(s.s[start:end], func(r rune) bool { return !isWord(r) })
	start = end - len(text)
	return start, start + len(strings.TrimRightFunc(text, func(r rune) bool { return !isWord(r) }))
}
