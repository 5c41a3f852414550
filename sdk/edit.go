package sdk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A splice replaces data[start:end]. Splices are sorted and do not overlap.
type splice struct {
	start, end int
	text       []byte
	kind       spliceKind
	keys       []string // of an insertion: the keys it adds
}

type spliceKind uint8

const (
	replacement spliceKind = iota
	insertion              // behind the last member of an object or element of an array
	deletion
)

// Set puts a string, boolean, number, nil or gjson.Result at a plain gjson path, creating what is missing.
// A record that holds a key twice gets the value at both. An error leaves the record as it was.
func (r *Record) Set(path string, value any) error {
	raw, err := appendValue(nil, value)
	if err != nil {
		return fmt.Errorf("set %q: %w", path, err)
	}
	return r.set(path, raw)
}

// SetRaw is like Set with a JSON text, which it copies. Empty and invalid texts are refused.
func (r *Record) SetRaw(path string, json []byte) error {
	if jsontext.Check(json, maxDepth) != nil {
		return fmt.Errorf("set %q: want JSON, have %d bytes that are not", path, len(json))
	}
	return r.set(path, slices.Clone(json))
}

// Delete removes what is at a plain gjson path, every time when a key stands twice. A missing path is no error.
func (r *Record) Delete(path string) error {
	if err := r.editable(); err != nil {
		return fmt.Errorf("delete %q: %w", path, err)
	}
	parts, err := splitPath(path)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	found, missing := r.locate(parts)
	if missing.depth == len(parts)-1 && parts[missing.depth].end && strings.HasPrefix(r.data[missing.start:], "[") {
		return fmt.Errorf("delete %q: want the index of an element, have -1, the place behind the last", path)
	}
	if len(found) > 1 || len(found) == 1 && slices.ContainsFunc(r.edits, r.without(found[0]).meets) {
		r.flush()
		found, _ = locate(r.data, parts)
	}
	for _, p := range slices.Backward(found) {
		r.add(r.without(p))
		if element := p.member == p.start; element || len(found) > 1 { // what is behind has moved
			r.flush()
		}
	}
	return nil
}

// editable wants JSON to edit: what a record was derived from is the plugin's own text.
func (r *Record) editable() error {
	r.check()
	if r.unchecked {
		if jsontext.Check(r.data, maxDepth) != nil {
			return fmt.Errorf("want a record of JSON, have %d bytes that are not", len(r.data))
		}
		r.unchecked = false
	}
	return nil
}

func (r *Record) flush() {
	if len(r.edits) == 0 {
		return
	}
	buf := r.appendTo(make([]byte, 0, r.length()))
	r.data, r.edits, r.input = jsontext.View(buf), nil, false
}

// length is how many bytes the document has with all edits applied.
func (r *Record) length() int {
	n := len(r.data)
	for i := range r.edits {
		e := &r.edits[i]
		n += len(e.text) - (e.end - e.start)
	}
	return n
}

// appendTo appends the document with all edits applied.
func (r *Record) appendTo(dst []byte) []byte {
	at := 0
	for i := range r.edits {
		e := &r.edits[i]
		dst = append(dst, r.data[at:e.start]...)
		dst = append(dst, e.text...)
		at = e.end
	}
	return append(dst, r.data[at:]...)
}

// locate finds places in the document as it stands, which means applying edits that have moved or changed them.
func (r *Record) locate(parts []part) (found []place, missing place) {
	found, missing = locate(r.data, parts)
	if slices.ContainsFunc(r.edits, func(e splice) bool { return e.disturbs(r.data, parts, found, missing) }) {
		r.flush()
		return locate(r.data, parts)
	}
	return found, missing
}

// disturbs tells whether what locate found in doc is no longer so, or cannot be edited, after the splice.
func (e *splice) disturbs(doc string, parts []part, found []place, missing place) bool {
	for _, p := range found {
		if e.start < p.end && e.end > p.start {
			return true
		}
	}
	if missing.depth < 0 || e.start >= missing.end || e.end <= missing.start {
		return false
	}
	behind := behindLast(doc, missing)
	switch e.kind {
	case replacement:
		return e.start <= missing.start
	case deletion: // of all around it, or of what a comma would follow
		return e.start <= missing.start || e.end >= behind
	}
	return e.start == behind && (len(e.keys) == 0 && !parts[missing.depth].end || slices.Contains(e.keys, parts[missing.depth].key))
}

// behindLast is where an object or array takes a new member or element.
func behindLast(doc string, p place) int {
	at := p.end - 1
	for at > p.start+1 && isSpace(doc[at-1]) {
		at--
	}
	return max(at, p.start)
}

