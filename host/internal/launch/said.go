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
type said struct {
	log     func(string)
	printed atomic.Int64 // lines on stdout

	mu    sync.Mutex
	last  []string // the last lines
	panic string   // the first line of a panic or of a fatal error of the Go runtime
	rest  []byte   // of Write
}

// lastLines is how many lines are kept.
const lastLines = 10

// copy passes lines on until r ends. What a line has beyond maxLine is let go.
func (s *said) copy(r *bufio.Reader) {
	cut := false // the line at hand has been shown
	for {
		line, err := r.ReadSlice('\n')
		if !cut {
			s.line(line)
		}
		cut = err == bufio.ErrBufferFull
		if err != nil && !cut {
			return
		}
	}
}

// copyStdout is copy for what comes on stdout.
func (s *said) copyStdout(r *bufio.Reader) {
	counting := &said{log: func(line string) { s.printed.Add(1); s.line([]byte(line)) }}
	counting.copy(r)
}

// A loud said takes what a process has written to stdout.
type loud struct{ *said }

// Write implements io.Writer.
func (l loud) Write(p []byte) (int, error) {
	l.printed.Add(int64(bytes.Count(p, []byte("\n"))))
	return l.said.Write(p)
}

// Write takes what reaches the host through go-plugin.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.rest = append(s.rest, p...)
	var lines [][]byte
	for {
		line, after, ok := bytes.Cut(s.rest, []byte("\n"))
		if !ok {
			break
		}
		lines, s.rest = append(lines, line), after
	}
	if len(s.rest) > maxLine {
		lines, s.rest = append(lines, s.rest[:maxLine]), nil
	}
	s.mu.Unlock()
	for _, line := range lines {
		s.line(line)
	}
	return len(p), nil
}

var _ io.Writer = (*said)(nil)

func (s *said) line(line []byte) {
	text := strings.ToValidUTF8(string(bytes.TrimRight(line, "\r\n")), "\uFFFD")
	if text == "" {
		return
	}
	s.mu.Lock()
	if s.last = append(s.last, text); len(s.last) > lastLines {
		s.last = s.last[1:]
	}
	if s.panic == "" && (strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")) {
		s.panic = text
	}
	s.mu.Unlock()
	s.log(text)
}

func (s *said) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.last)
}

func (s *said) panicked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.panic
}
