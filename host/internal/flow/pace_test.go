package flow

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A sleepyStage needs a time for each record, and answers each at once.
type sleepyStage struct {
	each time.Duration
	fail func(*wire.Record) error
}

func (s sleepyStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	for i := range in {
		time.Sleep(s.each)
		if s.fail != nil {
			if err := s.fail(&in[i]); err != nil {
				return err
			}
		}
		if err := out.Answer(wire.Answer{Outcomes: make([]wire.Outcome, 1), Last: i+1 == len(in)}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A sleepySink needs a time for each record.
type sleepySink struct {
	lineWriter
	each time.Duration
}

func (s *sleepySink) Write(records []wire.Record) error {
	time.Sleep(time.Duration(len(records)) * s.each)
	return s.lineWriter.Write(records)
}

// sleepyPlan sends n records, all in one chunk, through a step of two workers into a sink.
func sleepyPlan(n int, stage sleepyStage, sink *Sink) (Plan, *Step) {
	step := &Step{Name: "sleepy.s", Account: &Account{}, Stages: []Stage{stage, stage}}
	src := &lineReader{texts: numbers(n), n: n, arena: wire.NewArena(make([]byte, 1<<16), 64, nil)}
	return Plan{
		Sources: []*Source{{Name: "lines.x", Reader: src}}, Body: []Node{step, sink},
		DeadLetter: &Sink{Name: "dead", Writer: &lineWriter{}}, Account: &Totals{},
	}, step
}

// TestPace holds that all workers of a slow step, and a slow sink, get the records of one chunk in parts: at any time so many have left
// as the time allows, and the busy time is that of the workers.
func TestPace(t *testing.T) {
	const n, each = 300, 100 * time.Millisecond
	for _, c := range []struct {
		reason  string
		stage   sleepyStage
		sink    time.Duration
		takes   time.Duration
		workers float64 // that are busy
	}{
		{"a slow step", sleepyStage{each: each}, 0, n * each / 2, 2},
		{"a slow sink", sleepyStage{}, each, n * each, 0},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := &Sink{Name: "out", Writer: &sleepySink{each: c.sink}}
				p, step := sleepyPlan(n, c.stage, sink)
				began := time.Now()
				ended := make(chan error)
				go func() { ended <- Run(t.Context(), p) }()
				for at := time.Second; at < c.takes; at += time.Second {
					time.Sleep(time.Second)
					left, of := p.Account.Left()
					if want := n * at.Seconds() / c.takes.Seconds(); of != n || float64(left) < want-20 || float64(left) > want+1 {
						t.Errorf("want about %.0f of %d records to have left after %v, have %d of %d", want, n, at, left, of)
					}
					if have, want := step.Account.Snapshot().Busy.Seconds(), c.workers*at.Seconds(); have > want+1e-6 || have < want*0.9 {
						t.Errorf("want the step busy for %.1f s after %v, have %.1f s", want, at, have)
					}
				}
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > c.takes*11/10 {
					t.Errorf("want the run done after about %v, have %v", c.takes, took)
				}
				if have := sink.Busy.Sum(); have != n*c.sink {
					t.Errorf("want the sink busy for %v, have %v", n*c.sink, have)
				}
			})
		})
	}
}

// TestFirstErrorOfTheInput holds that of several errors that end a run the one of the earliest batch is told, whoever comes first.
func TestFirstErrorOfTheInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stage := sleepyStage{fail: func(r *wire.Record) error {
			switch string(r.Data) {
			case `"2"`:
				time.Sleep(time.Hour)
				return errors.New("the first")
			case `"5"`:
				return errors.New("the second")
			}
			return nil
		}}
		p, _ := sleepyPlan(20, stage, &Sink{Name: "out", Writer: &lineWriter{}})
		if err, want := Run(t.Context(), p), "step sleepy.s: the first"; fmt.Sprint(err) != want {
			t.Errorf("want %q, have %q", want, fmt.Sprint(err))
		}
	})
}
