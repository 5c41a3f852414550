package sdk

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/sluicehq/sluice/sdk/batch"
)

// A Record is one JSON value with its origin. Edits collect and are applied once, and every byte that no edit
// touched stays as it was read. Views that Get and JSON gave stay good whatever is edited later.
type Record struct {
	data   string // never changed in place
	edits  []splice
	size   int // how many bytes the edits add
	pos    Pos
	labels []batch.Label
	run    *run // what the record belongs to; nil after Process returned
	input  bool // came from the stream, as data is
}

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
	insertion              // before the closing bracket of an object or array
	deletion
)

// Get gives a view of the value at a gjson path, not a copy. A missing path gives a Result that does not Exist.
// Of duplicate keys it sees the first, as gjson does.
func (r *Record) Get(path string) gjson.Result { return gjson.Get(r.text(), path) }

// JSON gives a view of the whole record, edits applied. The caller must not change it.
func (r *Record) JSON() []byte {
	s := r.text()
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// Pos is where the record came from.
func (r *Record) Pos() Pos { return r.pos }

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
	if !gjson.ValidBytes(json) {
		return fmt.Errorf("set %q: want JSON, have %d bytes that are not", path, len(json))
	}
	return r.set(path, slices.Clone(json))
}

// Delete removes what is at a plain gjson path. A missing path is no error.
func (r *Record) Delete(path string) error {
	parts, err := splitPath(path)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	for {
		found, _ := r.locate(parts)
		if len(found) == 0 {
			return nil
		}
		r.add(r.without(found[0]))
		if len(found) == 1 {
			return nil
		}
		r.flush()
	}
}

// Derive makes a new record of the same origin and labels from a JSON text, which must stay as it is until the new
// record is emitted.
func (r *Record) Derive(json []byte) *Record {
	return &Record{data: unsafe.String(unsafe.SliceData(json), len(json)), pos: r.pos, labels: r.labels, run: r.run}
}

// Label gives the value of a label, or "" when the record does not have it.
func (r *Record) Label(name string) string {
	if i, ok := r.findLabel(name); ok {
		return r.labels[i].Value
	}
	return ""
}

// SetLabel puts a small string beside the record, for a route or for {name} in the path of a sink.
func (r *Record) SetLabel(name, value string) {
	i, ok := r.findLabel(name)
	labels := slices.Clone(r.labels)
	if ok {
		labels[i].Value = value
	} else {
		labels = slices.Insert(labels, i, batch.Label{Name: name, Value: value})
	}
	r.labels = labels
}

func (r *Record) findLabel(name string) (int, bool) {
	return slices.BinarySearchFunc(r.labels, name, func(l batch.Label, name string) int {
		return cmpString(l.Name, name)
	})
}

// Side writes a row beside the stream, to the output block of that name. json must be an object; the host puts the
// record's file, line and step in front. Rows of a record that is rejected are written too.
func (r *Record) Side(output string, json []byte) {
	if r.run != nil {
		r.run.side(output, json)
	}
}

// Count adds n to a named figure of this step in the receipt, such as a rule that hit or a loss.
func (r *Record) Count(name string, n int) {
	if r.run != nil {
		r.run.count(name, int64(n))
	}
}

// text gives the document with all edits applied.
func (r *Record) text() string {
	r.flush()
	return r.data
}

