package redact

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A sweep is the pass through one JSON text. It holds open objects and findings alone, so its memory does not grow with the rest.
type sweep struct {
	doc       string
	m         *recognise.Map // of doc
	outer     *sweep         // of the text with this one in a string, nil for a record
	unsettled bool           // the edited text may hold more
	findings  []Finding
	edits     []Edit
	frames    []frame
	groups    []group // of coordinates, replaced last
	at        Path    // of the current token, nil until path makes it

	// Of all open frames; each frame holds where its own begin.
	keys    []int32 // offsets of the texts of keys
	renamed []renamed
	coords  []coord
	waiting []waiting

	survey                             // of what is ahead
	surveyed, isTold bool              // it was made, and says something
	told             []recognise.Match // in the next string, by what is around it

	arguments []argument // that are ahead

	counted RuneCounter
}

// A frame is an open object or array.
type frame struct {
	kind       byte        // '{' or '['
	schema     bool        // it is part of a JSON Schema
	example    bool        // it is part of an example in one
	personal   bool        // the current key holds a finding
	class      rules.Class // of the elements of an array
	index      int         // of the current element
	start, end int         // of the current key
	latitude   int         // the offset of the first key for a latitude, or -1

	held     rules.Class // of the values that the key of the object names
	named    rules.Class // of the value that another one names, or the key of the object
	selected rules.Class // of what is typed into the part of a form that the object names
	isJWK    bool
	packed   bool // it is of a Kubernetes secret

	columns []rules.Class // of the rows in it
	row     []rules.Class // of its elements
	cell    rules.Class   // of its members

	option   rules.Class // of what the last option in it names
	optionAt int         // its index

	keys, renamed, coords, waiting int // where its own begin in the lists of the sweep
}

// A renamed key has an edit.
type renamed struct {
	start int32 // of the key
	edit  int32
}

// A coord is a member of an object that can be a latitude or a longitude.
type coord struct {
	kind       byte
	start, end int
	class      rules.Class
	step       Step
}

// A group is the coordinates of one object.
type group struct {
	at     int // the offset of its first latitude
	path   Path
	coords []coord
}

func (s *sweep) reset(doc string, outer *sweep) {
	*s = sweep{doc: doc, outer: outer, frames: jsontext.Reuse(s.frames), groups: jsontext.Reuse(s.groups), keys: jsontext.Reuse(s.keys),
		renamed: jsontext.Reuse(s.renamed), coords: jsontext.Reuse(s.coords), waiting: jsontext.Reuse(s.waiting)}
}

// top returns the innermost frame, or nil outside of all.
func (s *sweep) top() *frame {
	if len(s.frames) == 0 {
		return nil
	}
	return &s.frames[len(s.frames)-1]
}

// push opens an object or array under a key of that class, and returns its frame.
func (s *sweep) push(kind byte, class rules.Class) *frame {
	schema, example := false, false
	if top := s.top(); top != nil {
		schema = top.schema || class&rules.SchemaKey != 0
		example = top.example || top.schema && class&rules.ExampleKey != 0
	}
	held := rules.Class(0)
	if kind == '[' {
		class &^= rules.DataKey // the elements are no secret's values
	} else if !schema {
		held = class & namedValues
	}
	s.frames = append(s.frames, frame{kind: kind, schema: schema, example: example, class: class, held: held, named: held, index: -1, latitude: -1,
		keys: len(s.keys), renamed: len(s.renamed), coords: len(s.coords), waiting: len(s.waiting)})
	return &s.frames[len(s.frames)-1]
}

