// Package recognise finds personal data and secrets in decoded texts, by the rules and by code of its own.
//
// # Private words
//
//	drawn   of a value: a program made it at random
//	chosen  of a value: a person made it up as a password
//	cue     a word near a value that says what it is, or what it is not
//	marker  what a filter writes in place of a finding
package recognise

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// Options are the user's settings for recognisers.
type Options struct {
	Regions           []string // whose national telephone numbers are known, such as "US"
	KeepDocumentation bool     // leave IP addresses that are for documentation
	KeepReserved      bool     // leave addresses and numbers that are for documents, tests and private networks
	Handles           HandleMode
	Addresses         bool // look for postal addresses
}

// A HandleMode selects the names of accounts to look for.
type HandleMode uint8

// Names of accounts where people speak of people, none, and all.
const (
	HandlesSocial HandleMode = iota
	HandlesOff
	HandlesAll
)

// A handler is what is done at an anchor.
type handler struct {
	try    recogniser
	counts func(raw string, at int) bool // reports whether the text of a JSON string may hold a finding for it; nil for always
}

// A recogniser looks at the place of its anchor in a text, and adds what it matches there.
type recogniser func(s *Scan, at int)

// An Engine holds the recognisers, and the index of the anchors at which to call them. It does not change after the first record.
type Engine struct {
	Options
	index          *prefilter.Index
	handlers       []handler       // of the anchors, by number
	borrowed       bool            // both are those of other engines, so they are copied before anything is added
	off            map[string]bool // entities not looked for
	keys           map[string]rules.Class
	partial        map[string]rules.Class   // of names that may be a part of a key
	nameStarts     func() *rules.NameStarts // of partial, and of nouns
	keyStarts      func() *rules.KeyStarts  // of keys
	own            rules.Class              // the last class of keys that belongs to one rule
	numbers        []*format                // tried where digits begin
	custom         []*format                // of the user, for whole texts
	customNumbers  []*format                // of the user, for the values of their keys
	customEntities []string
	always         bool // a rule of the user has no anchor, so every string is looked at

	rules.Table
	dialing       *dialing
	months, ibans *cueSet
	examples      *cueSet  // words for an example
	cues          []string // of the rules for numbers
	watched       *watched // cues and ibans
	ids           identifiers
}

// noLetters are the bytes that may precede a short name, and behindNames the bytes that may follow it.
var noLetters, behindNames = ascii.Bytes("\x00-@[-`{-\xff"), "=:\"'`\\]>?*<~|"

// escapeLetters are the letters of escapes, which JSON has before a word.
const escapeLetters = "bfnrt"

// isEscaped reports whether the byte at at is the letter of an escape.
func isEscaped(text string, at int) bool {
	return at > 0 && text[at-1] == '\\' && strings.IndexByte(escapeLetters, text[at]) >= 0
}

// AddRule adds a rule of the user, whose pattern is a regular expression. A rule with anchors begins at them, as the built-in ones
// do; any other is matched in the whole of every text, or of each text that holds its anchor.
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
	e.add(prefilter.Anchor{Text: r.Anchor}, clue)
	e.addSlashes(r.Anchor)
}

// AddNames adds the names that the user listed.
func (e *Engine) AddNames(names []string) {
	found := &Label{"name", rules.Person}
	for _, name := range names {
		e.add(prefilter.Anchor{Text: name}, handler{try: func(s *Scan, at int) {
			if s.wholeWord(at, at+len(name)) {
				s.add(found, rankFormat, at, at+len(name))
			}
		}})
	}
}

// SwitchOff leaves an entity out.
func (e *Engine) SwitchOff(entity string) { e.off[entity] = true }

// IsOff reports whether an entity is left out.
func (e *Engine) IsOff(entity string) bool { return e.off[entity] }

// Class returns what the value of a decoded key is.
func (e *Engine) Class(key string) rules.Class {
	var plain [48]byte
	class := rules.Class(0)
	if e.keyStarts().Begins(key) {
		class = e.keys[string(rules.AppendPlainKey(plain[:0], key))]
	}
	if !e.nameStarts().In(key) {
		return class
	}
	class |= rules.KeyClass(key, e.partial)
	if !Keyed(class) {
		class |= rules.NameClass(key)
	}
	return class
}

// Keyed reports whether a key of the class alone can make its string a finding.
func Keyed(class rules.Class) bool {
	return class&(rules.PasswordKey|rules.SecretKey|rules.VagueKey|rules.BirthKey|rules.BirthPartKey|rules.PassportKey|rules.SeedKey) != 0
}

