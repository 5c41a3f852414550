package sdk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A worker runs the processor of one step of a chain, and holds the decisions about what became of the batch's current record.
type worker struct {
	plugin    Plugin
	proc      Processor
	marks     [][]string // Marks of the plugin
	needs     []need     // its marks in the chain's table
	chain     *chain
	step      int    // in the chain
	or        bool   // it gets what the step before it declines
	next      int    // the step that gets what goes on; 0: it leaves the chain
	turn      uint64 // counts calls of Process, so that use of a kept record is noticed
	mistake   error  // the first of the plugin's code
	counts    tally
	spent     time.Duration // in Process, for the records that are timed
	emitted   int           // records in the last reply
	fresh     []Record      // not used yet
	documents []*document   // of derived records; the first ones, as many as derived, of this turn
	derived   int
	ahead     *lookahead    // of a concurrent processor; nil for others
	early     *earlyCall    // of the current record, made ahead; nil: none
	onEmit    func(*Record) // emit, made once

	labelValues []wire.LabelValues // that depend on the arguments

	readings *readings // of the current record, shared by all steps of a chain

	answers []decision
	pieces  []piece // of all answers, in order
	sides   []wire.Side
	rows    int // bytes of sides of the input

	changes labelChanges
	touched bool     // it has answers, or is at one
	skipped *verdict // its only answer so far, by its marks; nil: none, or answers has it

	// The input at hand and what came of it so far.
	in      inputRecord
	begin   checkpoint
	size    int      // bytes of new records
	now     document // of the record that the processor has
	texts   []byte   // of edits
	parts   []part   // of the path of an edit
	spliced *splices // of an earlier record, whose memory is free
	scratch scratch  // emitted records for the next step
	shown   []byte   // what the dead letter shows; nil: the record
	fault   *verdict
}

type inputRecord struct {
	*wire.Record // as it came in the batch
	data         []byte
	labels       []wire.Label
	from         *wire.Origins // nil: Record is the only one that it was made of
	origin       origin
}

// pos returns the place of the first record that the input was made of.
func (in *inputRecord) pos() Pos {
	if in.from != nil {
		return Pos(in.from.List[0])
	}
	return Pos{File: in.File, Line: in.Line}
}

// An origin is the piece that an input's bytes were emitted as: they lie in this process alone until they leave the chain.
type origin struct {
	step, piece int
	made        bool // false: the bytes are the batch's
}

type checkpoint struct{ pieces, sides, leaving, bytes int }

type decision struct {
	labels  []wire.Label  // of the input
	from    *wire.Origins // of the input
	pieces  int
	refused *verdict // nil: it goes on
	record  []byte   // with refused: what the dead letter shows
}

type piece struct {
	bytes     byte   // wire.NewBytes, wire.InputBytes or wire.AwayBytes
	unchecked bool   // it may not be JSON
	offset    uint64 // of new bytes: in space, or in the chain's scratch
	mem       []byte
	traced    []byte // of a traced chain: a copy of mem, which does not last as long as the record of the batch
	labels    []wire.Label
	from      *wire.Origins
}

// handle runs the processor on an input and returns the verdict, nil when the input goes on. An error ends the run.
func (w *worker) handle(ctx context.Context, in inputRecord) (*verdict, error) {
	if !w.scratch.isEmpty() {
		w.readings.end()
	}
	w.touch()
	w.in = in
	w.scratch.reset()
	w.begin = checkpoint{len(w.pieces), len(w.sides), len(w.chain.leaving), w.chain.bytes}
	v, err := w.lethal(&in), error(nil)
	if v == nil {
		v, err = w.call(ctx)
	}
	if err == nil {
		v = w.settle(v)
	}
	w.size, w.shown, w.fault = 0, nil, nil
	return v, err
}

// lethal returns the verdict on an input that has ended a process, nil for any other.
func (w *worker) lethal(in *inputRecord) *verdict {
	for _, l := range in.Lethal {
		if l.Step == w.step && l.Nth == len(w.answers) {
			return &verdict{kind: wire.Rejected, code: wire.CrashCode, message: l.Message}
		}
	}
	return nil
}

// note records that the step has the record at hand, so that the host can name both if the process ends.
func (w *worker) note() {
	w.chain.space.Note(wire.Spot{Record: w.chain.index, Step: w.step, Nth: len(w.answers)})
}

