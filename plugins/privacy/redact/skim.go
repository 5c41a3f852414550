package redact

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// skim goes from string to string of a JSON text without tracking their paths, which is all that most records need. It returns the
// offset of the first string that may hold something or whose path matters, or the size of the text; what precedes it is clean.
func (f *Filter) skim(m *recognise.Map, depth int) int {
	doc := m.Text
	var fresh span          // that becomes a known value if nothing is found until its end
	var before, latest span // the strings before this one
	surveyed := opensTable(doc, 0)
	if surveyed && len(f.survey(doc).tables) > 0 {
		return 0
	}
	for at, end := m.String(0); at < len(doc); {
		start, next := at+1, end+1
		if fresh.end > 0 && at >= fresh.end {
			f.keep(doc, &fresh)
		}
		switch {
		case next == len(doc) || doc[next] != ':' && !(isBlank(doc[next]) && isKey(doc, next)):
			if f.opensPair(doc, at, end) || doc[start] == '-' && f.namesNext(doc, start, end) || m.MayHold(start, end) && !f.isClean(doc, start, end, 0, depth) {
				return at
			}
		default:
			if isElement(doc, at-1) {
				if size := f.knownSize(m, at-1, &fresh); size > 0 {
					next = at - 1 + size
					break
				}
			}
			known := f.keys.at(doc, start, end, f.Engine)
			if !known.clean && !f.isCleanKey(known, m, start, end) {
				return at
			}
			class := known.class
			if c := doc[next+1]; (c == '[' || c <= ' ' && doc[next+2] <= '[' && doc[next+2] != '"' || c == ':') && !surveyed && opensTable(doc, next) {
				if surveyed = true; len(f.survey(doc).tables) > 0 {
					return at
				}
			}
			if next++; class&rules.PairValueKey != 0 && f.isUnnamed(m, before, latest, at, next) {
				class &^= rules.PairValueKey
			}
			if class&^passedOver == 0 {
				next += f.knownSize(m, next, &fresh)
			} else if next = f.skimValue(m, next, class, depth); next < 0 {
				return at
			}
		}
		before, latest = latest, span{at, end}
		at, end = m.String(next)
	}
	if fresh.end > 0 {
		f.keep(doc, &fresh)
	}
	return len(doc)
}

type span struct{ start, end int }

// isUnnamed reports whether no other member of its object says what the string at at is, whose key is at key: there is none, or one before
// it that names nothing, as in {"type": "text", "value": "x"}. The strings before the key begin and end at quotes.
func (f *Filter) isUnnamed(m *recognise.Map, before, latest span, key, at int) bool {
	doc := m.Text
	kind, _, _, next := Token(doc, at)
	if behind, _, _, _ := Token(doc, next); kind != StringKind || behind != '}' {
		return false
	}
	open := backBlanks(doc, key)
	if open > 0 && doc[open-1] == ',' && backBlanks(doc, open-1) == latest.end+1 {
		colon := backBlanks(doc, latest.start)
		if colon == 0 || doc[colon-1] != ':' || backBlanks(doc, colon-1) != before.end+1 ||
			f.keys.at(doc, before.start+1, before.end, f.Engine).class&(paired|rules.SelectorKey) != 0 {
			return false
		}
		open = backBlanks(doc, before.start)
	}
	return open > 0 && doc[open-1] == '{'
}

// backBlanks returns where the blanks before at begin.
func backBlanks(doc string, at int) int {
	for at > 0 && isBlank(doc[at-1]) {
		at--
	}
	return at
}

// isElement reports whether an object that is an element of an array is at at.
func isElement(doc string, at int) bool {
	if at == 0 || doc[at] != '{' {
		return false
	}
	before := backBlanks(doc, at)
	return before > 0 && (doc[before-1] == ',' || doc[before-1] == '[')
}

// leastRepetitive is the size of the smallest text in which it pays to look for known values.
const leastRepetitive = 1 << 10

// knownSize returns the size of the value at at, with a blank before it, if it is known to hold nothing, and 0 otherwise. A value that may
// come again becomes fresh, unless that is nil or in use.
func (f *Filter) knownSize(m *recognise.Map, at int, fresh *span) int {
	doc, start := m.Text, at
	if at < len(doc) && doc[at] == ' ' {
		at++
	}
	switch {
	case at+leastKnownValue > len(doc), len(doc) < leastRepetitive:
		return 0
	case doc[at] == '"':
		if m.Quote(at+1) < at+leastKnownValue-1 {
			return 0
		}
	case doc[at] != '{':
		return 0
	}
	size, worth := f.values.find(doc[at:])
	if size > 0 {
		return at + size - start
	}
	if worth && fresh != nil && fresh.end == 0 && !f.media {
		f.values.try(doc[at:])
		value := jsontext.Cursor{JSON: jsontext.JSON(doc), At: at}
		if value.Skip(); value.At-at <= mostKnownValue {
			*fresh = span{at, value.At}
		}
	}
	return 0
}