// run calls the recognisers at their anchors.
func (e *Engine) run(s *Scan) {
	m, size := &s.m, len(s.s)
	for i := 0; i*prefilter.BlockSize < size && !s.many; i++ {
		stops, anchors := m.Stops(i)
		for ; stops != 0; stops &= stops - 1 {
			bit := bits.TrailingZeros64(stops)
			at := i*prefilter.BlockSize + bit
			if anchors>>bit&1 != 0 {
				e.anchorsAt(s, at)
			}
			e.byteAt(s, at)
			if anchors>>bit&1 != 0 && s.after(at+1) == ':' {
				s.colon(at + 1)
			}
		}
	}
	e.wholes(s)
}

// anchorsAt calls the recognisers whose anchor may begin at a step.
func (e *Engine) anchorsAt(s *Scan, at int) {
	anchors, ahead := e.index.At(s.s, at)
	for k := range anchors {
		p := anchors[k]
		if start := p.Match(s.s, at, ahead); start >= 0 {
			e.handlers[p.Number].try(s, start)
		}
	}
}

// byteAt calls the recognisers whose anchor is a single byte.
func (e *Engine) byteAt(s *Scan, at int) {
	switch c := s.s[at]; {
	case c == '@':
		s.at(at)
		s.behindMail(at)
	case c == ':':
		s.colon(at)
	case ascii.IsDigit(c) && !ascii.IsDigit(s.before(at)):
		s.digitsAt(at)
	}
}

// wholes looks at the whole text, by its key and by the rules of the user.
func (e *Engine) wholes(s *Scan) {
	if Keyed(s.class) {
		s.keyed()
	} else if s.tabled == 0 {
		s.header(0)
	}
	if s.class&rules.BirthKey != 0 {
		s.birthBehind(0, 0)
		if isEpoch(s.s) {
			s.add(ruleBirth, rankContext, 0, len(s.s))
		}
	}
	if s.class&rules.BirthPartKey != 0 {
		s.partOfBirth()
	}
	if s.class&rules.PassportKey != 0 {
		s.passportBehind(0)
	}
	if s.class&rules.SeedKey != 0 {
		s.seedWords(ascii.Forward(s.s, 0, maxRun, behindSeedName), false)
	}
	for _, f := range e.custom {
		f.everywhere(s)
	}
}

// New returns an engine with the built-in rules.
func New(o Options) *Engine {
	e := *builtIn() // what it holds is shared, and grows in a copy
	e.Options, e.off, e.keys, e.dialing, e.borrowed = o, map[string]bool{}, maps.Clone(e.keys), newDialing(o.Regions), true
	e.keyStarts = sync.OnceValue(func() *rules.KeyStarts { return rules.NewKeyStarts(e.keys) })
	return &e
}

// add adds an anchor, also as it is written where JSON has an escape for each of its characters beyond ASCII.
func (e *Engine) add(a prefilter.Anchor, h handler) {
	e.addAsItIs(a, h)
	if written := escaped(a.Text); len(written) > len(a.Text) {
		e.addAsItIs(prefilter.Anchor{Text: strings.ToLower(written), Fold: true}, clue)
	}
}

// addAsItIs adds an anchor to the engine's own index.
func (e *Engine) addAsItIs(a prefilter.Anchor, h handler) {
	if e.borrowed {
		e.index, e.handlers, e.borrowed = e.index.Clone(), slices.Clip(e.handlers), false
	}
	e.index.Add(a)
	e.handlers = append(e.handlers, h)
}

// clue is for an anchor at which nothing is found, but whose string may hold a finding.
var clue = handler{try: func(*Scan, int) {}}

// escaped returns a text with escapes for its characters beyond ASCII.
func escaped(text string) string {
	var written strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < utf8.RuneSelf {
			written.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&written, `\u%04x`, unit)
		}
	}
	return written.String()
}

