package sdk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A worker feeds a processor and says what became of each record.
type worker struct {
	plugin  Plugin
	proc    Processor
	poison  bool
	turn    uint64 // counts calls of Process, so that a record kept for too long is noticed
	mistake error  // the first that the plugin's code made

	readings *readings // of the record at hand

	// What is decided about the batch at hand and not sent yet.
	space  wire.Space
	send   func(*wire.Reply) error
	reply  *wire.Reply
	rows   int       // bytes of side rows in reply
	sent   time.Time // when the last reply was, or the batch began
	counts tally

	// The record at hand and what it has given so far.
	in      *wire.Record
	index   int // in the batch
	left    int // records of the batch that have no verdict yet
	pieces  []piece
	taken   int    // bytes of space that pieces lie in
	spilled bool   // pieces lie in scratch, since space does not hold them
	scratch []byte // kept from record to record
	sides   []wire.Side
	shown   []byte   // what the dead letter shows; nil: the record
	fault   *verdict // the first mistake of the plugin's code over this record
}

// A piece is one emitted record.
type piece struct {
	same   bool   // the input record's bytes
	offset uint64 // in space, or in scratch
	mem    []byte
	labels []wire.Label
}

var _ wire.Worker = (*worker)(nil)

// After replyAfter, or with maxRows bytes of side rows, a worker says what it has: the host's time limit is then about
// one record and its memory about a few, not about a batch.
const (
	replyAfter = time.Second
	maxRows    = 4 << 20
)

