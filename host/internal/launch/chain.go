package launch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Chain is a running chain: the workers of its process, or workers in this process. The settings of its first step
// hold for all.
type Chain struct {
	*Step
	rest     []*Step  // the steps after the first
	fallback []*Chain // for those of them that need a process of their own if the program cannot run chains

	CloseErr error // of closing a candidate
	Finishes bool  // the program has Finish: an ordered plugin answers a batch without records with its summary

	fleet       *Fleet
	capacity    int
	workerCount int
	out         []*arena // one for each worker
	checked     []*arena // for each, what this process has checked of it and the plugin cannot change; nil for this program's own plugins
	offered     []*arena // all that may hold its records, its own last
	inline      bool     // the plugin does not map memory
	saves       bool     // the plugin can save its state
	workers     []*worker
	stacks      seenStacks

	starting sync.Mutex // held while a process starts, which may take long; who reports on the chain does not wait for it

	mu      sync.Mutex
	process *process // nil when none runs
	starts  int      // of processes; changed with starting held, so that whoever starts one reads it without mu
	lost    error    // why the last of them ended; nil: none has
	ended   ProcessTotals
}

// start starts the chain for the first time.
func (c *Chain) start(ctx context.Context) error {
	for n := range c.workerCount {
		c.workers = append(c.workers, &worker{chain: c, n: n})
	}
	if !c.opts.InProcess {
		if _, err := c.ensureProcess(ctx); err != nil || len(c.rest) > 0 {
			return err
		}
		for _, f := range c.fallback {
			if err := f.start(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	if err := c.Location.verify(); err != nil {
		return c.startProblem(err)
	}
	if c.tooManyWorkers() {
		return nil
	}
	c.Finishes = true
	for _, w := range c.workers {
		bad, err := w.openLocal()
		if err != nil {
			return c.startProblem(err)
		}
		if len(bad) > 0 {
			c.addArgErrors(bad)
			return nil
		}
	}
	if l, ok := c.workers[0].local.worker.(wire.Labeller); ok {
		c.setLabelValues(l.LabelValues())
	}
	c.saves = c.workers[0].local.saver() != nil
	return nil
}

func (c *Chain) tooManyWorkers() bool {
	if c.Info.Ordered && c.Asked > 1 {
		c.problems = append(c.problems, Problem{Host: true, Attr: "workers", Message: fmt.Sprintf("want 1 worker, since plugin %s keeps state from record to record, have %d", c.Plugin, c.Asked)})
		return true
	}
	return false
}

func (c *Chain) steps() []*Step { return append([]*Step{c.Step}, c.rest...) }

// wireSteps returns the steps after the first as the program knows them.
func (c *Chain) wireSteps() (steps []wire.Step) {
	for _, s := range c.rest {
		steps = append(steps, wire.Step{Plugin: s.Location.Name, Args: s.Args, Or: s.Or})
	}
	return steps
}

// title is what the log shows the output of the chain's process under.
func (c *Chain) title() string {
	if n := len(c.rest); n > 0 {
		return c.Name + " to " + c.rest[n-1].Name
	}
	return c.Name
}

// addArgErrors makes mistakes in the attributes of steps into their problems.
func (c *Chain) addArgErrors(bad []wire.ArgError) {
	steps := c.steps()
	for _, e := range bad {
		steps[min(max(e.Step, 0), len(steps)-1)].problem(e.Name, "%s", e.Message)
	}
}

// setLabelValues takes what the steps say when they open. A second process says the same.
func (c *Chain) setLabelValues(all []wire.LabelValues) {
	if c.starts > 1 { // others read it without a lock
		return
	}
	steps := c.steps()
	for _, v := range all {
		if v.Step < 0 || v.Step >= len(steps) {
			continue
		}
		s := steps[v.Step]
		if s.LabelValues == nil {
			s.LabelValues = map[string][]string{}
		}
		s.LabelValues[v.Label] = v.Values
	}
}

// split makes a chain of each later step, since the program cannot run them together.
func (c *Chain) split() {
	for i, s := range c.rest {
		s.Chain, s.Index = c.fallback[i], 0
	}
	c.rest = nil
}

// ensureProcess returns the process of the chain, and starts one when none runs. Of several workers that find none, one starts it.
func (c *Chain) ensureProcess(ctx context.Context) (*process, error) {
	if p := c.current(); p != nil {
		return p, nil
	}
	c.starting.Lock()
	defer c.starting.Unlock()
	if p := c.current(); p != nil { // another worker has started it
		return p, nil
	}
	if err := c.countStart(); err != nil {
		return nil, err
	}
	span := StartSpan{Process: c.starts, Began: time.Now()}
	p, err := c.startProcess(ctx)
	for try := 1; err != nil; try++ {
		killed, ok := errors.AsType[*killedError](err)
		if !ok {
			return nil, err
		}
		if try == startTries {
			return nil, fmt.Errorf("step %s: plugin %s (%s) was killed each of the %d times that it was started: %w", c.Name, c.Plugin, c.Location.Path, try, killed)
		}
		p, err = c.startProcess(ctx)
	}
	span.Ready = time.Now()
	for _, s := range c.steps() {
		if span.Steps = append(span.Steps, s.Name); len(s.problems) == 0 {
			continue
		}
		p.stop(errors.New("it has problems"))
		if c.starts > 1 {
			return nil, fmt.Errorf("want plugin %s to start again as before, have: %s", s.Plugin, s.problems[0].Message)
		}
		return nil, nil
	}
	c.mu.Lock()
	c.process = p
	c.mu.Unlock()
	if c.opts.OnStart != nil {
		c.opts.OnStart(span)
	}
	return p, nil
}

// countStart counts a start that is about to be, or says why there must be none.
func (c *Chain) countStart() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.starts > 0 && (!c.Restart || c.Info.Ordered) {
		return c.noRestartError()
	}
	c.starts++
	return nil
}

// startTries is how often a process is started that someone else kills before it serves, such as the system when memory is short.
const startTries = 3

// A killedError reports a process that a signal ended while it started.
type killedError struct{ error }

func (e *killedError) Unwrap() error { return e.error }

// noRestartError says why the plugin is not started again. It is what has ended the process, since the worker that had it may end the run
// later than the one that is told this. Which record of which batch it was at is known to the other alone.
func (c *Chain) noRestartError() error {
	if first, ok := errors.AsType[*flow.Crash](c.lost); ok {
		return &flow.Crash{How: first.How, At: -1, Step: first.Step, Others: first.Others, Breach: first.Breach}
	}
	if c.lost != nil {
		return c.lost
	}
	if c.Info.Ordered {
		return fmt.Errorf("want plugin %s started once, since it keeps state from record to record, have a second start", c.Plugin)
	}
	return fmt.Errorf("want plugin %s started once, since a crash of it fails the run, have a second start", c.Plugin)
}

// reap stops a process and adds up what it used. No worker gets it again.
func (c *Chain) reap(p *process, cause error) {
	p.stop(cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == p {
		c.process, c.lost = nil, cause
		c.ended.add(p)
	}
}

// abort ends the process of the chain, once it has started if it is about to.
func (c *Chain) abort(cause error) {
	c.starting.Lock()
	defer c.starting.Unlock()
	if p := c.current(); p != nil {
		c.reap(p, cause)
	}
}

// Stages returns the workers of the chain.
func (c *Chain) Stages() []flow.Stage {
	stages := make([]flow.Stage, len(c.workers))
	for i, w := range c.workers {
		stages[i] = w
	}
	return stages
}

// limit bounds a call by the timeout of the step.
func (c *Chain) limit(ctx context.Context, what string) (context.Context, context.CancelFunc) {
	if c.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return withTimeout(ctx, c.Timeout, fmt.Errorf("want %s within %v, have silence", what, c.Timeout))
}

// withTimeout cancels a context after d. It sets no deadline: gRPC would send that to the plugin, and the error would
// depend on who noticed first.
func withTimeout(ctx context.Context, d time.Duration, late error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(d, func() { cancel(late) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

func (c *Chain) current() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.process
}

// ProcessTotals sums up the processes of a chain that have ended. In process there are none.
type ProcessTotals struct {
	CPU         time.Duration
	Exit        string // how the last of them ended, as in "exit status 0"
	StdoutLines int64  // after the handshake
}

// Ended returns the totals of the processes that have ended: of all once the chain has been closed.
func (c *Chain) Ended() ProcessTotals {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// add adds a stopped process.
func (t *ProcessTotals) add(p *process) {
	t.Exit = ""
	t.StdoutLines += p.log.printed.Load()
	if p.runner != nil && p.runner.cmd.ProcessState != nil {
		state := p.runner.cmd.ProcessState
		t.CPU += state.UserTime() + state.SystemTime()
		t.Exit = state.String()
	}
}

// Usage returns the processor time of the chain's processes so far, and how many bytes of memory the present one has for
// itself; 0 in process, and where it is not known.
func (c *Chain) Usage() (cpu time.Duration, memory int64) {
	c.mu.Lock()
	p, cpu := c.process, c.ended.CPU
	c.mu.Unlock()
	if p == nil || p.runner == nil || p.runner.cmd.Process == nil {
		return cpu, 0
	}
	now, memory := usage(p.runner.cmd.Process.Pid)
	return cpu + now, memory
}

// Restarts returns how many processes the chain had after its first.
func (c *Chain) Restarts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(c.starts-1, 0)
}

func isCrash(err error) bool {
	_, ok := errors.AsType[*flow.Crash](err)
	return ok
}
