package privacy

import (
	"slices"
	"strings"
)

// A scan is the search through one decoded text.
type scan struct {
	*engine
	s       string
	class   keyClass // of the key that the text is the value of
	matches []match
	kept    []match // by choose
	plan    planCache
	refused match // what a secret's rule read last and found too plain
}

// A match is what a recogniser found in s[start:end]. Of two that overlap the one of higher rank stays, then the
// one that begins first, then the longer one.
type match struct {
	start, end int
	rule       *rule
	rank       int
}

const (
	rankBackend  = 0 // told by the backend
	rankContext  = 1 // told by words around it
	rankFormat   = 2 // told by its format
	rankChecked  = 3 // told by a checksum, or by an unmistakable format
	rankProvider = 4 // told by a provider's prefix
	rankCustom   = 5 // told by the user
)

// add notes a match, unless its entity is switched off or it is in what a filter wrote.
func (s *scan) add(r *rule, rank, start, end int) {
	if !s.off[r.entity] && !s.inMarker(start, end, false) {
		s.matches = append(s.matches, match{start, end, r, rank})
	}
}

// inMarker tells whether s[start:end] meets a marker, as this filter or the reference writes them. With anyEntity the
// name in it need not be one that the rules know.
func (s *scan) inMarker(start, end int, anyEntity bool) bool {
	from := max(0, start-80)
	for i := end - 1; i >= from; i-- {
		if c := s.s[i]; c != '<' && c != '[' {
			continue
		}
		loc := markerForm().FindStringSubmatchIndex(s.s[i:min(len(s.s), i+80)])
		if loc != nil && i+loc[1] > start && (anyEntity || loc[2] < 0 || s.isEntity(s.s[i+loc[2]:i+loc[3]])) {
			return true
		}
	}
	return false
}

// isEntity tells whether a name is one of an entity, or one with a number behind it.
func (e *engine) isEntity(name string) bool {
	if cut := strings.LastIndexByte(name, '_'); cut > 0 && strings.Trim(name[cut+1:], "0123456789") == "" {
		name = name[:cut]
	}
	return entities[name] || slices.ContainsFunc(e.custom, func(c customRule) bool { return c.entity == name })
}

var markerForm = compiled(`^(?:<([A-Z][A-Z0-9_]*)(?::[0-9a-f]{16})?>|<REDACTED:[A-Za-z0-9_.:-]+>|\[REDACTED_[A-Z0-9_]+\])`)

// choose keeps the matches that win over those they overlap, in the order of the text.
func (s *scan) choose() []match {
	slices.SortStableFunc(s.matches, func(a, b match) int {
		switch {
		case a.rank != b.rank:
			return b.rank - a.rank
		case a.start != b.start:
			return a.start - b.start
		case a.end != b.end:
			return b.end - a.end
		}
		return cmpString(a.rule.name, b.rule.name)
	})
	kept := s.kept[:0]
	for _, m := range s.matches {
		i, _ := slices.BinarySearchFunc(kept, m.start, func(k match, start int) int { return k.start - start })
		if (i == 0 || kept[i-1].end <= m.start) && (i == len(kept) || m.end <= kept[i].start) {
			kept = slices.Insert(kept, i, m)
		}
	}
	s.kept = kept
	return kept
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Classes of bytes, for the boundaries of matches.

func isHex(c byte) bool { return isDigit(c) || (c|0x20)-'a' < 6 }

func isUpper(c byte) bool { return c-'A' < 26 }

func isWordByte(c byte) bool { return isAlnum(c) || c == '_' }

// before gives the byte before at, or 0.
func (s *scan) before(at int) byte {
	if at <= 0 {
		return 0
	}
	return s.s[at-1]
}

// after gives the byte at at, or 0.
func (s *scan) after(at int) byte {
	if at >= len(s.s) {
		return 0
	}
	return s.s[at]
}

// options are what recognisers are told by the user.
type options struct {
	regions           []string // whose national telephone numbers are known, such as "US"
	keepDocumentation bool     // leave IP addresses that are for documentation
	handles           handleMode
	addresses         bool // look for postal addresses
}

type handleMode uint8

const (
	handlesSocial handleMode = iota // where people speak of people
	handlesOff
	handlesAll
)
