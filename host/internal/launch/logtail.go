package launch

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	// maxLine is how many bytes of a line are passed on.
	maxLine = 16 << 10
	// lastLines is how many lines are kept.
	lastLines = 10
)

// A logTail passes on what a process prints, line by line, and keeps the last lines, to tell how the process ended.
type logTail struct {
	show    func(string)
	printed atomic.Int64 // lines on stdout

	mu    sync.Mutex
	last  []string
	panic string // the first line of a panic or of a fatal error of the Go runtime
}

// A lineWriter cuts one stream of a process into lines for its logTail.
type lineWriter struct {
	tail   *logTail
	stdout bool

	mu   sync.Mutex // a write may be under way when the process has ended
	line []byte     // the current one
	cut  bool       // it was too long and has been passed on; the rest of it is left out
}

// Write implements io.Writer.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for part := range bytes.Lines(p) {
		ends := part[len(part)-1] == '\n'
		if !w.cut {
			w.line = append(w.line, part[:min(len(part), maxLine-len(w.line))]...)
			if w.cut = len(w.line) == maxLine; w.cut || ends {
				w.pass()
			}
		}
		w.cut = w.cut && !ends
	}
	return len(p), nil
}

// flush passes on an incomplete line.
func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pass()
}

func (w *lineWriter) pass() {
	if w.stdout && len(w.line) > 0 {
		w.tail.printed.Add(1)
	}
	w.tail.add(w.line)
	w.line = w.line[:0]
}

func (t *logTail) add(line []byte) {
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
