package recognise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A Label says what was found, and by which rule.
type Label struct{ Rule, Entity string }

// A Scan is the search through one decoded text after another. One goroutine uses it.
type Scan struct {
	*Engine
	s       string
	class   rules.Class // of the key that the text is the value of
	matches []match
	kept    []match
	other   []match // what kept was before
	plan    planCache
	refused match // what a secret's rule read last and found too plain

	// What was read last, as many anchors may stand in it.
	named      name
	bare       struct{ start, end int } // a value without quotation marks
	runs       [4]run
	nextRun    int
	manifested int // where a document of YAML ends
	jwkEnd     int // where a key in JSON ends
}

// A Match is what stands in text[Start:End].
type Match struct {
	Start, End int
	*Label
	ByContext bool // told by words around it or by somebody else, not by its format
}

// A Told is what somebody else found in text[Start:End].
type Told struct {
	Start, End int
	Entity     string
}

// A match is one with its rank. Of two that overlap the one of higher rank stays, then the one that begins first, then
// the longer one.
type match struct {
	start, end int
	label      *Label
	rank       int
}

const (
	rankTold     = 0 // told by somebody else
	rankContext  = 1 // told by words around it
	rankFormat   = 2 // told by its format
	rankChecked  = 3 // told by a checksum, or by an unmistakable format
	rankProvider = 4 // told by a provider's prefix
	rankCustom   = 5 // told by the user
)

// NewScan makes a search with the recognisers of an engine.
func NewScan(e *Engine) *Scan { return &Scan{Engine: e} }

// Find gives what is in a decoded text that is the value of a key of that class, in order and without overlaps. What was
// told counts less than what the rules find. It is good until the next call.
func (s *Scan) Find(text string, class rules.Class, told []Told) []Match {
	s.s, s.class, s.matches, s.refused = text, class, s.matches[:0], match{}
	s.named, s.bare.end, s.runs, s.manifested, s.jwkEnd = name{start: -1}, 0, [4]run{}, 0, 0
	s.run(s)
	for _, t := range told {
		s.add(&Label{"backend", t.Entity}, rankTold, t.Start, t.End)
	}
	if len(s.matches) == 0 {
		return nil
	}
	s.choose()
	s.rest()
	found := make([]Match, len(s.kept))
	for i, m := range s.kept {
		found[i] = Match{m.start, m.end, m.label, m.rank < rankFormat}
	}
	return found
}

// Release gives memory back after a text that needed much of it.
func (s *Scan) Release() {
	const many = 1 << 16
	if cap(s.matches) > many {
		s.matches, s.kept, s.other = nil, nil, nil
	}
}

// add notes a match, less what a filter wrote at its ends, unless its entity is switched off or nothing else is in it.
func (s *Scan) add(label *Label, rank, start, end int) {
	if s.off[label.Entity] {
		return
	}
	if start, end = s.withoutMarkers(start, end, rank == rankTold); start >= end || s.isWrong(label, rank, start, end) || s.KeepReserved && s.isReserved(label, start, end) {
		return
	}
	s.matches = append(s.matches, match{start, end, label, rank})
}

// choose keeps the matches that win over those they overlap, in the order of the text.
func (s *Scan) choose() {
	slices.SortFunc(s.matches, func(a, b match) int {
		switch {
		case a.rank != b.rank:
			return b.rank - a.rank
		case a.start != b.start:
			return a.start - b.start
		case a.end != b.end:
			return b.end - a.end
		}
		return strings.Compare(a.label.Rule, b.label.Rule)
	})
	s.kept = s.kept[:0]
	for rest := s.matches; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].rank == rest[0].rank {
			n++
		}
		s.kept, s.other = fill(s.other[:0], s.kept, rest[:n]), s.kept
		rest = rest[n:]
	}
}

// fill appends all of stronger, and of weaker what has room between, in the order of the text.
func fill(dst, stronger, weaker []match) []match {
	last := 0 // where the weaker one before ends
	for _, m := range weaker {
		for len(stronger) > 0 && stronger[0].end <= m.start {
			dst, stronger = append(dst, stronger[0]), stronger[1:]
		}
		if m.start >= last && (len(stronger) == 0 || m.end <= stronger[0].start) {
			last = m.end
			dst = append(dst, m)
		}
	}
	return append(dst, stronger...)
}

// Classes of bytes, for the boundaries of matches.

func isDigit(c byte) bool { return c-'0' < 10 }

func isAlnum(c byte) bool { return isDigit(c) || (c|0x20)-'a' < 26 }

func isHex(c byte) bool { return isDigit(c) || (c|0x20)-'a' < 6 }

func isUpper(c byte) bool { return c-'A' < 26 }

func isWordByte(c byte) bool { return isAlnum(c) || c == '_' }

// isWord tells whether r is a letter or digit of any script.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordByte(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// wholeWord tells whether letters or digits of any script go on neither before start nor behind end.
func (s *Scan) wholeWord(start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s.s[:start])
	after, _ := utf8.DecodeRuneInString(s.s[end:])
	return (start == 0 || !isWord(before)) && (end == len(s.s) || !isWord(after))
}

// before gives the byte before at, or 0.
func (s *Scan) before(at int) byte {
	if at <= 0 {
		return 0
	}
	return s.s[at-1]
}

// after gives the byte at at, or 0.
func (s *Scan) after(at int) byte {
	if at >= len(s.s) {
		return 0
	}
	return s.s[at]
}
