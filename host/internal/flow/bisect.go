package flow

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/sluicehq/sluice/sdk/wire"
)

// maxCrashes is how often a step may end its plugin in a run that goes on.
const maxCrashes = 100

// Codes of what is rejected on the way, and not by a step.
const (
	CrashCode    = "crash"    // the record ended the plugin
	DeclinedCode = "declined" // no step of a first took it
	NoRouteCode  = "no_route" // no way of a route is for it
)

// A search finds the record over which a worker ended, rejects that one and lets the others go on. All workers of a
// step share it: they may be goroutines of one process, and then the crash of one is the crash of all. Hence
//
//   - only the worker with the oldest flight searches, and no other begins a call meanwhile. The oldest waits for
//     nobody, so this cannot deadlock;
//   - a record is guilty when it ends the worker alone and no other worker can have done it.
type bisector struct {
	workers int

	mu         sync.Mutex
	calls      int           // under way
	paused     chan struct{} // closed when a search is over; nil when there is none
	generation int           // goes up with each crash
	crashes    map[int]int   // by step of the chain
}

// A spent error says that there were too many crashes.
type crashLimitError struct{ last *Crash }

func (s *crashLimitError) Error() string { return s.last.Error() }

// process sends a batch through st. oldest is closed when the batch is the oldest that the step has at hand.
func (s *bisector) process(ctx context.Context, st Stage, oldest <-chan struct{}, in []wire.Record, out Receiver) error {
	h := &bisection{bisector: s, stage: st, in: in, out: out}
	if err := s.begin(ctx, out); err != nil {
		return err
	}
	answered, crash, err := h.try(ctx, 0, len(in))
	s.end()
	if crash == nil || err != nil {
		return err
	}
	out.Waiting(true)
	err = waitFor(ctx, oldest)
	out.Waiting(false)
	if err != nil {
		return err
	}
	h.doubts = s.pause()
	defer s.resume()
	return h.narrow(ctx, 0, answered, len(in), crash)
}

// enter begins a call, when no search is under way.
func (s *bisector) begin(ctx context.Context, out Receiver) error {
	for {
		s.mu.Lock()
		shut := s.paused
		if shut == nil {
			s.calls++
		}
		s.mu.Unlock()
		if shut == nil {
			return nil
		}
		out.Waiting(true)
		err := waitFor(ctx, shut)
		out.Waiting(false)
		if err != nil {
			return err
		}
	}
}

func (s *bisector) end() {
	s.mu.Lock()
	s.calls--
	s.mu.Unlock()
}

// close keeps other workers from beginning a call. It gives how many of the crashes of this search may be another
// worker's doing: the one that led to it, and the next if a call is under way. After that one, such a call has ended
// or runs in a process that nothing of this search runs in.
func (s *bisector) pause() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = make(chan struct{})
	switch {
	case s.workers == 1:
		return 0
	case s.calls == 0:
		return 1
	}
	return 2
}

func (s *bisector) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.paused)
	s.paused = nil
}

// crashed counts a crash of a call that began in a life, and tells whether the step may have more. Workers that end
// together count once.
func (s *bisector) countCrash(life, step int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if life == s.generation {
		s.generation++
		if s.crashes == nil {
			s.crashes = map[int]int{}
		}
		s.crashes[step]++
	}
	return s.crashes[step] <= maxCrashes
}

func (s *bisector) currentGeneration() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.generation
}

func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-done:
		return nil
	}
}

// A hunt is the search in one batch.
type bisection struct {
	*bisector
	stage  Stage
	in     []wire.Record
	out    Receiver
	doubts int // so many of the next crashes may be another worker's doing
}

// try sends in[from:to] through the stage. It gives the first record that is not answered, and the crash if there was one.
func (h *bisection) try(ctx context.Context, from, to int) (int, *Crash, error) {
	life := h.currentGeneration()
	n, refused, err := callStage(ctx, h.stage, h.in[from:to], &piecewise{h.out, to == len(h.in)})
	if err == nil || refused || ctx.Err() != nil {
		return from + n, nil, err
	}
	crash, ok := errors.AsType[*Crash](err)
	if !ok {
		return from + n, nil, err
	}
	if !h.countCrash(life, crash.Step) {
		return from + n, nil, &crashLimitError{crash}
	}
	return from + n, crash, nil
}

// pass sends in[from:to] through the stage, without the records that end it.
func (h *bisection) process(ctx context.Context, from, to int) error {
	at, crash, err := h.try(ctx, from, to)
	if err != nil || crash == nil {
		return err
	}
	return h.narrow(ctx, from, at, to, crash)
}

// narrow answers in[at:to] after a try of in[from:to] ended in a crash: the record that was at hand by itself, behind
// what stands before it, or else in halves.
func (h *bisection) narrow(ctx context.Context, from, at, to int, crash *Crash) error {
	doubt := h.doubts > 0
	if doubt {
		h.doubts--
	}
	cuts := []int{at, at + (to-at+1)/2, to}
	switch suspect := from + crash.At; {
	case at == to:
		return nil
	case to-from == 1 && !doubt && crash.Step > 0:
		return h.withoutCrashing(ctx, from, crash)
	case to-from == 1 && !doubt:
		return h.out.Answer(wire.Answer{Last: to == len(h.in), Outcomes: []wire.Outcome{{
			Verdict: wire.Rejected, Fault: &wire.Fault{Code: CrashCode, Message: crash.Error()},
		}}})
	case crash.At >= 0 && suspect >= at && suspect < to:
		cuts = []int{at, suspect, suspect + 1, to}
	}
	for i := range len(cuts) - 1 {
		if cuts[i] == cuts[i+1] {
			continue
		}
		if err := h.process(ctx, cuts[i], cuts[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// without passes record i without what the crash was over. The step rejects that itself, as it reached it.
func (h *bisection) withoutCrashing(ctx context.Context, i int, crash *Crash) error {
	h.in = slices.Clone(h.in)
	lethal := &h.in[i].Lethal
	*lethal = append(*lethal, wire.Lethal{Step: crash.Step, Nth: crash.Nth, Message: crash.Error()})
	return h.process(ctx, i, i+1)
}

// piecewise makes answers about a part of a batch into answers about the batch.
type piecewise struct {
	Receiver
	ends bool // the part is the batch's last
}

func (p *piecewise) Answer(a wire.Answer) error {
	a.Last = a.Last && p.ends
	for i := range a.Out {
		a.Out[i].Lethal = nil // it speaks of this chain
	}
	return p.Receiver.Answer(a)
}
