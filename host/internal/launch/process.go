package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// A process is one plugin process, as go-plugin runs it. Unlike go-plugin's own runner it reads stdout and stderr itself,
// line by line and in bounded memory, and its end is the end of the program: not that of whoever else holds the pipes.
type process struct {
	life   context.Context // ends the process
	cmd    *exec.Cmd
	said   *said
	stdout [2]*os.File // read and write end
	stderr [2]*os.File
	first  io.ReadCloser  // the line of the handshake, for go-plugin
	shake  *io.PipeWriter // its other end
	ended  chan struct{}  // closed when cmd.ProcessState is set
	quiet  chan struct{}  // closed when all that it said has been read
	killed atomic.Pointer[string]
}

var _ runner.Runner = (*process)(nil)

func newProcess(life context.Context, cmd *exec.Cmd, s *said) (*process, error) {
	p := &process{life: life, cmd: cmd, said: s, ended: make(chan struct{}), quiet: make(chan struct{})}
	var err error
	if p.stdout[0], p.stdout[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	if p.stderr[0], p.stderr[1], err = os.Pipe(); err != nil {
		p.stdout[0].Close()
		p.stdout[1].Close()
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = p.stdout[1], p.stderr[1]
	p.first, p.shake = io.Pipe()
	return p, nil
}

// Start implements runner.Runner.
func (p *process) Start(context.Context) error {
	err := p.cmd.Start()
	p.stdout[1].Close()
	p.stderr[1].Close()
	if err != nil {
		p.stdout[0].Close()
		p.stderr[0].Close()
		return err
	}
	context.AfterFunc(p.life, func() { _ = p.Kill(context.Background()) })
	read := make(chan struct{}, 2)
	go func() {
		p.readStdout()
		read <- struct{}{}
	}()
	go func() {
		p.said.copy(bufio.NewReaderSize(p.stderr[0], maxLine))
		read <- struct{}{}
	}()
	go func() {
		_ = p.cmd.Wait() // its ProcessState tells
		close(p.ended)
		p.letGo()
		<-read
		<-read
		p.stdout[0].Close()
		p.stderr[0].Close()
		close(p.quiet)
	}()
	return nil
}

// lastWords is how long what a process has said is read after its end: a child of it may hold the pipes for ever.
const lastWords = 200 * time.Millisecond

func (p *process) letGo() {
	end := time.Now().Add(lastWords)
	for _, pipe := range []*os.File{p.stdout[0], p.stderr[0]} {
		if pipe.SetReadDeadline(end) != nil { // a system whose pipes know no deadline
			time.AfterFunc(lastWords, func() { pipe.Close() })
		}
	}
}

// readStdout gives the first line to go-plugin, and shows the rest.
func (p *process) readStdout() {
	in := bufio.NewReaderSize(p.stdout[0], maxLine)
	line, err := in.ReadSlice('\n')
	_, _ = p.shake.Write(line)
	p.shake.Close()
	if err == nil || errors.Is(err, bufio.ErrBufferFull) {
		p.said.copyStdout(in)
	}
}

// Wait implements runner.Runner.
func (p *process) Wait(context.Context) error {
	<-p.ended
	return nil
}

// Kill implements runner.Runner.
func (p *process) Kill(context.Context) error {
	if p.cmd.Process == nil {
		return nil
	}
	select {
	case <-p.ended:
		return nil
	default:
	}
	if err := kill(p.cmd.Process); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// killFor ends the process because of something that it did.
func (p *process) killFor(why string) {
	p.killed.CompareAndSwap(nil, &why)
	_ = p.Kill(context.Background())
}

// ending tells how the process ended: why the host ended it, the first line of its panic unless that is private, and as in
// "exit status 2" and "signal: killed". It waits a little, since the sockets of a process close first; ok is false when it
// still runs.
func (p *process) ending(private bool) (how string, ok bool) {
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
		return "", false
	}
	if why := p.killed.Load(); why != nil {
		return *why, true
	}
	<-p.quiet
	how = p.cmd.ProcessState.String()
	if panicked := p.said.panicked(); panicked != "" && !private {
		how = fmt.Sprintf("%s (%s)", panicked, how)
	}
	return how, true
}

// Stdout implements runner.Runner.
func (p *process) Stdout() io.ReadCloser { return p.first }

// Stderr implements runner.Runner: go-plugin has nothing to read there.
func (p *process) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name implements runner.Runner.
func (p *process) Name() string { return p.cmd.Path }

// Diagnose implements runner.Runner.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost implements runner.Runner.
func (p *process) PluginToHost(network, addr string) (string, string, error) {
	return network, addr, nil
}

// HostToPlugin implements runner.Runner.
func (p *process) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}

// ID implements runner.Runner.
func (p *process) ID() string {
	if p.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}
