package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A worker is one worker of a chain, through all of its processes.
type worker struct {
	chain   *Chain
	n       int
	local   *localWorker                // in this process; nil when it is gone or elsewhere
	current atomic.Pointer[localWorker] // the last local, for other goroutines
}

// Process implements flow.Stage. A worker that emitted invalid JSON is no longer trusted, and gets again what it has not
// answered.
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

func (w *worker) processOnce(ctx context.Context, in []wire.Record, answers *countingReceiver) error {
	if w.chain.opts.InProcess {
		return w.processLocal(ctx, in, answers)
	}
	answers.Waiting(true) // a process may have to be started, which has limits of its own
	p, err := w.chain.ensureProcess(ctx)
	answers.Waiting(false)
	if err != nil {
		return err
	}
	used := p.used[w.n].Swap(true)
	err = p.workers[w.n].Process(ctx, in, answers)
	if err == nil || err == wire.ErrUnfit || answers.refused {
		return err
	}
	err = flow.OfRecord(p.callError(ctx, err, w.chain.spot(w.n, len(in))), in)
	w.chain.reap(p, err)
	if crash, ok := errors.AsType[*flow.Crash](err); ok {
		crash.Peak = p.runner.peak()
		crash.Doubtful = crash.Breach && used // it may be what is left of an earlier answer
	}
	return err
}

// A countingReceiver counts the records answered, and notes whether an error came from the receiver.
type countingReceiver struct {
	flow.Receiver
	answered int
	refused  bool
}

func (r *countingReceiver) Answer(a wire.Answer) error {
	r.answered += len(a.Outcomes)
	err := r.Receiver.Answer(a)
	r.refused = err != nil
	return err
}

// A localWorker is a worker in this process: one processor of each step, from opening to closing.
type localWorker struct {
	worker wire.Worker
	chain  *Chain
	arena  *wire.Arena   // for new records
	note   atomic.Uint64 // see wire.Spot
	checks bool          // it is no longer trusted
}

func (l *localWorker) spot() wire.Spot { return wire.SpotOf(l.note.Load()) }

