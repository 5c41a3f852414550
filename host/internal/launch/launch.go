// Package launch finds, verifies, starts, watches and ends the programs that serve plugins. It is the only go-plugin
// client, and it owns the memory that the processes share.
//
// A program is an open file: what was hashed is what runs. A crew is the steps that one program runs behind each other, a
// chain. A life is one process of a crew, from its start to its end. A
// crash ends the life for all its workers at once, by its context; the next worker that is asked starts the next life.
// Nothing waits under a lock for another goroutine's stream.
package launch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/sdk/wire"
)

// Options are the same for all steps of a run.
type Options struct {
	Finder      Finder
	BuiltIns    wire.Provider           // the plugins of this program
	InProcess   bool                    // run built-ins in this process
	Idle        bool                    // no record will come, so that no process is needed where all plugins are built-ins
	Inline      bool                    // offer no shared memory
	Poison      bool                    // have plugins overwrite each record once its call has returned
	Trace       bool                    // have chains tell the bytes of records that stay inside them
	RecordLimit int                     // bytes of the largest record
	Depth       int                     // deepest nesting of what plugins emit
	Env         []string                // names of variables that every process gets
	Log         func(step, line string) // gets what plugins write to stdout and stderr; any goroutine calls it
	OnStart     func(StartSpan)         // if it is there, is told every process that has started; any goroutine calls it
}

// A Request asks for one step.
type Request struct {
	Name      string        // TYPE.NAME
	Plugin    string        // as the pipeline names it
	Args      []byte        // a JSON object
	Follows   bool          // it gets what goes on from the step before it, or from the first that the step before it ends
	Or        bool          // it gets what the step before it declines
	Alone     bool          // no other step runs in its process
	Workers   int           // 0: one for each core, or one when the plugin is ordered
	Timeout   time.Duration // for opening and closing; 0: none
	Memory    int64         // bytes that the process may have in use; 0: any
	Restart   bool          // a crash may be followed by another life
	Candidate bool          // what goes wrong as it closes is kept in Farewell, and is no error of the fleet
	Env       []string      // names of variables that the process gets
}

// A Started process serves the steps of a chain.
type StartSpan struct {
	Steps        []string // TYPE.NAME, in order
	Process      int      // 1 is the first, more are after a crash
	Began, Ready time.Time
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
	Source *wire.Arena // for records as they are read
	Steps  []*Step     // in the order of the requests
	Chains []*Chain    // in the order of their first members

	memories  []*wire.Memory
	abandoned atomic.Bool // a worker in this process did not end: it may still read the memory
}

const (
	// arenaBudget is how many bytes one worker's records normally take up: enough that the next step always has
	// something to do.
	arenaBudget = 16 << 20
	// growth is how many times the record limit one record may become.
	growth = 4
	// noteSize is what an arena holds behind its records: the note of its worker.
	noteSize = 64
)

// Start starts the plugins of all requests. What is wrong with the requests is reported together; then there is no
// fleet. The caller closes or aborts the fleet.
func Start(ctx context.Context, opts Options, requests []Request) (*Fleet, []Problem, error) {
	f := &Fleet{}
	if err := f.start(ctx, opts, requests); err != nil {
		f.Abort()
		return nil, nil, err
	}
	var problems []Problem
	for i, m := range f.Steps {
		for _, p := range m.problems {
			p.Request = i
			problems = append(problems, p)
		}
	}
	if len(problems) > 0 {
		f.Abort()
		return nil, problems, nil
	}
	return f, nil, nil
}

func (f *Fleet) start(ctx context.Context, opts Options, requests []Request) error {
	foreign := false
	for _, r := range requests {
		m := &Step{Request: r, opts: &opts}
		m.find()
		f.Steps = append(f.Steps, m)
		foreign = foreign || !m.Location.BuiltIn
	}
	opts.InProcess = opts.InProcess || opts.Idle && !foreign
	capacity := growth * opts.RecordLimit
	shared := !opts.InProcess && !opts.Inline
	source, err := f.arena("source", capacity, shared, true)
	if err != nil {
		return err
	}
	f.Source = source.Arena
	offered := []*arena{source}
	for _, chain := range chains(f.Steps, opts.InProcess || shared) {
		if err := f.addChain(chain, &offered, shared); err != nil {
			return err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, s := range f.Chains {
		if s.ready() {
			g.Go(func() error { return s.start(ctx) })
		}
	}
	err = g.Wait()
	f.Chains = nil
	for _, m := range f.Steps {
		if m.Index == 0 {
			f.Chains = append(f.Chains, m.Chain)
		}
	}
	return err
}

// enlist makes a chain into a crew. What the members behind would need on their own is there too, unless it is known that
// they can join: what an external program is shows when it runs, and later steps have to know all memory.
func (f *Fleet) addChain(chain []*Step, offered *[]*arena, shared bool) error {
	head := &Chain{Step: chain[0], rest: chain[1:]}
	for i, m := range chain {
		m.Chain, m.Index = head, i
		if i > 0 && m.Location.BuiltIn {
			continue
		}
		s := head
		if i > 0 {
			s = &Chain{Step: m}
			head.fallback = append(head.fallback, s)
		}
		s.fleet, s.capacity, s.workerCount = f, growth*m.opts.RecordLimit, m.Workers
		if s.workerCount == 0 {
			s.workerCount = runtime.GOMAXPROCS(0)
			if m.Info.Ordered {
				s.workerCount = 1
			}
		}
		for n := range s.workerCount {
			a, err := f.arena(fmt.Sprintf("%s-%d", m.Name, n), s.capacity, shared, false)
			if err != nil {
				return err
			}
			s.out = append(s.out, a)
		}
		*offered = append(*offered, s.out...)
		s.offered = (*offered)[:len(*offered):len(*offered)]
	}
	f.Chains = append(f.Chains, head)
	return nil
}

// An arena is the memory of one writer: this process, or the plugin process that it is handed to.
type arena struct {
	*wire.Arena
	memory *wire.Memory
	shared bool
}

func (f *Fleet) arena(name string, capacity int, shared, write bool) (*arena, error) {
	var m *wire.Memory
	err := wire.ErrNoSharedMemory
	if shared {
		m, err = wire.NewMemory(name, capacity+noteSize, write)
	}
	if errors.Is(err, wire.ErrNoSharedMemory) {
		shared = false
		m, err = wire.PrivateMemory(capacity + noteSize)
	}
	if err != nil {
		return nil, err
	}
	f.memories = append(f.memories, m)
	return &arena{Arena: wire.NewArena(m.Bytes[:capacity], arenaBudget, m.Trim), memory: m, shared: shared}, nil
}

// Close closes the processors of all steps, ends their processes and gives the memory back. No call of Process may be
// under way, and no record may be used afterwards. The error is that of a processor, or of one that did not close in time.
func (f *Fleet) Close(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, s := range f.Chains {
		g.Go(func() error { return s.close(ctx) })
	}
	err := g.Wait()
	f.Abort()
	return err
}

// Abort ends all processes as they are and gives the memory back.
func (f *Fleet) Abort() {
	var g errgroup.Group
	for _, s := range f.Chains {
		g.Go(func() error { s.abort(); return nil })
	}
	_ = g.Wait()
	if f.abandoned.Load() {
		return
	}
	for _, m := range f.memories {
		m.Close()
	}
	f.memories = nil
}
