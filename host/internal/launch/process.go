package launch

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	goplugin "github.com/hashicorp/go-plugin"

	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// describeTimeout is how long a program may take for the handshake, and to describe itself, unless its step gives it more time. A short
// timeout is meant for answers: how long a process takes to start depends on what else the machine does.
const describeTimeout = 30 * time.Second

// startTimeout returns how long the chain's process may take for the handshake, and to describe itself.
func (c *Chain) startTimeout() time.Duration {
	if c.Timeout == 0 {
		return math.MaxInt64
	}
	return max(c.Timeout, describeTimeout)
}

// A process is one process of a chain, with everything that ends with it. Whoever stops it cancels its context; its
// streams belong to the goroutines that use them.
type process struct {
	chain   *Chain
	ctx     context.Context
	cancel  context.CancelCauseFunc
	client  *goplugin.Client
	runner  *cmdRunner
	alive   *os.File // closing it ends the process
	sockets string   // folder of the process's socket
	held    *os.File // that folder, locked
	log     *logTail
	workers []*rpc.Worker
	used    []atomic.Bool // for each worker, whether it has had a batch
	once    sync.Once
	refused bool // at its start, for which it was killed
}

func (c *Chain) newProcess() *process {
	p := &process{chain: c, log: &logTail{hide: c.opts.Hide, show: func(line string) { c.opts.Log(c.title(), line) }, stacks: &c.stacks}}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	return p
}

// startProcess starts a process with its workers. Mistakes in a step are added to its problems.
func (c *Chain) startProcess(ctx context.Context) (*process, error) {
	p := c.newProcess()
	if err := c.Location.verify(); err != nil {
		return p, c.startProblem(err)
	}
	cmd, offers, err := p.command()
	if err != nil {
		p.stop(err)
		return nil, fmt.Errorf("step %s: %w", c.Name, err)
	}
	// From here on ctx ends the process, and with it whatever waits for the process.
	stop := context.AfterFunc(ctx, func() { p.cancel(context.Cause(ctx)) })
	defer stop()
	if err := p.serve(ctx, cmd, offers); err != nil {
		killed := p.runner != nil && !p.refused && p.runner.wasKilled()
		p.stop(err)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if killed {
			return nil, &killedError{err}
		}
		return p, c.startProblem(fmt.Errorf("plugin %s (%s): %w", c.Plugin, c.Location.Path, err))
	}
	return p, nil
}

// startProblem makes the reason why a plugin does not start a problem of the step, or the error of a restart.
func (c *Chain) startProblem(err error) error {
	if c.starts > 1 || isShortage(err) {
		return fmt.Errorf("step %s: %w", c.Name, err)
	}
	c.problem("", "%v", err)
	return nil
}

// serve starts the process and opens its workers.
func (p *process) serve(ctx context.Context, cmd *exec.Cmd, offers []rpc.Offer) error {
	c := p.chain
	client, about, err := p.connect(ctx, cmd)
	if err != nil {
		return err
	}
	if !c.describe(about) {
		return nil
	}
	if !about.Has(rpc.Memory) {
		offers = nil
	}
	opening, stop := c.limit(p.ctx, "it to open")
	defer stop()
	opened, err := client.Open(opening, rpc.OpenRequest{
		Plugin: c.Location.Name, Args: c.Args, Behind: c.wireSteps(), Workers: c.workerCount, Capacity: c.capacity, Depth: c.opts.Depth,
		Offers: offers, Timeout: c.Timeout, Poison: c.opts.Poison, Trust: about.Has(rpc.Trust), Trace: c.opts.Trace && about.Has(rpc.Trace),
	})
	if err != nil {
		return p.callError(opening, err, wire.Spot{Record: -1})
	}
	if len(opened.Errors) > 0 {
		c.addArgErrors(opened.Errors)
		return nil
	}
	c.setLabelValues(opened.LabelValues)
	if c.starts == 1 { // the engine reads it without a lock
		c.saves = opened.Saves && about.Has(rpc.Save)
	}
	if c.Memory > 0 {
		go p.watchMemory()
	}
	return p.openWorkers(client, opened.Mapped, about)
}

// describe takes the description of the program. It reports whether that is what the steps want.
func (c *Chain) describe(about *rpc.Description) bool {
	if c.starts == 1 {
		for _, s := range c.rest {
			info, ok := about.Plugin(s.Location.Name)
			s.Info, s.Version = info, about.Version
			if s.share(); !ok || info.HasOwnChain() || !c.canChain(about) {
				c.split()
				break
			}
		}
	}
	info, err := served(c.Location, about)
	if err != nil {
		c.problem("", "%v", err)
		return false
	}
	if c.starts == 1 { // the engine reads the fields without a lock
		c.Info, c.Version, c.Finishes = info, about.Version, about.Has(rpc.Finish)
		c.share()
		if info.HasOwnChain() && len(c.rest) > 0 {
			c.split()
		}
		if info.Ordered || info.Concurrent && c.Workers == 0 {
			c.workerCount, c.out, c.workers = 1, c.out[:1], c.workers[:1]
		}
	}
	return !c.tooManyWorkers()
}

// canChain reports whether a program can run a chain, and send what the host wants to see of it.
func (c *Chain) canChain(about *rpc.Description) bool {
	return about.Has(rpc.Chain) && about.Has(rpc.Memory) && (about.Has(rpc.Trace) || !c.opts.Trace)
}

