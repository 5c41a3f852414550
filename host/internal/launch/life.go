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
	"sync/atomic"
	"time"
	"unsafe"

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
type life struct {
	step    *Chain
	ctx     context.Context
	cancel  context.CancelCauseFunc
	client  *goplugin.Client
	process *process
	alive   *os.File // the process ends when this is closed
	sockets string   // folder of the process's socket
	said    *said
	workers []*rpc.Worker
	over    sync.Once
}

func (s *Chain) newLife() *life {
	l := &life{step: s, said: &said{log: func(line string) { s.opts.Log(s.title(), line) }}}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// startLife starts a process with its workers. What is wrong with the step stands in its problems then.
func (s *Chain) startLife(ctx context.Context) (*life, error) {
	l := s.newLife()
	if err := s.Location.verify(); err != nil {
		return l, s.unfit("%v", err)
	}
	cmd, offers, err := l.command()
	if err != nil {
		return nil, fmt.Errorf("step %s: %w", s.Name, err)
	}
	// Whatever waits for the process from here on ends with ctx, because the process does.
	stop := context.AfterFunc(ctx, func() { l.cancel(context.Cause(ctx)) })
	defer stop()
	if err := l.serve(ctx, cmd, offers); err != nil {
		l.end(err)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return l, s.unfit("plugin %s (%s): %v", s.Plugin, s.Location.Path, err)
	}
	return l, nil
}

// unfit makes what keeps a plugin from starting a problem of the step, or the error of a later life.
func (s *Chain) unfit(format string, args ...any) error {
	if s.lives > 1 {
		return fmt.Errorf("step %s: "+format, append([]any{s.Name}, args...)...)
	}
	s.problem("", format, args...)
	return nil
}

// serve takes a process from its start to its workers.
func (l *life) serve(ctx context.Context, cmd *exec.Cmd, offers []rpc.Offer) error {
	s := l.step
	client, about, err := l.meet(ctx, cmd)
	if err != nil {
		return err
	}
	if !s.describe(about) {
		return nil
	}
	if !about.Has(rpc.Memory) {
		offers = nil
	}
	opening, stop := s.limit(l.ctx, "it to open")
	defer stop()
	shared, bad, err := client.Open(opening, rpc.OpenRequest{
		Plugin: s.Location.Name, Args: s.Args, Behind: s.steps(), Workers: s.workers, Capacity: s.capacity, Depth: s.opts.Depth,
		Offers: offers, Poison: s.opts.Poison, Trust: about.Has(rpc.Trust), Trace: s.opts.Trace && about.Has(rpc.Trace),
	})
	if err != nil {
		return l.why(opening, err, wire.Spot{Record: -1})
	}
	if len(bad) > 0 {
		s.refuse(bad)
		return nil
	}
	if s.Memory > 0 {
		go l.watchMemory()
	}
	return l.seat(client, shared, about.Has(rpc.Trust))
}

// describe takes what a program says of itself. It is false when that is not what the steps want.
func (s *Chain) describe(about *rpc.Description) bool {
	if s.lives == 1 {
		for _, m := range s.behind {
			info, ok := about.Plugin(m.Location.Name)
			if m.Info, m.Version = info, about.Version; !ok || info.Ordered || !s.joins(about) {
				s.dissolve()
				break
			}
		}
	}
	info, ok := about.Plugin(s.Location.Name)
	if !ok {
		s.problem("", "%v", notCalled(s.Location, about))
		return false
	}
	if s.lives == 1 { // the flow reads it without the lock
		s.Info, s.Version, s.Finishes = info, about.Version, about.Has(rpc.Finish)
		if info.Ordered && len(s.behind) > 0 {
			s.dissolve()
		}
		if info.Ordered && s.Workers == 0 {
			s.workers, s.out, s.seats = 1, s.out[:1], s.seats[:1]
		}
	}
	return !s.tooManyWorkers()
}

// joins tells whether a program can run a chain, so that all that has to be seen of it is.
func (s *Chain) joins(about *rpc.Description) bool {
	return about.Has(rpc.Chain) && about.Has(rpc.Memory) && (about.Has(rpc.Trace) || !s.opts.Trace)
}

// handshake starts the process and waits until it serves.
func (l *life) handshake(ctx context.Context, cmd *exec.Cmd) (goplugin.ClientProtocol, error) {
	if err := socketFits(); err != nil {
		return nil, err
	}
	var startErr error
	l.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  rpc.Handshake,
		VersionedPlugins: rpc.Versions(nil),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         runtime.GOOS == "windows", // elsewhere the socket is in a folder that only this user may enter
		SkipHostEnv:      true,
		GRPCDialOptions:  rpc.DialOptions(),
		StartTimeout:     startTimeout,
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       loud{l.said}, SyncStderr: l.said,
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, sockets string) (runner.Runner, error) {
			l.sockets = sockets
			cmd.Env = append(cmd.Env, spec.Env...)
			l.process, startErr = newProcess(l.ctx, cmd, l.said)
			return l.process, startErr
		},
	})
	protocol, err := l.client.Client()
	for _, f := range cmd.ExtraFiles {
		if f != l.step.Location.program.file && !slices.ContainsFunc(l.step.offered, func(a *arena) bool { return a.memory.File == f }) {
			f.Close()
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case startErr != nil:
		return nil, startErr
	case err != nil:
		return nil, l.startError(err)
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
func (l *life) command() (cmd *exec.Cmd, offers []rpc.Offer, err error) {
	s := l.step
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	l.alive = write
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
func (l *life) seat(client *rpc.Client, shared, trust bool) error {
	s := l.step
	if s.lives == 1 {
		s.inline = !shared
	} else if s.inline != !shared {
		return errors.New("want memory as in the life before, have another answer")
	}
	ids := map[*wire.Arena]uint32{}
	for n, a := range s.out {
		if err := l.own(a, shared); err != nil {
			return fmt.Errorf("worker %d: %w", n, err)
		}
	}
	for id, a := range s.offered {
		ids[a.Arena] = uint32(id)
	}
	for n, a := range s.out {
		w, err := client.Worker(l.ctx, n, rpc.WorkerOptions{
			Plugin: s.Location.Name, Behind: s.steps(), Shared: shared, Out: a.Arena, IDs: ids, Capacity: s.capacity,
			Depth: s.opts.Depth, Trust: trust,
		})
		if err != nil {
			return err
		}
		l.workers = append(l.workers, w)
	}
	return nil
}

// own settles who writes a worker's arena: the process, which has mapped it by now and is the last that can, unless a
// further life may come; or this process, when bytes come inline.
func (l *life) own(a *arena, shared bool) error {
	if shared {
		if !l.step.Restart || l.step.Info.Ordered {
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
func note(a *arena) uint64 {
	v := atomic.LoadUint64((*uint64)(unsafe.Pointer(&a.memory.Bytes[a.Cap()])))
	var little [8]byte
	binary.NativeEndian.PutUint64(little[:], v)
	return binary.LittleEndian.Uint64(little[:])
}

// why tells an end of the process from an error of the call.
func (l *life) why(ctx context.Context, err error, at wire.Spot) error {
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
	steps := l.step.atHand()
	how, ok := l.process.ending(l.step.private(steps))
	if !ok {
		return fmt.Errorf("%w, though the plugin still runs", rpc.ErrEnded)
	}
	end := crash(how, at)
	end.Others = steps
	return end
}

// end ends a life: its process, and all that waits for it. It returns when the process has ended.
func (l *life) end(cause error) {
	l.over.Do(func() {
		l.cancel(cause)
		if l.client != nil {
			l.client.Kill()
		}
		if l.process != nil && l.process.cmd.Process != nil {
			<-l.process.quiet
		}
		if l.alive != nil {
			l.alive.Close()
		}
		if l.sockets != "" {
			os.RemoveAll(l.sockets)
		}
	})
}

// leave asks the process to go, which Shutdown of go-plugin does, before end would kill it.
func (l *life) leave() {
	if l.client != nil {
		l.client.Kill()
	}
}

// exit tells how the process of a life that has ended ended, as in "exit status 0".
func (l *life) exit() string {
	if l.process == nil || l.process.cmd.ProcessState == nil {
		return ""
	}
	return l.process.cmd.ProcessState.String()
}

// cpu is what the process of a life that has ended used.
func (l *life) cpu() time.Duration {
	if l.process == nil || l.process.cmd.ProcessState == nil {
		return 0
	}
	return l.process.cmd.ProcessState.UserTime() + l.process.cmd.ProcessState.SystemTime()
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
