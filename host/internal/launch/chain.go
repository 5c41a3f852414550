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
	rest     []*Step
	fallback []*Chain // for the members behind, if they cannot join

	// Farewell is what went wrong as a step on trial closed.
	CloseErr error
	Finishes bool // a batch without records asks the program for a last word, if the plugin is ordered

	fleet       *Fleet
	capacity    int
	workerCount int
	out         []*arena // one for each worker
	offered     []*arena // that records of this crew may lie in, its own last
	inline      bool     // the plugin does not map memory
	workers     []*worker

	mu          sync.Mutex
	process     *process // nil before the first and after the end of one
	started     int
	cpu         time.Duration // of the processes that have ended
	exitStatus  string        // of the last of them
	stdoutLines int64         // lines on stdout of all of them
}

// begin starts the crew for the first time.
func (c *Chain) start(ctx context.Context) error {
	for n := range c.workerCount {
		c.workers = append(c.workers, &worker{chain: c, n: n})
	}
	if !c.opts.InProcess {
		if _, err := c.ensureProcess(ctx); err != nil || len(c.rest) > 0 {
			return err
		}
		for _, x := range c.fallback {
			if err := x.start(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	if err := c.Location.verify(); err != nil {
		c.problem("", "%v", err)
		return nil
	}
	if c.tooManyWorkers() {
		return nil
	}
	c.Finishes = true
	for _, x := range c.workers {
		if bad := x.openLocal(); len(bad) > 0 {
			c.addArgErrors(bad)
			return nil
		}
	}
	return nil
}

func (c *Chain) tooManyWorkers() bool {
	if c.Info.Ordered && c.Workers > 1 {
		c.problems = append(c.problems, Problem{Host: true, Attr: "workers", Message: fmt.Sprintf("want 1 worker, since plugin %s keeps state from record to record, have %d", c.Plugin, c.Workers)})
		return true
	}
	return false
}

// alive gives the life that there is, or begins the next.
func (c *Chain) ensureProcess(ctx context.Context) (*process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process != nil {
		return c.process, nil
	}
	if c.started > 0 && (!c.Restart || c.Info.Ordered) {
		return nil, c.noRestartError()
	}
	c.started++
	began := time.Now()
	p, err := c.startProcess(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range c.steps() {
		if len(m.problems) == 0 {
			continue
		}
		p.stop(errors.New("it has problems"))
		if c.started > 1 {
			return nil, fmt.Errorf("want plugin %s as it was, have another life of it: %s", m.Plugin, m.problems[0].Message)
		}
		return nil, nil
	}
	c.process = p
	c.reportStart(began)
	return p, nil
}

func (c *Chain) reportStart(began time.Time) {
	if c.opts.OnStart == nil {
		return
	}
	x := StartSpan{Process: c.started, Began: began, Ready: time.Now()}
	for _, m := range c.steps() {
		x.Steps = append(x.Steps, m.Name)
	}
	c.opts.OnStart(x)
}

// onlyLife says why there is no further life.
func (c *Chain) noRestartError() error {
	if c.Info.Ordered {
		return fmt.Errorf("want one life of plugin %s, which keeps state from record to record, have a second", c.Plugin)
	}
	return fmt.Errorf("want one life of plugin %s, since a crash of it fails the run, have a second", c.Plugin)
}

// bury ends a life, and makes sure that nobody is given it again.
func (c *Chain) reap(p *process, cause error) {
	p.stop(cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == p {
		c.process = nil
		c.cpu += p.cpu()
		c.exitStatus = p.exitStatus()
		c.stdoutLines += p.log.printed.Load()
	}
}

// Stages are the step's workers.
func (c *Chain) Stages() []flow.Stage {
	stages := make([]flow.Stage, len(c.workers))
	for i, x := range c.workers {
		stages[i] = x
	}
	return stages
}

// A seat is one worker of a step, whatever happens to the process.
type worker struct {
	chain   *Chain
	n       int
	local   *localWorker                // in this process; nil when it is gone or elsewhere
	current atomic.Pointer[localWorker] // the same, for who looks on
}

var _ flow.Stage = (*worker)(nil)

// Process implements flow.Stage. A worker that gave what is unfit, which ends its trust, gets what is not answered again.
func (w *worker) Process(ctx context.Context, in []wire.Record, out flow.Receiver) error {
	answers := &countingReceiver{Receiver: out}
	for {
		from := answers.answered
		err := w.processOnce(ctx, in[from:], answers)
		if err == wire.ErrUnfit {
			continue
		}
		if crash, ok := errors.AsType[*flow.Crash](err); ok && !answers.refused && crash.At >= 0 {
			crash.At += from
		}
		return err
	}
}

// try sends records through the worker that there is now.
func (w *worker) processOnce(ctx context.Context, in []wire.Record, answers *countingReceiver) error {
	if w.chain.opts.InProcess {
		return w.processLocal(ctx, in, answers)
	}
	answers.Waiting(true) // for another life, maybe, which has limits of its own
	p, err := w.chain.ensureProcess(ctx)
	answers.Waiting(false)
	if err != nil {
		return err
	}
	err = p.workers[w.n].Process(ctx, in, answers)
	if err == nil || err == wire.ErrUnfit || answers.refused {
		return err
	}
	err = p.callError(ctx, err, w.chain.spot(w.n, len(in)))
	w.chain.reap(p, err)
	return err
}

// A watched receiver tells how many records were answered, and whether an error came from the receiver.
type countingReceiver struct {
	flow.Receiver
	answered int
	refused  bool
}

func (w *countingReceiver) Answer(a wire.Answer) error {
	w.answered += len(a.Outcomes)
	err := w.Receiver.Answer(a)
	w.refused = err != nil
	return err
}

// limit bounds a call that the plugin's author has to answer for.
func (c *Chain) limit(ctx context.Context, what string) (context.Context, context.CancelFunc) {
	if c.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return withTimeout(ctx, c.Timeout, fmt.Errorf("want %s within %v, have none", what, c.Timeout))
}

// within cancels a context after a while. It sets no deadline, since gRPC would hold the plugin to it too, and whoever
// noticed first would decide what is said.
func withTimeout(ctx context.Context, d time.Duration, late error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(d, func() { cancel(late) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// close closes the processors, then the process.
func (c *Chain) close(ctx context.Context) error {
	if !c.opts.Idle { // no record came, so it says nothing of the plugin how soon they close
		var stop context.CancelFunc
		ctx, stop = c.limit(ctx, "its processors closed")
		defer stop()
	}
	var err error
	var of *wire.StepError
	if c.opts.InProcess {
		err = c.closeLocal(ctx)
	} else if p := c.current(); p != nil {
		err = c.closeProcess(ctx, p)
	}
	switch {
	case err == nil:
		return nil
	case c.Candidate:
		c.CloseErr = err
		return nil
	case errors.As(err, &of):
		return fmt.Errorf("step %s: %w", c.steps()[of.Step].Name, err)
	}
	return fmt.Errorf("step %s: %w", c.Name, err)
}

func (c *Chain) current() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.process
}

func (c *Chain) closeProcess(ctx context.Context, p *process) error {
	var g errgroup.Group
	for _, w := range p.workers {
		g.Go(func() error { return w.Close(ctx) })
	}
	err := g.Wait()
	if err != nil {
		at := c.closingSpot()
		if err = p.callError(ctx, err, at); isCrash(err) {
			err = &wire.StepError{Step: at.Step, Err: fmt.Errorf("%w while it closed", err)}
		}
		c.reap(p, err)
		return err
	}
	p.requestExit()
	c.reap(p, nil)
	return nil
}

func (c *Chain) abort() {
	if p := c.current(); p != nil {
		c.reap(p, errors.New("the run is over"))
	}
}

// CPU is what the step's processes used, once it has been closed; 0 in process.
func (c *Chain) CPU() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cpu
}

// Usage is what the step's processes have used of the processors so far, and how much memory the present one has for
// itself, in bytes; 0 in process, and where it is not known.
func (c *Chain) Usage() (cpu time.Duration, memory int64) {
	c.mu.Lock()
	p, cpu := c.process, c.cpu
	c.mu.Unlock()
	if p == nil || p.runner == nil || p.runner.cmd.Process == nil {
		return cpu, 0
	}
	now, memory := usage(p.runner.cmd.Process.Pid)
	return cpu + now, memory
}

// Restarts is how many lives the step's process has had after the first.
func (c *Chain) Restarts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(c.started-1, 0)
}

// Exit tells how the last process of the step ended, as in "exit status 0", once it has been closed; "" in process.
func (c *Chain) Exit() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exitStatus
}

// Printed is how many lines the step's processes wrote to stdout behind the handshake, once it has been closed.
func (c *Chain) StdoutLines() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stdoutLines
}

func isCrash(err error) bool {
	_, ok := errors.AsType[*flow.Crash](err)
	return ok
}
