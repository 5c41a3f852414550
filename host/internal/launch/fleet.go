// Package launch finds, verifies, starts, watches, restarts and stops plugin processes. It is the only go-plugin
// client, and it owns the memory that the processes share.
package launch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/sdk/batch"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Options are the same for all steps of a run.
type Options struct {
	Finder      Finder
	InProcess   bool                    // run built-ins in this process
	Inline      bool                    // offer no shared memory
	RecordLimit int                     // bytes of the largest record
	Log         func(step, line string) // gets what plugins write to stdout and stderr; any goroutine calls it
}

// A Request asks for one step.
type Request struct {
	Step    string // TYPE.NAME
	Plugin  string
	Args    []byte // a JSON object
	Workers int
	Timeout time.Duration // for one batch, not counting waits for the host; 0: none
	Memory  int64         // bytes that the process may have in use; 0: any
	Reject  bool          // a crash rejects the record that caused it; otherwise it fails the run
	Env     []string      // names of variables that the process gets
}

// A Problem is what is wrong with a request. Attr names the attribute of the step, or of its host block when Host.
type Problem struct {
	Request int
	Host    bool
	Attr    string
	Message string
	Cause   error // a *NotFound, or nil
}

// A Fleet is the running steps of a pipeline.
type Fleet struct {
	Source *batch.Arena // for records as they are read
	Steps  []*Step      // in the order of the requests

	memories []*wire.Memory
}

const (
	// arenaBudget is how many bytes one process's records normally take up: enough that the next step always has
	// something to do.
	arenaBudget = 16 << 20
	// growth is how many times the record limit one record may become.
	growth = 4
)

// Start starts the plugins of all requests. What is wrong with the requests is reported together; then there is no
// fleet. The caller closes the fleet.
func Start(ctx context.Context, opts Options, requests []Request) (*Fleet, []Problem, error) {
	f := &Fleet{}
	if err := f.start(ctx, opts, requests); err != nil {
		f.Close()
		return nil, nil, err
	}
	var problems []Problem
	for i, s := range f.Steps {
		for _, p := range s.problems {
			p.Request = i
			problems = append(problems, p)
		}
	}
	if len(problems) > 0 {
		f.Close()
		return nil, problems, nil
	}
	return f, nil, nil
}

func (f *Fleet) start(ctx context.Context, opts Options, requests []Request) error {
	capacity := growth * opts.RecordLimit
	shared := !opts.InProcess && !opts.Inline
	source, err := f.arena("source", capacity, shared, true)
	if err != nil {
		return err
	}
	f.Source = source.Arena
	offered := []*arena{source}
	for _, r := range requests {
		s := &Step{Request: r, opts: &opts, capacity: capacity}
		f.Steps = append(f.Steps, s)
		s.find()
		for n := range r.Workers {
			a, err := f.arena(fmt.Sprintf("%s-%d", r.Step, n), capacity, shared, false)
			if err != nil {
				return err
			}
			s.out = append(s.out, a)
		}
		offered = append(offered, s.out...)
		s.offered = offered[:len(offered):len(offered)]
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, s := range f.Steps {
		if len(s.problems) == 0 {
			g.Go(func() error { return s.start(ctx) })
		}
	}
	return g.Wait()
}

// An arena with the memory it lies in.
type arena struct {
	*batch.Arena
	memory *wire.Memory
	shared bool
}

// arena makes the memory of one writer: this process, or the plugin process that it is handed to.
func (f *Fleet) arena(name string, capacity int, shared, write bool) (*arena, error) {
	var m *wire.Memory
	err := wire.ErrNoSharedMemory
	if shared {
		m, err = wire.NewMemory(name, capacity, write)
	}
	if errors.Is(err, wire.ErrNoSharedMemory) {
		shared = false
		m, err = wire.PrivateMemory(capacity)
	}
	if err != nil {
		return nil, err
	}
	f.memories = append(f.memories, m)
	return &arena{Arena: batch.NewArena(m.Bytes, arenaBudget, m.Trim), memory: m, shared: shared}, nil
}

// Close stops all processes and gives the memory back. No record may be used afterwards.
func (f *Fleet) Close() error {
	var g errgroup.Group
	for _, s := range f.Steps {
		g.Go(s.stop)
	}
	err := g.Wait()
	for _, m := range f.memories {
		err = errors.Join(err, m.Close())
	}
	return err
}
