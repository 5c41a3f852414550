package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A cmdRunner runs a command for go-plugin. Unlike go-plugin's own runner it reads stdout and stderr itself, line by line
// and in bounded memory, and it is done when the program ends, even if a child of it still holds the pipes. Its exported
// methods implement runner.Runner.
type cmdRunner struct {
	ctx    context.Context // ends the process
	fleet  *Fleet          // empty for a process that only describes itself
	cmd    *exec.Cmd
	log    *logTail
	stdout *stdoutWriter
	stderr *lineWriter
	ended  chan struct{} // closed when cmd.ProcessState is set and all output has been read
	killed atomic.Pointer[string]
	dying  sync.Mutex   // held while the process is killed
	reaped bool         // its number may be another process's
	before int64        // the most memory that this process had had when it started the other
	most   atomic.Int64 // that the process was seen to have had
	beyond atomic.Int64 // that it had together with what it has started, for which it was killed
}

// drainTimeout is how long output is read after the end of the process: a child of it may hold the pipes for ever.
const drainTimeout = 200 * time.Millisecond

func newRunner(ctx context.Context, fleet *Fleet, cmd *exec.Cmd, log *logTail) *cmdRunner {
	if fleet == nil {
		fleet = &Fleet{}
	}
	r := &cmdRunner{ctx: ctx, fleet: fleet, cmd: cmd, log: log, stderr: &lineWriter{tail: log, stacks: log.stacks}, ended: make(chan struct{})}
	r.stdout = &stdoutWriter{lineWriter: lineWriter{tail: log, stdout: true}}
	r.stdout.handshake, r.stdout.pipe = io.Pipe()
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = r.stdout, r.stderr, drainTimeout
	return r
}

func (r *cmdRunner) Start(context.Context) error {
	r.before = ownPeak()
	if err := r.fleet.forker.start(r.cmd.Start); err != nil {
		return err
	}
	pid := r.cmd.Process.Pid
	r.fleet.watchdog.began(pid)
	context.AfterFunc(r.ctx, func() { _ = r.Kill(context.Background()) })
	go func() {
		awaitEnd(r.cmd)
		r.endGroup(pid)
		_ = r.cmd.Wait() // the result is in ProcessState
		r.stdout.pipe.Close()
		r.stdout.flush()
		r.stderr.flush()
		close(r.ended)
	}()
	return nil
}

// endGroup kills what the process, which has ended, has started and left behind. Nothing is killed by its number later.
func (r *cmdRunner) endGroup(pid int) {
	r.dying.Lock()
	defer r.dying.Unlock()
	_ = killGroup(pid)
	r.fleet.watchdog.ended(pid)
	r.reaped = true
}

// A stdoutWriter passes the first line to go-plugin, and the others to the log.
type stdoutWriter struct {
	lineWriter
	handshake *io.PipeReader // reads the first line
	pipe      *io.PipeWriter
	first     int // bytes of the first line so far
	done      bool
}

func (w *stdoutWriter) Write(p []byte) (int, error) {
	rest := p
	if !w.done {
		end := bytes.IndexByte(p, '\n') + 1
		w.done = end > 0 || w.first+len(p) >= maxLine
		if end == 0 {
			end = len(p)
		}
		w.first += end
		_, _ = w.pipe.Write(p[:end])
		if w.done {
			w.pipe.Close()
		}
		rest = p[end:]
	}
	_, _ = w.lineWriter.Write(rest)
	return len(p), nil
}

func (r *cmdRunner) Wait(context.Context) error {
	<-r.ended
	return nil
}

