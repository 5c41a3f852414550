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

// A worker feeds the processor of one step of a chain, and keeps what became of each record that reached it from the one
// of the batch that is at hand.
type worker struct {
	plugin  Plugin
	proc    Processor
	chain   *chain
	step    int    // in the chain
	or      bool   // it gets what the step before it declines
	next    int    // the step that gets what goes on; 0: it leaves the chain
	turn    uint64 // counts calls of Process, so that a record kept for too long is noticed
	mistake error  // the first that the plugin's code made
	counts  tally
	spent   time.Duration // in Process, of the records that are timed
	fresh   []Record      // not used yet
	onEmit  func(*Record) // emit, made once

	readings *readings // of the record at hand; all steps of a chain share them

	answers []decision
	pieces  []piece // of all answers, in order
	sides   []wire.Side

	// The input at hand and what it has given so far.
	in      arrival
	begin   mark
	size    int      // bytes of new records
	now     document // of the record that the processor has
	texts   []byte   // of edits
	parts   []part   // of the path of an edit
	scratch []byte   // where they lie when another step comes behind; kept from input to input
	shown   []byte   // what the dead letter shows; nil: the record
	fault   *verdict
}

// An arrival is a record on its way to a step.
type arrival struct {
	*wire.Record // as it came in the batch
	data         []byte
	labels       []wire.Label
	home         home
}

// A home is the piece that brought an input's bytes into being: they lie in this process alone until it leaves the chain.
type home struct {
	step, piece int
	made        bool // false: they are the batch's
}

// A mark is what there was before the input at hand.
type mark struct{ pieces, sides, leaving, bytes int }

// A decision is what became of one input.
type decision struct {
	labels  []wire.Label // of the input
	pieces  int
	refused *verdict // nil: it goes on
	record  []byte   // with refused: what the dead letter shows
}

// A piece is one emitted record.
type piece struct {
	bytes     byte   // wire.NewBytes, wire.InputBytes or wire.AwayBytes
	unchecked bool   // nothing tells that it is JSON
	offset    uint64 // of new bytes: in space, or in what the chain has spilled
	mem       []byte
	told      []byte // of a traced chain: a copy of mem, which does not last as long as the record of the batch
	labels    []wire.Label
}

// handle has the processor process an input, and says what became of it. It gives an error when the run ends.
func (w *worker) handle(ctx context.Context, in arrival) (*verdict, error) {
	if len(w.scratch) > 0 {
		w.readings.end()
	}
	w.in, w.scratch = in, reuse(w.scratch)
	w.begin = mark{len(w.pieces), len(w.sides), len(w.chain.leaving), w.chain.bytes}
	v, err := w.lethal(), error(nil)
	if v == nil {
		v, err = w.call(ctx)
	}
	if err == nil {
		v = w.settle(v)
	}
	w.size, w.shown, w.fault = 0, nil, nil
	return v, err
}

// lethal is the verdict on an input that has ended a process.
func (w *worker) lethal() *verdict {
	for _, l := range w.in.Lethal {
		if l.Step == w.step && l.Nth == len(w.answers) {
			return &verdict{kind: wire.Rejected, code: "crash", message: l.Message}
		}
	}
	return nil
}