// openWorkers opens the workers of a started process.
func (p *process) openWorkers(client *rpc.Client, shared bool, about *rpc.Description) error {
	c := p.chain
	if c.starts == 1 {
		c.inline = !shared
	} else if c.inline != !shared {
		return fmt.Errorf("want shared memory as before the restart (%t), have %t", !c.inline, shared)
	}
	ids := map[*wire.Arena]uint32{}
	for n, a := range c.out {
		if err := p.assignWriter(a, shared); err != nil {
			return fmt.Errorf("worker %d: %w", n, err)
		}
	}
	for id, a := range c.offered {
		ids[a.Arena] = uint32(id)
	}
	for n, a := range c.out {
		opts := rpc.WorkerOptions{
			Plugin: c.Location.Name, Behind: c.wireSteps(), Shared: shared, Out: a.Arena, IDs: ids, Capacity: c.capacity,
			Depth: c.opts.Depth, Trust: about.Has(rpc.Trust), Runs: about.Has(rpc.Runs), Hide: c.opts.Hide, HideNames: c.hideNames(),
		}
		if c.checked != nil && shared {
			opts.Copy = c.checked[n].Arena
		} else if c.checked != nil {
			opts.Out = c.checked[n].Arena
		}
		w, err := client.Worker(p.ctx, n, opts)
		if err != nil {
			return p.callError(p.ctx, err, wire.Spot{Record: -1})
		}
		p.workers = append(p.workers, w)
	}
	p.used = make([]atomic.Bool, len(p.workers))
	return nil
}

// assignWriter settles who writes a worker's arena. It is the process, which has mapped it by now; unless it may be
// restarted, no other can from here on. When bytes come inline it is this process.
func (p *process) assignWriter(a *arena, shared bool) error {
	if shared {
		if !p.chain.Restart || p.chain.Info.Ordered {
			a.memory.Seal()
		}
		return nil
	}
	if !a.shared || p.chain.checked != nil {
		return nil
	}
	m, err := wire.PrivateMemory(len(a.memory.Bytes))
	if err != nil {
		return err
	}
	a.memory.Close()
	*a.memory, a.shared = *m, false
	a.Arena = wire.NewArena(m.Bytes[:a.Cap()], arenaBudget, a.memory.Trim)
	return nil
}

// stop ends the process and all that waits for it. It returns when the process has ended.
func (p *process) stop(cause error) {
	p.once.Do(func() {
		p.cancel(cause)
		if p.client != nil {
			p.client.Kill()
		}
		if p.runner != nil && p.runner.cmd.Process != nil {
			<-p.runner.ended
		}
		if p.alive != nil {
			p.alive.Close()
		}
		if p.sockets != "" {
			os.RemoveAll(p.sockets)
		}
		if p.held != nil {
			p.held.Close()
		}
	})
}

// watchMemory kills the process when it uses more memory than it may. One that has just begun is not looked at: it has little.
func (p *process) watchMemory() {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	limit := p.chain.Memory
	for {
		select {
		case <-p.runner.ended:
			return
		case <-tick.C:
		}
		p.runner.noteMemory()
		if have := resident(p.runner.cmd.Process.Pid, limit); have > limit {
			p.runner.beyond.Store(have)
			// How much it has by now depends on the moment, and rejects have the message.
			p.runner.killFor(fmt.Sprintf("memory: want at most %s, have more", mebibytes(limit)))
			return
		}
	}
}

// mebibytes formats a size as in a pipeline file.
func mebibytes(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%dMiB", n>>20)
	}
	return fmt.Sprintf("%.1fMiB", float64(n)/(1<<20))
}

// command returns the command that starts the process, with a descriptor for each arena, and one that ends the process
// when the host is gone.
func (p *process) command() (cmd *exec.Cmd, offers []rpc.Offer, err error) {
	c := p.chain
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	p.alive = write
	const first = 3 // descriptor of the first file
	files := []*os.File{read}
	defer func() {
		if err != nil {
			p.closeFiles(files)
		}
	}()
	for id, a := range c.offered {
		if !a.shared {
			offers = nil
			break
		}
		own := slices.Contains(c.out, a)
		file := a.memory.File
		if !own {
			if file, err = a.memory.ReadOnly(); err != nil {
				return nil, nil, err
			}
		}
		o := rpc.Offer{ID: uint32(id), FD: first + len(files), Size: len(a.memory.Bytes), Writable: own}
		if own {
			o.Note = a.Cap()
		}
		offers, files = append(offers, o), append(files, file)
	}
	var args []string
	if c.Location.BuiltIn {
		args = []string{ServeArg}
	}
	cmd = c.Location.program.command(args, files)
	p.log.runs, p.log.path = cmd.Path, c.Location.program.path
	cmd.Env = Environment(slices.Concat(c.opts.Env, c.Env, NeededEnv(c.Location.program.path)))
	cmd.Env = append(cmd.Env, rpc.AliveEnv+"="+strconv.Itoa(first))
	if c.fleet != nil {
		cmd.Env = append(cmd.Env, c.fleet.watchdog.env()...)
	}
	cmd.SysProcAttr = attributes()
	return cmd, offers, nil
}

// closeFiles closes the files that only the process has from its start on, and leaves the arenas and the program open.
func (p *process) closeFiles(files []*os.File) {
	for _, f := range files {
		if f != p.chain.Location.program.file && !slices.ContainsFunc(p.chain.offered, func(a *arena) bool { return a.memory.File == f }) {
			f.Close()
		}
	}
}

// Environment returns the environment of a plugin process: the named variables, and what a process or Go's runtime needs.
func Environment(named []string) (env []string) {
	for _, name := range append([]string{"SystemRoot", "GOGC", "GORACE"}, named...) {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if dir, err := filepath.Abs(os.TempDir()); err == nil {
		env = append(env, "TMPDIR="+dir)
	}
	if _, ok := os.LookupEnv("GOGC"); !ok {
		// Little memory is live in a plugin, so collecting garbage every few megabytes would be most of the work.
		env = append(env, "GOGC=400")
	}
	return env
}
