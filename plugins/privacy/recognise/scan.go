package recognise

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/plaintext"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A Label is the entity of a finding with the rule that found it.
type Label struct{ Rule, Entity string }

// A Scan searches one decoded text after another. One goroutine uses it.
type Scan struct {
	*Engine
	Unbounded bool // keep all matches of a text, however many

	s       string
	class   rules.Class // of the key of the text
	matches []match
	kept    []match
	other   []match // kept before the last rank
	parted  []match // those of which parts are kept
	plan    planCache
	m       Map   // of s
	refused match // the last text that a rule for secrets found too plain
	dress   plaintext.Reader

	// What was read last, since it may hold many anchors.
	degree                    int     // the sign for degrees behind the last number
	hexRun                    run     // of hexadecimal digits
	cluster                   cluster // the last one read
	beforeNumber, beforePhone lookout // for the words before numbers
	named                     name
	bare                      struct{ start, end int } // a value without quotation marks
	runs                      [4]run
	nextRun                   int
	manifested                int   // where a document of YAML ends
	packedTo                  int   // how far manifests in JSON were read
	cookied                   int   // up to where cookies were read
	jwkEnd                    int   // where a key in JSON ends
	tabled                    int   // where a table, or the line that is none, ends
	inner                     *Scan // for the cells of tables
	many                      bool  // a text since Release has more matches than are kept
}

// A Match is a finding in text[Start:End].
type Match struct {
	Start, End int
	*Label
	ByContext bool // known by words around it or by a hint, not by its format
}

// A Hint is what a recogniser outside of the rules found in text[Start:End].
type Hint struct {
	Start, End int
	Entity     string
}

// A match has a rank. Of two that overlap the one of higher rank stays, then the one that begins first, then the longer one.
type match struct {
	start, end int
	label      *Label
	rank       int
}

const (
	rankHint     = 0 // found outside of the rules
	rankContext  = 1 // known by words around it
	rankFormat   = 2 // known by its format
	rankChecked  = 3 // known by a checksum, or by an unmistakable format
	rankProvider = 4 // known by a provider's prefix
	rankCustom   = 5 // found by a rule of the user
)

// NewScan returns a scan with the recognisers of an engine.
func NewScan(e *Engine) *Scan { return &Scan{Engine: e} }

// Find returns the findings in a decoded text under a key of that class, in order and without overlaps. The rules win
// over hints. What is dressed is searched as it reads too. The result is valid until the next call.
func (s *Scan) Find(text string, class rules.Class, hints []Hint) []Match {
	s.asItIs(text, class, hints)
	s.dressed(text, class)
	if len(s.kept) == 0 {
		return nil
	}
	found := make([]Match, len(s.kept))
	for i, m := range s.kept {
		found[i] = Match{m.start, m.end, m.label, m.rank < rankFormat}
	}
	return found
}

// asItIs keeps the findings in a text as it is written.
func (s *Scan) asItIs(text string, class rules.Class, hints []Hint) {
	s.begin(text, class)
	s.kept = s.kept[:0]
	s.run(s)
	for _, t := range hints {
		s.add(&Label{"backend", t.Entity}, rankHint, t.Start, t.End)
	}
	if len(s.matches) > 0 {
		s.choose()
		s.keepParts()
	}
}

// begin makes a text the one that the rules look at.
func (s *Scan) begin(text string, class rules.Class) {
	s.s, s.class, s.matches, s.refused = text, class, s.matches[:0], match{}
	s.named, s.bare.end, s.runs, s.manifested, s.cookied, s.jwkEnd, s.tabled = name{start: -1}, 0, [4]run{}, 0, 0, 0, 0
	s.packedTo = 0
	s.m.Read(s.Engine, text)
	s.beforeNumber, s.beforePhone, s.degree, s.hexRun, s.cluster = lookout{}, lookout{}, -1, run{}, cluster{}
}

// mostMatches is how many matches of one text are kept, of which some overlap.
const mostMatches = 1 << 17

// TooMany reports whether a text since the last call of Release has more matches than a Scan keeps. What it has found is not all then.
func (s *Scan) TooMany() bool { return s.many }

// Release frees memory after a text that needed much of it.
func (s *Scan) Release() {
	s.many = false
	const many = 1 << 16
	if cap(s.matches) > many {
		s.matches, s.kept, s.other, s.parted = nil, nil, nil, nil
	}
	s.dress.Release()
	s.m.Release()
}

// add adds a match without the markers at its ends, unless its entity is switched off or nothing else is in it.
func (s *Scan) add(label *Label, rank, start, end int) {
	if s.off[label.Entity] {
		return
	}
	if start, end = s.withoutMarkers(start, end, rank == rankHint); start >= end || s.isWrong(label, rank, start, end) {
		return
	}
	if s.KeepReserved && s.isReserved(label, start, end) {
		return
	}
	if len(s.matches) >= mostMatches && !s.Unbounded {
		s.many = true
		return
	}
	s.matches = append(s.matches, match{start, end, label, rank})
}

// choose keeps the matches that win over the ones they overlap, in the order of the text.
func (s *Scan) choose() {
	slices.SortFunc(s.matches, func(a, b match) int {
		return cmp.Or(b.rank-a.rank, a.start-b.start, b.end-a.end, strings.Compare(a.label.Rule, b.label.Rule))
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

// fill appends all stronger matches, and the weaker ones that fit between them, in the order of the text.
func fill(dst, stronger, weaker []match) []match {
	last := 0 // the end of the weaker match before
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

// controls are the control characters and the space, which is the last of them.
var controls = ascii.Bytes("\x00- ")

var (
	letterSet = ascii.Set(ascii.Bytes("A-Za-z"))
	nameSet   = ascii.Set(ascii.TokenBytes)
	tokenSet  = ascii.Set(ascii.TokenBytes + ".")
	base64Set = ascii.Set(ascii.TokenBytes + "+/=")
)

// until returns the offset of the first of some characters of ASCII from at on, or the end.
func until(s string, at int, signs string) int {
	if n := strings.IndexAny(s[at:], signs); n >= 0 {
		return at + n
	}
	return len(s)
}

func isBlank(c byte) bool { return strings.IndexByte(" \t\n\r", c) >= 0 }

// isWord reports whether r is a letter or digit of any script.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii.IsWord(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// wholeWord reports whether s[start:end] has no letter or digit of any script right before or after it.
func (s *Scan) wholeWord(start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s.s[:start])
	after, _ := utf8.DecodeRuneInString(s.s[end:])
	return (start == 0 || !isWord(before)) && (end == len(s.s) || !isWord(after))
}

// before returns the byte before at, or 0.
func (s *Scan) before(at int) byte {
	if at <= 0 {
		return 0
	}
	return s.s[at-1]
}

// after returns the byte at at, or 0.
func (s *Scan) after(at int) byte {
	if at >= len(s.s) {
		return 0
	}
	return s.s[at]
}

// IsEntity reports whether a name is an entity, or an entity with a number after it.
func (e *Engine) IsEntity(name string) bool {
	name = rules.WithoutNumber(name)
	return rules.Entities()[name] != "" || slices.Contains(e.customEntities, name)
}
