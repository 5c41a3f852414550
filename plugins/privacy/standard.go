package privacy

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
)

// standard runs the default profile over one JSON text after another.
type standard struct {
	*engine
	actions    actions
	recognizer *backend // nil without one
	eager      bool     // look at every string closely, whether or not anything says it may hold something
	keys       keyCache
	tape       tape
	scan       scan
	pieces     pieces
	seen       map[string]int          // pseudonyms of the record at hand, by entity and value
	refused    error                   // the first finding of the record at hand that is to be rejected
	recognised map[string][]recognised // by the backend, by text of the record at hand
}

// maxPasses is how often a string is looked at again after something was taken out of it.
const maxPasses = 4

// find implements finder.
func (f *standard) find(ctx context.Context, doc string) (outcome, error) {
	if f.recognizer != nil {
		recognised, err := f.recognizer.recognise(ctx, doc)
		if err != nil && f.recognizer.stop {
			panic(fmt.Sprintf("privacy: the backend failed: %v", err)) // the host takes it for a crash
		}
		if err != nil {
			nothing := []edit{{0, len(doc), "null"}} // as nobody knows what is in it
			return outcome{edits: nothing}, sdk.Reject("backend", "", "want what the backend finds: %v", err)
		}
		f.recognised = recognised
	}
	return f.residue(doc)
}

// residue implements finder.
func (f *standard) residue(doc string) (outcome, error) {
	clear(f.seen)
	f.refused = nil
	f.tape = f.tape.read(doc)
	s := sweep{doc: doc, tape: f.tape}
	f.sweep(&s)
	f.recognised = nil
	return outcome{s.findings, s.edits, !s.open}, f.refused
}

// Close implements io.Closer.
func (f *standard) Close() error {
	if f.recognizer == nil {
		return nil
	}
	return f.recognizer.Close()
}

// sweep takes everything out of one text.
func (f *standard) sweep(s *sweep) {
	var pairs, renamed []int32 // objects
	var class keyClass         // of the key before the node at hand
	for i := int32(0); i < int32(len(s.tape)); i++ {
		n := &s.tape[i]
		if n.kind != 'k' && n.parent >= 0 && s.tape[n.parent].kind == '[' {
			class = s.tape[n.parent].class
		}
		switch n.kind {
		case 'k':
			raw := s.doc[n.start:n.end]
			known := f.keys.at(raw)
			class = known.class
			if class&latitudeKey != 0 && !slices.Contains(pairs, n.parent) {
				pairs = append(pairs, n.parent)
			}
			if !known.clean && f.key(s, i, known) && !slices.Contains(renamed, n.parent) {
				renamed = append(renamed, n.parent)
			}
		case '"':
			f.text(s, i, class)
		case '0':
			f.numeral(s, i, class)
		case '[':
			n.class = class
			if class&coordinatesKey == 0 {
				continue
			}
			if lat, lng, ok := s.position(i); ok {
				f.coordinate(s, lat)
				f.coordinate(s, lng)
				i = lng
			}
		}
	}
	for _, object := range pairs {
		f.siblings(s, object)
	}
	for _, object := range renamed {
		s.separate(object)
	}
	sortEdits(s.edits)
}

// key takes out of a key what is personal by its format, and a key that is personal as a whole. Keys of a JSON Schema
// name arguments: they are found, and so make the record a residue, but never renamed. A new name can be of a class,
// so all is looked at again.
func (f *standard) key(s *sweep, n int32, known *knownKey) bool {
	if !f.eager && !f.hot(s.doc[s.tape[n].start:s.tape[n].end]) {
		known.clean = f.recognised == nil
		return false
	}
	t := s.decode(n)
	if f.recognised == nil && len(f.matches(t.s, 0)) == 0 {
		known.clean = true
		return false
	}
	if s.inSchema(n) {
		for _, m := range f.inKey(s, n, t.s) {
			s.open = true
			s.note(m.rule, n, t.s, m.start, m.end, t.s[m.start:m.end], "")
		}
		return false
	}
	renamed := f.strip(s, n, t.s, func(current string) []match { return f.inKey(s, n, current) })
	if renamed == t.s {
		return false
	}
	s.open = true
	s.edits = append(s.edits, edit{s.tape[n].start, s.tape[n].end, string(appendEscaped(nil, renamed))})
	return true
}

