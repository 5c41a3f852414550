package redact

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/sdk"
)

// A Finding is what one rule found in one place.
type Finding struct {
	*recognise.Label
	Path       Path
	InKey      bool // in the key that the path ends with
	Start, End int  // code points of the decoded string, or of the number's text
	Value      string
	Out        string // the replacement
}

// A Path leads to a value. Findings in one value share it.
type Path []Step

// A Step is an object key, an array index, or the text of a string read as JSON.
type Step struct {
	Key      string
	Index    int  // -1 for a key
	Parsed   bool // the path goes on in the string as JSON
	Personal bool // the key holds a finding, so it is not shown
}

// maxShown is the size of the longest key that a path shows, since every finding below it repeats the path.
const maxShown = 256

// A Hash appends size bytes of the keyed hash of a value for a purpose, in hexadecimal digits.
type Hash func(dst []byte, purpose, value string, size int) []byte

// Append appends a gjson path. It writes a key that is personal or very long as <key>, with a hash if there is a key for it, and
// @fromstr before the path in a string that is JSON.
func (p Path) Append(dst []byte, hash Hash) []byte {
	for i, s := range p {
		if i > 0 {
			dst = append(dst, '.')
		}
		switch {
		case s.Parsed:
			dst = append(dst, "@fromstr"...)
		case s.Index >= 0:
			dst = strconv.AppendInt(dst, int64(s.Index), 10)
		case s.Personal || len(s.Key) > maxShown:
			dst = append(dst, "<key"...)
			if hash != nil {
				dst = hash(append(dst, ':'), "key", s.Key, 6)
			}
			dst = append(dst, '>')
		default:
			for j := range len(s.Key) {
				if strings.IndexByte(`.*?|#@!{}[]()\`, s.Key[j]) >= 0 {
					dst = append(dst, '\\')
				}
				dst = append(dst, s.Key[j])
			}
		}
	}
	return dst
}

// pathAt returns the path of the string or number around an offset of a JSON text, as ledger rows have it. A key that holds the
// offset is not shown.
func pathAt(doc string, at int, hash Hash) string {
	s := &sweep{doc: doc}
	for kind, start, end, next := Token(doc, 0); kind != 0; kind, start, end, next = Token(doc, next) {
		top := s.top()
		if top != nil && top.kind == '[' && kind != ']' {
			top.index++
		}
		switch kind {
		case '{', '[':
			s.push(kind, 0)
		case '}', ']':
			s.frames = s.frames[:len(s.frames)-1]
		case KeyKind:
			top.start, top.end, top.personal = start, end, start <= at && at < end
		}
		if start <= at && at < end {
			return string(s.path().Append(nil, hash))
		}
	}
	return ""
}

// Action is what the filter does with a finding.
type Action uint8

const (
	Mask      Action = iota // the name of the entity replaces the value
	WithHash                // the name with a keyed hash of the value does
	Pseudonym               // the name with a number does, which is the same for all spellings of the value in a record
	Reject                  // the record is rejected
)

// Actions holds the action for each entity, and the usual one.
type Actions struct {
	Usual  Action
	Entity map[string]Action
}

func (a *Actions) of(entity string) Action {
	if act, ok := a.Entity[entity]; ok {
		return act
	}
	return a.Usual
}

// Uses reports whether any entity has the action.
func (a *Actions) Uses(act Action) bool {
	return a.Usual == act || slices.Contains(slices.Collect(maps.Values(a.Entity)), act)
}

// replacement returns what replaces a value. It keeps the first reject that an entity asks for.
func (f *Filter) replacement(s *sweep, rule, entity, value string) string {
	switch f.Actions.of(entity) {
	case Reject:
		if f.refused == nil {
			f.refused = sdk.Reject("personal_data", string(s.path().Append(nil, f.Hash)), "want no %s, have one by rule %s", entity, rule)
		}
	case WithHash:
		return "<" + entity + ":" + string(f.Hash(nil, entity, f.Engine.Canonical(entity, value), 8)) + ">"
	case Pseudonym:
		return "<" + entity + "_" + strconv.Itoa(f.pseudonym(entity, value)) + ">"
	}
	return "<" + entity + ">"
}

// pseudonym returns the number of a value among those of its entity in the record. A telephone number that may be of several
// countries has the number of the first one that it can be.
func (f *Filter) pseudonym(entity, value string) int {
	meanings := f.Engine.Meanings(entity, value)
	number := 0
	for _, m := range meanings {
		if number = f.seen[entity+"\x00"+m]; number > 0 {
			break
		}
	}
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	if number == 0 {
		f.seen[entity]++
		number = f.seen[entity]
	}
	for _, m := range meanings {
		if key := entity + "\x00" + m; f.seen[key] == 0 {
			f.seen[key] = number
		}
	}
	return number
}

// Allowed is what the user says is not personal.
type Allowed struct {
	Exact    map[string]bool
	Patterns []*regexp.Regexp // match a whole value
	Paths    []string         // gjson paths of values that stay with all they hold
}

// matches reports whether a value may stay wherever it is.
func (a *Allowed) matches(value string) bool {
	return a.Exact[value] || slices.ContainsFunc(a.Patterns, func(re *regexp.Regexp) bool { return re.MatchString(value) })
}

// allows reports whether a value at the current place may stay.
func (f *Filter) allows(s *sweep, value string) bool {
	a := &f.Allowed
	if a.matches(value) {
		return true
	}
	if len(a.Paths) == 0 {
		return false
	}
	path := string(s.path().Append(nil, f.Hash))
	return slices.ContainsFunc(a.Paths, func(p string) bool { return pathMatches(p, path) })
}

// pathMatches reports whether a path begins with the components of a pattern, in which * is any one component.
func pathMatches(pattern, path string) bool {
	want, have := strings.Split(pattern, "."), strings.Split(path, ".")
	if len(have) < len(want) {
		return false
	}
	for i, w := range want {
		if w != "*" && w != "#" && w != have[i] {
			return false
		}
	}
	return true
}
