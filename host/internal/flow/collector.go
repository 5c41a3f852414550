package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A collector takes what the workers of a node say, in the order of the records.
type collector struct {
	*engine
	by    *rejecter // of the node
	place int       // of the node
	out   chan<- *batch
}

// pass makes a section of what became of f into a flight. None is held back to learn whether it is the last: the worker
// may be waiting for its memory.
func (c *collector) forward(f *batch, s section) error {
	if err := writeSides(s.sides); err != nil {
		return err
	}
	for i := range s.comparisons {
		if err := s.comparisons[i].record(); err != nil {
			return err
		}
	}
	rejects := c.settle(nil, s)
	for i := range s.behind {
		b := &s.behind[i]
		if err := writeSides(b.sides); err != nil {
			return err
		}
		rejects = c.settle(rejects, *b)
	}
	if s.behind != nil { // members of a first take turns
		slices.SortStableFunc(rejects, func(a, b reject) int {
			return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.nth, b.nth))
		})
	}
	for _, r := range rejects {
		f.chunk.addReject(r)
	}
	records := s.out
	if records == nil {
		records = wire.GoOn(s.in, s.outcomes)
	}
	switch {
	case s.last:
		f.forwarded = true
		return send(c.ctx, c.out, &batch{chunk: f.chunk, records: records, last: f.last}) // with the hold of f
	case len(records) == 0:
		return nil
	}
	f.chunk.retain()
	return send(c.ctx, c.out, &batch{chunk: f.chunk, records: records})
}

// end passes on that f has been answered, with an empty flight if no section said so.
func (c *collector) finish(f *batch) error {
	if f.forwarded {
		return nil
	}
	return send(c.ctx, c.out, &batch{chunk: f.chunk, last: f.last}) // with the hold of f
}

// sort sees to the records that do not go on, and appends those that are rejected.
func (c *collector) settle(rejects []reject, s section) []reject {
	var dropped map[string]int64
	var extra int64
	gone := 0 // where the run of records begins that end here
	for i := range s.outcomes {
		r, out := &s.in[i], &s.outcomes[i]
		switch out.Verdict {
		case wire.Unchanged, wire.Declined: // the next of a chain has it
			wire.ReleaseAll(s.in[gone:i])
			gone = i + 1
		case wire.Emitted:
			extra += int64(len(out.Emitted)) - 1
		case wire.Dropped:
			if dropped == nil {
				dropped = map[string]int64{}
			}
			dropped[out.Fault.Message]++
		case wire.Rejected:
			by := cmp.Or(s.step, c.by)
			if s.by != nil {
				by = s.by[i]
			}
			x := newReject(r, out.Fault, by, c.place+s.place, appendRecordJSON)
			if x.nth = i; s.at != nil {
				x.nth = s.at[i]
			}
			rejects = append(rejects, x)
		}
	}
	wire.ReleaseAll(s.in[gone:])
	if dropped != nil || extra != 0 {
		c.plan.Account.change(func(t *Totals) {
			t.sums.Extra += extra
			for reason, n := range dropped {
				t.dropped.add(reason, n, maxReasons)
			}
		})
	}
	return rejects
}

// A sideRow is a row for an output block of a step.
type sideRow struct {
	output *Sink
	step   string
	row    wire.Record
}

// sideRows puts each row's origin in front: file, line and step, or only the step.
func (s *Step) sideRows(in []wire.Record, sides []wire.Side) []sideRow {
	var rows []sideRow
	for _, x := range sides {
		output := s.Sides[x.Output]
		if output == nil {
			s.Account.addUnwanted(x.Output)
			continue
		}
		var r wire.Record
		if len(in) > 0 { // otherwise it is a last word
			r = in[x.Index]
		}
		row := withoutOrigin(x.JSON)
		data := append(make([]byte, 0, len(r.File)+len(s.Name)+originSize+len(row)), '{')
		if len(in) > 0 {
			data = append(appendOrigin(data, &r), ',')
		}
		data = jsontext.AppendMember(data, "step", s.Name)
		body := row[jsontext.Blanks(row)+1:] // behind the brace
		body = body[jsontext.Blanks(body):]
		if body[0] != '}' {
			data = append(data, ',')
		}
		r.Data, r.Mem = append(data, body...), nil
		rows = append(rows, sideRow{output, s.Name, r})
	}
	return rows
}

// originSize is about how many bytes the names of the origin's members and the line take.
const originSize = 48

// isOrigin tells whether the host puts a member of that name in front of a row.
func isOrigin(name string) bool { return name == "file" || name == "line" || name == "step" }

// withoutOrigin is a row without members that the host puts in front of it: of two with one name, readers take the last.
func withoutOrigin(row []byte) []byte {
	if !hasOrigin(row) {
		return row
	}
	kept := []byte{'{'}
	gjson.ParseBytes(row).ForEach(func(key, value gjson.Result) bool {
		if isOrigin(key.Str) {
			return true
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(append(kept, key.Raw...), ':'), value.Raw...)
		return true
	})
	return append(kept, '}')
}

// namesOrigin tells whether a row has such a member.
func hasOrigin(row []byte) bool {
	c := jsontext.Of(row).Cursor()
	for key := range c.Members() {
		if isOrigin(key) {
			return true
		}
	}
	return false
}

// appendOrigin appends the members "file" and "line".
func appendOrigin(dst []byte, r *wire.Record) []byte {
	return strconv.AppendInt(append(jsontext.AppendMember(dst, "file", r.File), `,"line":`...), r.Line, 10)
}

func writeSides(sides []sideRow) error {
	for len(sides) > 0 {
		output, step := sides[0].output, sides[0].step
		var rows []wire.Record
		for len(sides) > 0 && sides[0].output == output {
			rows, sides = append(rows, sides[0].row), sides[1:]
		}
		if err := output.write(rows); err != nil {
			return fmt.Errorf("step %s: output %s: %w", step, output.Name, err)
		}
	}
	return nil
}
