package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// startTimeout is how long a program may take to say that it is there, and what it is.
const startTimeout = 30 * time.Second

// A life is one process of a step with everything that ends with it. Whoever ends it cancels its context; its streams
// belong to the goroutines that use them.
type process struct {
	chain   *Chain
	ctx     context.Context
	cancel  context.CancelCauseFunc
	client  *goplugin.Client
	runner  *cmdRunner
	alive   *os.File // the process ends when this is closed
	sockets string   // folder of the process's socket
	log     *logTail
	workers []*rpc.Worker
	once    sync.Once
}

func (c *Chain) newProcess() *process {
	p := &process{chain: c, log: &logTail{show: func(line string) { c.opts.Log(c.title(), line) }}}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	return p
}

// startLife starts a process with its workers. What is wrong with the step stands in its problems then.
func (c *Chain) startProcess(ctx context.Context) (*process, error) {
	p := c.newProcess()
	if err := c.Location.verify(); err != nil {
		return p, c.startProblem("%v", err)
	}
	cmd, offers, err := p.command()
	if err != nil {
		return nil, fmt.Errorf("step %s: %w", c.Name, err)
	}
	// Whatever waits for the process from here on ends with ctx, because the process does.
	stop := context.AfterFunc(ctx, func() { p.cancel(context.Cause(ctx)) })
	defer stop()
	if err := p.serve(ctx, cmd, offers); err != nil {
		p.stop(err)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return p, c.startProblem("plugin %s (%s): %v", c.Plugin, c.Location.Path, err)
	}
	return p, nil
}

// unfit makes what keeps a plugin from starting a problem of the step, or the error of a later life.
func (c *Chain) startProblem(format string, args ...any) error {
	if c.started > 1 {
		return fmt.Errorf("step %s: "+format, append([]any{c.Name}, args...)...)
	}
	c.problem("", format, args...)
	return nil
}

// serve takes a process from its start to its workers.
func (p *process) serve(ctx context.Context, cmd *exec.Cmd, offers []rpc.Offer) error {
	s := p.chain
	client, about, err := p.connect(ctx, cmd)
	if err != nil {
		return err
	}
	if !s.describe(about) {
		return nil
	}
	if !about.Has(rpc.Memory) {
		offers = nil
	}
	opening, stop := s.limit(p.ctx, "it to open")
	defer stop()
	shared, bad, err := client.Open(opening, rpc.OpenRequest{
		Plugin: s.Location.Name, Args: s.Args, Behind: s.wireSteps(), Workers: s.workerCount, Capacity: s.capacity, Depth: s.opts.Depth,
		Offers: offers, Poison: s.opts.Poison, Trust: about.Has(rpc.Trust), Trace: s.opts.Trace && about.Has(rpc.Trace),
	})
	if err != nil {
		return p.callError(opening, err, wire.Spot{Record: -1})
	}
	if len(bad) > 0 {
		s.addArgErrors(bad)
		return nil
	}
	if s.Memory > 0 {
		go p.watchMemory()
	}
	return p.openWorkers(client, shared, about.Has(rpc.Trust))
}

// describe takes what a program says of itself. It is false when that is not what the steps want.
func (c *Chain) describe(about *rpc.Description) bool {
	if c.started == 1 {
		for _, m := range c.rest {
			info, ok := about.Plugin(m.Location.Name)
			if m.Info, m.Version = info, about.Version; !ok || info.Ordered || !c.canChain(about) {
				c.split()
				break
			}
		}
	}
	info, ok := about.Plugin(c.Location.Name)
	if !ok {
		c.problem("", "%v", notCalled(c.Location, about))
		return false
	}
	if c.started == 1 { // the flow reads it without the lock
		c.Info, c.Version, c.Finishes = info, about.Version, about.Has(rpc.Finish)
		if info.Ordered && len(c.rest) > 0 {
			c.split()
		}
		if info.Ordered && c.Workers == 0 {
			c.workerCount, c.out, c.workers = 1, c.out[:1], c.workers[:1]
		}
	}
	return !c.tooManyWorkers()
}

// joins tells whether a program can run a chain, so that all that has to be seen of it is.
func (c *Chain) canChain(about *rpc.Description) bool {
	return about.Has(rpc.Chain) && about.Has(rpc.Memory) && (about.Has(rpc.Trace) || !c.opts.Trace)
}

// handshake starts the process and waits until it serves.
func (p *process) handshake(ctx context.Context, cmd *exec.Cmd) (goplugin.ClientProtocol, error) {
	if err := socketFits(); err != nil {
		return nil, err
	}
	var startErr error
	p.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  rpc.Handshake,
		VersionedPlugins: rpc.Versions(nil),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         runtime.GOOS == "windows", // elsewhere the socket is in a folder that only this user may enter
		SkipHostEnv:      true,
		GRPCDialOptions:  rpc.DialOptions(),
		StartTimeout:     startTimeout,
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       stdoutTail{p.log}, SyncStderr: p.log,
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, sockets string) (runner.Runner, error) {
			p.sockets = sockets
			cmd.Env = append(cmd.Env, spec.Env...)
			p.runner, startErr = newRunner(p.ctx, cmd, p.log)
			return p.runner, startErr
		},
	})
	protocol, err := p.client.Client()
	for _, f := range cmd.ExtraFiles {
		if f != p.chain.Location.program.file && !slices.ContainsFunc(p.chain.offered, func(a *arena) bool { return a.memory.File == f }) {
			f.Close()
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case startErr != nil:
		return nil, startErr
	case err != nil:
		return nil, p.startError(err)
	}
	return protocol, nil
}

