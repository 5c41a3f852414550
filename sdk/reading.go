package sdk

import (
	"reflect"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Reading returns what read made of the record's JSON. It is valid during the call of Process: strings in it are views of memory
// that is reused for other records afterwards. read is called again only when the record's bytes are others: after Set,
// SetRaw, Delete and Splice, and for a derived record.
//
// A worker keeps one value of each T and hands it to read again, whose memory read may reuse. So every T needs one read, and a
// Reading of another record, or after an edit, changes the value that an earlier one returned. json is the text that
// Record.JSON returns, whose offsets Splice takes, or "" when the plugin itself made it and it is not JSON.
func Reading[T any](r *Record, read func(into *T, json jsontext.JSON)) *T {
	json, of := r.reads()
	kept := r.step.readings.of(reflect.TypeFor[T]())
	if kept.value == nil {
		kept.value = new(T)
	}
	into := kept.value.(*T)
	if kept.of != of {
		kept.of = source{} // of no record while read fails
		read(into, json)
		kept.of = of
	}
	return into
}

// reads returns the document for a reading, with what identifies it.
func (r *Record) reads() (jsontext.JSON, source) {
	data := r.shows()
	if !r.isJSON() {
		data = ""
	}
	s := sourceOf(data, r.step.readings.turn)
	s.derived = r.derived
	return jsontext.JSON(data), s
}

// sourceOf returns the source of a text in a turn.
func sourceOf(data string, turn uint64) source {
	s := source{n: len(data), turn: turn + 1}
	if data != "" {
		s.data = &jsontext.Bytes(data)[0]
	}
	return s
}

// readings holds one value of each type for Reading. Call end before memory of records is reused.
type readings struct {
	turn   uint64 // counts calls of end
	texts  uint64 // counts calls of number
	byType []*reading
}

type reading struct {
	what  reflect.Type
	of    source
	value any // a pointer to what
}

// A source identifies the bytes that a reading was made of: where they lie, which text of the plugin's own they are, and the
// turn, since both kinds of memory are reused. The zero source identifies nothing.
type source struct {
	data    *byte
	n       int
	derived uint64
	turn    uint64
}

func (rs *readings) of(t reflect.Type) *reading {
	for _, kept := range rs.byType { // a chain has few
		if kept.what == t {
			return kept
		}
	}
	kept := &reading{what: t}
	rs.byType = append(rs.byType, kept)
	return kept
}

func (rs *readings) end() { rs.turn++ }

// forget drops all values, with the memory that they have.
func (rs *readings) forget() { rs.byType = nil }

// number returns the number of one more text of the plugin's own. Its place does not identify it, since plugins reuse memory.
func (rs *readings) number() uint64 {
	rs.texts++
	return rs.texts
}