// pop closes the innermost frame, with its renamed keys and coordinates, and returns the frame around it.
func (s *sweep) pop() (around *frame) {
	f := &s.frames[len(s.frames)-1]
	if len(s.renamed) > f.renamed {
		s.separate(s.keys[f.keys:], s.renamed[f.renamed:])
	}
	s.frames = s.frames[:len(s.frames)-1]
	s.keys = s.keys[:f.keys]
	if around = s.top(); around != nil && f.kind == '{' {
		s.passNamed(around, f)
	}
	if len(s.renamed) == f.renamed && len(s.coords) == f.coords {
		return around
	}
	var both rules.Class
	for _, c := range s.coords[f.coords:] {
		both |= c.class
	}
	if both&rules.LatitudeKey != 0 && both&rules.LongitudeKey != 0 {
		s.at = nil
		s.groups = append(s.groups, group{f.latitude, s.path(), slices.Clone(s.coords[f.coords:])})
	}
	s.renamed, s.coords = s.renamed[:f.renamed], s.coords[:f.coords]
	return around
}

// passNamed passes on what an object says that names a value beside it: {"target": {"name": "Password"}, "value": "x"}.
func (s *sweep) passNamed(around, f *frame) {
	if f.class&rules.PairNameKey != 0 {
		around.named |= f.named
	}
	if f.class&rules.SelectorKey != 0 {
		around.selected |= f.named & namedSecrets
	}
}

// path returns the path of the current token, which for a key is the path of its value.
func (s *sweep) path() Path {
	if s.at != nil {
		return s.at
	}
	path := make(Path, 0, len(s.frames)+2)
	if s.outer != nil {
		path = append(append(path, s.outer.path()...), Step{Index: -1, Parsed: true})
	}
	for i := range s.frames {
		if f := &s.frames[i]; f.kind == '[' {
			path = append(path, Step{Index: f.index})
		} else {
			path = append(path, s.keyStep(f))
		}
	}
	s.at = path
	return path
}

// keyStep returns the step to the value of the current key.
func (s *sweep) keyStep(f *frame) Step {
	return Step{Key: Decode(s.doc[f.start:f.end], f.start).Decoded, Index: -1, Personal: f.personal}
}

// note adds a finding in decoded[start:end] of the current token.
func (s *sweep) note(label *recognise.Label, inKey bool, decoded string, start, end int, value, out string) {
	from := s.counted.Before(decoded, start)
	s.findings = append(s.findings, Finding{Label: label, Path: s.path(), InKey: inKey, Value: value, Out: out,
		Start: from, End: from + utf8.RuneCountInString(decoded[start:end])})
}

// A RuneCounter counts the code points before offsets of a text, which mostly go from left to right, in one pass.
type RuneCounter struct {
	text      string
	at, runes int
}

// Before returns the number of code points in text[:at].
func (c *RuneCounter) Before(text string, at int) int {
	if c.text != text || c.at > at {
		*c = RuneCounter{text: text}
	}
	c.runes += utf8.RuneCountInString(text[c.at:at])
	c.at = at
	return c.runes
}

// separate makes keys of an object that became equal differ again.
func (s *sweep) separate(keys []int32, changed []renamed) {
	taken := map[string]bool{}
	for rest := changed; len(keys) > 0; keys = keys[1:] {
		if len(rest) > 0 && rest[0].start == keys[0] {
			rest = rest[1:]
			continue
		}
		taken[s.keyText(keys[0])] = true
	}
	finals := map[string]string{} // by the original, as a duplicate stays one
	last := map[string]int{}      // the last number of a new name
	for _, r := range changed {
		e := &s.edits[r.edit]
		original, name := s.keyText(r.start), e.Text
		if final, again := finals[original]; again {
			e.Text = final
			continue
		}
		n := last[name]
		for final := ""; final == "" || taken[final]; e.Text = final {
			if n++; n == 1 {
				final = name
			} else {
				final = name + "_" + strconv.Itoa(n)
			}
		}
		last[name], finals[original], taken[e.Text] = n, e.Text, true
	}
}

// keyText returns the decoded key whose text begins at start.
func (s *sweep) keyText(start int32) string {
	at := int(start)
	return Decode(s.doc[at:stringEnd(s.doc, at)], at).Decoded
}