// inKey gives what is to be taken out of the text of key n.
func (f *standard) inKey(s *sweep, n int32, text string) []match {
	return slices.DeleteFunc(f.matches(text, 0), func(m match) bool {
		return m.rank < rankFormat && (m.start > 0 || m.end < len(text)) || f.allow.has(f, s, n, text[m.start:m.end])
	})
}

// text takes out what is in a string, which may be JSON itself.
func (f *standard) text(s *sweep, n int32, class keyClass) {
	at := &s.tape[n]
	raw := s.doc[at.start:at.end]
	if !f.eager && f.recognised == nil && class&(passwordKey|secretKey) == 0 && !f.hot(raw) {
		return
	}
	t := s.decode(n)
	if isEmbedded(t.s) {
		f.embedded(s, n, t)
		return
	}
	left := f.strip(s, n, t.s, func(current string) []match {
		return slices.DeleteFunc(f.matches(current, class), func(m match) bool { return f.allow.has(f, s, n, current[m.start:m.end]) })
	})
	s.edits = f.pieces.edits(s.edits, t)
	s.open = s.open || left != t.s && isEmbedded(left) // what broke its JSON was taken out
}

// strip takes matches out of the text of node n until there are none, and gives what is left. f.pieces say how the
// one came from the other.
func (f *standard) strip(s *sweep, n int32, original string, matches func(current string) []match) (current string) {
	current = original
	f.pieces = append(f.pieces[:0], piece{0, len(original), "", false})
	for range maxPasses {
		found := matches(current)
		if len(found) == 0 {
			return current
		}
		if s.tape[n].kind == 'k' && !slices.Contains(s.personal, n) {
			s.personal = append(s.personal, n) // before anything tells its path
		}
		var next strings.Builder
		var at cursor
		last := 0
		for _, m := range found {
			value := current[m.start:m.end]
			out := f.replacement(s, n, m.rule, value)
			next.WriteString(current[last:m.start])
			p := f.pieces.cut(&at, next.Len(), next.Len()+len(value), out)
			next.WriteString(out)
			last = m.end
			s.note(m.rule, n, original, p.start, p.end, value, out)
		}
		next.WriteString(current[last:])
		current = next.String()
	}
	s.open = true
	return current
}

// matches gives what the rules find in a decoded text, in order. It is good until the next call.
func (f *standard) matches(text string, class keyClass) []match {
	f.scan.engine, f.scan.s, f.scan.class, f.scan.matches = f.engine, text, class, f.scan.matches[:0]
	f.scan.refused = match{}
	f.run(&f.scan)
	f.scan.addRecognised(f.recognised[text])
	if len(f.scan.matches) == 0 {
		return nil
	}
	return f.scan.choose()
}

// isEmbedded tells whether a string holds JSON that has structure.
func isEmbedded(text string) bool {
	start := strings.TrimLeft(text, " \n\t\r")
	return len(start) > 1 && strings.IndexByte(`{["`, start[0]) >= 0 && gjson.Valid(text)
}

// embedded takes everything out of JSON in a string, so that it is JSON afterwards.
func (f *standard) embedded(s *sweep, n int32, t text) {
	inner := sweep{doc: t.s, tape: tape(nil).read(t.s), prefix: append(s.path(n), step{parsed: true})}
	f.sweep(&inner)
	s.findings = append(s.findings, inner.findings...)
	s.open = s.open || inner.open
	for _, e := range inner.edits {
		s.edits = append(s.edits, edit{t.raw(e.start), t.raw(e.end), string(appendEscaped(nil, e.text))})
	}
}

