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

// A local is a worker in this process: one processor, from its opening to its end.
type local struct {
	worker  wire.Worker
	name    string // of the plugin
	depth   int
	private bool         // as the plugin says of itself
	arena   *wire.Arena  // new records lie here
	note    atomic.Int64 // record at hand and 1
}

// open makes the seat's worker in this process.
func (x *seat) open() []wire.ArgError {
	s := x.step
	w, bad := s.opts.BuiltIns.Open(wire.OpenRequest{Plugin: s.Found.Calls, Args: s.Args, Worker: x.n, Poison: s.opts.Poison})
	if len(bad) > 0 {
		return bad
	}
	x.local = &local{worker: w, name: s.Found.Calls, depth: s.opts.Depth, private: s.Info.Private, arena: s.out[x.n].Arena}
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
	call := &localCall{local: l, ctx: ctx, out: out, door: wire.Door{In: in, Depth: l.depth, Name: l.name}}
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
	if crash, ok := errors.AsType[*flow.Crash](cause); ok {
		return &flow.Crash{How: crash.How, At: int(l.note.Load()) - 1}
	}
	return cause
}

// patience is how long a worker in this process may take to see that its call is over.
const patience = time.Second

func (s *Crew) closeHere(ctx context.Context) error {
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
