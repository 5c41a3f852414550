// Package redact takes what was recognised out of a JSON text, so that it stays JSON.
package redact

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/coarse"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Filter goes through one JSON text after another. One goroutine uses it.
type Filter struct {
	Engine    *recognise.Engine
	Actions   Actions
	Allowed   Allowed
	Hash      Hash // nil without a key
	Unbounded bool // a text may hold more than MaxFindings
	Eager     bool // search every string, also those that Map.MayHold passes over

	keys      keyCache
	values    knownValues
	scan      *recognise.Scan
	pieces    Pieces
	sweeps    []*sweep                    // for reuse, by the number of strings around a text
	seen      map[string]int              // pseudonyms of the record, by entity and value
	refused   error                       // the first reject of the record
	over      bool                        // the record holds more than MaxFindings
	hints     map[string][]recognise.Hint // of the record, by text
	cleanTo   int                         // the end of the beginning of the record that holds nothing
	media     bool                        // a member seen may be of a part with media
	stoppedAt skimmed                     // the string at which a skim stopped
	maps      []*recognise.Map            // for reuse, by the number of strings around a text
	mapped    struct {                    // the record that the first one was made of, by the last call of Find
		address uintptr
		size    int
	}
	detector coarse.Detector // for Look
	suspects coarse.Suspects // of the last Look
	part     prefilter.Map   // of a part of a text, for Look
	decoded  []byte          // for reuse, by decode
	reading  []byte          // for reuse, by readPart
	copies   *copies         // of the secrets of the record, during the second sweep for them
}

// An Outcome is what was found in a JSON text, with the edits that take it out, sorted.
type Outcome struct {
	Findings []Finding
	Edits    []Edit
	Settled  bool // nothing more is found after the edits
	Media    bool // a member may be of a part with media
	TooMany  bool // the text holds more than MaxFindings; Findings and Edits are empty, and an error says so
}

// MaxFindings is the most findings of one record: each takes several times the memory of its value, and a row of the ledger.
const MaxFindings = 50_000

// isOver reports whether a sweep has found more than it may, or not all.
func (f *Filter) isOver(s *sweep) bool {
	return !f.Unbounded && (f.over || len(s.findings) > MaxFindings || f.scan.TooMany())
}

// MaxPasses is the most searches of a string, each of what the one before left.
const MaxPasses = 4

// Find returns all that is in a valid JSON text of at most 2 GiB. hints are by decoded string. After an error the edits mask it.
func (f *Filter) Find(doc string, hints map[string][]recognise.Hint) (Outcome, error) {
	plain := spell(f.read(doc, 0))
	found, err := f.find(plain.text, hints)
	if plain.isOther() {
		f.mapped.address = 0 // of a text that may be gone
		for i := range found.Edits {
			e := &found.Edits[i]
			e.Start, e.End = plain.origin(e.Start), plain.origin(e.End)
		}
	}
	return found, err
}

// find is Find for a text without escapes that JSON does not require.
func (f *Filter) find(doc string, hints map[string][]recognise.Hint) (Outcome, error) {
	if f.scan == nil {
		f.scan = recognise.NewScan(f.Engine)
		f.scan.Unbounded = f.Unbounded
	}
	f.seen, f.refused, f.hints, f.cleanTo, f.media, f.over = nil, nil, hints, 0, false, false
	if !f.Eager && hints == nil {
		if f.cleanTo = f.skim(f.read(doc, 0), 0); f.cleanTo == len(doc) {
			f.release(doc)
			return Outcome{Settled: true, Media: f.media}, nil
		}
	}
	s := f.sweep(doc, nil, 0, 0)
	if !f.isOver(s) {
		f.copies = f.again(doc, s.findings, s.edits)
	}
	if f.copies != nil {
		f.seen, f.refused, f.cleanTo = nil, nil, 0
		s = f.sweep(doc, nil, 0, 0)
		f.copies = nil
	}
	found := Outcome{Findings: s.findings, Edits: s.edits, Settled: !s.unsettled, Media: f.media}
	if f.isOver(s) {
		found = Outcome{Media: f.media, TooMany: true}
		f.refused = sdk.Reject("too_many_findings", "", "want at most %d findings in a record, have more", MaxFindings)
	}
	f.hints, f.stoppedAt = nil, skimmed{}
	f.pieces.release()
	for _, s := range f.sweeps {
		s.reset("", nil)
	}
	f.release(doc)
	return found, f.refused
}

// read returns the map of a JSON text that has depth strings around it.
func (f *Filter) read(doc string, depth int) *recognise.Map {
	for depth >= len(f.maps) {
		f.maps = append(f.maps, &recognise.Map{})
	}
	m := f.maps[depth]
	if len(m.Text) != len(doc) || jsontext.Address(m.Text) != jsontext.Address(doc) {
		m.ReadJSON(f.Engine, doc)
	}
	return m
}

