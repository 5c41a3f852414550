package recognise

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// New returns an engine with the built-in rules.
func New(o Options) *Engine {
	e := *builtIn() // the tables of its index are copied; what else it holds is shared, and grows in a copy
	e.Options, e.off, e.keys, e.dialing = o, map[string]bool{}, maps.Clone(e.keys), newDialing(o.Regions)
	e.placed = slices.Clone(e.placed)
	for i, list := range e.placed {
		e.placed[i] = slices.Clip(list)
	}
	return &e
}

// builtIn returns what all engines begin with. It is made once, since indexing the anchors takes longer than starting a process.
var builtIn = sync.OnceValue(func() *Engine {
	tables, words := rules.Tables(), rules.Words()
	e := &Engine{keys: maps.Clone(rules.Keys()), fileTypes: set(words.FileTypes), codeWords: set(words.CodeWords),
		ibanSizes: tables.IBANSizes, issuers: tables.Issuers, cardGroups: tables.CardGroups, documentation: tables.Documentation, months: newCueSet(rules.Dates().Months), ibans: newCueSet(rules.Cues().IBAN)}
	e.init()
	for _, c := range []byte("@0123456789") {
		e.addByte(c)
	}
	for i := range len(hexDigits) {
		e.addPair(hexDigits[i], ':')
		e.addPair(':', hexDigits[i])
	}
	e.addPair(':', ':')
	for _, r := range rules.Secrets() {
		rank := rankProvider
		if r.General {
			rank = rankChecked
		}
		e.addToken(e.format(r, rank, `^(?:%s)`))
	}
	for _, r := range rules.Numbers() {
		e.addNumber(r)
	}
	for _, r := range rules.Identifiers() {
		e.addIdentifier(r)
	}
	for _, word := range words.Assignments {
		e.addWord(word)
	}
	for _, word := range words.ShortAssignments {
		prev := noLetters
		if !isAlnum(word[0]) || len(word) > 5 { // which may be the end of a word
			prev = ""
		}
		e.addWithin(anchor{text: word, fold: true, prev: prev, next: behindNames, try: (*Scan).assignment})
		e.addWithin(anchor{text: word + " =", fold: true, prev: prev, try: (*Scan).assignment})
	}
	e.addWithin(anchor{text: "Key", prev: rules.Bytes("a-z"), next: behindNames, try: (*Scan).assignment})
	e.addWithin(anchor{text: "Key =", prev: rules.Bytes("a-z"), try: (*Scan).assignment})
	for _, c := range commands() {
		e.addWithin(anchor{text: c.program, prev: noLetters, next: " \t\\", try: c.tryAt})
	}
	e.add(anchor{text: "eyJ", next: rules.Bytes("A-Za-z0-9_-"), try: (*Scan).jwt})
	e.add(anchor{text: "bearer", fold: true, try: (*Scan).bearer})
	e.add(anchor{text: "basic", fold: true, try: (*Scan).basic})
	e.add(anchor{text: "authorization", fold: true, try: (*Scan).authorization})
	e.add(anchor{text: "cookie", fold: true, try: (*Scan).cookie})
	e.add(anchor{text: "IDENTIFIED", next: " ", try: (*Scan).identified})
	for _, name := range []string{"key=", "sig="} {
		e.addWithin(anchor{text: name, fold: true, prev: "?&", try: (*Scan).query})
	}
	e.add(anchor{text: "kty", next: `"\`, try: (*Scan).jwk})
	e.add(anchor{text: "kind: Secret", try: (*Scan).manifest})
	e.add(anchor{text: "phrase", fold: true, try: (*Scan).seed})
	e.add(anchor{text: "mnemonic", fold: true, try: (*Scan).seed})
	e.add(anchor{text: "bc1", try: (*Scan).segwit})
	e.addBirths()
	e.add(anchor{text: `\u`, next: hexDigits, try: func(*Scan, int) {}, hot: (*Engine).hotEscape})
	for _, key := range words.SecretKeysInText {
		e.add(anchor{text: key, fold: true, try: func(*Scan, int) {}})
	}
	return e
})

func (e *Engine) addToken(f *format) {
	for _, text := range f.Anchors {
		e.add(anchor{text: text, prev: rules.Bytes(f.Before), next: rules.Bytes(f.After), try: f.token})
		e.addSlashes(text)
	}
}

// addWord adds a word that names a secret. JSON has a word of other letters than ASCII as it is, or all of it in escapes.
func (e *Engine) addWord(word string) {
	pages := e.pages
	last := strings.LastIndexByte(word, ' ') + 1
	e.add(anchor{text: word, fold: word[0] < utf8.RuneSelf, try: func(s *Scan, at int) { s.assignment(at + last) }})
	e.pages = pages
	var written strings.Builder
	for _, unit := range utf16.Encode([]rune(word)) {
		if unit < utf8.RuneSelf {
			written.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&written, `\u%04x`, unit)
		}
	}
	if written.Len() > len(word) {
		e.add(anchor{text: written.String(), fold: true, try: func(*Scan, int) {}})
	}
}

// addWithin adds an anchor whose recogniser is called only between the given bytes.
func (e *Engine) addWithin(a anchor) {
	try, size := a.try, len(a.text)
	a.try = func(s *Scan, at int) {
		before, after := s.before(at), s.after(at+size)
		if (a.prev == "" || at == 0 || strings.IndexByte(a.prev, before) >= 0) && (a.next == "" || at+size == len(s.s) || strings.IndexByte(a.next, after) >= 0) {
			try(s, at)
		}
	}
	e.add(a)
}
