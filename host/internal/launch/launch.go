// Package launch finds, verifies, starts, watches and ends the programs that serve plugins. It is the only go-plugin
// client, and it owns the memory that the processes share.
//
// A program is an open file: what was hashed is what runs. A chain is a list of steps that one program runs one after the
// other on each record. A process serves a chain with several workers. A crash ends it for all of them at once, by its
// context; the next worker that is called starts another. Nothing waits under a lock for another goroutine's stream, and only
// workers of the same chain wait for the start of a process.
package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
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
	Idle        bool                    // no record will come, so built-ins need no process
	Inline      bool                    // offer no shared memory
	Poison      bool                    // plugins overwrite each record once its call has returned
	Plain       bool                    // each chain has a twin that does not, to compare with
	Trace       bool                    // chains send the bytes of records that stay inside them
	RecordLimit int                     // bytes of the largest record
	Depth       int                     // deepest nesting of what plugins emit
	Env         []string                // names of variables that every process gets
	Hide        func(string) string     // returns what plugins say without secrets; nil: they know none
	Log         func(step, line string) // gets what plugins write to stdout and stderr, from any goroutine
	OnStart     func(StartSpan)         // unless nil, is called after every start of a process, from any goroutine
}

// A Request asks for one step.
type Request struct {
	Name      string        // TYPE.NAME
	Plugin    string        // as the pipeline names it
	Args      []byte        // a JSON object
	Shared    []byte        // a JSON object with attributes that Args gets if it has none of the name and the plugin takes it; or nil
	Follows   bool          // it gets what the step before it, or the First that ends there, sends on
	Or        bool          // it gets what the step before it declines
	Alone     bool          // no other step runs in its process
	Workers   int           // 0: one for each core, or one when the plugin is concurrent; an ordered plugin has one
	Asked     int           // workers that the step itself asks for, where Workers may be what another member of its first does
	Timeout   time.Duration // for opening and closing; 0: none
	Memory    int64         // bytes that the process may use; 0: any
	Batch     any           // the size of its batches, which steps of one process have in common
	Restart   bool          // another process is started after a crash
	Restarts  int           // how often it may be, which flow counts; steps of one process have it in common
	Candidate bool          // an error of its closing is kept in CloseErr, and is none of the fleet
	Env       []string      // names of variables that the process gets
	Untrusted string        // the attribute that names a program to start, which must not be; the step is described and not opened
}

// A StartSpan is the start of a process.
type StartSpan struct {
	Steps        []string // of its chain: TYPE.NAME, in order
	Process      int      // 1 is the chain's first; others follow crashes
	Began, Ready time.Time
}

// A Problem is a mistake in a request.
type Problem struct {
	Request int    // its index
	Host    bool   // Attr is in the step's host block
	Attr    string // the attribute of the step with the mistake, empty when it is none
	Message string
	Cause   error // a *NotFound, or nil
}

// A Fleet holds the running steps of a pipeline.
type Fleet struct {
	Source *wire.Arena // for records as they are read
	Steps  []*Step     // in the order of the requests
	Chains []*Chain    // in the order of their first steps

	twins     []*Chain // see Options.Plain
	watchdog  *watchdog
	forker    forker
	memories  []*wire.Memory
	abandoned atomic.Bool // a worker in this process did not end, and may still read the memory
}

const (
	// arenaBudget is how many bytes the records of one worker normally use: enough to keep the next step busy. Those of the sources
	// use as many, or sourceShare for each worker: what all have at once, and what is read meanwhile.
	arenaBudget = 16 << 20
	sourceShare = 2 << 20
	// growth is how many times the record limit one record may become.
	growth = 4
	// noteSize is how many bytes an arena holds after its records, for the note of its worker.
	noteSize = 64
)

// Start starts the plugins of all requests. It returns all mistakes in the requests together. The fleet has ended then, and serves
// only to know what its plugins say of themselves. The caller closes or aborts the fleet.
func Start(ctx context.Context, opts Options, requests []Request) (*Fleet, []Problem, error) {
	f := &Fleet{}
	if err := f.start(ctx, opts, requests); err != nil {
		f.Abort()
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
		f.Abort()
		return f, problems, nil
	}
	return f, nil, nil
}

