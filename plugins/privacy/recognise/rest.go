package recognise

import (
	"slices"
	"strings"
)

// rest keeps the parts of a hint on either side of a match that won over it: the match need not cover all that is personal
// there. s.matches are sorted by choose, the lowest rank last.
func (s *Scan) rest() {
	first := slices.IndexFunc(s.matches, func(m match) bool { return m.rank == rankHint })
	if first < 0 {
		return
	}
	kept, out := s.kept, s.other[:0]
	last := 0 // the end of the hints so far
	for _, t := range s.matches[first:] {
		for at := max(t.start, last); at < t.end; {
			for len(kept) > 0 && kept[0].end <= at {
				out, kept = append(out, kept[0]), kept[1:]
			}
			end, next := t.end, t.end
			if len(kept) > 0 && kept[0].start < t.end {
				end, next = kept[0].start, kept[0].end
			}
			if start, end := s.words(at, end); start < end {
				out = append(out, match{start, end, t.label, rankHint})
			}
			at = next
		}
		last = max(last, t.end)
	}
	s.kept, s.other = append(out, kept...), s.kept
}

// words returns a part without markers and without what is no letter or digit at its ends.
func (s *Scan) words(start, end int) (int, int) {
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
