package sdk

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

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
	insertion              // after the last member of an object or element of an array
	deletion
)

// Set puts a string, boolean, number, nil or gjson.Result at a plain gjson path, creating what is missing.
// A record that holds a key twice gets the value at both. An error leaves the record as it was.
func (r *Record) Set(path string, value any) error {
	r.check()
	at := len(r.step.texts)
	texts, err := appendValue(r.step.texts, value)
	if err != nil {
		return fmt.Errorf("set %q: %w", path, err)
	}
	r.step.texts = texts
	return r.set(path, texts[at:len(texts):len(texts)])
}

// SetRaw is like Set with a JSON text, which it copies. Empty and invalid texts are refused.
func (r *Record) SetRaw(path string, json []byte) error {
	if jsontext.Check(json, maxDepth) != nil {
		return fmt.Errorf("set %q: want JSON, have %d bytes that are not", path, len(json))
	}
	return r.set(path, slices.Clone(json))
}

// Delete removes the value at a plain gjson path, with all duplicates of its key. A missing path is no error.
func (r *Record) Delete(path string) error {
	if err := r.editable(); err != nil {
		return fmt.Errorf("delete %q: %w", path, err)
	}
	parts, err := r.step.split(path)
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
		if isElement := memberStart(r.data, p.start) == p.start; isElement || len(found) > 1 { // the places after it have moved
			r.flush()
		}
	}
	return nil
}

// editable returns an error when the document is not JSON, which a text of the plugin's own may be.
func (r *Record) editable() error {
	r.check()
	if !r.isJSON() {
		return fmt.Errorf("want a record of JSON, have %d bytes that are not", len(r.data))
	}
	return nil
}

// isJSON reports whether the document is JSON, and checks it once.
func (r *Record) isJSON() bool {
	if r.unchecked || r.splices != nil {
		r.flush()
		r.unchecked = r.unchecked && jsontext.Check(r.data, maxDepth) != nil
	}
	return !r.unchecked
}

func (r *Record) flush() {
	if len(r.collected()) == 0 {
		return
	}
	buf := r.appendTo(make([]byte, 0, r.length()))
	r.unchecked = r.doubtful(jsontext.View(buf))
	r.data, r.edits, r.splices = jsontext.View(buf), nil, nil
	r.input, r.shown = false, false
}

// doubtful reports whether edited, the document with all edits applied, may not be JSON.
func (r *Record) doubtful(edited string) bool {
	return r.unchecked || r.splices != nil && !inStrings(r.data, edited, r.splices.all())
}

// collected returns the edits that are not applied yet, in order.
func (r *Record) collected() []splice {
	if r.splices != nil {
		return r.splices.all()
	}
	return r.edits
}

// length returns how many bytes the document has with all edits applied.
func (r *Record) length() int {
	n, edits := len(r.data), r.collected()
	for i := range edits {
		e := &edits[i]
		n += len(e.text) - (e.end - e.start)
	}
	return n
}

func (r *Record) appendTo(dst []byte) []byte {
	at, edits := 0, r.collected()
	for i := range edits {
		e := &edits[i]
		dst = append(dst, r.data[at:e.start]...)
		dst = append(dst, e.text...)
		at = e.end
	}
	return append(dst, r.data[at:]...)
}

// locate finds places in the document, after applying edits that have moved or changed them.
func (r *Record) locate(parts []part) (found []place, missing place) {
	found, missing = locate(r.data, parts)
	if slices.ContainsFunc(r.edits, func(e splice) bool { return e.disturbs(r.data, parts, found, missing) }) {
		r.flush()
		return locate(r.data, parts)
	}
	return found, missing
}

// disturbs reports whether the splice moves or removes what locate found in doc.
func (s splice) disturbs(doc string, parts []part, found []place, missing place) bool {
	for _, p := range found {
		if s.start < p.end && s.end > p.start {
			return true
		}
	}
	if missing.depth < 0 || s.start >= missing.end || s.end <= missing.start {
		return false
	}
	behind := behindLast(doc, missing)
	switch s.kind {
	case replacement:
		return s.start <= missing.start
	case deletion: // of the value around it, or of the member that a comma would follow
		return s.start <= missing.start || s.end >= behind
	}
	return s.start == behind && (len(s.keys) == 0 && !parts[missing.depth].end || slices.Contains(s.keys, parts[missing.depth].key))
}

// behindLast returns the place in an object or array for a new member or element.
func behindLast(doc string, p place) int {
	return p.start + len(strings.TrimRight(doc[p.start:max(p.start, p.end-1)], blanks))
}

