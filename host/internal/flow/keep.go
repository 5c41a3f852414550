package flow

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Keep is a place at the top level of the tree, behind a step. The Store keeps what passes it of each unit, so that a later run can begin
// there when only what comes behind it has changed. Records take one way to it, through steps and Firsts: when the last batch of a chunk
// passes, all of these are done with the chunk.
type Keep struct {
	Step string // the one before it
}

func (*Keep) node() {}

// The Store tells rows apart by numbers: the rows of a sink have the sink's, those of a Keep have these. Their bytes begin with the place of
// the record in the unit. A reject without bytes ends what a chunk has of both.
const (
	passedRows = 1<<30 + iota
	rejectedRows
)

// keep wires a Keep. While batches begin there, none comes from before it.
func (e *engine) keep(in <-chan *batch) <-chan *batch {
	begin, out := make(chan *batch), make(chan *batch, queue) // what was sent to begin goes ahead of all that is read later
	at, node := len(e.begins), int32(e.nodes)
	e.begins = append(e.begins, begin)
	e.group.Go(func() error {
		defer close(out)
		var buf []byte
		for {
			var b *batch
			ok := true
			select {
			case <-e.ctx.Done():
				return context.Cause(e.ctx)
			case b, ok = <-in:
			case b = <-begin:
			}
			if !ok {
				return nil
			}
			buf = b.chunk.tally.pass(at, node, b, buf)
			if err := send(e.ctx, out, b); err != nil {
				return err
			}
		}
	})
	return out
}

// pass notes the records of a batch at a Keep with a number in the tree, and behind the last batch of a chunk what was rejected before.
// It returns memory for reuse.
func (t *tally) pass(at int, node int32, b *batch, buf []byte) []byte {
	if t == nil || at < t.from {
		return buf
	}
	rows := slices.Clone(b.records)
	size := 0
	for i := range rows {
		size += binary.MaxVarintLen64 + len(rows[i].Data)
	}
	if most := t.parts.sources[t.source].Arena.Cap(); size > most {
		t.tooLarge(at, rows, most)
	}
	buf = slices.Grow(buf[:0], size)
	for i := range rows {
		begins := len(buf)
		buf = append(binary.AppendUvarint(buf, rows[i].Ord-t.base), rows[i].Data...)
		rows[i].Data = buf[begins:len(buf):len(buf)]
	}
	if len(rows) > 0 {
		t.unit.Add(at, passedRows, rows)
	}
	if b.last {
		t.unit.Add(at, rejectedRows, append(t.rejectsBefore(node, b.chunk), wire.Record{}))
	}
	return buf
}

// tooLarge notes that a Keep got a record that no later run could begin with.
func (t *tally) tooLarge(at int, rows []wire.Record, most int) {
	for i := range rows {
		if n := len(rows[i].Data); n+binary.MaxVarintLen64 > most {
			t.unkept[at] = fmt.Errorf("want records of at most %d bytes, have one of %d", most, n)
		}
	}
}

// rejectsBefore returns the rejects of a chunk by nodes before one, in their order.
func (t *tally) rejectsBefore(node int32, c *pendingChunk) (rows []wire.Record) {
	c.mu.Lock()
	all := slices.DeleteFunc(slices.Clone(c.rejects), func(r reject) bool { return r.node > node })
	c.mu.Unlock()
	sortRejects(all)
	for i := range all {
		r := &all[i]
		row := r.row
		row.Data = binary.AppendUvarint(make([]byte, 0, len(row.Data)+64), row.Ord-t.base)
		for _, text := range []string{r.kind.code, r.kind.step, r.message, r.path} {
			row.Data = append(binary.AppendUvarint(row.Data, uint64(len(text))), text...)
		}
		row.Data = append(row.Data, r.row.Data...)
		rows = append(rows, row)
	}
	return rows
}

// A replay makes batches and rejects of what an earlier run kept of a unit.
type replay struct {
	*units
	tally *tally
	at    int           // of the Keep
	chunk *pendingChunk // at hand; nil: it has not begun
}

var errKept = errors.New("want records with their places, have other bytes")

// take takes rows of a sink before the Keep, of what passed it, or of what was rejected before it.
func (r *replay) take(number int, rows []wire.Record) error {
	if number < r.parts.keeps[r.at].sinks {
		sink := r.parts.sinks[number]
		if err := sink.write(rows); err != nil {
			return err
		}
		r.tally.wrote(sink, rows, false)
		return nil
	}
	if r.chunk == nil {
		if err := r.pending.wait(r.ctx); err != nil {
			return err
		}
		r.chunk = &pendingChunk{batches: 1, pending: &r.pending, done: make(chan struct{}), tally: r.tally}
		if err := send(r.ctx, r.chunks, r.chunk); err != nil {
			return err
		}
	}
	switch number {
	case passedRows:
		return r.pass(rows)
	case rejectedRows:
		return r.reject(rows)
	}
	return fmt.Errorf("want rows of %d sinks, have some of sink %d", r.parts.keeps[r.at].sinks, number)
}

// pass makes batches of records.
func (r *replay) pass(rows []wire.Record) error {
	for i := range rows {
		ord, n := binary.Uvarint(rows[i].Data)
		if n <= 0 {
			return errKept
		}
		rows[i].Ord, rows[i].Data = r.tally.base+ord, rows[i].Data[n:]
	}
	src := r.parts.sources[r.source]
	for most := src.Arena.Cap(); len(rows) > 0; {
		n, bytes := 0, 0
		for n < len(rows) && (n == 0 || bytes+len(rows[n].Data) <= most) {
			bytes += len(rows[n].Data)
			n++
		}
		if err := r.begin(src, rows[:n:n], bytes); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// begin sends records on from the Keep. It copies their bytes to the arena, so many in all.
func (r *replay) begin(src *Source, rows []wire.Record, bytes int) error {
	region, err := src.Arena.Alloc(r.ctx, bytes)
	if err != nil {
		return err
	}
	mem := region.Bytes()
	for i := range rows {
		n := copy(mem, rows[i].Data)
		rows[i].Data, rows[i].Mem, mem = mem[:n:n], region, mem[n:]
	}
	wire.RetainAll(rows)
	region.Release()
	r.chunk.retain()
	return r.sendParts(r.begins[r.at], r.together(src), &batch{records: rows, chunk: r.chunk})
}

// reject adds rejects to the chunk at hand. The row without bytes, behind its last, ends the chunk.
func (r *replay) reject(rows []wire.Record) error {
	for _, row := range rows {
		if len(row.Data) == 0 {
			end := &batch{chunk: r.chunk, last: true}
			r.chunk = nil
			return send(r.ctx, r.begins[r.at], end)
		}
		ord, n := binary.Uvarint(row.Data)
		if n <= 0 {
			return errKept
		}
		row.Ord, row.Data = r.tally.base+ord, row.Data[n:]
		var texts [4]string
		for i := range texts {
			size, n := binary.Uvarint(row.Data)
			if n <= 0 || size > uint64(len(row.Data)-n) {
				return errKept
			}
			texts[i], row.Data = string(row.Data[n:n+int(size)]), row.Data[n+int(size):]
		}
		row.Data = slices.Clone(row.Data)
		r.chunk.addReject(reject{row: row, kind: rejectKind{texts[0], texts[1]}, message: texts[2], path: texts[3]}) // node 0: ahead of those of later nodes
	}
	return nil
}
