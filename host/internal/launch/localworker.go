package launch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

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
func (w *worker) openLocal() []wire.ArgError {
	c := w.chain
	opened, bad := c.opts.BuiltIns.Open(wire.OpenRequest{
		Plugin: c.Location.Name, Args: c.Args, Behind: c.wireSteps(), Worker: w.n, Depth: c.opts.Depth, Poison: c.opts.Poison, Trust: true, Trace: c.opts.Trace,
	})
	if len(bad) > 0 {
		return bad
	}
	w.local = &localWorker{worker: opened, chain: c, arena: c.out[w.n].Arena}
	w.current.Store(w.local)
	return nil
}

// processLocal sends a batch through the worker in this process. One that does not return when ctx has ended is
// abandoned: nothing can end a goroutine.
func (w *worker) processLocal(ctx context.Context, in []wire.Record, out flow.Receiver) error {
	if w.local == nil {
		if c := w.chain; !c.Restart || c.Info.Ordered {
			return c.noRestartError()
		}
		if bad := w.openLocal(); len(bad) > 0 {
			return fmt.Errorf("want plugin %s to open again as before, have: %s", w.chain.Plugin, bad[0].Message)
		}
	}
	l := w.local
	call := &localCall{localWorker: l, ctx: ctx, out: out, validator: wire.Validator{
		In: in, Depth: l.chain.opts.Depth, Name: l.chain.Location.Name, Behind: l.chain.wireSteps(), Trust: !l.checks,
	}}
	done := make(chan error, 1)
	go func() { done <- call.run(in) }()
	select {
	case err := <-done:
		if isCrash(err) || call.broken {
			w.local = nil
		}
		return err
	case <-ctx.Done():
	}
	call.abandon()
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
			go func() { closed <- l.worker.Close() }()
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