func (f *Fleet) start(ctx context.Context, opts Options, requests []Request) error {
	foreign := false
	for _, r := range requests {
		s := &Step{Request: r, opts: &opts}
		if err := s.find(); err != nil {
			return err
		}
		f.Steps = append(f.Steps, s)
		foreign = foreign || !s.Location.BuiltIn
	}
	opts.InProcess = opts.InProcess || opts.Idle && !foreign
	if !opts.InProcess {
		sweepSockets()
		f.forker = newForker()
	}
	if foreign && !opts.InProcess {
		hideSelf()
		f.watchdog = startWatchdog()
	}
	capacity := growth * opts.RecordLimit
	shared := !opts.InProcess && !opts.Inline
	all := chains(f.Steps, opts.InProcess || shared)
	budget := 0
	for _, steps := range all {
		budget += workersOf(steps[0]) * sourceShare
	}
	source, err := f.arena("source", capacity, max(arenaBudget, budget), shared, true)
	if err != nil {
		return err
	}
	f.Source = source.Arena
	offered := []*arena{source}
	for _, steps := range all {
		if err := f.addChain(steps, &offered, shared); err != nil {
			return err
		}
		if opts.Plain && !opts.Idle {
			if err := f.addTwin(steps, slices.Clone(offered), shared); err != nil {
				return err
			}
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, c := range f.Chains {
		if !slices.ContainsFunc(c.steps(), func(s *Step) bool { return len(s.problems) > 0 }) {
			g.Go(func() error { return c.start(ctx) })
		}
	}
	err = g.Wait()
	f.Chains = nil
	for _, s := range f.Steps {
		if s.Index == 0 {
			f.Chains = append(f.Chains, s.Chain)
		}
		if s.twin != nil && s.twin.Index == 0 {
			f.twins = append(f.twins, s.twin.Chain)
		}
		s.checkTwin()
	}
	return err
}

// workersOf returns how many workers a chain that begins with the step has, as far as that is known before its program runs.
func workersOf(s *Step) int {
	if s.Info.Ordered || s.Workers == 0 && s.Info.Concurrent {
		return 1
	}
	return cmp.Or(s.Workers, runtime.GOMAXPROCS(0))
}

// addChain makes a chain of steps, with the arenas of its workers. Each later step of an external program gets a chain of
// its own as a fallback: whether the program can run chains is known only once it runs, and every process has to be
// offered all arenas before it.
func (f *Fleet) addChain(steps []*Step, offered *[]*arena, shared bool) error {
	head := &Chain{Step: steps[0], rest: steps[1:]}
	for i, s := range steps {
		s.Chain, s.Index = head, i
		if i > 0 && s.Location.BuiltIn {
			continue
		}
		c := head
		if i > 0 {
			c = &Chain{Step: s}
			head.fallback = append(head.fallback, c)
		}
		c.fleet, c.capacity, c.workerCount = f, growth*s.opts.RecordLimit, workersOf(s)
		for n := range c.workerCount {
			a, err := f.arena(fmt.Sprintf("%s-%d", s.Name, n), c.capacity, arenaBudget, shared, false)
			if err != nil {
				return err
			}
			c.out = append(c.out, a)
			if !shared || s.Location.BuiltIn {
				continue
			}
			if a, err = f.arena(fmt.Sprintf("%s-%d-checked", s.Name, n), c.capacity, arenaBudget, shared, true); err != nil {
				return err
			}
			c.checked = append(c.checked, a)
		}
		c.offered = slices.Concat(*offered, c.out)
		if c.checked != nil {
			*offered = append(*offered, c.checked...)
		} else {
			*offered = append(*offered, c.out...)
		}
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

func (f *Fleet) arena(name string, capacity, budget int, shared, write bool) (*arena, error) {
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
	return &arena{Arena: wire.NewArena(m.Bytes[:capacity], budget, m.Trim), memory: m, shared: shared}, nil
}

// Close closes the processors of all steps, ends their processes and frees the memory. No call of Process may be under
// way, and no record may be used afterwards. The error is that of a processor, or says that one did not close in time.
func (f *Fleet) Close(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, c := range slices.Concat(f.Chains, f.twins) {
		g.Go(func() error { return c.close(ctx) })
	}
	err := g.Wait()
	f.Abort()
	return err
}

// Abort kills all processes and frees the memory.
func (f *Fleet) Abort() {
	var g sync.WaitGroup
	for _, c := range slices.Concat(f.Chains, f.twins) {
		g.Go(func() { c.abort(errors.New("the run is over")) })
	}
	g.Wait()
	f.watchdog.end()
	f.forker.end()
	f.watchdog = nil
	if f.abandoned.Load() {
		return
	}
	for _, m := range f.memories {
		m.Close()
	}
	f.memories = nil
}
