// Package terminal shows how far a run is while it goes on: in a terminal by lines that are drawn anew in place, and elsewhere by
// a line now and then.
package terminal

import (
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/sluicehq/sluice/host"
)

// A Screen draws live lines at the end of a terminal; any goroutine may call its methods. The cursor rests at the first line:
// whatever comes next takes their place, and a resized window that wraps lines anew confuses no count of them.
type Screen struct {
	to    io.Writer
	size  func() (width, height int, err error)
	paint Paint

	mu    sync.Mutex
	past  history
	shown bool // lines are drawn
	ended bool
}

// Open returns a screen for a terminal. It reports false when w is no terminal, or one in which lines cannot be redrawn.
func Open(w io.Writer, env func(string) string) (*Screen, bool) {
	file, ok := drawable(w, env)
	if !ok {
		return nil, false
	}
	size := func() (int, int, error) { return term.GetSize(int(file.Fd())) }
	return &Screen{to: file, size: size, paint: PaintFor(w, env)}, true
}

// Show draws how far the run is, from the second time on: a run that ends at once draws nothing, and one that has just begun has no pace.
func (s *Screen) Show(p host.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.past.add(p)
	s.shown = s.past.begun()
	s.write(s.draw())
}

// Say writes a message above the live lines. It may have lines of its own.
func (s *Screen) Say(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(s.erase() + message + "\n" + s.draw())
}

// End erases the live lines for good.
func (s *Screen) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(s.erase())
	s.ended, s.shown = true, false
}

func (s *Screen) write(text string) {
	if text != "" {
		_, _ = io.WriteString(s.to, text) // a terminal that is gone is no reason to fail
	}
}

func (s *Screen) erase() string {
	if !s.shown {
		return ""
	}
	return "\r" + ansi.EraseScreenBelow
}

// draw writes the lines over the previous ones, and erases the rest of these: to erase all first would flicker.
func (s *Screen) draw() string {
	if !s.shown {
		return ""
	}
	width, height, err := s.size()
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	lines := (&canvas{width: width, height: height, paint: s.paint, past: &s.past}).lines()
	text := "\r" + strings.Join(lines, ansi.EraseLineRight+"\r\n") + ansi.EraseScreenBelow + "\r"
	if up := len(lines) - 1; up > 0 {
		text += ansi.CursorUp(up)
	}
	return text
}
