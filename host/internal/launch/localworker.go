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

// A local is a worker in this process: one processor of each step, from its opening to its end.
type localWorker struct {
	worker wire.Worker
	chain  *Chain
	arena  *wire.Arena   // new records lie here
	note   atomic.Uint64 // what is at hand
	checks bool          // it is not trusted any more
}

// at is what the worker has at hand.
func (w *localWorker) at() wire.Spot { return wire.SpotOf(w.note.Load()) }

// open makes the seat's worker in this process.
func (w *worker) openLocal() []wire.ArgError {
	s := w.chain
	opened, bad := s.opts.BuiltIns.Open(wire.OpenRequest{
		Plugin: s.Location.Name, Args: s.Args, Behind: s.wireSteps(), Worker: w.n, Depth: s.opts.Depth, Poison: s.opts.Poison, Trust: true, Trace: s.opts.Trace,
	})
	if len(bad) > 0 {
		return bad
	}
	w.local = &localWorker{worker: opened, chain: s, arena: s.out[w.n].Arena}
	w.current.Store(w.local)
	return nil
}

// processHere sends a batch through the seat's worker in this process. One that does not return when ctx has ended is left to
// itself: nothing can end a goroutine.
func (w *worker) processLocal(ctx context.Context, in []wire.Record, out flow.Receiver) error {
	if w.local == nil {
		if s := w.chain; !s.Restart || s.Info.Ordered {
			return s.noRestartError()
		}
		if bad := w.openLocal(); len(bad) > 0 {
			return fmt.Errorf("want plugin %s opened again as before, have %s", w.chain.Plugin, bad[0].Message)
		}
	}
	p := w.local
	call := &localCall{localWorker: p, ctx: ctx, out: out, door: wire.Door{
		In: in, Depth: p.chain.opts.Depth, Name: p.chain.Location.Name, Behind: p.chain.wireSteps(), Trust: !p.checks,
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
		call.door.End()
	case <-time.After(localGrace):
		w.chain.fleet.abandoned.Store(true)
	}
	cause := context.Cause(ctx)
	if late, ok := errors.AsType[*flow.Crash](cause); ok {
		return crash(late.How, p.at())
	}
	return cause
}

// patience is how long a worker in this process may take to see that its call is over.
const localGrace = time.Second

func (c *Chain) closeLocal(ctx context.Context) error {
	var g errgroup.Group
	for _, x := range c.workers {
		if x.local == nil {
			continue
		}
		p := x.local
		x.local = nil
		g.Go(func() error {
			closed := make(chan error, 1)
			go func() { closed <- p.worker.Close() }()
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
