package flow

import (
	"context"
	"errors"
	"math/rand"
	"runtime"
	"slices"
	"sync"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A shell is a process that several workers run in: when it ends over a record of one, the calls of all end.
type shell struct {
	mu    sync.Mutex
	dead  chan struct{} // closed when the present process ends
	ended int
}

func newShell() *shell { return &shell{dead: make(chan struct{})} }

func (s *shell) alive() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

// end ends a process unless it has ended already. The next call is in another one.
func (s *shell) end(process chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == process {
		close(process)
		s.dead = make(chan struct{})
		s.ended++
	}
}

// mortal is a worker in a shell, which ends over the records that kill. It answers in parts of up to n records, with a
// count and a side row for each, and knows the record at hand always, never, or wrongly when that has been answered.
type mortal struct {
	shell *shell
	kills func(string) error // errKilled ends the shell; another error comes from Process
	n     int
	rng   *rand.Rand
}

var (
	errKilled = &Crash{How: "exit status 2"}
	errFatal  = errors.New("cannot go on")
)

func (m *mortal) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	process := m.shell.alive()
	knows := m.rng.Intn(3)
	var a wire.Answer
	begin := 0
	crash := func(i int) error {
		at := []int{-1, i, 0}[knows]
		return &Crash{How: errKilled.How, At: at}
	}
	for i, r := range in {
		for range m.rng.Intn(30) {
			runtime.Gosched()
		}
		select {
		case <-process:
			return crash(i)
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		switch err := m.kills(string(r.Data)); err {
		case nil:
		case error(errKilled):
			m.shell.end(process)
			return crash(i)
		default:
			return err
		}
		a.Outcomes = append(a.Outcomes, wire.Outcome{})
		a.Counts = append(a.Counts, wire.Count{Name: "seen", N: 1})
		a.Sides = append(a.Sides, wire.Side{Index: i - begin, Output: "log", JSON: slices.Concat([]byte(`{"saw":`), r.Data, []byte("}"))})
		if len(a.Outcomes) == m.n || i == len(in)-1 {
			begin += len(a.Outcomes)
			a.Last = begin == len(in)
			if err := out.Answer(a); err != nil {
				return err
			}
			a = wire.Answer{}
		}
	}
	return nil
}

// mortal is a step whose workers share a shell.
func (w *world) mortal(name string, workers int, kills func(string) error) (*Step, *shell) {
	s := &Step{Name: name, Plugin: "mortal", Reject: true, Account: &Account{}, Sides: map[string]*Sink{}}
	sh := newShell()
	for range workers {
		s.Stages = append(s.Stages, &mortal{sh, kills, 1 + w.rng.Intn(4), rand.New(rand.NewSource(w.rng.Int63()))})
	}
	return s, sh
}

// oneOf gives err for the texts that are listed.
func oneOf(err error, texts ...string) func(string) error {
	return func(s string) error {
		if slices.Contains(texts, s) {
			return err
		}
		return nil
	}
}