func (r *Record) set(path string, raw []byte) error {
	if err := r.editable(); err != nil {
		return fmt.Errorf("set %q: %w", path, err)
	}
	parts, err := r.step.split(path)
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

// creation returns the splice that makes parts[at.depth:] inside the value at.
func (r *Record) creation(parts []part, at place, raw []byte) (splice, error) {
	parts = parts[at.depth:]
	have, behind, first := r.data[at.start:at.end], behindLast(r.data, at), &parts[0]
	s := splice{start: behind, end: behind, kind: insertion}
	switch {
	case have == "null":
	case strings.HasPrefix(have, "{"):
		*first, s.keys = part{key: first.key, index: -1}, []string{first.key}
	case !strings.HasPrefix(have, "["):
		return s, fmt.Errorf("want an object or array to hold %q, have %s", first.key, jsontext.KindName(jsontext.JSON(have).Kind()))
	case first.index >= 0:
		first.index -= int(gjson.Get(have, "#").Int())
	case !first.end:
		return s, fmt.Errorf("want the index of an element, have %q", first.key)
	}
	if len(parts) > maxDepth {
		return s, fmt.Errorf("want at most %d levels that do not exist yet, have %d", maxDepth, len(parts))
	}
	for _, p := range parts {
		if p.index > maxGap {
			return s, fmt.Errorf("want an index at most %d behind the end of its array, have %d: put ':' before a number that is a key", maxGap, p.index)
		}
	}
	text, err := create(parts, raw)
	if err != nil || have == "null" {
		return splice{start: at.start, end: at.end, text: text}, err
	}
	s.text = text[1 : len(text)-1]
	return s, nil
}

// maxGap bounds the nulls before a new element: a large number in a path is more likely a key without its ':'.
const maxGap = 1 << 16

// create returns the object or array that holds raw where parts lead. It spells keys itself that sjson would escape needlessly.
func create(parts []part, raw []byte) (text []byte, err error) {
	end, escaped := len(parts), func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }
	for i := end - 1; i >= 0; i-- {
		if p := &parts[i]; !p.isIndex() && strings.ContainsFunc(p.key, escaped) {
			if raw, err = createPlain(parts[i+1:end], raw); err != nil {
				return nil, err
			}
			raw = slices.Concat(jsontext.AppendString([]byte{'{'}, p.key), []byte{':'}, raw, []byte{'}'})
			end = i
		}
	}
	return createPlain(parts[:end], raw)
}

func createPlain(parts []part, raw []byte) ([]byte, error) {
	if len(parts) == 0 {
		return raw, nil
	}
	var path []byte
	for i := range parts {
		p := &parts[i]
		if i > 0 {
			path = append(path, '.')
		}
		switch {
		case p.end:
			path = append(path, "-1"...)
		case p.index >= 0:
			path = strconv.AppendInt(path, int64(p.index), 10)
		default:
			path = append(append(path, ':'), gjson.Escape(p.key)...)
		}
	}
	empty := "{}"
	if parts[0].isIndex() {
		empty = "[]"
	}
	return sjson.SetRawBytes([]byte(empty), string(path), raw)
}

// without returns the splice that removes a member or element together with one comma.
func (r *Record) without(p place) splice {
	start, end := memberStart(r.data, p.start), p.end
	if next := end + jsontext.Blanks(r.data[end:]); next < len(r.data) && r.data[next] == ',' {
		end = next + 1 + jsontext.Blanks(r.data[next+1:])
	} else {
		start = len(strings.TrimSuffix(strings.TrimRight(r.data[:start], blanks), ","))
	}
	return splice{start: start, end: end, kind: deletion}
}

// meets reports whether a deletion overlaps the splice e, or removes a comma that the insertion e needs.
func (s splice) meets(e splice) bool {
	return e.start < s.end && e.end > s.start || e.kind == insertion && e.start == s.end
}

// add takes in a splice that overlaps no other.
func (r *Record) add(s splice) {
	r.shown = false
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
			s.text = slices.Insert(s.text, 0, ',') // where a bracket was
		}
	}
	r.edits = slices.Insert(r.edits, i, s)
}

// maxDepth is how deep a value may nest that a plugin puts into a record.
const maxDepth = 10_000

// appendValue appends a Go value as JSON.
func appendValue(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return jsontext.AppendString(dst, v), nil
	case gjson.Result:
		return appendResult(dst, v)
	}
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case v.CanInt():
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case v.CanUint() && v.Kind() != reflect.Uintptr:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case v.CanFloat():
		return appendFloat(dst, v.Float(), v.Type().Bits())
	}
	return dst, fmt.Errorf("want a string, boolean, number, nil or gjson.Result, have %T: use SetRaw", value)
}

func appendFloat(dst []byte, v float64, bits int) ([]byte, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return dst, fmt.Errorf("want a number that JSON has, have %v", v)
	}
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, v, 'e', -1, bits), nil
	}
	return strconv.AppendFloat(dst, v, 'f', -1, bits), nil
}

func appendResult(dst []byte, v gjson.Result) ([]byte, error) {
	switch {
	case !v.Exists():
		return dst, fmt.Errorf("want a value, have the result of a path that does not exist")
	case v.Raw == "": // such as a count
		return appendValue(dst, v.Value())
	case jsontext.Check(v.Raw, maxDepth) != nil:
		return dst, fmt.Errorf("want a value, have %d bytes that are not JSON", len(v.Raw))
	}
	return append(dst, v.Raw...), nil
}
