package launch

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// maxLine is how many bytes of a line are shown.
const maxLine = 16 << 10

// said is what a process has written: passed on line by line, with what is needed to tell how it ended.
type logTail struct {
	show    func(string)
	printed atomic.Int64 // lines on stdout

	mu    sync.Mutex
	last  []string // the last lines
	panic string   // the first line of a panic or of a fatal error of the Go runtime
	rest  []byte   // of Write
}

// lastLines is how many lines are kept.
const lastLines = 10

// copy passes lines on until r ends. What a line has beyond maxLine is let go.
func (t *logTail) copy(r *bufio.Reader) {
	cut := false // the line at hand has been shown
	for {
		line, err := r.ReadSlice('\n')
		if !cut {
			t.line(line)
		}
		cut = err == bufio.ErrBufferFull
		if err != nil && !cut {
			return
		}
	}
}

// copyStdout is copy for what comes on stdout.
func (t *logTail) copyStdout(r *bufio.Reader) {
	counting := &logTail{show: func(line string) { t.printed.Add(1); t.line([]byte(line)) }}
	counting.copy(r)
}

// A loud said takes what a process has written to stdout.
type stdoutTail struct{ *logTail }

// Write implements io.Writer.
func (l stdoutTail) Write(p []byte) (int, error) {
	l.printed.Add(int64(bytes.Count(p, []byte("\n"))))
	return l.logTail.Write(p)
}

// Write takes what reaches the host through go-plugin.
func (t *logTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.rest = append(t.rest, p...)
	var lines [][]byte
	for {
		line, after, ok := bytes.Cut(t.rest, []byte("\n"))
		if !ok {
			break
		}
		lines, t.rest = append(lines, line), after
	}
	if len(t.rest) > maxLine {
		lines, t.rest = append(lines, t.rest[:maxLine]), nil
	}
	t.mu.Unlock()
	for _, line := range lines {
		t.line(line)
	}
	return len(p), nil
}

var _ io.Writer = (*logTail)(nil)

func (t *logTail) line(line []byte) {
	text := strings.ToValidUTF8(string(bytes.TrimRight(line, "\r\n")), "\uFFFD")
	if text == "" {
		return
	}
	t.mu.Lock()
	if t.last = append(t.last, text); len(t.last) > lastLines {
		t.last = t.last[1:]
	}
	if t.panic == "" && (strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")) {
		t.panic = text
	}
	t.mu.Unlock()
	t.show(text)
}

func (t *logTail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.last)
}

func (t *logTail) panicLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.panic
}
