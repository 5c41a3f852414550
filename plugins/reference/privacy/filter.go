// Package privacy filters records as the privacy filter of the Python tooling does.
package privacy

import (
	"embed"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// Files is the code of this package, for the hash of the rules.
//
//go:embed *.go
var Files embed.FS

// Filter filters one JSON text after another. One goroutine uses it.
type Filter struct {
	Structured bool // look for coordinates among numbers too
	tape       tape
	search     backtracker
	possible   []*pattern    // in the current string
	pieces     redact.Pieces // of the current string
}

// New returns a filter of valid JSON texts, which finds coordinates among numbers if structured is set. One goroutine calls it.
func New(structured bool) func(doc string) redact.Outcome {
	f := &Filter{Structured: structured}
	return f.Find
}

// Find returns all that is in a valid JSON text.
func (f *Filter) Find(doc string) redact.Outcome {
	f.tape = f.tape.read(doc)
	s := sweep{doc: doc, tape: f.tape}
	var renamed, paired []int32 // objects
	for i := int32(0); i < int32(len(f.tape)); i++ {
		switch n := &f.tape[i]; n.kind {
		case 'k':
			if f.text(&s, i) && !f.tape[n.parent].renamed {
				f.tape[n.parent].renamed = true
				renamed = append(renamed, n.parent)
			}
			if !f.Structured || n.end-n.start < 2 {
				continue
			}
			switch key := rules.PlainKey(s.decode(i).Decoded); {
			case i+1 < int32(len(f.tape)) && f.tape[i+1].kind == '[' && coordinateLists[key]:
				if lat, lng, ok := s.coordinateList(i + 1); ok {
					s.pair(i+1, lat, lng)
					i = lng
				}
			case slices.Contains(latitudes, key) && !f.tape[n.parent].paired:
				f.tape[n.parent].paired = true
				paired = append(paired, n.parent)
			}
		case '"':
			f.text(&s, i)
		}
	}
	for _, object := range paired {
		s.siblings(object)
	}
	for _, object := range slices.Backward(renamed) { // the inner ones first
		s.rename(object)
	}
	s.sortEdits()
	const most = 1 << 16
	if cap(f.tape) > most {
		f.tape = nil
	}
	return redact.Outcome{Findings: s.findings, Edits: s.edits}
}

// text replaces what the patterns find in string or key n, and reports whether there was anything.
func (f *Filter) text(s *sweep, n int32) bool {
	raw := s.doc[s.tape[n].start:s.tape[n].end]
	set := setOf(raw)
	if strings.Contains(raw, `\u`) {
		raw = s.decode(n).Decoded
		set = setOf(raw)
	}
	// Escapes of one letter hide nothing that a pattern needs, so most strings need not be decoded.
	f.possible = f.possible[:0]
	all := patterns()
	for i := range all {
		if all[i].possible(raw, set) {
			f.possible = append(f.possible, &all[i])
		}
	}
	if len(f.possible) == 0 {
		return false
	}
	t := s.decode(n)
	current := t.Decoded
	f.pieces.Reset(len(current))
	for _, p := range f.possible {
		current = f.replace(s, p, n, t.Decoded, current)
	}
	before := len(s.edits)
	s.edits = f.pieces.Edits(s.edits, &t)
	return len(s.edits) > before
}

// replace runs one pattern on the current text and returns what it leaves.
func (f *Filter) replace(s *sweep, p *pattern, n int32, original, current string) string {
	var next strings.Builder
	at := 0
	f.search.all(p.re, current, func(start, end int) {
		next.WriteString(current[at:start])
		next.WriteString(p.marker)
		at = end
		from, to := f.pieces.Cut(start, end, p.marker)
		s.note(&p.Label, n, original, from, to, current[start:end], p.marker)
	})
	if at == 0 {
		return current
	}
	f.pieces.Turn()
	next.WriteString(current[at:])
	return next.String()
}
