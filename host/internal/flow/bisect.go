package flow

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Codes of rejects that the engine makes.
const (
	CrashCode    = wire.CrashCode // the record crashed the plugin
	DeclinedCode = "declined"     // every step that got the record declined it
	NoRouteCode  = "no_route"     // the record matches no case of a route
)

// A bisector finds the record that crashes a worker, so that only this one is rejected. All workers of a step share it:
// they may be goroutines of one process, and then the crash of one is the crash of all. Hence
//
//   - only the worker with the oldest batch bisects, and no other begins a call meanwhile. The oldest waits for none of
//     the others, so this cannot deadlock;
//   - a record is blamed when it crashes the worker again, alone, and nothing else can have caused that. So a process that
//     someone else kills costs no record.
type bisector struct {
	restarts int // so many crashes may come

	mu         sync.Mutex
	calls      int           // under way
	paused     chan struct{} // closed when the bisection under way is over; nil when there is none
	generation int           // goes up with each crash: so many have come
	lost       map[int]*loss // by step of the chain
}

// A loss counts the records that crashed one step, and has the first of them.
type loss struct {
	records int
	first   []receipt.Position
}

// shownLost is how many lost records an error names for each step.
const shownLost = 3

// A restartsError reports more crashes than a step may have.
type restartsError struct {
	most int
	last *Crash
	lost map[int]*loss
}

func (e *restartsError) Error() string { return e.last.Error() }

// A bisectedStage rejects the records that crash its stage. oldest is closed when the batch is the oldest of the step.
type bisectedStage struct {
	Stage
	*bisector
	oldest <-chan struct{}
	onLoss func(step int) // is called for each record that has crashed a step of the chain; may be nil
}

func (s bisectedStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	b := &bisection{bisector: s.bisector, stage: s.Stage, in: in, out: out, onLoss: s.onLoss}
	if err := b.begin(ctx, out); err != nil {
		return err
	}
	answered, crash, err := b.try(ctx, 0, len(in))
	b.end()
	if crash == nil || err != nil {
		return err
	}
	out.Waiting(true)
	err = waitFor(ctx, s.oldest)
	out.Waiting(false)
	if err != nil {
		return err
	}
	b.doubts = b.pause()
	defer b.resume()
	return b.narrow(ctx, 0, answered, len(in), crash)
}

// begin counts a call, once no bisection is under way.
func (b *bisector) begin(ctx context.Context, out Receiver) error {
	for {
		b.mu.Lock()
		paused := b.paused
		if paused == nil {
			b.calls++
		}
		b.mu.Unlock()
		if paused == nil {
			return nil
		}
		out.Waiting(true)
		err := waitFor(ctx, paused)
		out.Waiting(false)
		if err != nil {
			return err
		}
	}
}

func (b *bisector) end() {
	b.mu.Lock()
	b.calls--
	b.mu.Unlock()
}

// pause keeps other workers from beginning a call. It returns how many crashes of this bisection no record is blamed for: the
// one that led to it, which may be another worker's or come from outside, and the next if another worker's call is under way.
// By then that call has ended, or runs in a process that the bisection does not use.
func (b *bisector) pause() (doubts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.paused = make(chan struct{})
	if b.calls == 0 {
		return 1
	}
	return 2
}

func (b *bisector) resume() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.paused)
	b.paused = nil
}

// countCrash counts a crash of a call that began in a generation, and reports whether the process may be started again.
// Workers that crash together count once.
func (b *bisector) countCrash(generation int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if generation == b.generation {
		b.generation++
	}
	return b.generation <= b.restarts
}

// lose notes that a record has crashed a step and is rejected.
func (b *bisector) lose(r *wire.Record, step int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost == nil {
		b.lost = map[int]*loss{}
	}
	if b.lost[step] == nil {
		b.lost[step] = &loss{}
	}
	l := b.lost[step]
	if l.records++; len(l.first) < shownLost {
		l.first = append(l.first, positionOf(r))
	}
}

