package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// A process is one plugin process, as go-plugin runs it. Unlike go-plugin's own it does not pass on the host's
// stdin, and it keeps how the process ended.
type process struct {
	cmd    *exec.Cmd
	stdout io.ReadCloser
	stderr io.ReadCloser
	ended  chan struct{}          // closed when cmd.ProcessState is set
	killed atomic.Pointer[string] // why the host ended it, if it did
}

var _ runner.Runner = (*process)(nil)

func newProcess(cmd *exec.Cmd) (*process, error) {
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd: cmd, stdout: stdout, stderr: stderr, ended: make(chan struct{})}, nil
}

func (p *process) Start(context.Context) error { return p.cmd.Start() }

func (p *process) Wait(context.Context) error {
	defer close(p.ended)
	return p.cmd.Wait()
}

func (p *process) Kill(context.Context) error {
	if p.cmd.Process == nil {
		return nil
	}
	if err := kill(p.cmd.Process); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// killFor ends the process because of something that it did.
func (p *process) killFor(why string) {
	p.killed.Store(&why)
	_ = p.Kill(context.Background())
}

// ending tells how the process ended, as in "exit status 2" or "signal: killed", or why the host ended it. It waits a
// little, since the pipes of a process close first.
func (p *process) ending() string {
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
		return "still running"
	}
	if why := p.killed.Load(); why != nil {
		return *why
	}
	return p.cmd.ProcessState.String()
}

func (p *process) Stdout() io.ReadCloser           { return p.stdout }
func (p *process) Stderr() io.ReadCloser           { return p.stderr }
func (p *process) Name() string                    { return p.cmd.Path }
func (p *process) Diagnose(context.Context) string { return "" }
func (p *process) ID() string                      { return p.id() }

func (p *process) PluginToHost(network, addr string) (string, string, error) {
	return network, addr, nil
}
func (p *process) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}

func (p *process) id() string {
	if p.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

// A Crash is the end of a plugin process, or of an in-process worker, in the middle of its work.
type Crash struct {
	How    string   // "exit status 2", "signal: killed", "panic: ...", or the limit that was passed
	Stderr []string // the last lines that the process wrote there
}

// Error implements error.
func (c *Crash) Error() string {
	if len(c.Stderr) == 0 {
		return "the plugin ended: " + c.How
	}
	return fmt.Sprintf("the plugin ended: %s; its last words: %s", c.How, c.Stderr[len(c.Stderr)-1])
}
