package launch

import (
	"bufio"
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// maxLine is how many bytes of a line are passed on.
const maxLine = 16 << 10

// A logTail passes on what a process prints, line by line, and keeps the last lines, to tell how the process ended.
type logTail struct {
	show    func(string)
	printed atomic.Int64 // lines on stdout

	mu      sync.Mutex
	last    []string
	panic   string // the first line of a panic or of a fatal error of the Go runtime
	partial []byte // an incomplete line, of Write
}

// lastLines is how many lines are kept.
const lastLines = 10

// copy passes lines on until r ends. It cuts each at maxLine.
func (t *logTail) copy(r *bufio.Reader) {
	cut := false // the current line has been passed on
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

// copyStdout is copy for stdout.
func (t *logTail) copyStdout(r *bufio.Reader) {
	counting := &logTail{show: func(line string) { t.printed.Add(1); t.line([]byte(line)) }}
	counting.copy(r)
}

// A stdoutTail is the logTail as the writer of stdout.
type stdoutTail struct{ *logTail }

func (s stdoutTail) Write(p []byte) (int, error) {
	s.printed.Add(int64(bytes.Count(p, []byte("\n"))))
	return s.logTail.Write(p)
}

// Write implements io.Writer, for output that go-plugin passes on.
func (t *logTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.partial = append(t.partial, p...)
	var lines [][]byte
	for {
		line, after, ok := bytes.Cut(t.partial, []byte("\n"))
		if !ok {
			break
		}
		lines, t.partial = append(lines, line), after
	}
	if len(t.partial) > maxLine {
		lines, t.partial = append(lines, t.partial[:maxLine]), nil
	}
	t.mu.Unlock()
	for _, line := range lines {
		t.line(line)
	}
	return len(p), nil
}

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