// release forgets the texts that were searched.
func (f *Filter) release(doc string) {
	f.decoded, f.reading = jsontext.Reuse(f.decoded), jsontext.Reuse(f.reading)
	f.scan.Release()
	for _, m := range f.maps {
		m.Release()
	}
	f.mapped.address, f.mapped.size = jsontext.Address(doc), len(doc)
}

// sweep finds everything in a text that has depth strings around it, and a key of that class.
func (f *Filter) sweep(doc string, outer *sweep, depth int, class rules.Class) *sweep {
	if depth == len(f.sweeps) {
		f.sweeps = append(f.sweeps, &sweep{})
	}
	s := f.sweeps[depth]
	s.reset(doc, outer)
	s.m = f.read(doc, depth)
	// Known values hold nothing but perhaps a copy, what a backend finds, or what another value says.
	skips := f.copies == nil && f.hints == nil && !f.Eager
	var top *frame // the innermost one
	for i := 0; i < len(doc) && !f.isOver(s); {
		kind, start, end, next := doc[i], i, i+1, i+1
		switch kind {
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
			continue
		case '}', ']':
			f.searchWaiting(s, top, depth)
			top = s.pop()
			i++
			continue
		case '{', '[':
		case '"':
			start, end = i+1, s.m.Quote(i+1)
			if next = end + 1; next < len(doc) && (doc[next] == ':' || isBlank(doc[next]) && isKey(doc, next)) {
				class = f.birthClass(top, f.key(s, top, start, end)) | top.cell | s.numbered(top)
				i = next + 1
				f.sawMember(doc, i, class)
				if skips && class == 0 && top.held == 0 && !s.isTold {
					i += f.knownSize(s.m, i, nil)
				}
				continue
			}
		default:
			kind, start, end, next = Token(doc, i)
		}
		s.at = nil
		inArray := top != nil && top.kind == '['
		if inArray {
			top.index++
			class = top.class | top.column()
			if skips && kind == '{' && class == 0 && !s.isTold {
				if size := f.knownSize(s.m, i, nil); size > 0 {
					i += size
					continue
				}
			}
		}
		switch kind {
		case '{', '[':
			top = s.push(kind, class)
			f.tell(s, top, start)
			next = f.opened(s, top, next)
		case StringKind:
			f.value(s, top, span{start, end}, next, class, depth)
		case NumberKind:
			f.numeral(s, doc[start:end], start, end, class|heldNumber(top, class))
		}
		if class&(rules.LatitudeKey|rules.LongitudeKey) != 0 && !inArray && top != nil {
			s.member(kind, start, end, class)
		}
		i = next
	}
	f.finish(s)
	return s
}

// birthClass returns the class of a key by the object that it is in: a year in a date of birth is a part of one, and a date in an
// example of a JSON Schema is none.
func (f *Filter) birthClass(top *frame, class rules.Class) rules.Class {
	const birth = rules.BirthKey | rules.BirthPartKey
	if class&rules.DatePartKey != 0 && top.class&birth != 0 {
		class |= rules.BirthPartKey
	}
	if top.example && class&birth != 0 {
		class &^= birth
	}
	return class
}

// finish replaces the coordinates of a sweep and sorts its edits.
func (f *Filter) finish(s *sweep) {
	slices.SortFunc(s.groups, func(a, b group) int { return a.at - b.at })
	for _, g := range s.groups {
		for _, c := range g.coords {
			s.at = append(slices.Clip(g.path), c.step)
			f.coordinate(s, c.kind, c.start, c.end)
		}
	}
	slices.SortStableFunc(s.edits, func(a, b Edit) int { return a.Start - b.Start })
}

// key replaces the findings in a key, and returns its class. Keys of a JSON Schema name
// arguments: findings in them stay, and so make the record a residue. A new name may have a class, so s is unsettled then.
func (f *Filter) key(s *sweep, top *frame, start, end int) rules.Class {
	s.at = nil
	top.start, top.end, top.personal = start, end, false
	s.keys = append(s.keys, int32(start))
	known := f.keys.at(s.doc, start, end, f.Engine)
	if known.class&rules.LatitudeKey != 0 && top.latitude < 0 {
		top.latitude = start
	}
	class := known.class
	if f.copies == nil && (known.clean || f.isCleanKey(known, s.m, start, end)) {
		return class
	}
	t := Decode(s.doc[start:end], start)
	if top.schema {
		for _, m := range f.inKey(s, t.Decoded) {
			top.personal, s.unsettled, s.at = true, true, nil
			s.note(m.Label, true, t.Decoded, m.Start, m.End, t.Decoded[m.Start:m.End], "")
		}
		return class
	}
	name := f.strip(s, true, t.Decoded, func(current string) []recognise.Match { return f.inKey(s, current) })
	if name != t.Decoded && start < end {
		s.unsettled = true
		s.renamed = append(s.renamed, renamed{int32(start), int32(len(s.edits))})
		s.edits = append(s.edits, Edit{start, end, escaped(name)})
	}
	return class
}