// namedSecrets are the classes of secrets that another value names, and namedValues all that one can name. Classes of rules are
// above them.
const (
	namedSecrets = rules.PasswordKey | rules.SecretKey | rules.VagueKey
	namedValues  = namedSecrets | rules.BirthKey | rules.PassportKey | rules.NINOKey | rules.MACKey | rules.CardKey | rules.PhoneKey | rules.SeedKey |
		^(rules.FirstOwn - 1)
)

// paired are the classes of keys whose values say what other values of their object are.
const paired = rules.PairNameKey | rules.PairValueKey | rules.JWKTypeKey | rules.JWKPartKey | rules.TypedKey

// The sizes of a string that may name another value.
const leastNoun, longestName, longestTyped = 2, 64, 200

// A waiting string is searched at the end of its object, whose other members say what it is: {"value": "x", "name": "password"}.
type waiting struct {
	start, end       int
	keyStart, keyEnd int
	personal         bool // its key
	class            rules.Class
}

// wait notes what a string says of other members of its object. It reports whether the string is dealt with: searched already, or kept
// until the end of its object.
func (f *Filter) wait(s *sweep, top *frame, start, end int, class rules.Class, depth int) bool {
	switch {
	case class&rules.TypedKey != 0:
		f.typed(s, top, start, end, class, depth)
		return true
	case class&rules.PairNameKey != 0:
		named := f.nameIn(s.doc, start, end)
		if class&rules.SelectorKey != 0 {
			named |= rules.FieldClass(Decode(s.doc[start:end], start).Decoded) & namedSecrets
			top.selected |= named
		}
		top.named |= named
	case class&rules.JWKTypeKey != 0:
		top.isJWK = true
	case class&(rules.PairValueKey|rules.JWKPartKey) != 0:
		s.waiting = append(s.waiting, waiting{start, end, top.start, top.end, top.personal, class})
		return true
	}
	return false
}

// typed searches a string that may be typed into a part of a form, and once more at the end of its object when that says so.
func (f *Filter) typed(s *sweep, top *frame, start, end int, class rules.Class, depth int) {
	before := len(s.findings)
	f.text(s, start, end, class|top.selected, depth)
	if top.selected == 0 && len(s.findings) == before && end-start <= longestTyped {
		s.waiting = append(s.waiting, waiting{start, end, top.start, top.end, top.personal, class})
	}
}

// opensForm reports whether a string names a part of a form that takes a secret.
func (f *Filter) opensForm(doc string, start, end int) bool {
	return end-start <= longestName && rules.FieldClass(Decode(doc[start:end], start).Decoded)&namedSecrets != 0 || f.nameIn(doc, start, end) != 0
}

func (f *Filter) nameIn(doc string, start, end int) rules.Class {
	if end-start > longestName {
		return 0
	}
	return f.keys.at(doc, start, end, f.Engine).class & namedValues
}

// searchWaiting searches the strings of an object that waited for its end.
func (f *Filter) searchWaiting(s *sweep, top *frame, depth int) {
	for _, w := range s.waiting[top.waiting:] {
		class := w.class
		if class&rules.TypedKey != 0 {
			if class |= top.selected; class == w.class {
				continue // searched before
			}
		}
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

// opensPair reports whether the string between quotes at at and end is the first element of an array and names a secret, or is the program
// of a command with one.
func (f *Filter) opensPair(doc string, at, end int) bool {
	if at == 0 || end-at <= leastNoun || doc[at-1] != '[' && !isBlank(doc[at-1]) {
		return false
	}
	if before := backBlanks(doc, at); before == 0 || doc[before-1] != '[' {
		return false
	}
	kind, _, _, _ := Token(doc, end+1)
	return kind == StringKind && (f.nameIn(doc, at+1, end) != 0 || len(f.arguments(doc, at)) > 0)
}
