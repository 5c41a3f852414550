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
type local struct {
	worker wire.Worker
	crew   *Chain
	arena  *wire.Arena   // new records lie here
	note   atomic.Uint64 // what is at hand
	checks bool          // it is not trusted any more
}

// at is what the worker has at hand.
func (l *local) at() wire.Spot { return wire.SpotOf(l.note.Load()) }

// open makes the seat's worker in this process.
func (x *seat) open() []wire.ArgError {
	s := x.step
	w, bad := s.opts.BuiltIns.Open(wire.OpenRequest{
		Plugin: s.Location.Name, Args: s.Args, Behind: s.steps(), Worker: x.n, Depth: s.opts.Depth, Poison: s.opts.Poison, Trust: true, Trace: s.opts.Trace,
	})
	if len(bad) > 0 {
		return bad
	}
	x.local = &local{worker: w, crew: s, arena: s.out[x.n].Arena}
	x.here.Store(x.local)
	return nil
}

// processHere sends a batch through the seat's worker in this process. One that does not return when ctx has ended is left to
// itself: nothing can end a goroutine.
func (x *seat) processHere(ctx context.Context, in []wire.Record, out flow.Receiver) error {
	if x.local == nil {
		if s := x.step; !s.Restart || s.Info.Ordered {
			return s.onlyLife()
		}
		if bad := x.open(); len(bad) > 0 {
			return fmt.Errorf("want plugin %s opened again as before, have %s", x.step.Plugin, bad[0].Message)
		}
	}
	l := x.local
	call := &localCall{local: l, ctx: ctx, out: out, door: wire.Door{
		In: in, Depth: l.crew.opts.Depth, Name: l.crew.Location.Name, Behind: l.crew.steps(), Trust: !l.checks,
	}}
	done := make(chan error, 1)
	go func() { done <- call.run(in) }()
	select {
	case err := <-done:
		if isCrash(err) || call.broken {
			x.local = nil
		}
		return err
	case <-ctx.Done():
	}
	call.abandon()
	x.local = nil
	select {
	case <-done:
		call.door.End()
	case <-time.After(patience):
		x.step.fleet.abandoned.Store(true)
	}
	cause := context.Cause(ctx)
	if late, ok := errors.AsType[*flow.Crash](cause); ok {
		return crash(late.How, l.at())
	}
	return cause
}

// patience is how long a worker in this process may take to see that its call is over.
const patience = time.Second

func (s *Chain) closeHere(ctx context.Context) error {
	var g errgroup.Group
	for _, x := range s.seats {
		if x.local == nil {
			continue
		}
		l := x.local
		x.local = nil
		g.Go(func() error {
			closed := make(chan error, 1)
			go func() { closed <- l.worker.Close() }()
			select {
			case err := <-closed:
				return err
			case <-ctx.Done():
				s.fleet.abandoned.Store(true)
				return context.Cause(ctx)
			}
		})
	}
	return g.Wait()
}
