package redact

import (
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// namedSecrets are the classes of a value that another value names.
const namedSecrets = rules.PasswordKey | rules.SecretKey | rules.VagueKey

// paired are the classes of keys whose values say what other values of their object are.
const paired = rules.PairNameKey | rules.PairValueKey | rules.JWKTypeKey | rules.JWKPartKey

// The sizes of a string that may name another value.
const leastNoun, longestName = 2, 64

// A waiting string is searched at the end of its object, whose other members say what it is: {"value": "x", "name": "password"}.
type waiting struct {
	start, end       int
	keyStart, keyEnd int
	personal         bool // its key
	class            rules.Class
}

// wait keeps what a string says of other members of its object, and reports whether the string waits for the end of it.
func (f *Filter) wait(s *sweep, top *frame, start, end int, class rules.Class) bool {
	switch {
	case class&rules.PairNameKey != 0:
		top.named |= f.nameIn(s.doc, start, end)
	case class&rules.JWKTypeKey != 0:
		top.isJWK = true
	case class&(rules.PairValueKey|rules.JWKPartKey) != 0:
		s.waiting = append(s.waiting, waiting{start, end, top.start, top.end, top.personal, class})
		return true
	}
	return false
}

// nameIn returns the class of a string as a name.
func (f *Filter) nameIn(doc string, start, end int) rules.Class {
	if end-start > longestName {
		return 0
	}
	return f.keys.at(doc, start, end, f.Engine).class & namedSecrets
}

// settle searches the strings of an object that waited for its end.
func (f *Filter) settle(s *sweep, top *frame, depth int) {
	for _, w := range s.waiting[top.waiting:] {
		class := w.class
		if class&rules.PairValueKey != 0 {
			class |= top.named
		}
		if class&rules.JWKPartKey != 0 && top.isJWK {
			class |= rules.SecretKey
		}
		if class != w.class {
			f.cleanTo = 0 // the skim took it for something else
		}
		top.start, top.end, top.personal, s.at = w.keyStart, w.keyEnd, w.personal, nil
		f.text(s, w.start, w.end, class, depth)
	}
	s.waiting = s.waiting[:top.waiting]
}

// besideName returns the class of the second of two elements of an array when the first one names it, as in lists of headers.
func (f *Filter) besideName(s *sweep, top *frame, start, end, next int) rules.Class {
	switch top.index {
	case 0:
		top.named = f.nameIn(s.doc, start, end)
	case 1:
		if top.named != 0 {
			if kind, _, _, _ := Token(s.doc, next); kind == ']' {
				return top.named
			}
		}
	}
	return 0
}

// skimPair reports whether the value of a key may be a secret if another member says so.
func (f *Filter) skimPair(doc string, start, end int) bool {
	clean := f.isClean(doc, start, end, namedSecrets)
	f.first = skimmed{} // its class is not certain
	return !clean
}

// opensPair reports whether a string is the first element of an array and names a secret.
func (f *Filter) opensPair(doc string, at, end int) bool {
	before := at - 1
	for before >= 0 && isBlank(doc[before]) {
		before--
	}
	if before < 0 || doc[before] != '[' {
		return false
	}
	kind, _, _, _ := Token(doc, end+1)
	return kind == StringKind && recognise.Keyed(f.nameIn(doc, at+1, end))
}
