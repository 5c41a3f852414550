package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"

	"github.com/sluicehq/sluice/sdk/batch"
	"github.com/sluicehq/sluice/sdk/wire"
)

// startTimeout is how long a plugin may take to say that it is there.
const startTimeout = 30 * time.Second

// A Step is one running step: a process with its workers, or workers in this process.
type Step struct {
	Request
	Found Found
	Info  wire.Info

	opts     *Options
	capacity int
	out      []*arena // one for each worker
	offered  []*arena // that records of this step may lie in, its own last
	problems []Problem
	said     tail

	mu      sync.Mutex
	life    int // how often it has been started
	client  *goplugin.Client
	process *process
	alive   *os.File // the process ends when this is closed
	workers []stage
	shared  bool
	cpu     time.Duration // of the processes that have ended
	stopped bool
}

// A stage is a worker, here or in a process.
type stage interface {
	Process(ctx context.Context, in []batch.Record, emit func(batch.Answer) error) error
	Close() error
}

func (s *Step) problem(attr, message string) {
	s.problems = append(s.problems, Problem{Attr: attr, Message: message})
}

func (s *Step) find() {
	found, err := s.opts.Finder.Find(s.Plugin)
	if err != nil {
		s.problems = append(s.problems, Problem{Message: err.Error(), Cause: err})
		return
	}
	s.Found = found
	if s.opts.InProcess && found.BuiltIn == nil {
		s.problem("", fmt.Sprintf("want a built-in plugin to run in process, have %s", found.Path))
	}
}

// start starts the step for the first time or again.
func (s *Step) start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.workers != nil {
		return nil // another worker was first
	}
	s.life++
	if s.opts.InProcess {
		s.startHere()
		return nil
	}
	err := s.startProcess(ctx)
	if err != nil {
		s.end()
	}
	return err
}

func (s *Step) startHere() {
	p := s.Found.BuiltIn
	s.Info = wire.Info{Name: p.Name, Doc: p.Doc, Ordered: p.Ordered, Private: p.Private}
	if s.tooManyWorkers() {
		return
	}
	for n := range s.Workers {
		w, err := p.Open(s.Args, n)
		if err != nil {
			for _, e := range p.ArgErrors(err) {
				s.problem(e[0], e[1])
			}
			return
		}
		s.workers = append(s.workers, &local{worker: w, out: s.out[n].Arena})
	}
}

func (s *Step) tooManyWorkers() bool {
	if s.Info.Ordered && s.Workers > 1 {
		s.problems = append(s.problems, Problem{Host: true, Attr: "workers", Message: fmt.Sprintf("want 1 worker, since plugin %s keeps records in order, have %d", s.Plugin, s.Workers)})
		return true
	}
	return false
}

func (s *Step) startProcess(ctx context.Context) error {
	cmd, offers, closeFiles, err := s.command()
	if err != nil {
		return fmt.Errorf("step %s: %w", s.Step, err)
	}
	said := &lines{tail: &s.said, log: func(line string) { s.opts.Log(s.Step, line) }}
	s.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		Plugins:          wire.Plugins(nil),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         runtime.GOOS == "windows", // elsewhere the socket is in a folder that only this user may enter
		SkipHostEnv:      true,
		GRPCDialOptions:  wire.DialOptions(),
		StartTimeout:     startTimeout,
		Logger:           hclog.NewNullLogger(),
		Stderr:           said, SyncStdout: said, SyncStderr: said,
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, _ string) (runner.Runner, error) {
			cmd.Env = append(cmd.Env, spec.Env...)
			s.process, err = newProcess(cmd)
			return s.process, err
		},
	})
	protocol, err := s.client.Client()
	closeFiles()
	if err != nil {
		return fmt.Errorf("step %s: plugin %s (%s): %w", s.Step, s.Plugin, s.Found.Path, s.startError(err))
	}
	client, err := wire.Dispense(protocol)
	if err != nil {
		return fmt.Errorf("step %s: %w", s.Step, err)
	}
	info, err := client.Describe(ctx)
	if err != nil {
		return fmt.Errorf("step %s: %w", s.Step, s.cause(ctx, s.process, err))
	}
	if s.life == 1 { // workers read it without the lock
		s.Info = info
	}
	if s.Info.Name != s.Plugin {
		s.problem("", fmt.Sprintf("want plugin %q at %s, have one that calls itself %q", s.Plugin, s.Found.Path, s.Info.Name))
		return nil
	}
	if s.tooManyWorkers() {
		return nil
	}
	shared, bad, err := client.Open(ctx, s.Args, s.Workers, s.capacity, offers)
	if err != nil {
		return fmt.Errorf("step %s: %w", s.Step, s.cause(ctx, s.process, err))
	}
	for _, e := range bad {
		s.problem(e.Name, e.Message)
	}
	if len(bad) > 0 {
		return nil
	}
	if s.Memory > 0 {
		go s.watchMemory(s.process)
	}
	return s.open(client, shared)
}