func (r *Record) set(path string, raw []byte) error {
	if err := r.editable(); err != nil {
		return fmt.Errorf("set %q: %w", path, err)
	}
	parts, err := splitPath(path)
	if err != nil {
		return fmt.Errorf("set: %w", err)
	}
	found, missing := r.locate(parts)
	if missing.depth >= 0 {
		create, err := r.creation(parts, missing, raw)
		if err != nil {
			return fmt.Errorf("set %q: %w", path, err)
		}
		r.add(create)
	}
	for _, p := range found {
		r.add(splice{start: p.start, end: p.end, text: raw})
	}
	return nil
}

// creation is the splice that makes parts[at.depth:] inside the value at.
func (r *Record) creation(parts []part, at place, raw []byte) (splice, error) {
	part, behind := parts[at.depth], behindLast(r.data, at)
	value, err := nest(parts[at.depth+1:], raw)
	if err != nil {
		return splice{}, err
	}
	switch have := r.data[at.start:at.end]; {
	case have == "null":
		text, err := nest(parts[at.depth:], raw)
		return splice{start: at.start, end: at.end, text: text}, err
	case strings.HasPrefix(have, "{"):
		text := append(jsontext.AppendString(nil, part.key), ':')
		return splice{start: behind, end: behind, text: append(text, value...), kind: insertion, keys: []string{part.key}}, nil
	case strings.HasPrefix(have, "[") && part.end:
		return splice{start: behind, end: behind, text: value, kind: insertion}, nil
	case strings.HasPrefix(have, "[") && part.index >= 0:
		text, err := appendNulls(nil, part.index-elements(have))
		return splice{start: behind, end: behind, text: append(text, value...), kind: insertion}, err
	case strings.HasPrefix(have, "["):
		return splice{}, fmt.Errorf("want the index of an element, have %q", part.key)
	default:
		return splice{}, fmt.Errorf("want an object or array to hold %q, have %s", part.key, kindOf(have))
	}
}

// nest wraps raw in new objects and arrays, so that parts lead to it.
func nest(parts []part, raw []byte) ([]byte, error) {
	var open, closing []byte
	for _, p := range parts {
		if p.end || p.index >= 0 {
			var err error
			if open, err = appendNulls(append(open, '['), p.index); err != nil {
				return nil, err
			}
			closing = append(closing, ']')
		} else {
			open = append(jsontext.AppendString(append(open, '{'), p.key), ':')
			closing = append(closing, '}')
		}
	}
	slices.Reverse(closing)
	return append(append(open, raw...), closing...), nil
}

// maxGap bounds the nulls before a new element: a large number in a path is more likely a key without its ':'.
const maxGap = 1 << 16

func appendNulls(dst []byte, n int) ([]byte, error) {
	if n > maxGap {
		return nil, fmt.Errorf("want an index at most %d behind the end of its array, have %d: put ':' before a number that is a key", maxGap, n)
	}
	for range n {
		dst = append(dst, "null,"...)
	}
	return dst, nil
}

// without is the splice that removes a member or element together with one comma.
func (r *Record) without(p place) splice {
	start, end := p.member, p.end
	if next := end + jsontext.Blanks(r.data[end:]); next < len(r.data) && r.data[next] == ',' {
		end = next + 1 + jsontext.Blanks(r.data[next+1:])
	} else {
		for start > 0 && isSpace(r.data[start-1]) {
			start--
		}
		if start > 0 && r.data[start-1] == ',' {
			start--
		}
	}
	return splice{start: start, end: end, kind: deletion}
}

// meets tells whether a deletion cannot be applied together with the splice e: they overlap, or e is an insertion
// whose comma would depend on it.
func (s splice) meets(e splice) bool {
	return e.start < s.end && e.end > s.start || e.kind == insertion && e.start == s.end
}

// add takes in a splice that overlaps no other.
func (r *Record) add(s splice) {
	i, _ := slices.BinarySearchFunc(r.edits, s, func(a, b splice) int { return a.start - b.start })
	if s.kind == insertion {
		for i < len(r.edits) && r.edits[i].start == s.start {
			if e := &r.edits[i]; e.kind == insertion {
				e.text = append(append(e.text, ','), s.text...)
				e.keys = append(e.keys, s.keys...)
				return
			}
			i++
		}
		if before := r.data[s.start-1]; before != '{' && before != '[' {
			s.text = append([]byte{','}, s.text...)
		}
	}
	r.edits = slices.Insert(r.edits, i, s)
}