// inKey returns the matches to replace in the text of the current key.
func (f *Filter) inKey(s *sweep, text string) []recognise.Match {
	found := slices.DeleteFunc(f.scan.Find(text, 0, nil), func(m recognise.Match) bool { return m.ByContext && (m.Start > 0 || m.End < len(text)) })
	return f.taken(s, found, text)
}

// taken adds the copies of secrets in a text to the matches there, and leaves out the values that the user allows.
func (f *Filter) taken(s *sweep, found []recognise.Match, text string) []recognise.Match {
	if f.copies != nil {
		found = f.copies.join(found, text)
	}
	return slices.DeleteFunc(found, func(m recognise.Match) bool { return f.allows(s, text[m.Start:m.End]) })
}

// text replaces the findings in a string, which may be JSON itself.
func (f *Filter) text(s *sweep, start, end int, class rules.Class, depth int) {
	if depth == 0 && end < f.cleanTo {
		return
	}
	told := s.told
	s.told = nil
	mayHold := f.Eager || f.hints != nil || len(told) > 0 || recognise.Keyed(class) || s.m.MayHold(start, end)
	if !mayHold && f.copies == nil {
		return
	}
	stopped, known := f.take(s.doc, start, class)
	t := stopped.text
	if !known {
		if t = f.decode(s.doc, start, end); isEmbedded(t.Decoded) {
			f.decoded = nil // the text has a map
			f.embedded(s, &t, depth, class)
			return
		}
	}
	hints, before := f.hints[t.Decoded], len(s.findings)
	left := f.strip(s, false, t.Decoded, func(current string) []recognise.Match {
		var found []recognise.Match
		switch {
		case known:
			found = stopped.found
		case mayHold:
			found = f.scan.Find(current, class, hints)
		}
		found = joined(found, told)
		known, mayHold = false, true // what replaces copies may change that
		hints, told = nil, nil       // they are about the text as it was
		return f.taken(s, found, current)
	})
	if len(s.findings) > before {
		f.decoded = nil // their values are views of the text
	}
	if left == t.Decoded {
		return
	}
	s.edits = f.pieces.Edits(s.edits, &t)
	s.unsettled = s.unsettled || isEmbedded(left) || // which an edit made JSON
		len(left) <= longestName && f.Engine.Class(left)&namedValues != 0 // or the name of another value, as <PASSWORD> is
}

// strip replaces matches in a text until there are none, and returns the rest. f.pieces holds the replacements.
func (f *Filter) strip(s *sweep, inKey bool, original string, matches func(current string) []recognise.Match) (current string) {
	current = original
	for pass := range MaxPasses {
		found := matches(current)
		if len(found) == 0 {
			return current
		}
		if f.over = f.over || len(s.findings)+len(found) > MaxFindings; f.isOver(s) {
			return original
		}
		if pass == 0 {
			f.pieces.Reset(len(original))
		}
		if inKey && pass == 0 {
			s.top().personal, s.at = true, nil // before the first path that shows it
		}
		var next strings.Builder
		next.Grow(len(current))
		last, q := 0, quoter{text: current}
		for _, m := range found {
			value := current[m.Start:m.End]
			out := f.replacement(s, m.Rule, m.Entity, value)
			mark := q.markAround(m.Start, m.End)
			written := mark + out + mark
			next.WriteString(current[last:m.Start])
			next.WriteString(written)
			last = m.End
			from, to := f.pieces.Cut(m.Start, m.End, written)
			s.note(m.Label, inKey, original, from, to, value, out)
		}
		next.WriteString(current[last:])
		f.pieces.Turn()
		current = next.String()
	}
	s.unsettled = true
	return current
}

// embedded replaces the findings in JSON in a string, so that it stays JSON.
func (f *Filter) embedded(s *sweep, t *Text, depth int, class rules.Class) {
	plain := spell(f.read(t.Decoded, depth+1))
	inner := f.sweep(plain.text, s, depth+1, class&namedValues)
	s.findings = append(s.findings, inner.findings...)
	s.unsettled = s.unsettled || inner.unsettled
	for _, e := range inner.edits {
		start := t.InDocument(plain.origin(e.Start))
		s.edits = append(s.edits, Edit{start, t.InDocument(plain.origin(e.End)), escaped(e.Text)})
	}
}

// numeral replaces a number that is personal by its key.
func (f *Filter) numeral(s *sweep, written string, start, end int, class rules.Class) {
	var label *recognise.Label
	if class != 0 {
		label = f.Engine.Numeral(written, class)
	}
	if label == nil && f.copies != nil {
		if found := f.copies.find(written); len(found) > 0 {
			label = found[0].Label
		}
	}
	if label == nil || f.allows(s, written) {
		return
	}
	out := f.replacement(s, label.Rule, label.Entity, written)
	s.note(label, false, written, 0, len(written), written, out)
	s.edits = append(s.edits, Edit{start, end, `"` + escaped(out) + `"`})
}