// socketFits says that the folder for temporary files is too deep for the socket of a plugin to have a name there.
func socketFits() error {
	const most = 104 - len("/plugin-dir0000000000/plugin0000000000")
	dir, err := filepath.Abs(os.TempDir())
	if err == nil && runtime.GOOS != "windows" && len(dir) > most {
		err = fmt.Errorf("want a TMPDIR of at most %d bytes, since the sockets of plugins are there, have %d: %s", most, len(dir), dir)
	}
	return err
}

// command is the process to start, with a descriptor for each arena and one that tells it that the host is alive.
func (p *process) command() (cmd *exec.Cmd, offers []rpc.Offer, err error) {
	s := p.chain
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	p.alive = write
	const first = 3 // descriptor of the first file
	files := []*os.File{read}
	for id, a := range s.offered {
		if !a.shared {
			offers = nil
			break
		}
		own := slices.Contains(s.out, a)
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
	if s.Location.BuiltIn {
		args = []string{ServeArg}
	}
	cmd = s.Location.program.command(args, files)
	cmd.Env = Environment(slices.Concat(s.opts.Env, s.Env))
	cmd.Env = append(cmd.Env, rpc.AliveEnv+"="+strconv.Itoa(first))
	cmd.SysProcAttr = attributes()
	return cmd, offers, nil
}

// Environment is that of a plugin process: what the pipeline names, and what a process, or Go's runtime in it, needs.
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
		// Little is live in a plugin, so collecting garbage for every few megabytes would be most of the work.
		env = append(env, "GOGC=400")
	}
	return env
}

// seat makes the workers of a started process.
func (p *process) openWorkers(client *rpc.Client, shared, trust bool) error {
	s := p.chain
	if s.started == 1 {
		s.inline = !shared
	} else if s.inline != !shared {
		return errors.New("want memory as in the life before, have another answer")
	}
	ids := map[*wire.Arena]uint32{}
	for n, a := range s.out {
		if err := p.assignWriter(a, shared); err != nil {
			return fmt.Errorf("worker %d: %w", n, err)
		}
	}
	for id, a := range s.offered {
		ids[a.Arena] = uint32(id)
	}
	for n, a := range s.out {
		w, err := client.Worker(p.ctx, n, rpc.WorkerOptions{
			Plugin: s.Location.Name, Behind: s.wireSteps(), Shared: shared, Out: a.Arena, IDs: ids, Capacity: s.capacity,
			Depth: s.opts.Depth, Trust: trust,
		})
		if err != nil {
			return err
		}
		p.workers = append(p.workers, w)
	}
	return nil
}

// own settles who writes a worker's arena: the process, which has mapped it by now and is the last that can, unless a
// further life may come; or this process, when bytes come inline.
func (p *process) assignWriter(a *arena, shared bool) error {
	if shared {
		if !p.chain.Restart || p.chain.Info.Ordered {
			a.memory.Seal()
		}
		return nil
	}
	if !a.shared {
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

// note is what the worker of an arena has noted: the number of the record at hand and 1, or 0.
func readNote(a *arena) uint64 {
	return binary.LittleEndian.Uint64(a.memory.Bytes[a.Cap():])
}

// why tells an end of the process from an error of the call.
func (p *process) callError(ctx context.Context, err error, at wire.Spot) error {
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if late, ok := errors.AsType[*flow.Crash](cause); ok && late.At < 0 {
			return crash(late.How, at)
		}
		return cause
	}
	if of, ok := errors.AsType[*wire.StepError](err); ok {
		return &wire.StepError{Step: of.Step, Err: plainError(of.Err)}
	}
	if !lostConnection(err) {
		return plainError(err)
	}
	steps := p.chain.stepsAtHand()
	how, ok := p.runner.exitReason(p.chain.private(steps))
	if !ok {
		return fmt.Errorf("%w, though the plugin still runs", rpc.ErrEnded)
	}
	end := crash(how, at)
	end.Others = steps
	return end
}

// end ends a life: its process, and all that waits for it. It returns when the process has ended.
func (p *process) stop(cause error) {
	p.once.Do(func() {
		p.cancel(cause)
		if p.client != nil {
			p.client.Kill()
		}
		if p.runner != nil && p.runner.cmd.Process != nil {
			<-p.runner.drained
		}
		if p.alive != nil {
			p.alive.Close()
		}
		if p.sockets != "" {
			os.RemoveAll(p.sockets)
		}
	})
}

// leave asks the process to go, which Shutdown of go-plugin does, before end would kill it.
func (p *process) requestExit() {
	if p.client != nil {
		p.client.Kill()
	}
}

// exit tells how the process of a life that has ended ended, as in "exit status 0".
func (p *process) exitStatus() string {
	if p.runner == nil || p.runner.cmd.ProcessState == nil {
		return ""
	}
	return p.runner.cmd.ProcessState.String()
}

// cpu is what the process of a life that has ended used.
func (p *process) cpu() time.Duration {
	if p.runner == nil || p.runner.cmd.ProcessState == nil {
		return 0
	}
	return p.runner.cmd.ProcessState.UserTime() + p.runner.cmd.ProcessState.SystemTime()
}

// lostConnection tells that a call failed because the process is gone.
func lostConnection(err error) bool {
	return errors.Is(err, rpc.ErrEnded) || status.Code(err) == codes.Unavailable || status.Code(err) == codes.Canceled
}

// plainError is a plugin's own error without gRPC's words around it.
func plainError(err error) error {
	if s, ok := status.FromError(err); ok {
		return errors.New(s.Message())
	}
	return err
}