func (r *cmdRunner) Kill(context.Context) error {
	if r.cmd.Process == nil {
		return nil
	}
	r.dying.Lock()
	defer r.dying.Unlock()
	if r.reaped {
		return nil
	}
	r.noteMemory()
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

// wasKilled reports whether a signal has ended the process that this process did not send.
func (r *cmdRunner) wasKilled() bool {
	select {
	case <-r.ended:
		return r.killed.Load() == nil && r.ctx.Err() == nil && bySignal(r.cmd.ProcessState)
	default:
		return false
	}
}

// noteMemory notes the most memory that the process has had so far.
func (r *cmdRunner) noteMemory() {
	r.most.Store(max(peakSoFar(r.cmd.Process.Pid), r.most.Load()))
}

// peak returns the most memory that the process had, which has ended; 0 when that is not known. The system counts what this
// process had when it started the other as the other's, so a peak below that is only a bound.
func (r *cmdRunner) peak() int64 {
	most := peakOf(r.cmd.ProcessState)
	if seen := r.most.Load(); most <= r.before && seen > 0 {
		most = seen
	}
	return max(most, r.beyond.Load())
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
	how = r.cmd.ProcessState.String()
	if panicked := r.log.panicked(); panicked != "" && !private {
		how = fmt.Sprintf("%s (%s)", panicked, how)
	}
	return how, true
}

func (r *cmdRunner) Stdout() io.ReadCloser { return r.stdout.handshake }

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

// maxLine is how many bytes of a line are passed on.
const maxLine = 16 << 10

// A logTail passes on what a process prints, line by line. It holds the lines back until the process serves, since the error of one that
// does not says the last of them. A stack is passed on once it is complete, since one that the chain's processes have printed before takes
// one line.
type logTail struct {
	runs    string              // as what the process was started, when that is no path of its program
	path    string              // of the program
	hide    func(string) string // nil: nothing
	show    func(string)
	stacks  *seenStacks  // of all processes of the chain
	printed atomic.Int64 // lines on stdout

	mu       sync.Mutex
	held     []string
	released bool   // nothing is held back
	panic    string // the first line of a panic or of a fatal error of the Go runtime
}

// A lineWriter cuts one stream of a process into lines for its logTail.
type lineWriter struct {
	tail   *logTail
	stdout bool
	stacks *seenStacks // nil: a stack is shown as any other lines

	mu   sync.Mutex // a write may be under way when the process has ended
	line []byte     // the current one
	cut  bool       // it was too long and has been passed on; the rest of it is left out
	held stack      // that may go on
}

// Write implements io.Writer.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for part := range bytes.Lines(p) {
		ends := part[len(part)-1] == '\n'
		if !w.cut {
			w.line = append(w.line, part[:min(len(part), w.most()-len(w.line))]...)
			if w.cut = len(w.line) == w.most(); w.cut || ends {
				w.pass()
			}
		}
		w.cut = w.cut && !ends
	}
	return len(p), nil
}

// flush passes on an incomplete line, and a stack. What is written from then on is held back no more.
func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pass()
	w.release()
	w.stacks = nil
}

// most is how much is read of a line: where secrets are hidden, as much again as is shown, since one that is cut off would not be known.
func (w *lineWriter) most() int {
	if w.tail.hide != nil {
		return 2 * maxLine
	}
	return maxLine
}

func (w *lineWriter) pass() {
	if w.stdout && len(w.line) > 0 {
		w.tail.printed.Add(1)
	}
	text := strings.ToValidUTF8(string(bytes.TrimRight(w.line, "\r\n")), "\uFFFD")
	w.line = w.line[:0]
	if text == "" {
		return
	}
	text = w.tail.add(text)
	shown := maxLine
	if w.cut && w.tail.hide != nil {
		shown = min(shown, max(0, len(text)-maxLine)) // the end may be the beginning of a secret
	}
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "")
	}
	if w.stacks != nil {
		if w.held.take(text) {
			return
		}
		if w.release(); w.held.take(text) {
			return
		}
	}
	w.tail.pass(text)
}

// release shows the stack that was held back.
func (w *lineWriter) release() {
	if w.held.lines > 0 {
		w.stacks.show(&w.held, w.tail.pass)
	}
	w.held = stack{}
}

// add notes a line, and returns it as it may be shown.
func (t *logTail) add(text string) string {
	text = t.named(text)
	if t.hide != nil {
		text = t.hide(text)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.panic == "" && isPanic(text) {
		t.panic = text
	}
	return text
}

// named returns a text with the path of the program for what it was started as. An interpreter knows a script by no other name.
func (t *logTail) named(text string) string {
	if t.runs == "" || t.runs == t.path {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, t.runs)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if after != "" && '0' <= after[0] && after[0] <= '9' { // another descriptor
			b.WriteString(t.runs)
		} else {
			b.WriteString(t.path)
		}
		text = after
	}
}

// maxHeld is how many lines are held back at most.
const maxHeld = 1000

// pass shows a line, or holds it back.
func (t *logTail) pass(line string) {
	t.mu.Lock()
	held := !t.released && len(t.held) < maxHeld
	if held {
		t.held = append(t.held, line)
	}
	t.mu.Unlock()
	if !held {
		t.release()
		t.show(line)
	}
}

// release shows what was held back, and from then on every line as it comes.
func (t *logTail) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, line := range t.held {
		t.show(line)
	}
	t.held, t.released = nil, true
}

// takeLast takes the last of the lines that are held back, "" when there is none, unless there was a panic.
func (t *logTail) takeLast() (last string, panicked bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.held) - 1; n >= 0 && t.panic == "" {
		last, t.held = t.held[n], t.held[:n]
	}
	return last, t.panic != ""
}

// panicked returns the first line of a panic, "" when there was none.
func (t *logTail) panicked() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.panic
}
