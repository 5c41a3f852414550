package launch

import (
	"bytes"
	"slices"
	"sync"
)

// lines is a writer that passes on what a process says, line by line.
type lines struct {
	tail *tail
	log  func(string)

	mu   sync.Mutex
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		line, after, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		l.rest = after
		if text := string(bytes.TrimRight(line, "\r")); text != "" {
			l.tail.add(text)
			l.log(text)
		}
	}
}

// A tail keeps the last lines.
type tail struct {
	mu    sync.Mutex
	lines []string
}

const tailLines = 10

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines = append(t.lines, line); len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
}

func (t *tail) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines)
}