// command is the process to start, with a descriptor for each arena and one that tells it that the host is alive.
func (s *Step) command() (cmd *exec.Cmd, offers []wire.Offer, closeFiles func(), err error) {
	if s.Found.BuiltIn != nil {
		cmd = exec.Command(s.Found.Path, ServeArg, s.Plugin)
	} else {
		cmd = exec.Command(s.Found.Path)
	}
	for _, name := range append([]string{"TMPDIR", "SystemRoot", "GOGC"}, s.Env...) {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	if _, ok := os.LookupEnv("GOGC"); !ok {
		// Little is live in a plugin, so collecting garbage for every few megabytes would be most of the work.
		cmd.Env = append(cmd.Env, "GOGC=400")
	}
	cmd.SysProcAttr = attributes()
	var files []*os.File
	closeFiles = func() {
		for _, f := range files {
			f.Close()
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	s.alive, files = write, append(files, read)
	const first = 3 // the first of ExtraFiles, in the process
	cmd.Env = append(cmd.Env, wire.AliveEnv+"="+strconv.Itoa(first))
	cmd.ExtraFiles = []*os.File{read}
	for id, a := range s.offered {
		if !a.shared {
			return cmd, nil, closeFiles, nil
		}
		own := slices.Contains(s.out, a)
		file := a.memory.File
		if !own {
			if file, err = a.memory.ReadOnly(); err != nil {
				closeFiles()
				return nil, nil, nil, err
			}
			if file != a.memory.File {
				files = append(files, file)
			}
		}
		offers = append(offers, wire.Offer{ID: uint32(id), FD: first + len(cmd.ExtraFiles), Size: a.Cap(), Writable: own})
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	}
	return cmd, offers, closeFiles, nil
}

// open makes the workers of a started process.
func (s *Step) open(client *wire.Client, shared bool) error {
	s.shared = shared
	ids := map[*batch.Arena]uint32{}
	for id, a := range s.offered {
		ids[a.Arena] = uint32(id)
	}
	s.workers = nil
	for n, a := range s.out {
		if !shared && a.shared {
			m, err := wire.PrivateMemory(a.Cap())
			if err != nil {
				return err
			}
			a.memory.Close()
			*a.memory, a.shared = *m, false
			a.Arena = batch.NewArena(m.Bytes, arenaBudget, a.memory.Trim)
		}
		w, err := client.Worker(n, a.Arena, ids)
		if err != nil {
			return fmt.Errorf("step %s: %w", s.Step, err)
		}
		s.workers = append(s.workers, w)
	}
	return nil
}

// startError puts go-plugin's words for a process that did not become a plugin into ours.
func (s *Step) startError(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "incompatible API version"):
		var have int
		_, after, _ := strings.Cut(text, "Plugin version: ")
		_, _ = fmt.Sscan(after, &have)
		return fmt.Errorf("want protocol version %d, have %d: build the plugin with the SDK of this sluice", wire.Version, have)
	case strings.Contains(text, "Unrecognized remote plugin message") && strings.Contains(text, "Failed to read any lines"),
		strings.Contains(text, "exited before"):
		ending, how := s.process.ending(), "without a word"
		if last := s.said.last(); len(last) > 0 {
			how = "after saying " + strconv.Quote(strings.Join(last, "; "))
		}
		return fmt.Errorf("want a plugin that stays, have one that ended (%s) %s", ending, how)
	case strings.Contains(text, "Unrecognized remote plugin message"):
		_, line, _ := strings.Cut(text, "message: ")
		line, _, _ = strings.Cut(line, "\n")
		return fmt.Errorf("want the handshake on stdout, have %q: a plugin must print nothing there before sdk.Main", line)
	case strings.Contains(text, "timeout"):
		return fmt.Errorf("want a handshake within %v, have none", startTimeout)
	}
	return err
}

// cause tells an end of the process from an error of the call.
func (s *Step) cause(ctx context.Context, p *process, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p == nil || !lostConnection(err) {
		return plainError(err)
	}
	return &Crash{How: p.ending(), Stderr: s.said.last()}
}

// watchMemory ends the process when it has more in use than it may.
func (s *Step) watchMemory(p *process) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-tick.C:
			if have := resident(p.cmd.Process.Pid); have > s.Memory {
				p.killFor(fmt.Sprintf("want at most %d bytes of memory, have %d", s.Memory, have))
				return
			}
		}
	}
}

// stop ends the step for good.
func (s *Step) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	return s.end()
}

// end closes the workers, then the process.
func (s *Step) end() error {
	var err error
	for _, w := range s.workers {
		err = errors.Join(err, w.Close())
	}
	s.workers = nil
	if s.client != nil {
		s.client.Kill()
		s.client = nil
		if s.process != nil && s.process.cmd.Process != nil {
			<-s.process.ended
			state := s.process.cmd.ProcessState
			s.cpu += state.UserTime() + state.SystemTime()
		}
	}
	if s.alive != nil {
		s.alive.Close()
		s.alive = nil
	}
	return err
}

// CPU is what the step's processes used, once it has been stopped; 0 in process.
func (s *Step) CPU() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cpu
}
