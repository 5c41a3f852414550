package wire

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// A Pos is the place that a record was read from. Line counts from 1.
type Pos struct {
	File string
	Line int64
}

// MaxOrigins is how many places of records Origins list.
const MaxOrigins = 1000

// Origins are the places of the records that one record was made of, the first of them at least. They are shared, so never changed.
type Origins struct {
	List []Pos
	More int64 // how many are not listed
}

// OriginsOf returns the origins of a record that was made of those at some places, of which there is at least one.
func OriginsOf(places []Pos) *Origins {
	n := min(len(places), MaxOrigins)
	return &Origins{List: places[:n:n], More: int64(len(places) - n)}
}

// check returns why origins that came from a plugin are none.
func (o *Origins) check() error {
	switch {
	case o == nil || len(o.List) == 0:
		return errors.New("want the place of at least one record as the origin of a record, have 0")
	case len(o.List) > MaxOrigins || o.More < 0:
		return fmt.Errorf("want at most %d places as the origins of a record, have %d and %d more", MaxOrigins, len(o.List), o.More)
	}
	for _, p := range o.List {
		if p.File == "" || !utf8.ValidString(p.File) || p.Line < 1 {
			return fmt.Errorf("want a file and a line from 1 as the origin of a record, have a file of %d bytes and line %d", len(p.File), p.Line)
		}
	}
	return nil
}

// comeFrom makes o the origins of the record.
func (r *Record) comeFrom(o *Origins) {
	first := o.List[0]
	if first.File != r.File || first.Line != r.Line {
		r.OfLine = 0
	}
	r.File, r.Line, r.Origins = first.File, first.Line, o
}

// made returns the records that Flush emitted. What is wrong with one ends the run, since there is no record to reject.
func (p *part) made(records []Record) ([]Record, error) {
	none := &Record{}
	for k := range records {
		o := records[k].Origins
		if o == nil {
			return nil, fmt.Errorf("after the last record, want the origins of every record, have record %d without", k)
		}
		if p.bytes(k) != NewBytes {
			return nil, fmt.Errorf("after the last record, want new bytes for every record, have kind %d", p.bytes(k))
		}
		labels := records[k].Labels
		if message := p.record(&records[k], none, k); message != "" {
			return nil, fmt.Errorf("after the last record, %s", message)
		}
		records[k].Labels = labels
		records[k].comeFrom(o)
	}
	return records, nil
}