// call hands the input to the processor. The verdict is nil when the record goes on.
func (w *worker) call(ctx context.Context) (*verdict, error) {
	w.note()
	w.rows = 0
	data := w.in.data
	if w.chain.poison {
		data = slices.Clone(data)
		defer func() { copy(data, bytes.Repeat([]byte{poisoned}, len(data))) }()
	}
	w.now = document{
		data: jsontext.View(data), pos: w.in.pos(), from: w.in.from,
		labels: w.in.labels, worker: w, input: true, edits: w.now.edits[:0],
	}
	r := w.newRecord(&w.now)
	var err error
	if w.early != nil {
		err = w.early.replay(w, r)
	} else {
		err = w.proc.Process(ctx, r, w.onEmit)
	}
	w.turn++
	w.endDerived()
	w.texts = jsontext.Reuse(w.texts)
	if w.now.splices != nil {
		w.spliced, w.now.splices = w.now.splices, nil
	}
	if cap(w.now.edits) > maxEdits {
		w.now.edits = nil
	}
	clear(w.now.edits)
	if w.chain.poison {
		w.readings.end() // the copy's memory may be another record's next
	}
	if err == nil {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if fatal, ok := errors.AsType[*fatalError](err); ok {
		return nil, fatal
	}
	v := verdictOf(err)
	if v.kind == wire.Declined && w.plugin.TakesAll {
		w.blame(wire.PlainError, "want no decline from a plugin that takes all records, have one")
	}
	return v, nil
}

// maxEdits is how many edits a worker keeps memory for between records.
const maxEdits = 1024

// split reads the path of an edit. The parts are valid until the next call.
func (w *worker) split(path string) (parts []part, err error) {
	w.parts, err = splitPath(w.parts[:0], path)
	return w.parts, err
}

// poisoned overwrites a record's memory. No JSON and no UTF-8 holds it.
const poisoned = 0xFF

// emit copies a record that the processor emits, so that the processor may change it afterwards.
func (w *worker) emit(r *Record) {
	if r == nil {
		w.blame(wire.InvalidOutput, "want a record to emit, have nil")
		return
	}
	r.check()
	if r.worker != w {
		panic("sdk: emitted a record of another processor")
	}
	if most := wire.MostEmitted(w.chain.space.Limit()); len(w.pieces) >= most {
		w.tooMuch("want at most %d records of one, have more", most)
		return
	}
	p := piece{labels: r.labels, from: r.from, unchecked: r.unchecked || r.splices != nil}
	switch n := r.length(); {
	case r.input && len(r.collected()) == 0:
		p.bytes = wire.InputBytes
	case n == 0:
		w.blame(wire.InvalidOutput, "want JSON to emit, have a record without bytes")
		return
	default:
		w.write(&p, r, n)
	}
	w.pieces = append(w.pieces, p)
}

// write copies the n bytes of r to where they leave the chain or the next step reads them. It only counts what is too large.
func (w *worker) write(p *piece, r *Record, n int) {
	w.size += n
	switch limit := w.chain.space.Limit(); {
	case w.size > limit || w.next == 0 && w.begin.bytes+w.size > limit:
	case w.next == 0:
		p.offset, p.mem = w.chain.take(n)
		r.appendTo(p.mem[:0])
		w.chain.leaving = append(w.chain.leaving, origin{step: w.step, piece: len(w.pieces)})
	default:
		p.bytes, p.mem = wire.AwayBytes, r.appendTo(w.scratch.take(n, limit))
		p.unchecked = r.doubtful(jsontext.View(p.mem))
		if w.chain.trace && w.chain.traced+n <= maxTraced {
			p.traced, w.chain.traced = slices.Clone(p.mem), w.chain.traced+n
		}
	}
}

// maxTraced is how many bytes that stay inside a traced chain the reply shows for one record of the batch.
const maxTraced = 64 << 20

// settle decides about the input. v is nil when the record goes on.
func (w *worker) settle(v *verdict) *verdict {
	emitted := w.pieces[w.begin.pieces:]
	switch {
	case w.fault != nil:
		v = w.fault
	case v == nil && len(emitted) == 0:
		v = &verdict{kind: wire.Dropped, message: "nothing emitted", keeps: true}
	case v == nil:
		v = w.tooLarge(emitted)
	case v.kind == wire.Rejected && !wire.IsCode(v.code):
		w.mistake = cmp.Or(w.mistake, fmt.Errorf("want a code in snake_case, have %q", v.code))
		bad := *v
		bad.message, bad.code = fmt.Sprintf("%s (code %q, which is not snake_case)", v.message, v.code), wire.PlainError
		v = &bad
	}
	accepted := v == nil || v.keeps
	w.counts.settle(accepted)
	if accepted {
		if bad := w.invalidOutput(emitted, v); bad != nil {
			v, w.shown, accepted = bad, nil, false
		}
	}
	if !accepted {
		w.sides = w.sides[:w.begin.sides]
	}
	a := decision{labels: w.in.labels, from: w.in.from, refused: v, pieces: len(emitted)}
	if v != nil {
		clear(emitted)
		w.pieces = w.pieces[:w.begin.pieces]
		w.chain.untake(w.begin)
		a.pieces, a.record = 0, w.show(v)
	}
	w.answers = append(w.answers, a)
	return v
}

// tooLarge returns the verdict on an output that the host has no room for, or nil.
func (w *worker) tooLarge(emitted []piece) *verdict {
	if w.size == 0 && !(w.next == 0 && w.in.origin.made) { // most steps change no record
		return nil
	}
	limit, size := w.chain.space.Limit(), w.size
	if w.next == 0 && size <= limit { // everything that one record of the batch becomes lies in one grant
		size += w.begin.bytes
		same := func(p piece) bool { return p.bytes == wire.InputBytes }
		if w.in.origin.made && w.chain.piece(w.in.origin).bytes == wire.AwayBytes && slices.ContainsFunc(emitted, same) {
			size += len(w.in.data)
		}
	}
	if size <= limit {
		return nil
	}
	err := fmt.Errorf("%w: want at most %d bytes, have %d", wire.ErrTooLarge, limit, size)
	return &verdict{kind: wire.Rejected, code: "too_large", message: own(err.Error())}
}

// invalidOutput returns the verdict on an output that is not JSON where the host's check comes too late: the next step reads it
// as JSON, or the record lies only in this process and cannot be rejected elsewhere. The latter is left to the host as long
// as the worker is trusted, since it hardly ever happens. From a worker that is not, all new bytes are checked: an edit may put a
// value where it nests too deep.
func (w *worker) invalidOutput(emitted []piece, v *verdict) *verdict {
	within := w.next > 0 || w.in.origin.made
	message := ""
	for i := range emitted {
		p := &emitted[i]
		checks := w.next > 0 && p.unchecked || within && !w.chain.trust && p.bytes != wire.InputBytes
		if v == nil && message == "" && checks {
			message = wire.BadRecord(w.plugin.Name, p.mem, w.chain.depth)
		}
	}
	if within && !w.chain.trust {
		for _, s := range w.sides[w.begin.sides:] {
			message = cmp.Or(wire.BadRow(s.Output, s.JSON, w.chain.depth), message)
		}
	}
	if message == "" {
		return nil
	}
	return &verdict{kind: wire.Rejected, code: wire.InvalidOutput, message: message}
}

// show returns what the dead letter shows instead of the record; the host lacks the bytes of one that lies only in this process.
func (w *worker) show(v *verdict) []byte {
	declined := v.kind == wire.Declined && !w.chain.orNext(w.step)
	switch {
	case v.kind == wire.Rejected && w.shown != nil:
		return w.shown
	case w.in.origin.made && !w.plugin.Private && (v.kind == wire.Rejected || declined):
		return slices.Clone(w.in.data)
	}
	return nil
}

// touch notes that the record at hand has reached the step.
func (w *worker) touch() {
	if !w.touched {
		w.touched = true
		w.chain.touched = append(w.chain.touched, w)
	} else if w.skipped != nil {
		w.answers, w.skipped = append(w.answers, decision{refused: w.skipped}), nil
		w.chain.touched = append(w.chain.touched, w)
	}
}

func (w *worker) reset() {
	w.touched = false
	clear(w.answers)
	clear(w.pieces)
	clear(w.sides)
	w.answers, w.pieces, w.sides = w.answers[:0], w.pieces[:0], w.sides[:0]
	w.scratch.reset()
	w.counts.forget()
}

// blame rejects the record for a mistake of the plugin's code.
func (w *worker) blame(code, format string, args ...any) {
	message := fmt.Sprintf("plugin %s: ", w.plugin.Name) + own(fmt.Sprintf(format, args...))
	w.mistake = cmp.Or(w.mistake, errors.New(message))
	if w.fault == nil {
		w.fault = &verdict{kind: wire.Rejected, code: code, message: message}
	}
}

// declares reports whether a name is among those that a plugin declared, and otherwise blames the plugin.
func (w *worker) declares(what string, declared []string, name string) bool {
	if slices.Contains(declared, name) {
		return true
	}
	have := "none"
	if len(declared) > 0 {
		have = strings.Join(declared, ", ")
	}
	w.blame(wire.PlainError, "want %s that it declares (%s), have %q", what, have, name)
	return false
}
