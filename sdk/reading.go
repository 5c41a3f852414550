package sdk

import (
	"reflect"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Reading gives what read made of the record's JSON. It ends with the call of Process: strings in it are views of memory
// that is used for other records afterwards. read is not called again while the record's bytes are the same ones; after
// Set, SetRaw, Delete and Splice it is, and for a derived record.
//
// A worker has one T, so there is one read for each T. read gets what it filled last, to use its memory again. So a
// Reading of another record, or after an edit, changes what an earlier one gave. json is the text that JSON gives, in
// which Splice counts, or "" when the plugin itself made what is not JSON.
func Reading[T any](r *Record, read func(into *T, json jsontext.JSON)) *T {
	json, of := r.reads()
	kept := r.worker.readings.of(reflect.TypeFor[T](), func() any { return new(T) })
	into := kept.value.(*T)
	if kept.of != of {
		kept.of = source{} // of no record while read fails
		read(into, json)
		kept.of = of
	}
	return into
}

// reads gives the document for a reading, and what tells it from all others.
func (r *Record) reads() (jsontext.JSON, source) {
	data := r.shows()
	if !r.isJSON() {
		data = ""
	}
	s := source{n: len(data), derived: r.derived, turn: r.worker.readings.turn + 1}
	if data != "" {
		s.data = &jsontext.Bytes(data)[0]
	}
	return jsontext.JSON(data), s
}

// readings are what Reading keeps, one of each type. Several workers may share them as long as one of them runs at a
// time. Whoever is about to use memory of records again must call end before.
type readings struct {
	turn   uint64 // counts calls of end
	texts  uint64 // counts calls of fresh
	byType map[reflect.Type]*reading
}

type reading struct {
	of    source
	value any // a pointer to the type
}

// A source tells the bytes that a reading was made of: where they lie, which text of a plugin's own they are, and when,
// since both kinds of memory are used again. The zero source is none.
type source struct {
	data    *byte
	n       int
	derived uint64
	turn    uint64
}

// of gives the reading of a type.
func (rs *readings) of(t reflect.Type, create func() any) *reading {
	kept := rs.byType[t]
	if kept == nil {
		if rs.byType == nil {
			rs.byType = map[reflect.Type]*reading{}
		}
		kept = &reading{value: create()}
		rs.byType[t] = kept
	}
	return kept
}

// end makes all readings those of records that are gone.
func (rs *readings) end() { rs.turn++ }

// fresh gives a number for one more text of a plugin's own, whose memory the plugin may use for the next.
func (rs *readings) fresh() uint64 {
	rs.texts++
	return rs.texts
}
