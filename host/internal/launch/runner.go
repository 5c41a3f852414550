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
)

// A cmdRunner runs a command for go-plugin. Unlike go-plugin's own runner it reads stdout and stderr itself, line by line
// and in bounded memory, and it is done when the program ends, even if a child of it still holds the pipes. Its exported
// methods implement runner.Runner.
type cmdRunner struct {
	ctx             context.Context // ends the process
	cmd             *exec.Cmd
	log             *logTail
	stdout          [2]*os.File // read and write end
	stderr          [2]*os.File
	handshake       io.ReadCloser  // the line of the handshake, for go-plugin
	handshakeWriter *io.PipeWriter // its other end
	ended           chan struct{}  // closed when cmd.ProcessState is set
	drained         chan struct{}  // closed when all its output has been read
	killed          atomic.Pointer[string]
}

func newRunner(ctx context.Context, cmd *exec.Cmd, log *logTail) (*cmdRunner, error) {
	r := &cmdRunner{ctx: ctx, cmd: cmd, log: log, ended: make(chan struct{}), drained: make(chan struct{})}
	var err error
	if r.stdout[0], r.stdout[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	if r.stderr[0], r.stderr[1], err = os.Pipe(); err != nil {
		r.stdout[0].Close()
		r.stdout[1].Close()
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = r.stdout[1], r.stderr[1]
	r.handshake, r.handshakeWriter = io.Pipe()
	return r, nil
}

func (r *cmdRunner) Start(context.Context) error {
	err := r.cmd.Start()
	r.stdout[1].Close()
	r.stderr[1].Close()
	if err != nil {
		r.stdout[0].Close()
		r.stderr[0].Close()
		return err
	}
	context.AfterFunc(r.ctx, func() { _ = r.Kill(context.Background()) })
	read := make(chan struct{}, 2)
	go func() {
		r.readStdout()
		read <- struct{}{}
	}()
	go func() {
		r.copyLog(r.stderr[0], false)
		read <- struct{}{}
	}()
	go func() {
		_ = r.cmd.Wait() // the result is in ProcessState
		close(r.ended)
		r.limitReads()
		<-read
		<-read
		r.stdout[0].Close()
		r.stderr[0].Close()
		close(r.drained)
	}()
	return nil
}

// drainTimeout is how long output is read after the end of the process: a child of it may hold the pipes for ever.
const drainTimeout = 200 * time.Millisecond

func (r *cmdRunner) limitReads() {
	end := time.Now().Add(drainTimeout)
	for _, pipe := range []*os.File{r.stdout[0], r.stderr[0]} {
		if pipe.SetReadDeadline(end) != nil { // a system whose pipes have no deadlines
			time.AfterFunc(drainTimeout, func() { pipe.Close() })
		}
	}
}

// copyLog passes output on to the log until it ends.
func (r *cmdRunner) copyLog(from io.Reader, stdout bool) {
	w := &lineWriter{tail: r.log, stdout: stdout}
	_, _ = io.Copy(w, from)
	w.flush()
}

// readStdout passes the first line to go-plugin, and the others to the log.
func (r *cmdRunner) readStdout() {
	in := bufio.NewReaderSize(r.stdout[0], maxLine)
	line, err := in.ReadSlice('\n')
	_, _ = r.handshakeWriter.Write(line)
	r.handshakeWriter.Close()
	if err == nil || errors.Is(err, bufio.ErrBufferFull) {
		r.copyLog(in, true)
	}
}

func (r *cmdRunner) Wait(context.Context) error {
	<-r.ended
	return nil
}

func (r *cmdRunner) Kill(context.Context) error {
	if r.cmd.Process == nil {
		return nil
	}
	select {
	case <-r.ended:
		return nil
	default:
	}
	if err := kill(r.cmd.Process); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// killFor kills the process for a reason, which exitReason returns then.
func (r *cmdRunner) killFor(why string) {
	r.killed.CompareAndSwap(nil, &why)
	_ = r.Kill(context.Background())
}

// exitReason returns how the process ended: why the host killed it, or an exit status as in "exit status 2" and "signal:
// killed", after the first line of its panic unless that is private. It waits a little, since the sockets of a process
// close first; ok is false when it still runs.
func (r *cmdRunner) exitReason(private bool) (how string, ok bool) {
	select {
	case <-r.ended:
	case <-time.After(5 * time.Second):
		return "", false
	}
	if why := r.killed.Load(); why != nil {
		return *why, true
	}
	<-r.drained
	how = r.cmd.ProcessState.String()
	if panicked := r.log.panicLine(); panicked != "" && !private {
		how = fmt.Sprintf("%s (%s)", panicked, how)
	}
	return how, true
}

func (r *cmdRunner) Stdout() io.ReadCloser { return r.handshake }

// Stderr implements runner.Runner: go-plugin has nothing to read there.
func (r *cmdRunner) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

func (r *cmdRunner) Name() string { return r.cmd.Path }

func (r *cmdRunner) Diagnose(context.Context) string { return "" }

func (r *cmdRunner) PluginToHost(network, addr string) (string, string, error) {
	return network, addr, nil
}

func (r *cmdRunner) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}

func (r *cmdRunner) ID() string {
	if r.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(r.cmd.Process.Pid)
}