// call hands the input to the processor. It gives no verdict when the record goes on.
func (w *worker) call(ctx context.Context) (*verdict, error) {
	w.chain.space.Note(wire.Spot{Record: w.chain.index, Step: w.step, Nth: len(w.answers)})
	data := w.in.data
	if w.chain.poison {
		data = slices.Clone(data)
		defer func() { copy(data, bytes.Repeat([]byte{poisoned}, len(data))) }()
	}
	if len(w.fresh) == 0 {
		w.fresh = make([]Record, 256)
	}
	r := &w.fresh[0] // never used again, so that one that was kept shows
	w.fresh = w.fresh[1:]
	r.document, r.turn = &w.now, w.turn
	w.now = document{
		data: jsontext.View(data), pos: Pos{File: w.in.File, Line: w.in.Line},
		labels: w.in.labels, worker: w, input: true, edits: w.now.edits[:0],
	}
	err := w.proc.Process(ctx, r, w.onEmit)
	w.turn++
	w.texts = reuse(w.texts)
	if cap(w.now.edits) > maxEdits {
		w.now.edits = nil
	}
	clear(w.now.edits)
	if w.chain.poison {
		w.readings.end() // the copy may be another record's memory next
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
	return verdictOf(err), nil
}

// maxEdits is for how many edits a worker keeps memory between records.
const maxEdits = 1024

// split reads the path of an edit. What it gives is good until the next.
func (w *worker) split(path string) (parts []part, err error) {
	w.parts, err = splitPath(w.parts[:0], path)
	return w.parts, err
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
	p := piece{labels: r.labels, unchecked: r.unchecked || r.splices != nil}
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

// write puts the n bytes of r where they leave the chain, or where the next step reads them. What is too large for the
// host is only counted.
func (w *worker) write(p *piece, r *Record, n int) {
	w.size += n
	switch limit := w.chain.space.Limit(); {
	case w.size > limit || w.next == 0 && w.begin.bytes+w.size > limit:
	case w.next == 0:
		p.offset, p.mem = w.chain.take(n)
		r.appendTo(p.mem[:0])
		w.chain.leaving = append(w.chain.leaving, home{step: w.step, piece: len(w.pieces)})
	default:
		from := len(w.scratch)
		w.scratch = r.appendTo(w.scratch)
		p.bytes, p.mem = wire.AwayBytes, w.scratch[from:]
		p.unchecked = r.doubtful(jsontext.View(p.mem))
		if w.chain.trace && w.chain.told+n <= maxTold {
			p.told, w.chain.told = slices.Clone(p.mem), w.chain.told+n
		}
	}
}

// maxTold is how many bytes of what stays inside a traced chain the host is told, of one record of the batch.
const maxTold = 64 << 20

// settle makes what the processor did with the input into an answer. v is nil when the record goes on.
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
	stands := v == nil || v.keeps
	w.counts.settle(stands)
	if stands {
		if bad := w.unfit(emitted, v); bad != nil {
			v, w.shown, stands = bad, nil, false
		}
	}
	if !stands {
		w.sides = w.sides[:w.begin.sides]
	}
	a := decision{labels: w.in.labels, refused: v, pieces: len(emitted)}
	if v != nil {
		w.undo()
		a.pieces, a.record = 0, w.show(v)
	}
	w.answers = append(w.answers, a)
	return v
}

// tooLarge is the verdict on an output that the host has no room for.
func (w *worker) tooLarge(emitted []piece) *verdict {
	limit, size := w.chain.space.Limit(), w.size
	if w.next == 0 && size <= limit { // all that one record of the batch becomes lies in one grant
		size += w.begin.bytes
		same := func(p piece) bool { return p.bytes == wire.InputBytes }
		if w.in.home.made && w.chain.away(w.in.home) && slices.ContainsFunc(emitted, same) {
			size += len(w.in.data)
		}
	}
	if size <= limit {
		return nil
	}
	err := fmt.Errorf("%w: want at most %d bytes, have %d", wire.ErrTooLarge, limit, size)
	return &verdict{kind: wire.Rejected, code: "too_large", message: own(err.Error())}
}

// unfit is the verdict on an output that is no JSON, where the host's door comes too late: the next step reads it as
// JSON, and a record that is only in this process cannot be rejected elsewhere. The latter is left to the door as long as
// the worker is trusted, since it hardly ever happens.
func (w *worker) unfit(emitted []piece, v *verdict) *verdict {
	within := w.next > 0 || w.in.home.made
	message := ""
	for i := range emitted {
		if p := &emitted[i]; p.unchecked && v == nil && message == "" && (w.next > 0 || within && !w.chain.trust) {
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

// undo takes back what a record that does not go on has given.
func (w *worker) undo() {
	clear(w.pieces[w.begin.pieces:])
	w.pieces = w.pieces[:w.begin.pieces]
	w.chain.untake(w.begin)
}

// show is what the dead letter shows in place of the record. The host has no bytes of one that is only in this process.
func (w *worker) show(v *verdict) []byte {
	declined := v.kind == wire.Declined && !w.chain.orNext(w.step)
	switch {
	case v.kind == wire.Rejected && w.shown != nil:
		return w.shown
	case w.in.home.made && !w.plugin.Private && (v.kind == wire.Rejected || declined):
		return slices.Clone(w.in.data)
	}
	return nil
}

// maxScratch is how many bytes a worker keeps between records: one large record must not hold its size for good.
const maxScratch = 4 << 20

// reset forgets the record of the batch.
func (w *worker) reset() {
	clear(w.answers)
	clear(w.pieces)
	clear(w.sides)
	w.answers, w.pieces, w.sides, w.scratch = w.answers[:0], w.pieces[:0], w.sides[:0], reuse(w.scratch)
	w.counts.forget()
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
	w.sides = append(w.sides, wire.Side{Index: len(w.answers), Output: output, JSON: slices.Clone(json)})
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
	w.blame(wire.PlainError, "want %s that it declares (%s), have %q", what, have, name)
	return false
}
