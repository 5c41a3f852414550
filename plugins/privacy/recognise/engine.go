// Package recognise finds personal data and secrets in decoded texts, by the rules and by code of its own.
package recognise

import (
	"embed"
	"net/netip"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// Files are the code of this package, for whoever must know whether it changed.
//
//go:embed *.go
var Files embed.FS

// Options are what recognisers are told by the user.
type Options struct {
	Regions           []string // whose national telephone numbers are known, such as "US"
	KeepDocumentation bool     // leave IP addresses that are for documentation
	KeepReserved      bool     // leave addresses and numbers that are for documents, tests and networks of one's own
	Handles           HandleMode
	Addresses         bool // look for postal addresses
}

// A HandleMode says which names of accounts are looked for.
type HandleMode uint8

// Names of accounts where people speak of people, none, and all.
const (
	HandlesSocial HandleMode = iota
	HandlesOff
	HandlesAll
)

// An Engine is the recognisers with the index that says where to call them. It is made before the first record and
// stays as it is from then on.
type Engine struct {
	index
	Options
	off            map[string]bool // entities not looked for
	keys           map[string]rules.Class
	own            rules.Class // the last class of keys that a rule has to itself
	numbers        []*format   // tried where digits begin
	custom         []*format   // of the user, looked for in the whole of a text
	customNumbers  []*format   // of the user, for the values of their keys
	customEntities []string
	always         bool // a rule of the user has no anchor, so every string is looked at

	fileTypes, codeWords map[string]bool
	ibanSizes            map[string]int
	issuers              []rules.Issuer
	cardGroups           [][]int
	documentation        []netip.Prefix
	dialing              *dialing
	months, ibans        *cueSet
	ids                  identifiers
}

// noLetters are the bytes that may stand before a short name, and behindNames those behind one.
var noLetters, behindNames = func() (bytes string) {
	for c := range 256 {
		if !isAlnum(byte(c)) || isDigit(byte(c)) {
			bytes += string([]byte{byte(c)})
		}
	}
	return bytes
}(), "=:\"'`\\]>?"

const hexDigits = "0123456789abcdefABCDEF"

func set(words []string) map[string]bool {
	all := map[string]bool{}
	for _, w := range words {
		all[w] = true
	}
	return all
}

// AddRule adds a rule of the user, whose pattern is a regular expression. One with anchors begins at them, as the
// built-in ones do; another is looked for in the whole of every text, or of those that hold its anchor.
func (e *Engine) AddRule(r rules.Rule) {
	e.customEntities = append(e.customEntities, r.Entity)
	if len(r.Anchors) > 0 {
		e.addToken(e.format(r, rankCustom, `^(?:%s)`))
		return
	}
	f := e.format(r, rankCustom, `%s`)
	e.custom = append(e.custom, f)
	if len(r.Key) > 0 {
		e.customNumbers = append(e.customNumbers, f)
	}
	if r.Anchor == "" {
		e.always = true
		return
	}
	e.add(anchor{text: r.Anchor, try: func(*Scan, int) {}})
	e.addSlashes(r.Anchor)
}

// AddNames makes the recogniser of names that the user listed.
func (e *Engine) AddNames(names []string) {
	found := &Label{"name", rules.Person}
	for _, name := range names {
		e.add(anchor{text: name, try: func(s *Scan, at int) {
			if s.wholeWord(at, at+len(name)) {
				s.add(found, rankFormat, at, at+len(name))
			}
		}})
	}
}

// SwitchOff leaves out whatever is of an entity.
func (e *Engine) SwitchOff(entity string) { e.off[entity] = true }

// IsOff tells whether an entity was left out.
func (e *Engine) IsOff(entity string) bool { return e.off[entity] }

// Class says what the value of a decoded key is.
func (e *Engine) Class(key string) rules.Class {
	class := e.keys[rules.PlainKey(key)]
	if !Keyed(class) {
		class |= rules.NameClass(key)
	}
	return class
}

// Keyed tells whether keys of a class can make anything of a string that nothing in the string makes.
func Keyed(class rules.Class) bool {
	return class&(rules.PasswordKey|rules.SecretKey|rules.VagueKey|rules.BirthKey) != 0
}

// Hot tells whether doc[start:end], the text of a JSON string with its escapes, can hold anything. It may err on the safe
// side.
func (e *Engine) Hot(doc string, start, end int) bool {
	if e.always {
		return true
	}
	i := e.next(doc, start, end)
	if i < 0 {
		return false
	}
	raw := doc[start:end]
	for ; i >= 0; i = e.next(doc, i+2, end) {
		anchors, four := e.at(doc, i)
		for k := range anchors {
			if p := &anchors[k]; p.may(four) && p.stands(raw, i-start-p.off) && (p.hot == nil || p.hot(e, raw, i-start-p.off)) {
				return true
			}
		}
		for j := i - start; j < min(i-start+2, len(raw)); j++ {
			switch c := raw[j]; {
			case c == '@':
				return true
			case isDigit(c) && (j == 0 || !isDigit(raw[j-1])):
				if e.hotNumber(raw, j) {
					return true
				}
			case c == ':' && hotColon(raw, j):
				return true
			}
		}
	}
	return false
}

// hotEscape tells whether the escape at at can be of a letter of an anchor that is not ASCII.
func (e *Engine) hotEscape(raw string, at int) bool {
	if at+4 > len(raw) {
		return false
	}
	page, err := strconv.ParseUint(raw[at+2:at+4], 16, 8)
	return err == nil && e.pages[page]
}

// hotNumber tells whether the digits that begin at j can be part of anything.
func (e *Engine) hotNumber(raw string, j int) bool {
	if e.Addresses {
		return true
	}
	if j >= 2 && raw[j-1] == 'u' && raw[j-2] == '\\' && strings.HasPrefix(raw[j:], "00") {
		return true // \u0040 is an @
	}
	end := j
	for end < len(raw) && isDigit(raw[end]) {
		end++
	}
	switch {
	case end-j >= 6:
		return true
	case end-j == 4 && end < len(raw) && isAlnum(raw[end]) && j >= 5 && isAlnum(raw[j-5]): // five letters, four digits, a letter
		return true
	case end < len(raw) && (raw[end] >= 0x80 || raw[end] == '\\'): // degrees, or a space that is not ASCII
		return true
	case end+1 < len(raw) && raw[end] == '.' && isDigit(raw[end+1]):
		return true
	case end+1 < len(raw) && raw[end] == ' ' && raw[end+1] >= 0x80:
		return true
	}
	// Enough digits nearby, or a word that is as long as an address of a currency.
	digits, word := 0, true
	for i := j; i < len(raw) && i < j+48; i++ {
		switch c := raw[i]; {
		case isDigit(c):
			if digits++; digits >= 6 {
				return true
			}
		case !isAlnum(c):
			if word && i-j >= 25 {
				return true
			}
			word = false
		}
	}
	return word && len(raw)-j >= 25 || hotLabel(raw[max(0, j-40):j]) || strings.Count(raw[max(0, j-16):min(len(raw), j+17)], "-") >= 5
}

// hotLabel tells whether a text has lat, lng or lon in it, in any case.
func hotLabel(s string) bool {
	for i := 0; i+2 < len(s); i++ {
		if s[i]|0x20 == 'l' {
			switch b, c := s[i+1]|0x20, s[i+2]|0x20; {
			case b == 'a' && c == 't', b == 'n' && c == 'g', b == 'o' && c == 'n':
				return true
			}
		}
	}
	return false
}

// hotColon tells whether a colon can be of an IPv6 or MAC address: another one follows soon.
func hotColon(raw string, j int) bool {
	return strings.IndexByte(raw[j+1:min(len(raw), j+6)], ':') >= 0
}

// run calls the recognisers wherever their anchors stand.
func (e *Engine) run(s *Scan) {
	for i := e.next(s.s, 0, len(s.s)); i >= 0; i = e.next(s.s, i+2, len(s.s)) {
		anchors, four := e.at(s.s, i)
		for k := range anchors {
			if p := &anchors[k]; p.may(four) && p.stands(s.s, i-p.off) {
				p.try(s, i-p.off)
			}
		}
		for j := i; j < min(i+2, len(s.s)); j++ {
			e.byteAt(s, j)
		}
	}
	e.wholes(s)
}

// byteAt calls the recognisers whose anchor is a single byte.
func (e *Engine) byteAt(s *Scan, at int) {
	switch c := s.s[at]; {
	case c == '@':
		s.at(at)
	case c == ':':
		s.colon(at)
	case isDigit(c) && !isDigit(s.before(at)):
		s.number(at)
		s.place(at)
		s.wallet(at)
		s.macWithHyphens(at)
		s.appToken(at)
		s.address(at)
		if b := s.before(at); b == '+' || b == '(' {
			s.phone(at - 1)
		} else {
			s.phone(at)
		}
	}
}

// wholes looks at the text as a whole: by the key it is the value of, and by the rules of the user.
func (e *Engine) wholes(s *Scan) {
	if Keyed(s.class) {
		s.keyed()
	}
	if s.class&rules.BirthKey != 0 {
		s.birthBehind(0)
	}
	for _, f := range e.custom {
		f.everywhere(s)
	}
}