// numeral takes out a number that its key says is personal.
func (f *standard) numeral(s *sweep, n int32, class keyClass) {
	if class&(phoneKey|cardKey|ssnKey) == 0 {
		return
	}
	digits := s.doc[s.tape[n].start:s.tape[n].end]
	if strings.Trim(digits, "0123456789") != "" {
		return
	}
	var found *rule
	switch {
	case class&phoneKey != 0 && len(digits) >= 7 && len(digits) <= 15:
		found = rulePhone
	case class&cardKey != 0 && isCard([]byte(digits)):
		found = ruleCard
	case class&ssnKey != 0 && len(digits) == 9 && isSSN(digits):
		found = ruleSSN
	}
	if found == nil || f.off[found.entity] || f.allow.has(f, s, n, digits) {
		return
	}
	out := f.replacement(s, n, found, digits)
	s.note(found, n, digits, 0, len(digits), digits, out)
	s.whole(n, out)
}

// coordinate takes out a number, or a string that is one.
func (f *standard) coordinate(s *sweep, n int32) {
	_, written, _ := s.number(n)
	if f.off[geoCoordinates] || f.allow.has(f, s, n, written) {
		return
	}
	out := f.replacement(s, n, ruleStructured, written)
	s.note(ruleStructured, n, written, 0, len(written), written, out)
	s.whole(n, out)
}

// siblings takes out every coordinate among the members of an object that has a latitude and a longitude.
func (f *standard) siblings(s *sweep, object int32) {
	var all []int32
	var both keyClass
	for k := object + 1; k < s.tape[object].next; k = s.tape[k+1].next {
		class := f.keys.at(s.doc[s.tape[k].start:s.tape[k].end]).class
		if class&latitudeKey != 0 && s.within(k+1, 90) || class&longitudeKey != 0 && s.within(k+1, 180) {
			all = append(all, k+1)
			both |= class
		}
	}
	if both&latitudeKey == 0 || both&longitudeKey == 0 {
		return
	}
	for _, n := range all {
		f.coordinate(s, n)
	}
}

// replacement gives what stands in the place of a value, and notes the reject that its entity may ask for.
func (f *standard) replacement(s *sweep, n int32, r *rule, value string) string {
	switch f.actions.of(r.entity) {
	case actReject:
		if f.refused == nil {
			f.refused = sdk.Reject("personal_data", f.actions.hasher.path(s.path(n)), "want no %s, have one by rule %s", r.entity, r.name)
		}
	case actHash:
		return "<" + r.entity + ":" + string(f.actions.hasher.append(nil, r.entity, value, 8)) + ">"
	case actPseudonym:
		key := r.entity + "\x00" + value
		if f.seen == nil {
			f.seen = map[string]int{}
		}
		if f.seen[key] == 0 {
			f.seen[r.entity]++
			f.seen[key] = f.seen[r.entity]
		}
		return "<" + r.entity + "_" + strconv.Itoa(f.seen[key]) + ">"
	}
	return "<" + r.entity + ">"
}

// An allowList is what the user says is not personal.
type allowList struct {
	exact    map[string]bool
	patterns []*regexp.Regexp // match a whole value
	paths    []string         // gjson paths of values, and of what is in them
}

// has tells whether value, found in node n, is to stay.
func (a *allowList) has(f *standard, s *sweep, n int32, value string) bool {
	if a.exact[value] || slices.ContainsFunc(a.patterns, func(re *regexp.Regexp) bool { return re.MatchString(value) }) {
		return true
	}
	if len(a.paths) == 0 {
		return false
	}
	path := f.actions.hasher.path(s.path(n))
	return slices.ContainsFunc(a.paths, func(p string) bool { return pathMatches(p, path) })
}

// pathMatches tells whether a path is pattern or leads on from it. A * in pattern is any one component.
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