// keep takes a fresh value in, in which no member was seen that may be of a part with media.
func (f *Filter) keep(doc string, fresh *span) {
	if !f.media {
		f.values.keep(doc[fresh.start:fresh.end])
	}
	*fresh = span{}
}

// passedOver are the classes of keys whose values are like any other.
const passedOver = rules.SchemaKey | rules.PairNameKey | rules.JWKPartKey | rules.TypedKey | rules.DatePartKey | rules.ExampleKey | rules.DataKey

// skimValue looks at the value of a key from at on. It returns where to continue, or -1 when the value may hold something.
func (f *Filter) skimValue(m *recognise.Map, at int, class rules.Class, depth int) int {
	doc := m.Text
	if class&rules.MediaKey != 0 {
		f.sawMember(doc, at, class)
		if class&^(rules.MediaKey|passedOver) == 0 {
			return at
		}
	}
	kind, start, end, next := Token(doc, at)
	if class&rules.KindKey != 0 {
		if kind == StringKind && isManifestKind("kind", doc[start:end]) {
			return -1
		}
		if class &^= rules.KindKey; class&^passedOver == 0 {
			return at
		}
	}
	if f.mayHold(m, kind, start, end, class, depth) {
		return -1
	}
	return next
}

// mayHold reports whether a value may hold something, by the class of its key.
func (f *Filter) mayHold(m *recognise.Map, kind byte, start, end int, class rules.Class, depth int) bool {
	const coordinate = rules.LatitudeKey | rules.LongitudeKey
	if class&rules.JWKTypeKey != 0 {
		return true
	}
	switch doc := m.Text; kind {
	case '[':
		return true
	case '{':
		return class&rules.BirthKey != 0 || class&namedValues != 0 && hasValue(doc, start, class)
	case NumberKind:
		return class&coordinate != 0 || f.Engine.Numeral(doc[start:end], class) != nil
	case StringKind:
		return class&coordinate != 0 ||
			class&rules.SelectorKey != 0 && f.opensForm(doc, start, end) ||
			class&rules.PairValueKey != 0 && !f.isClean(doc, start, end, namedValues, depth) ||
			(recognise.Keyed(class) || m.MayHold(start, end)) && !f.isClean(doc, start, end, class, depth)
	}
	return false
}

// hasValue reports whether the object at at may have a member that holds what its key names, as in {"password": {"value": "x"}}. An object
// that is not small may.
func hasValue(doc string, at int, class rules.Class) bool {
	const most = 1 << 10
	depth := 0
	for kind, start, end, next := Token(doc, at); kind != 0 && start-at < most; kind, start, end, next = Token(doc, next) {
		switch kind {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return false
			}
		case KeyKind:
			if mayBeHeld(doc, doc[start:end], next, class) {
				return true
			}
		}
	}
	return true
}

// isValueName reports whether a key as it is written may be one of a PairValueKey.
func isValueName(key string) bool {
	name := strings.ToLower(key)
	return strings.HasSuffix(name, "val") || strings.HasSuffix(name, "value") || strings.HasSuffix(name, "number") || strings.IndexByte(name, '\\') >= 0
}

// isClean reports whether a string, which may be JSON itself, holds nothing.
func (f *Filter) isClean(doc string, start, end int, class rules.Class, depth int) bool {
	t := f.decode(doc, start, end)
	if isEmbedded(t.Decoded) {
		f.decoded = nil // the text has a map
		if class&namedValues != 0 {
			return false // in which the key counts
		}
		inner := spell(f.read(t.Decoded, depth+1)).text
		return f.skim(f.read(inner, depth+1), depth+1) == len(inner)
	}
	found := f.scan.Find(t.Decoded, class, nil)
	if len(found) > 0 {
		f.stoppedAt, f.decoded = skimmed{doc, start, class, t, found}, nil
	}
	return len(found) == 0
}

// decode reads a string of a document in memory that the next call reuses, unless decoded is nil by then.
func (f *Filter) decode(doc string, start, end int) (t Text) {
	t, f.decoded = decode(f.decoded, doc[start:end], start)
	return t
}

// A skimmed string is the one at which a skim stopped, kept so that it is not searched again.
type skimmed struct {
	doc   string
	start int
	class rules.Class
	text  Text
	found []recognise.Match
}

// take returns the skimmed string if it is the one at start of a text, and forgets it. It was searched for nothing if its class turned out
// to be another.
func (f *Filter) take(doc string, start int, class rules.Class) (s skimmed, ok bool) {
	if f.stoppedAt.found == nil || f.stoppedAt.start != start || jsontext.Address(f.stoppedAt.doc) != jsontext.Address(doc) {
		return s, false
	}
	s, f.stoppedAt = f.stoppedAt, skimmed{}
	return s, (s.class^class)&^passedOver == 0
}

// isCleanKey reports whether a key holds nothing, and caches it.
func (f *Filter) isCleanKey(known *knownKey, m *recognise.Map, start, end int) bool {
	known.clean = !f.Eager && !m.MayHold(start, end) || len(f.scan.Find(Decode(m.Text[start:end], start).Decoded, 0, nil)) == 0
	return known.clean
}
