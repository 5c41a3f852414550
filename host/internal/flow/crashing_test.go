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

// A fakeProcess is shared by several workers: when it crashes over a record of one, the calls of all end.
type fakeProcess struct {
	mu    sync.Mutex
	dead  chan struct{} // closed when the current process ends
	ended int
}

func newFakeProcess() *fakeProcess { return &fakeProcess{dead: make(chan struct{})} }

func (s *fakeProcess) ensureAlive() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

// end ends a process unless it has ended already. The next call runs in another one.
func (s *fakeProcess) end(process chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == process {
		close(process)
		s.dead = make(chan struct{})
		s.ended++
	}
}

// A crashingStage is a worker in a fakeProcess, which crashes over the records that kill. It answers in parts of up to n
// records, with a count and a side row for each. It names the crashing record always, never, or wrongly.
type crashingStage struct {
	process *fakeProcess
	kills   func(string) error // errKilled ends the process; Process returns any other error
	n       int
	rng     *rand.Rand
}

var (
	errKilled = &Crash{How: "exit status 2"}
	errFatal  = errors.New("cannot go on")
)

func (m *crashingStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	process := m.process.ensureAlive()
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
			m.process.end(process)
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

// crashingStep returns a step whose workers share a process.
func (w *world) crashingStep(name string, workers int, kills func(string) error) (*Step, *fakeProcess) {
	s := &Step{Name: name, Plugin: "mortal", Isolate: true, Restarts: 1000, Account: &Account{}, Sides: map[string]*Sink{}}
	p := newFakeProcess()
	for range workers {
		s.Stages = append(s.Stages, &crashingStage{p, kills, 1 + w.rng.Intn(4), rand.New(rand.NewSource(w.rng.Int63()))})
	}
	return s, p
}

// failOn returns err for the listed texts.
func failOn(err error, texts ...string) func(string) error {
	return func(s string) error {
		if slices.Contains(texts, s) {
			return err
		}
		return nil
	}
}
