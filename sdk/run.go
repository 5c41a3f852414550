package sdk

import (
	"context"
	"errors"
	"io"
	"slices"
	"unsafe"

	"github.com/sluicehq/sluice/sdk/batch"
)

// Open makes a worker of the plugin with the attributes args, a JSON object. The host's side of the protocol and
// the test kit use it; a plugin's author does not need it.
func (p Plugin) Open(args []byte, worker int) (batch.Worker, error) {
	proc, err := p.New(Args{json: string(args), Worker: worker})
	if err != nil {
		return nil, err
	}
	return &run{proc: proc}, nil
}

// ArgErrors gives the mistakes in attributes that an error of a Plugin's New holds, as name and message. A mistake
// that belongs to no attribute has an empty name.
func (p Plugin) ArgErrors(err error) [][2]string {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all [][2]string
		for _, e := range many.Unwrap() {
			all = append(all, p.ArgErrors(e)...)
		}
		return all
	}
	if e, ok := errors.AsType[*argError](err); ok {
		return [][2]string{{e.name, e.message}}
	}
	return [][2]string{{"", err.Error()}}
}

// A run is one worker: it feeds a processor and collects what it says.
type run struct {
	proc    Processor
	answer  batch.Answer
	turn    uint64  // counts calls of Process, so that a record kept for too long is noticed
	index   int     // of the record at hand in its batch
	emitted []piece // by the record at hand
	scratch []byte  // bytes of emitted records that are new
	shown   []byte  // what the dead letter shows of the record at hand; nil: the record
}

// A piece is one emitted record. A new one lies in scratch[start:end].
type piece struct {
	same       bool // the input record, unedited
	start, end int
	labels     []batch.Label
}

var _ batch.Worker = (*run)(nil)

// Process implements batch.Worker.
func (w *run) Process(ctx context.Context, in []batch.Record, space batch.Space, emit func(batch.Answer) error) error {
	w.answer = batch.Answer{Outcomes: make([]batch.Outcome, 0, len(in))}
	records := make([]Record, len(in))
	for i := range in {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.index = i
		r := &records[i]
		*r = Record{
			data:   unsafe.String(unsafe.SliceData(in[i].Data), len(in[i].Data)),
			pos:    Pos{File: in[i].File, Line: in[i].Line},
			labels: in[i].Labels, run: w, turn: w.turn, input: true,
		}
		err := w.proc.Process(ctx, r, w.emit)
		w.turn++
		if err := w.finish(ctx, &in[i], err, space, emit); err != nil {
			return err
		}
	}
	w.answer.Last = true
	return emit(w.answer)
}

// Close implements batch.Worker.
func (w *run) Close() error {
	if c, ok := w.proc.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// emit takes a copy of what the processor emits, so that the processor may go on to change it.
func (w *run) emit(r *Record) {
	r.check()
	if r.run != w {
		panic("sdk: emitted a record of another processor")
	}
	p := piece{labels: r.labels}
	if r.input && len(r.edits) == 0 {
		p.same = true
	} else {
		p.start = len(w.scratch)
		w.scratch = r.appendTo(w.scratch)
		p.end = len(w.scratch)
	}
	w.emitted = append(w.emitted, p)
}

// finish turns what the processor did with in into an outcome.
func (w *run) finish(ctx context.Context, in *batch.Record, err error, space batch.Space, emit func(batch.Answer) error) error {
	defer w.reset()
	switch {
	case err != nil:
		w.fault(verdictOf(err))
		return nil
	case len(w.emitted) == 0:
		w.fault(&verdict{kind: dropped, message: "nothing emitted"})
		return nil
	case len(w.emitted) == 1 && w.emitted[0].same && slices.Equal(w.emitted[0].labels, in.Labels):
		w.answer.Outcomes = append(w.answer.Outcomes, batch.Outcome{})
		return nil
	}
	var room []byte
	if n := len(w.scratch); n > 0 {
		if room = space.Take(n); room == nil {
			switch err := w.grow(ctx, n, space, emit); {
			case errors.Is(err, batch.ErrTooLarge):
				w.fault(&verdict{kind: rejected, code: "too_large", message: err.Error()})
				return nil
			case err != nil:
				return err
			}
			room = space.Take(n)
		}
		copy(room, w.scratch)
	}
	out := make([]batch.Record, len(w.emitted))
	for i, p := range w.emitted {
		out[i] = *in
		out[i].Labels = p.labels
		if !p.same {
			out[i].Data = room[p.start:p.end:p.end]
		}
	}
	w.answer.Outcomes = append(w.answer.Outcomes, batch.Outcome{Verdict: batch.Emitted, Emitted: out})
	return nil
}

// maxScratch is how many bytes a worker keeps between records: one large record must not hold its size for good.
const maxScratch = 4 << 20

func (w *run) reset() {
	w.emitted, w.scratch, w.shown = w.emitted[:0], w.scratch[:0], nil
	if cap(w.scratch) > maxScratch {
		w.scratch = nil
	}
}

// grow answers what is ready, since more space may only come once that has moved on.
func (w *run) grow(ctx context.Context, n int, space batch.Space, emit func(batch.Answer) error) error {
	late := batch.Answer{Outcomes: make([]batch.Outcome, 0, cap(w.answer.Outcomes)-len(w.answer.Outcomes))}
	// Side rows and counts of the record at hand go with its outcome.
	for len(w.answer.Sides) > 0 && w.answer.Sides[len(w.answer.Sides)-1].Index == w.index {
		last := len(w.answer.Sides) - 1
		late.Sides = slices.Insert(late.Sides, 0, w.answer.Sides[last])
		w.answer.Sides = w.answer.Sides[:last]
	}
	if err := emit(w.answer); err != nil {
		return err
	}
	w.answer = late
	return space.Grow(ctx, n)
}

var verdicts = [...]batch.Verdict{rejected: batch.Rejected, dropped: batch.Dropped, declined: batch.Declined}

func (w *run) fault(v *verdict) {
	f := &batch.Fault{Code: v.code, Path: v.path, Message: v.message}
	if v.kind == rejected {
		f.Record = w.shown
	}
	w.answer.Outcomes = append(w.answer.Outcomes, batch.Outcome{Verdict: verdicts[v.kind], Fault: f})
}

func (w *run) side(output string, json []byte) {
	w.answer.Sides = append(w.answer.Sides, batch.Side{Index: w.index, Output: output, JSON: slices.Clone(json)})
}

func (w *run) count(name string, n int64) {
	for i := range w.answer.Counts {
		if w.answer.Counts[i].Name == name {
			w.answer.Counts[i].N += n
			return
		}
	}
	w.answer.Counts = append(w.answer.Counts, batch.Count{Name: name, N: n})
}
