package privacy

import (
	"regexp"
	"strings"
)

// An engine is the recognisers of the standard profile with the index that says where to call them. It is the same
// for all records, and for all workers of a step.
type engine struct {
	index
	options
	off    map[string]bool // entities not looked for
	custom []customRule
	allow  allowList
	always bool // a custom rule has no anchor, so every string is looked at
}

// A customRule is one that the user gave.
type customRule struct {
	rule
	anchor  string
	pattern *regexp.Regexp
}

const hexDigits = "0123456789abcdefABCDEF"

// newEngine makes the recognisers of the built-in rules.
func newEngine(o options) *engine {
	e := &engine{options: o, off: map[string]bool{}}
	for _, c := range []byte("@0123456789") {
		e.addByte(c)
	}
	for i := range len(hexDigits) {
		e.addPair(hexDigits[i], ':')
		e.addPair(':', hexDigits[i])
	}
	e.addPair(':', ':')
	for _, r := range secretRules() {
		try := r.recogniser()
		for _, text := range r.anchors {
			e.add(anchor{text: text, prev: r.prev, next: r.next, try: try})
		}
	}
	for _, word := range assignments {
		e.add(anchor{text: word, fold: true, try: (*scan).assignment})
	}
	e.add(anchor{text: "bearer", fold: true, try: (*scan).bearer})
	e.add(anchor{text: "basic", fold: true, try: (*scan).basic})
	e.add(anchor{text: "curl", next: " \t\\", try: (*scan).curl})
	e.add(anchor{text: "phrase", fold: true, try: (*scan).seed})
	e.add(anchor{text: "mnemonic", fold: true, try: (*scan).seed})
	e.add(anchor{text: "bc1", try: (*scan).segwit})
	// Keys whose values are secrets whatever they look like, for JSON in strings.
	for _, key := range []string{"cookie", "authoriz", "signingkey", "signing_key", "encryptionkey", "encryption_key", "privatekey", "private-key"} {
		e.add(anchor{text: key, fold: true, try: func(*scan, int) {}})
	}
	return e
}

// addNames makes the recogniser of names that the user listed.
func (e *engine) addNames(names []string) {
	found := &rule{name: "name", entity: person}
	for _, name := range names {
		e.add(anchor{text: name, try: func(s *scan, at int) {
			if s.wholeWord(at, at+len(name)) {
				s.add(found, rankFormat, at, at+len(name))
			}
		}})
	}
}

// hot tells whether the text of a JSON string, escapes and all, can hold anything. It may err on the safe side.
func (e *engine) hot(raw string) bool {
	if e.always || e.unicode && strings.Contains(raw, `\u`) {
		return true
	}
	for i := e.next(raw, 0); i >= 0; i = e.next(raw, i+2) {
		anchors := e.at(raw, i)
		for k := range anchors {
			if _, ok := anchors[k].stands(raw, i); ok {
				return true
			}
		}
		for j := i; j < min(i+2, len(raw)); j++ {
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

// hotNumber tells whether the digits that begin at j can be part of anything.
func (e *engine) hotNumber(raw string, j int) bool {
	if e.addresses {
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
func (e *engine) run(s *scan) {
	for i := e.next(s.s, 0); i >= 0; i = e.next(s.s, i+2) {
		anchors := e.at(s.s, i)
		for k := range anchors {
			if at, ok := anchors[k].stands(s.s, i); ok {
				anchors[k].try(s, at)
			}
		}
		for j := i; j < min(i+2, len(s.s)); j++ {
			e.byteAt(s, j)
		}
	}
	e.wholes(s)
}

// byteAt calls the recognisers whose anchor is a single byte.
func (e *engine) byteAt(s *scan, at int) {
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
		s.address(at)
		if b := s.before(at); b == '+' || b == '(' {
			s.phone(at - 1)
		} else {
			s.phone(at)
		}
	}
}

// wholes looks at the text as a whole: by the key it is the value of, and by the rules of the user.
func (e *engine) wholes(s *scan) {
	if s.class&(passwordKey|secretKey) != 0 && !strings.ContainsAny(s.s, " \n\t") && len(s.s) <= 4096 && !isPlaceholder(s.s) {
		switch {
		case s.class&passwordKey != 0 && looksLikePassword(s.s, true):
			s.add(rulePassword, rankContext, 0, len(s.s))
		case s.class&secretKey != 0 && looksLikeSecret(s.s):
			s.add(ruleSecret, rankContext, 0, len(s.s))
		}
	}
	for i := range e.custom {
		c := &e.custom[i]
		if !strings.Contains(s.s, c.anchor) {
			continue
		}
		for _, loc := range c.pattern.FindAllStringSubmatchIndex(s.s, -1) {
			if len(loc) > 2 && loc[2] >= 0 {
				loc = loc[2:4]
			}
			if loc[1] > loc[0] {
				s.add(&c.rule, rankCustom, loc[0], loc[1])
			}
		}
	}
}
