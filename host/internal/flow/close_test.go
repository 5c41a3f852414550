package flow

import (
	"errors"
	"io"
	"testing"
)

// closing tells when it is closed.
type closing struct {
	*lines
	closed int
}

func (c *closing) Close() error {
	c.closed++
	return c.lines.Close()
}

// What reads ahead must have ended when Run returns, since the arena goes then: also when a sink fails long before the end.
func TestRunClosesItsSources(t *testing.T) {
	broken := errors.New("broken")
	for _, sinkErr := range []error{nil, broken} {
		w := newWorld(1)
		a := &closing{lines: &lines{texts: numbers(500), n: 3, arena: w.arena()}}
		b := &closing{lines: &lines{texts: numbers(500), n: 3, arena: w.arena()}}
		err := Run(t.Context(), Plan{
			Sources: []*Source{{Name: "lines.a", Reader: a}, {Name: "lines.b", Reader: b}}, Body: []Node{&Sink{Name: "main", Writer: &text{err: sinkErr}}},
			DeadLetter: &Sink{Name: "dead", Writer: &text{}}, Limit: -1, Account: &Totals{},
		})
		if !errors.Is(err, sinkErr) || errors.Is(err, io.EOF) {
			t.Errorf("have %v, want %v", err, sinkErr)
		}
		if a.closed != 1 || sinkErr == nil && b.closed != 1 {
			t.Errorf("closed %d and %d times", a.closed, b.closed)
		}
	}
}
