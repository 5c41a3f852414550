package launch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Crew is the workers of one running chain: those of a life, or workers in this process. What its first member asks
// for holds for all.
type Chain struct {
	*Step
	behind []*Step
	spare  []*Chain // for the members behind, if they cannot join

	// Farewell is what went wrong as a step on trial closed.
	CloseErr error
	Finishes bool // a batch without records asks the program for a last word, if the plugin is ordered

	fleet    *Fleet
	capacity int
	workers  int
	out      []*arena // one for each worker
	offered  []*arena // that records of this crew may lie in, its own last
	inline   bool     // the plugin does not map memory
	seats    []*seat

	mu      sync.Mutex
	life    *life // nil before the first and after the end of one
	lives   int
	cpu     time.Duration // of the processes that have ended
	exit    string        // of the last of them
	printed int64         // lines on stdout of all of them
}

// begin starts the crew for the first time.
func (s *Chain) begin(ctx context.Context) error {
	for n := range s.workers {
		s.seats = append(s.seats, &seat{step: s, n: n})
	}
	if !s.opts.InProcess {
		if _, err := s.alive(ctx); err != nil || len(s.behind) > 0 {
			return err
		}
		for _, x := range s.spare {
			if err := x.begin(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.Location.verify(); err != nil {
		s.problem("", "%v", err)
		return nil
	}
	if s.tooManyWorkers() {
		return nil
	}
	s.Finishes = true
	for _, x := range s.seats {
		if bad := x.open(); len(bad) > 0 {
			s.refuse(bad)
			return nil
		}
	}
	return nil
}

func (s *Chain) tooManyWorkers() bool {
	if s.Info.Ordered && s.Workers > 1 {
		s.problems = append(s.problems, Problem{Host: true, Attr: "workers", Message: fmt.Sprintf("want 1 worker, since plugin %s keeps state from record to record, have %d", s.Plugin, s.Workers)})
		return true
	}
	return false
}

// alive gives the life that there is, or begins the next.
func (s *Chain) alive(ctx context.Context) (*life, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life != nil {
		return s.life, nil
	}
	if s.lives > 0 && (!s.Restart || s.Info.Ordered) {
		return nil, s.onlyLife()
	}
	s.lives++
	began := time.Now()
	l, err := s.startLife(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range s.members() {
		if len(m.problems) == 0 {
			continue
		}
		l.end(errors.New("it has problems"))
		if s.lives > 1 {
			return nil, fmt.Errorf("want plugin %s as it was, have another life of it: %s", m.Plugin, m.problems[0].Message)
		}
		return nil, nil
	}
	s.life = l
	s.tellStarted(began)
	return l, nil
}

func (s *Chain) tellStarted(began time.Time) {
	if s.opts.OnStart == nil {
		return
	}
	x := StartSpan{Process: s.lives, Began: began, Ready: time.Now()}
	for _, m := range s.members() {
		x.Steps = append(x.Steps, m.Name)
	}
	s.opts.OnStart(x)
}

// onlyLife says why there is no further life.
func (s *Chain) onlyLife() error {
	if s.Info.Ordered {
		return fmt.Errorf("want one life of plugin %s, which keeps state from record to record, have a second", s.Plugin)
	}
	return fmt.Errorf("want one life of plugin %s, since a crash of it fails the run, have a second", s.Plugin)
}

// bury ends a life, and makes sure that nobody is given it again.
func (s *Chain) bury(l *life, cause error) {
	l.end(cause)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == l {
		s.life = nil
		s.cpu += l.cpu()
		s.exit = l.exit()
		s.printed += l.said.printed.Load()
	}
}

// Stages are the step's workers.
func (s *Chain) Stages() []flow.Stage {
	stages := make([]flow.Stage, len(s.seats))
	for i, x := range s.seats {
		stages[i] = x
	}
	return stages
}

// A seat is one worker of a step, whatever happens to the process.
type seat struct {
	step  *Chain
	n     int
	local *local                // in this process; nil when it is gone or elsewhere
	here  atomic.Pointer[local] // the same, for who looks on
}

var _ flow.Stage = (*seat)(nil)

// Process implements flow.Stage. A worker that gave what is unfit, which ends its trust, gets what is not answered again.
func (x *seat) Process(ctx context.Context, in []wire.Record, out flow.Receiver) error {
	w := &watched{Receiver: out}
	for {
		from := w.answered
		err := x.try(ctx, in[from:], w)
		if err == wire.ErrUnfit {
			continue
		}
		if crash, ok := errors.AsType[*flow.Crash](err); ok && !w.refused && crash.At >= 0 {
			crash.At += from
		}
		return err
	}
}

// try sends records through the worker that there is now.
func (x *seat) try(ctx context.Context, in []wire.Record, w *watched) error {
	if x.step.opts.InProcess {
		return x.processHere(ctx, in, w)
	}
	w.Waiting(true) // for another life, maybe, which has limits of its own
	l, err := x.step.alive(ctx)
	w.Waiting(false)
	if err != nil {
		return err
	}
	err = l.workers[x.n].Process(ctx, in, w)
	if err == nil || err == wire.ErrUnfit || w.refused {
		return err
	}
	err = l.why(ctx, err, x.step.spot(x.n, len(in)))
	x.step.bury(l, err)
	return err
}

// A watched receiver tells how many records were answered, and whether an error came from the receiver.
type watched struct {
	flow.Receiver
	answered int
	refused  bool
}

func (w *watched) Answer(a wire.Answer) error {
	w.answered += len(a.Outcomes)
	err := w.Receiver.Answer(a)
	w.refused = err != nil
	return err
}

// limit bounds a call that the plugin's author has to answer for.
func (s *Chain) limit(ctx context.Context, what string) (context.Context, context.CancelFunc) {
	if s.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return within(ctx, s.Timeout, fmt.Errorf("want %s within %v, have none", what, s.Timeout))
}

// within cancels a context after a while. It sets no deadline, since gRPC would hold the plugin to it too, and whoever
// noticed first would decide what is said.
func within(ctx context.Context, d time.Duration, late error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(d, func() { cancel(late) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// close closes the processors, then the process.
func (s *Chain) close(ctx context.Context) error {
	if !s.opts.Idle { // no record came, so it says nothing of the plugin how soon they close
		var stop context.CancelFunc
		ctx, stop = s.limit(ctx, "its processors closed")
		defer stop()
	}
	var err error
	var of *wire.StepError
	if s.opts.InProcess {
		err = s.closeHere(ctx)
	} else if l := s.living(); l != nil {
		err = s.closeLife(ctx, l)
	}
	switch {
	case err == nil:
		return nil
	case s.Candidate:
		s.CloseErr = err
		return nil
	case errors.As(err, &of):
		return fmt.Errorf("step %s: %w", s.members()[of.Step].Name, err)
	}
	return fmt.Errorf("step %s: %w", s.Name, err)
}

func (s *Chain) living() *life {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.life
}

func (s *Chain) closeLife(ctx context.Context, l *life) error {
	var g errgroup.Group
	for _, w := range l.workers {
		g.Go(func() error { return w.Close(ctx) })
	}
	err := g.Wait()
	if err != nil {
		at := s.closing()
		if err = l.why(ctx, err, at); isCrash(err) {
			err = &wire.StepError{Step: at.Step, Err: fmt.Errorf("%w while it closed", err)}
		}
		s.bury(l, err)
		return err
	}
	l.leave()
	s.bury(l, nil)
	return nil
}

func (s *Chain) abort() {
	if l := s.living(); l != nil {
		s.bury(l, errors.New("the run is over"))
	}
}

// CPU is what the step's processes used, once it has been closed; 0 in process.
func (s *Chain) CPU() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cpu
}

// Usage is what the step's processes have used of the processors so far, and how much memory the present one has for
// itself, in bytes; 0 in process, and where it is not known.
func (s *Chain) Usage() (cpu time.Duration, memory int64) {
	s.mu.Lock()
	l, cpu := s.life, s.cpu
	s.mu.Unlock()
	if l == nil || l.process == nil || l.process.cmd.Process == nil {
		return cpu, 0
	}
	now, memory := usage(l.process.cmd.Process.Pid)
	return cpu + now, memory
}

// Restarts is how many lives the step's process has had after the first.
func (s *Chain) Restarts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.lives-1, 0)
}

// Exit tells how the last process of the step ended, as in "exit status 0", once it has been closed; "" in process.
func (s *Chain) Exit() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exit
}

// Printed is how many lines the step's processes wrote to stdout behind the handshake, once it has been closed.
func (s *Chain) StdoutLines() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printed
}

func isCrash(err error) bool {
	_, ok := errors.AsType[*flow.Crash](err)
	return ok
}