// openLocal opens the worker in this process.
func (w *worker) openLocal() (bad []wire.ArgError, err error) {
	c := w.chain
	l := &localWorker{chain: c, arena: c.out[w.n].Arena}
	err = l.guard(func() error {
		l.worker, bad = c.opts.BuiltIns.Open(wire.OpenRequest{
			Plugin: c.Location.Name, Args: c.Args, Behind: c.wireSteps(), Worker: w.n, Depth: c.opts.Depth, Timeout: c.Timeout, Poison: c.opts.Poison, Trust: true, Trace: c.opts.Trace, Flush: true,
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("plugin %s (%s): %w", c.Plugin, c.Location.Path, err)
	}
	if len(bad) == 0 {
		w.local = l
		w.current.Store(l)
	}
	return bad, nil
}

// processLocal sends a batch through the worker in this process. One that does not return when ctx has ended is
// abandoned: nothing can end a goroutine.
func (w *worker) processLocal(ctx context.Context, in []wire.Record, out flow.Receiver) error {
	if w.local == nil {
		if c := w.chain; !c.Restart || c.Info.Ordered {
			return c.noRestartError()
		}
		bad, err := w.openLocal()
		if err != nil {
			return fmt.Errorf("step %s: %w", w.chain.Name, err)
		}
		if len(bad) > 0 {
			return fmt.Errorf("want plugin %s to open again as before, have: %s", w.chain.Plugin, bad[0].Message)
		}
	}
	l := w.local
	call := &localCall{localWorker: l, ctx: ctx, out: out, validator: wire.Validator{
		In: in, Depth: l.chain.opts.Depth, Capacity: l.arena.Cap(), Name: l.chain.Location.Name, Behind: l.chain.wireSteps(), Trust: !l.checks, Hide: l.chain.opts.Hide, HideNames: l.chain.hideNames(),
	}}
	done := make(chan error, 1)
	go func() { done <- call.run(in) }()
	select {
	case err := <-done:
		if end := breach(err); end != nil {
			err = end
		}
		if isCrash(err) || call.broken {
			w.local = nil
		}
		return flow.OfRecord(err, in)
	case <-ctx.Done():
	}
	call.mu.Lock() // once it is not using the host: from there it always returns
	call.abandoned = true
	call.mu.Unlock()
	w.local = nil
	select {
	case <-done:
		call.validator.End()
	case <-time.After(localGrace):
		w.chain.fleet.abandoned.Store(true)
	}
	cause := context.Cause(ctx)
	if late, ok := errors.AsType[*flow.Crash](cause); ok {
		return crash(late.How, l.spot())
	}
	return cause
}

// localGrace is how long a worker in this process may take to return after its call was cancelled.
const localGrace = time.Second

func (c *Chain) closeLocal(ctx context.Context) error {
	var g errgroup.Group
	for _, w := range c.workers {
		if w.local == nil {
			continue
		}
		l := w.local
		w.local = nil
		g.Go(func() error {
			closed := make(chan error, 1)
			go func() { closed <- l.close() }()
			select {
			case err := <-closed:
				return err
			case <-ctx.Done():
				c.fleet.abandoned.Store(true)
				return context.Cause(ctx)
			}
		})
	}
	return g.Wait()
}

// close closes the processors of the worker.
func (l *localWorker) close() error {
	err := l.guard(l.worker.Close)
	if isCrash(err) {
		return crashAtClose(err, l.spot())
	}
	return err
}

// A localCall is one batch in a worker of this process. It is the wire.Space that the worker writes to.
type localCall struct {
	*localWorker
	ctx       context.Context
	out       flow.Receiver
	validator wire.Validator
	mem       []byte // of the granted region
	used      int
	broken    bool // the worker cannot be used again

	mu        sync.Mutex // held while the worker uses the host: then it cannot be abandoned
	abandoned bool
}

// run answers the batch.
func (c *localCall) run(in []wire.Record) error {
	err := c.guard(func() error { return c.answer(in) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.abandoned {
		c.validator.End()
	}
	return err
}

func (c *localCall) answer(in []wire.Record) error {
	switch err := c.worker.Process(c.ctx, in, c, c.reply); {
	case err == wire.ErrUnfit:
		c.worker.Check()
		c.checks = true
		return err
	case err != nil:
		c.broken = true
		return err
	}
	c.note.Store(0)
	if n := c.validator.Answered(); n != len(in) {
		c.broken = true
		return &wire.Breach{Plugin: c.chain.Location.Name, Err: fmt.Errorf("want %d records answered, have %d", len(in), n)}
	}
	return nil
}

// enter begins a use of the host. On success c.mu is held.
func (c *localCall) enter() error {
	c.mu.Lock()
	if c.abandoned {
		c.mu.Unlock()
		return context.Cause(c.ctx)
	}
	return nil
}

func (c *localCall) reply(r *wire.Reply) error {
	if r.Empty() {
		return nil
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	a, err := c.validator.Admit(r)
	if err != nil || a.Empty() {
		return err
	}
	return c.out.Answer(a)
}

// The methods below implement wire.Space.

func (c *localCall) Take(n int) (uint64, []byte) {
	if n > len(c.mem)-c.used {
		return 0, nil
	}
	at := c.used
	c.used += n
	return uint64(at), c.mem[at : at+n : at+n]
}

func (c *localCall) Untake(n int) { c.used -= n }

func (c *localCall) Note(at wire.Spot) { c.note.Store(at.Note()) }

func (c *localCall) Limit() int { return c.arena.Cap() }

// localRegion is how many bytes a worker takes at a time.
const localRegion = 2 << 20

func (c *localCall) Grow(ctx context.Context, n int) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	c.validator.End()
	c.out.Waiting(true)
	defer c.out.Waiting(false)
	region, err := c.arena.Alloc(ctx, max(n, min(localRegion, c.arena.Budget())))
	if err != nil {
		return err
	}
	c.validator.Grant(region, 0)
	c.mem, c.used = region.Bytes(), 0
	return nil
}

// spot returns which record of a batch of n, and which step, a worker has noted. The record is -1 when it is not known.
func (c *Chain) spot(worker, n int) wire.Spot {
	a := c.out[worker]
	if !a.shared {
		return wire.Spot{Record: -1}
	}
	at := wire.SpotOf(binary.LittleEndian.Uint64(a.memory.Bytes[a.Cap():]))
	if at.Step > len(c.rest) {
		return wire.Spot{Record: -1}
	}
	if at.Record >= n {
		at.Record = -1
	}
	return at
}

// CurrentStep returns which step of the chain a worker is in.
func (c *Chain) CurrentStep(worker int) int {
	if !c.opts.InProcess {
		return c.spot(worker, 0).Step
	}
	if l := c.workers[worker].current.Load(); l != nil {
		return l.spot().Step
	}
	return 0
}

// crashedSteps returns the steps that workers were in when their process ended: one of them ended it. Without any note,
// and while the processors close, it may have been any step.
func (c *Chain) crashedSteps() (steps []int) {
	for n := range c.out {
		if at := c.spot(n, math.MaxInt); at.Record >= 0 && !slices.Contains(steps, at.Step) {
			steps = append(steps, at.Step)
		}
	}
	if steps == nil {
		for i := range c.steps() {
			steps = append(steps, i)
		}
	}
	return steps
}

// hideNames returns what hides secrets in codes and the names of counts, nil for a built-in plugin.
func (c *Chain) hideNames() func(string) string {
	if c.Location.BuiltIn {
		return nil
	}
	return c.opts.Hide
}

// private reports whether one of some steps shows nothing of records.
func (c *Chain) private(indexes []int) bool {
	steps := c.steps()
	return slices.ContainsFunc(indexes, func(i int) bool { return steps[i].Info.Private })
}

// closingSpot returns the spot of a process that ended while it closed: processors close in order.
func (c *Chain) closingSpot() wire.Spot {
	at := wire.Spot{Record: -1}
	for n := range c.out {
		at.Step = max(at.Step, c.spot(n, 0).Step)
	}
	return at
}

// breach returns an error as the crash of a plugin that broke the protocol, nil for any other error. No record is known to be at
// fault, since one message answers several.
func breach(err error) *flow.Crash {
	b, ok := errors.AsType[*wire.Breach](err)
	if !ok {
		return nil
	}
	c := &flow.Crash{How: b.Error(), At: -1, Breach: true}
	if s, ok := errors.AsType[*wire.StepError](err); ok {
		c.Step = s.Step
	}
	return c
}

// crash returns the crash of a process or of a local worker.
func crash(how string, at wire.Spot) *flow.Crash {
	return &flow.Crash{How: how, At: at.Record, Step: at.Step, Nth: at.Nth}
}