// builtIn returns what all engines begin with. It is made once, since indexing the anchors takes longer than starting a process.
var builtIn = sync.OnceValue(func() *Engine {
	words := rules.Words()
	e := &Engine{index: prefilter.NewIndex(), keys: maps.Clone(rules.Keys()), partial: maps.Clone(rules.PartialKeys()), Table: rules.Tables(), months: newCueSet(rules.Dates().Months), ibans: newCueSet(rules.Cues().IBAN)}
	for i := range len(ascii.HexDigits) {
		e.index.AddPair(ascii.HexDigits[i], ':')
		e.index.AddPair(':', ascii.HexDigits[i])
	}
	e.index.AddPair(':', ':')
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
	e.nameStarts = sync.OnceValue(func() *rules.NameStarts { return rules.NewNameStarts(e.partial) })
	e.watched = newWatched(append(e.cues, rules.Cues().IBAN...))
	e.addSecretNames()
	e.addCalls()
	e.addSignIns()
	e.addColumns()
	for _, c := range commands() {
		e.addWithin(prefilter.Anchor{Text: c.program, Prev: noLetters, Next: " \t\\"}, c.tryAt)
	}
	for _, command := range words.Piped {
		e.add(prefilter.Anchor{Text: command}, handler{try: (*Scan).piped})
	}

	for _, port := range []string{":5432:", ":5433:", ":*:"} {
		e.add(prefilter.Anchor{Text: port}, handler{try: (*Scan).pgpass})
	}
	e.add(prefilter.Anchor{Text: "-----END "}, handler{try: (*Scan).keyTail})
	e.add(prefilter.Anchor{Text: "eyJ", Next: ascii.Bytes("A-Za-z0-9_-")}, handler{try: (*Scan).jwt})
	e.add(prefilter.Anchor{Text: "bearer", Fold: true}, handler{try: (*Scan).bearer})
	e.add(prefilter.Anchor{Text: "basic", Fold: true}, handler{try: (*Scan).basic})
	e.add(prefilter.Anchor{Text: "authorization", Fold: true}, handler{try: (*Scan).authorization})
	e.add(prefilter.Anchor{Text: "cookie", Fold: true}, handler{try: (*Scan).cookie})
	e.add(prefilter.Anchor{Text: "HTTP Cookie File"}, handler{try: (*Scan).cookieFile})
	e.add(prefilter.Anchor{Text: "identified", Fold: true, Next: " "}, handler{try: (*Scan).identified})
	for _, name := range []string{"key=", "sig="} {
		e.addWithin(prefilter.Anchor{Text: name, Fold: true, Prev: "?&"}, (*Scan).query)
	}
	e.add(prefilter.Anchor{Text: "kty", Next: `"\`}, handler{try: (*Scan).jwk})
	for _, kind := range []string{"kind: secret", `kind: "secret`, "kind: 'secret"} {
		e.add(prefilter.Anchor{Text: kind, Fold: true}, handler{try: (*Scan).manifest})
	}
	for _, kind := range []string{`kind": "Secret"`, `kind":"Secret"`, `kind': 'Secret'`} {
		e.add(prefilter.Anchor{Text: kind}, handler{try: (*Scan).manifestObject})
	}
	e.add(prefilter.Anchor{Text: "phrase", Fold: true}, handler{try: (*Scan).seed})
	e.add(prefilter.Anchor{Text: "mnemonic", Fold: true}, handler{try: (*Scan).seed})
	e.add(prefilter.Anchor{Text: "bc1"}, handler{try: (*Scan).segwit})
	e.addBirths()
	e.addPassports()
	e.addQuestions()
	e.addDress()
	for _, key := range words.SecretKeysInText {
		e.add(prefilter.Anchor{Text: key, Fold: true}, clue)
	}
	e.index.Place(placements[:], placedAnchors)
	return e
})

func (e *Engine) addToken(f *format) {
	for _, text := range f.Anchors {
		e.add(prefilter.Anchor{Text: text, Prev: ascii.Bytes(f.Before), Next: ascii.Bytes(f.After)}, handler{try: f.token})
		e.addSlashes(text)
	}
}

// addWithin adds an anchor whose recogniser is called only between the given bytes.
func (e *Engine) addWithin(a prefilter.Anchor, try recogniser) {
	size, prev := len(a.Text), a.Prev
	within := func(s *Scan, at int) {
		before, after := s.before(at), s.after(at+size)
		if (prev == "" || at == 0 || strings.IndexByte(prev, before) >= 0) && (a.Next == "" || at+size == len(s.s) || strings.IndexByte(a.Next, after) >= 0) {
			try(s, at)
		}
	}
	if a.Prev == noLetters {
		a.Prev += escapeLetters
	} else if a.Prev != "" {
		a.Prev += `"` // before a string of JSON
	}
	e.add(a, handler{try: within})
}