func (r *Record) flush() {
	if len(r.edits) == 0 {
		return
	}
	buf := r.appendTo(make([]byte, 0, len(r.data)+r.size))
	r.data, r.edits, r.size, r.input = unsafe.String(unsafe.SliceData(buf), len(buf)), nil, 0, false
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

// locate finds places in the document as it stands, which means applying edits that may have moved them.
func (r *Record) locate(parts []part) (found []place, missing place) {
	found, missing = locate(r.data, parts)
	stale := missing.depth >= 0 && slices.ContainsFunc(r.edits, func(e splice) bool {
		return e.kind == insertion && e.start == missing.end-1 && slices.Contains(e.keys, parts[missing.depth].key)
	})
	for _, p := range found {
		stale = stale || r.touched(p.start, p.end)
	}
	stale = stale || missing.depth >= 0 && missing.depth < len(parts) && r.covered(missing.start, missing.end)
	if stale {
		r.flush()
		return locate(r.data, parts)
	}
	return found, missing
}

// touched tells whether an edit lies in data[start:end] or around it.
func (r *Record) touched(start, end int) bool {
	return slices.ContainsFunc(r.edits, func(e splice) bool { return e.start < end && e.end > start || e.kind == deletion && e.start <= end && e.end >= start })
}

// covered tells whether an edit replaced or removed all of data[start:end], or removed something next to its end.
func (r *Record) covered(start, end int) bool {
	return slices.ContainsFunc(r.edits, func(e splice) bool {
		return e.start <= start && e.end >= end || e.kind == deletion && e.end >= start && e.start < end
	})
}

func (r *Record) set(path string, raw []byte) error {
	parts, err := splitPath(path)
	if err != nil {
		return fmt.Errorf("set: %w", err)
	}
	found, missing := r.locate(parts)
	var create splice
	if missing.depth >= 0 {
		if create, err = r.creation(parts, missing, raw); err != nil {
			return fmt.Errorf("set %q: %w", path, err)
		}
	}
	for _, p := range found {
		r.add(splice{start: p.start, end: p.end, text: raw})
	}
	if missing.depth >= 0 {
		r.add(create)
	}
	return nil
}

// creation is the splice that makes parts[at.depth:] inside the value at.
func (r *Record) creation(parts []part, at place, raw []byte) (splice, error) {
	rest := parts[at.depth:]
	value := raw
	if len(rest) > 1 {
		var err error
		if value, err = sjson.SetRawBytes(nil, joinPath(rest[1:]), raw); err != nil {
			return splice{}, err
		}
	}
	switch have := r.data[at.start]; {
	case have == '{':
		key := rest[0].key
		text := append(appendString(nil, key), ':')
		return splice{start: at.end - 1, end: at.end - 1, text: append(text, value...), kind: insertion, keys: []string{key}}, nil
	case have == '[' && rest[0].end:
		return splice{start: at.end - 1, end: at.end - 1, text: value, kind: insertion}, nil
	case have == '[' && rest[0].index >= 0: // sjson fills the gap with nulls
		whole, err := sjson.SetRawBytes([]byte(r.data[at.start:at.end]), joinPath(rest), raw)
		return splice{start: at.start, end: at.end, text: whole}, err
	case have == 'n':
		whole, err := sjson.SetRawBytes(nil, joinPath(rest), raw)
		return splice{start: at.start, end: at.end, text: whole}, err
	}
	return splice{}, fmt.Errorf("want an object or array at %q, have %s", joinPath(parts[:at.depth]), kindOf(r.data[at.start:at.end]))
}

// without is the splice that removes a member or element together with one comma.
func (r *Record) without(p place) splice {
	start, end := p.member, p.end
	if next := skipSpace(r.data, end); next < len(r.data) && r.data[next] == ',' {
		end = skipSpace(r.data, next+1)
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

// add takes a splice in. One that meets another is placed after the others are applied.
func (r *Record) add(s splice) {
	i, _ := slices.BinarySearchFunc(r.edits, s, func(a, b splice) int { return a.start - b.start })
	if s.kind == insertion {
		for i < len(r.edits) && r.edits[i].start == s.start {
			if e := &r.edits[i]; e.kind == insertion {
				e.text = append(append(e.text, ','), s.text...)
				e.keys = append(e.keys, s.keys...)
				r.size += len(s.text) + 1
				return
			}
			i++
		}
		if open := r.lastNonSpace(s.start); r.data[open] != '{' && r.data[open] != '[' {
			s.text = append([]byte{','}, s.text...)
		}
	}
	r.edits = slices.Insert(r.edits, i, s)
	r.size += len(s.text)
}

// lastNonSpace is the offset of the last byte before at that is not white space.
func (r *Record) lastNonSpace(at int) int {
	for at--; isSpace(r.data[at]); at-- {
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func kindOf(raw string) string {
	switch v := gjson.Parse(raw); v.Type {
	case gjson.String:
		return "a string"
	case gjson.Number:
		return "a number"
	case gjson.True, gjson.False:
		return "a boolean"
	case gjson.Null:
		return "null"
	}
	if raw != "" && raw[0] == '[' {
		return "an array"
	}
	return "an object"
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// appendValue appends a Go value as JSON.
func appendValue(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return appendString(dst, v), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case nil:
		return append(dst, "null"...), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return dst, fmt.Errorf("want a number that JSON has, have %v", v)
		}
		return strconv.AppendFloat(dst, v, 'g', -1, 64), nil
	case gjson.Result:
		if !v.Exists() {
			return dst, fmt.Errorf("want a value, have the result of a path that does not exist")
		}
		return append(dst, v.Raw...), nil
	}
	return dst, fmt.Errorf("want a string, boolean, number, nil or gjson.Result, have %T: use SetRaw", value)
}

// appendString appends s as a JSON string. It escapes only what JSON demands; bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(append(dst, s[from:i]...), '\\', c)
		case c < 0x20:
			dst = append(append(dst, s[from:i]...), '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			i++
			continue
		default:
			if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			dst = append(append(dst, s[from:i]...), "\uFFFD"...)
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}
