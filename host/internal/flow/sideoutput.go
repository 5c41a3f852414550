package flow

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A sideRow is a row of a side output.
type sideRow struct {
	sink *Sink
	step string
	row  wire.Record
}

// sideRows puts the origin of each row in front of it: file, line and step, or only the step after the last record. A row may have a
// line of its own, such as that of a mistake in a document; then the line of the record is behind it as record_line.
func (s *Step) sideRows(in []wire.Record, sides []wire.Side) []sideRow {
	var rows []sideRow
	for _, side := range sides {
		sink := s.Sides[side.Output]
		if sink == nil {
			s.Account.addUnwanted(side.Output)
			continue
		}
		var r wire.Record
		if len(in) > 0 {
			r = in[side.Index]
		}
		row, line := withoutOrigin(side.JSON, r.Origins != nil)
		data := append(make([]byte, 0, len(r.File)+len(s.Name)+originSize+len(row)), '{')
		if len(in) > 0 {
			of := r
			of.Line = cmp.Or(line, r.Line)
			data = append(appendOrigins(appendOrigin(data, &of), r.Origins), ',')
			if line > 0 {
				data = append(strconv.AppendInt(append(data, `"record_line":`...), r.Line, 10), ',')
			}
		}
		data = jsontext.AppendMember(data, "step", s.Name)
		body := row[jsontext.Blanks(row)+1:] // after the brace
		body = body[jsontext.Blanks(body):]
		if body[0] != '}' {
			data = append(data, ',')
		}
		r.Data, r.Mem = append(data, body...), nil
		rows = append(rows, sideRow{sink, s.Name, r})
	}
	return rows
}

// originSize is about how many bytes the names of the origin's members and the line take.
const originSize = 72

// appendOrigin appends the members "file" and "line".
func appendOrigin(dst []byte, r *wire.Record) []byte {
	return strconv.AppendInt(append(jsontext.AppendMember(dst, "file", r.File), `,"line":`...), r.Line, 10)
}

// appendOrigins appends the members "origins", the places of the records that one was made of, and "more_origins", how many are not
// listed, each after a comma.
func appendOrigins(dst []byte, o *wire.Origins) []byte {
	if o == nil {
		return dst
	}
	dst = append(dst, `,"origins":[`...)
	for i, p := range o.List {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendOrigin(append(dst, '{'), &wire.Record{File: p.File, Line: p.Line}), '}')
	}
	if dst = append(dst, ']'); o.More > 0 {
		dst = strconv.AppendInt(append(dst, `,"more_origins":`...), o.More, 10)
	}
	return dst
}

// isOrigin reports whether the host puts a member of that name in front of a row, of a record with Origins if joined.
func isOrigin(name string, joined bool) bool {
	if joined && (name == "origins" || name == "more_origins") {
		return true
	}
	return name == "file" || name == "line" || name == "record_line" || name == "step"
}

// withoutOrigin removes a row's own members of these names: of two members with one name, readers take the last. It returns the
// row's own line, or 0 where that is no number of a line.
func withoutOrigin(row []byte, joined bool) (kept []byte, line int64) {
	if !hasOrigin(row, joined) {
		return row, 0
	}
	kept = []byte{'{'}
	gjson.ParseBytes(row).ForEach(func(key, value gjson.Result) bool {
		if isOrigin(key.Str, joined) {
			if n, err := strconv.ParseInt(value.Raw, 10, 64); key.Str == "line" && err == nil {
				line = max(n, 0)
			}
			return true
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(append(kept, key.Raw...), ':'), value.Raw...)
		return true
	})
	return append(kept, '}'), line
}

func hasOrigin(row []byte, joined bool) bool {
	c := jsontext.Of(row).Cursor()
	for key := range c.Members() {
		if isOrigin(key, joined) {
			return true
		}
	}
	return false
}

// writeSides writes rows of a unit, those of one sink together.
func writeSides(sides []sideRow, t *tally) error {
	for len(sides) > 0 {
		sink, step := sides[0].sink, sides[0].step
		var rows []wire.Record
		for len(sides) > 0 && sides[0].sink == sink {
			rows, sides = append(rows, sides[0].row), sides[1:]
		}
		err := acceptsAll(sink.Writer, rows)
		if err == nil {
			err = sink.write(rows)
		}
		if err != nil {
			return fmt.Errorf("step %s: output %s: %w", step, sink.Name, err)
		}
		t.wrote(sink, rows, false)
	}
	return nil
}

// acceptsAll returns the mistake in the first row that a sink cannot write. It is the plugin's, so no record is rejected for it.
func acceptsAll(w Writer, rows []wire.Record) error {
	for i := range rows {
		r := &rows[i]
		switch fault := w.Accepts(r); {
		case fault == nil:
		case r.File == "": // after the last record
			return errors.New(fault.Message)
		default:
			return fmt.Errorf("%s:%d: %s", r.File, r.Line, fault.Message)
		}
	}
	return nil
}