// Process implements wire.Worker.
func (w *worker) Process(ctx context.Context, in []wire.Record, space wire.Space, reply func(*wire.Reply) error) error {
	w.space, w.send, w.left = space, reply, len(in)
	w.begin()
	records, emit := make([]Record, len(in)), w.emit
	for i := range in {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.in, w.index = &in[i], i
		v, err := w.call(ctx, &records[i], emit)
		if err == nil {
			err = w.settle(ctx, v)
		}
		if err != nil {
			return err
		}
		w.left--
		if w.left > 0 && (w.rows > maxRows || time.Since(w.sent) > replyAfter) {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	w.reply.Done = true
	return w.flush()
}

// Close implements wire.Worker.
func (w *worker) Close() error {
	if c, ok := w.proc.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Mistake is the first thing that the plugin's code did wrong, whatever became of the record: a test kit fails on it.
func (w *worker) Mistake() error { return w.mistake }

// call hands the record to the processor. It gives no verdict when the record goes on, and an error when the run ends.
func (w *worker) call(ctx context.Context, r *Record, emit func(*Record)) (*verdict, error) {
	w.space.Note(w.index)
	data := w.in.Data
	if w.poison {
		data = slices.Clone(data)
		defer func() { copy(data, bytes.Repeat([]byte{poisoned}, len(data))) }()
	}
	*r = Record{
		data: jsontext.View(data), pos: Pos{File: w.in.File, Line: w.in.Line},
		labels: w.in.Labels, worker: w, turn: w.turn, input: true,
	}
	err := w.proc.Process(ctx, r, emit)
	w.turn++
	w.readings.end()
	if err == nil {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if fatal, ok := errors.AsType[*fatalError](err); ok {
		return nil, fatal
	}
	return verdictOf(err), nil
}

// poisoned is what a record's memory is overwritten with. It is no JSON, and shows in a message.
const poisoned = '?'

// emit takes a copy of what the processor emits, so that the processor may go on to change it.
func (w *worker) emit(r *Record) {
	if r == nil {
		w.blame(wire.InvalidOutput, "want a record to emit, have nil")
		return
	}
	r.check()
	if r.worker != w {
		panic("sdk: emitted a record of another processor")
	}
	p := piece{labels: r.labels}
	switch n := r.length(); {
	case r.input && len(r.collected()) == 0:
		p.same = true
	case n == 0:
		w.blame(wire.InvalidOutput, "want JSON to emit, have a record without bytes")
		return
	default:
		w.write(&p, r, n)
	}
	w.pieces = append(w.pieces, p)
}

// write puts the n bytes of r where space has room, or behind what else this record gave in scratch.
func (w *worker) write(p *piece, r *Record, n int) {
	if !w.spilled {
		if p.offset, p.mem = w.space.Take(n); p.mem != nil {
			w.taken += n
			r.appendTo(p.mem[:0])
			return
		}
		w.spill()
	}
	p.offset = uint64(len(w.scratch))
	w.scratch = r.appendTo(w.scratch)
	p.mem = w.scratch[p.offset:]
}

// spill moves what this record gave to scratch.
func (w *worker) spill() {
	for i := range w.pieces {
		if p := &w.pieces[i]; !p.same {
			p.offset = uint64(len(w.scratch))
			w.scratch = append(w.scratch, p.mem...)
		}
	}
	w.space.Untake(w.taken)
	w.taken, w.spilled = 0, true
}

// place brings what lies in scratch into one grant. What was decided before is sent first, since more space may only
// come once that has moved on.
func (w *worker) place(ctx context.Context) error {
	n := len(w.scratch)
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.space.Grow(ctx, n); err != nil {
		return err
	}
	base, mem := w.space.Take(n)
	if mem == nil {
		return fmt.Errorf("want %d bytes after waiting for them, have fewer", n)
	}
	copy(mem, w.scratch)
	for i := range w.pieces {
		p := &w.pieces[i]
		p.offset += base
	}
	return nil
}

// settle turns what the processor did with the record into the record's part of the reply. v is nil when the record
// goes on.
func (w *worker) settle(ctx context.Context, v *verdict) error {
	if w.fault == nil && v == nil && w.spilled {
		err := w.place(ctx)
		if errors.Is(err, wire.ErrTooLarge) {
			v = &verdict{kind: wire.Rejected, code: "too_large", message: own(err.Error())}
		} else if err != nil {
			return err
		}
	}
	switch {
	case w.fault != nil:
		v = w.fault
	case v == nil && len(w.pieces) == 0:
		v = &verdict{kind: wire.Dropped, message: "nothing emitted", keeps: true}
	case v != nil && v.kind == wire.Rejected && !wire.IsCode(v.code):
		w.mistake = cmp.Or(w.mistake, fmt.Errorf("want a code in snake_case, have %q", v.code))
		v.message, v.code = fmt.Sprintf("%s (code %q, which is not snake_case)", v.message, v.code), errorCode
	}
	if v == nil {
		w.accept()
	} else {
		w.refuse(v)
	}
	w.stand(v == nil || v.keeps)
	w.reset()
	return nil
}

// accept says what goes on in place of the record.
func (w *worker) accept() {
	r := w.reply
	if len(w.pieces) == 1 && w.pieces[0].same && slices.Equal(w.pieces[0].labels, w.in.Labels) {
		r.Verdicts = append(r.Verdicts, byte(wire.Unchanged))
		return
	}
	r.Verdicts, r.Emitted = append(r.Verdicts, byte(wire.Emitted)), append(r.Emitted, uint32(len(w.pieces)))
	for i := range w.pieces {
		p := &w.pieces[i]
		if !slices.Equal(p.labels, w.in.Labels) {
			r.Labels = append(r.Labels, wire.Labels{Index: uint32(len(r.Lengths)), Labels: p.labels})
		}
		var same byte
		if p.same {
			same = 1
		}
		r.Same, r.Offsets, r.Lengths = append(r.Same, same), append(r.Offsets, p.offset), append(r.Lengths, uint64(len(p.mem)))
	}
}

// refuse says why the record does not go on, and gives back what it took.
func (w *worker) refuse(v *verdict) {
	f := wire.Fault{Code: v.code, Path: v.path, Message: v.message}
	if v.kind == wire.Rejected {
		f.Record = w.shown
	}
	w.reply.Verdicts, w.reply.Faults = append(w.reply.Verdicts, byte(v.kind)), append(w.reply.Faults, f)
	w.space.Untake(w.taken)
}

// stand puts the side rows and counts of the record into the reply, or forgets them.
func (w *worker) stand(stands bool) {
	w.counts.settle(stands)
	switch {
	case !stands || len(w.sides) == 0:
		w.sides = nil
		return
	case len(w.reply.Sides) == 0:
		w.reply.Sides = w.sides
	default:
		w.reply.Sides = append(w.reply.Sides, w.sides...)
	}
	for i := range w.sides {
		w.rows += len(w.sides[i].JSON)
	}
	w.sides = nil
}

// maxScratch is how many bytes a worker keeps between records: one large record must not hold its size for good.
const maxScratch = 4 << 20

func (w *worker) reset() {
	clear(w.pieces)
	w.pieces, w.taken, w.spilled, w.scratch, w.shown, w.fault = w.pieces[:0], 0, false, w.scratch[:0], nil, nil
	if cap(w.scratch) > maxScratch {
		w.scratch = nil
	}
}

// begin makes room for what is said about the records that are left.
func (w *worker) begin() {
	w.reply, w.rows, w.sent = &wire.Reply{Verdicts: make([]byte, 0, w.left)}, 0, time.Now()
}

// flush sends what is decided, if anything is.
func (w *worker) flush() error {
	r := w.reply
	r.Counts = w.counts.take()
	w.begin()
	if r.Empty() {
		return nil
	}
	return w.send(r)
}

// blame makes the record a reject for a mistake of the plugin's code.
func (w *worker) blame(code, format string, args ...any) {
	message := fmt.Sprintf("plugin %s: ", w.plugin.Name) + own(fmt.Sprintf(format, args...))
	w.mistake = cmp.Or(w.mistake, errors.New(message))
	if w.fault == nil {
		w.fault = &verdict{kind: wire.Rejected, code: code, message: message}
	}
}

// side takes a row of the record at hand. All rows to one output share its declared name.
func (w *worker) side(output string, json []byte) {
	output = w.plugin.Outputs[slices.Index(w.plugin.Outputs, output)]
	w.sides = append(w.sides, wire.Side{Index: w.index, Output: output, JSON: slices.Clone(json)})
}

// declares tells whether a name is among those that a plugin declared, and otherwise blames the plugin.
func (w *worker) declares(what string, declared []string, name string) bool {
	if slices.Contains(declared, name) {
		return true
	}
	have := "none"
	if len(declared) > 0 {
		have = strings.Join(declared, ", ")
	}
	w.blame(errorCode, "want %s that it declares (%s), have %q", what, have, name)
	return false
}
