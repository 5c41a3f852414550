package flow

import (
	"errors"
	"io"
	"testing"
)

// A closeRecorder is a reader that records whether it was closed.
type closeRecorder struct {
	*lineReader
	closed int
}

func (c *closeRecorder) Close() error {
	c.closed++
	return c.lineReader.Close()
}

// TestRunClosesItsSources checks that nothing reads ahead once Run has returned, since the arena is freed then, even when
// a sink fails long before the end.
func TestRunClosesItsSources(t *testing.T) {
	broken := errors.New("broken")
	for _, sinkErr := range []error{nil, broken} {
		w := newWorld(1)
		a := &closeRecorder{lineReader: &lineReader{texts: numbers(500), n: 3, arena: w.arena()}}
		b := &closeRecorder{lineReader: &lineReader{texts: numbers(500), n: 3, arena: w.arena()}}
		err := Run(t.Context(), Plan{
			Sources: []*Source{{Name: "lines.a", Reader: a}, {Name: "lines.b", Reader: b}}, Body: []Node{&Sink{Name: "main", Writer: &lineWriter{err: sinkErr}}},
			DeadLetter: &Sink{Name: "dead", Writer: &lineWriter{}}, Account: &Totals{},
		})
		if !errors.Is(err, sinkErr) || errors.Is(err, io.EOF) {
			t.Errorf("have %v, want %v", err, sinkErr)
		}
		if a.closed != 1 || sinkErr == nil && b.closed != 1 {
			t.Errorf("closed %d and %d times", a.closed, b.closed)
		}
	}
}