// exceeded returns the error of one crash too many.
func (b *bisector) exceeded(last *Crash) *restartsError {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := &restartsError{most: b.restarts, last: last, lost: map[int]*loss{}}
	for step, l := range b.lost {
		e.lost[step] = &loss{l.records, slices.Clone(l.first)}
	}
	return e
}

func (b *bisector) currentGeneration() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.generation
}

// A bisection is the search for the crashing records of one batch.
type bisection struct {
	*bisector
	stage  Stage
	in     []wire.Record
	out    Receiver
	onLoss func(step int)
	doubts int // so many of the next crashes may have another cause than the records
}

// try sends in[from:to] through the stage. It returns the first record without an answer, and the crash if there was one.
func (b *bisection) try(ctx context.Context, from, to int) (int, *Crash, error) {
	generation := b.currentGeneration()
	n, refused, err := callStage(ctx, b.stage, b.in[from:to], &partReceiver{b.out, to == len(b.in)})
	if err == nil || refused || ctx.Err() != nil {
		return from + n, nil, err
	}
	crash, ok := errors.AsType[*Crash](err)
	if !ok {
		return from + n, nil, err
	}
	if !b.countCrash(generation) {
		return from + n, nil, b.exceeded(crash)
	}
	return from + n, crash, nil
}

// process sends in[from:to] through the stage, without the records that crash it.
func (b *bisection) process(ctx context.Context, from, to int) error {
	at, crash, err := b.try(ctx, from, to)
	if err != nil || crash == nil {
		return err
	}
	return b.narrow(ctx, from, at, to, crash)
}

// narrow answers in[at:to] after a try of in[from:to] crashed: it tries the records before the suspect, the suspect
// alone, and the rest, or else two halves.
func (b *bisection) narrow(ctx context.Context, from, at, to int, crash *Crash) error {
	doubt := b.doubts > 0 || crash.Doubtful
	b.doubts = max(b.doubts-1, 0)
	cuts := []int{at, at + (to-at+1)/2, to}
	switch suspect := from + crash.At; {
	case at == to:
		return nil
	case to-from == 1 && !doubt && crash.Step > 0 && !crash.Breach:
		b.blame(from, crash.Step)
		return b.withoutCrashing(ctx, from, crash)
	case to-from == 1 && !doubt:
		b.blame(from, 0)
		return b.out.Answer(wire.Answer{Last: to == len(b.in), Outcomes: []wire.Outcome{{
			Verdict: wire.Rejected, Fault: &wire.Fault{Code: CrashCode, Message: crash.Error()},
		}}})
	case crash.At >= 0 && suspect >= at && suspect < to:
		cuts = []int{at, suspect, suspect + 1, to}
	}
	for i := range len(cuts) - 1 {
		if cuts[i] == cuts[i+1] {
			continue
		}
		if err := b.process(ctx, cuts[i], cuts[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// blame notes that record i has crashed a step of the chain.
func (b *bisection) blame(i, step int) {
	if b.lose(&b.in[i], step); b.onLoss != nil {
		b.onLoss(step)
	}
}

// withoutCrashing sends record i again and has the crashing step of the chain reject it, in the form in which it reached
// that step.
func (b *bisection) withoutCrashing(ctx context.Context, i int, crash *Crash) error {
	b.in = slices.Clone(b.in)
	lethal := &b.in[i].Lethal
	*lethal = append(*lethal, wire.Lethal{Step: crash.Step, Nth: crash.Nth, Message: crash.Error()})
	return b.process(ctx, i, i+1)
}

// A partReceiver makes answers about a part of a batch into answers about the batch.
type partReceiver struct {
	Receiver
	last bool // the part is the batch's last
}

func (p *partReceiver) Answer(a wire.Answer) error {
	a.Last = a.Last && p.last
	for i := range a.Out {
		a.Out[i].Lethal = nil // it names steps of this chain
	}
	return p.Receiver.Answer(a)
}
