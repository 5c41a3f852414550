package privacy

import (
	"slices"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
)

// A sweep is the pass through one JSON text.
type sweep struct {
	doc      string
	tape     tape
	findings []redact.Finding
	edits    []redact.Edit
	sorted   int // the number of edits that are in order
	counted  redact.RuneCounter
}

func (s *sweep) decode(n int32) redact.Text {
	return redact.Decode(s.doc[s.tape[n].start:s.tape[n].end], s.tape[n].start)
}

func (s *sweep) change(start, end int, text string) {
	s.edits = append(s.edits, redact.Edit{Start: start, End: end, Text: text})
}

func (s *sweep) sortEdits() {
	if s.sorted != len(s.edits) {
		slices.SortStableFunc(s.edits, func(a, b redact.Edit) int { return a.Start - b.Start })
		s.sorted = len(s.edits)
	}
}

// path returns the path of node n, which for a key is the path of its value.
func (s *sweep) path(n int32) redact.Path {
	if s.tape[n].kind == 'k' {
		n++
	}
	var path redact.Path
	for ; s.tape[n].parent >= 0; n = s.tape[n].parent {
		if s.tape[s.tape[n].parent].kind == '[' {
			path = append(path, redact.Step{Index: int(s.tape[n].index)})
			continue
		}
		path = append(path, redact.Step{Key: s.decode(n - 1).Decoded, Index: -1, Personal: s.tape[n-1].personal})
	}
	slices.Reverse(path)
	return path
}

// note adds a finding in decoded[start:end] of string or key n.
func (s *sweep) note(label *recognise.Label, n int32, decoded string, start, end int, value, out string) {
	isKey := s.tape[n].kind == 'k'
	if isKey {
		s.tape[n].personal = true
	}
	from := s.counted.Before(decoded, start)
	s.findings = append(s.findings, redact.Finding{
		Label: label, Path: s.path(n), InKey: isKey, Value: value, Out: out,
		Start: from, End: from + utf8.RuneCountInString(decoded[start:end]),
	})
}

// whole replaces a scalar by a marker in a string.
func (s *sweep) whole(n int32, marker string) {
	start, end := s.extent(n)
	s.change(start, end, `"`+marker+`"`)
}

// A node is a value of a JSON text, or the key of a member, which precedes the value of the member.
type node struct {
	start, end int   // in the text; of strings and keys, without the quotes
	parent     int32 // index of the object or array around it, -1 for the root
	next       int32 // index of the first node after this one and what it holds
	kind       byte  // of redact.Token
	index      int32 // among the elements of its array
	elements   int32 // of an array so far
	personal   bool  // a key that holds a finding
	renamed    bool  // an object with a key that has an edit
	paired     bool  // an object with a latitude
}

// A tape lists the nodes of a JSON text in the order of the text.
type tape []node

// read returns the tape of a valid JSON text, in the memory of t.
func (t tape) read(doc string) tape {
	t = t[:0]
	parent := int32(-1)
	for kind, start, end, at := redact.Token(doc, 0); kind != 0; kind, start, end, at = redact.Token(doc, at) {
		if kind == '}' || kind == ']' {
			open := &t[parent]
			open.end, open.next, parent = end, int32(len(t)), open.parent
			continue
		}
		n := node{start: start, end: end, parent: parent, next: int32(len(t) + 1), kind: kind}
		if parent >= 0 && t[parent].kind == '[' {
			n.index = t[parent].elements
			t[parent].elements++
		}
		t = append(t, n)
		if kind == '{' || kind == '[' {
			parent = int32(len(t) - 1)
		}
	}
	return t
}
