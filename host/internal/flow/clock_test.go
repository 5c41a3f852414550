package flow

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A slowStage answers one record after each of some times, and may wait for the host before it.
type slowStage struct {
	before []time.Duration // before each answer
	memory time.Duration   // waited for before the first
}

func (s *slowStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	if s.memory > 0 {
		out.Waiting(true)
		time.Sleep(s.memory)
		out.Waiting(false)
	}
	for i := range in {
		select {
		case <-time.After(s.before[i]):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := out.Answer(wire.Answer{Outcomes: make([]wire.Outcome, 1), Last: i == len(in)-1}); err != nil {
			return err
		}
	}
	return nil
}

// A slowReceiver takes some time for each answer.
type slowReceiver struct{ each time.Duration }

func (slowReceiver) Waiting(bool)               {}
func (s slowReceiver) Answer(wire.Answer) error { time.Sleep(s.each); return nil }

// TestTimed checks which time counts against a plugin.
func TestTimed(t *testing.T) {
	const limit = 5 * time.Second
	for _, c := range []struct {
		reason string
		stage  slowStage
		out    slowReceiver
		after  time.Duration // when the call ends
		late   bool
	}{
		{"answers within the limit", slowStage{before: []time.Duration{4e9, 4e9, 4e9}}, slowReceiver{}, 12e9, false},
		{"each answer starts the clock anew, and one is late", slowStage{before: []time.Duration{4e9, 6e9, 0}}, slowReceiver{}, 9e9, true},
		{"waits for what comes after do not count", slowStage{before: []time.Duration{4e9, 4e9, 4e9}}, slowReceiver{time.Minute}, 192e9, false},
		{"nor do waits for memory", slowStage{before: []time.Duration{4e9, 0, 0}, memory: time.Hour}, slowReceiver{}, time.Hour + 4e9, false},
		{"what was used before a wait is used", slowStage{before: []time.Duration{6e9, 0, 0}, memory: time.Hour}, slowReceiver{}, time.Hour + 5e9, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			err := (&timedStage{&c.stage, limit}).Process(t.Context(), make([]wire.Record, 3), c.out)
			crash, late := errors.AsType[*Crash](err)
			if late != c.late || time.Since(begin) != c.after || err != nil && !late {
				t.Errorf("%s: want the end after %v, late %v, have %v, %v", c.reason, c.after, c.late, time.Since(begin), err)
			}
			if late && crash.How != "want an answer within 5s, have silence" {
				t.Errorf("%s: have %q", c.reason, crash.How)
			}
		})
	}
}

// A hangingAtRecord stage hangs, and names the record.
type hangingAtRecord struct{}

func (hangingAtRecord) Process(ctx context.Context, _ []wire.Record, _ Receiver) error {
	<-ctx.Done()
	how := errors.New("the process was killed")
	if crash, ok := errors.AsType[*Crash](context.Cause(ctx)); ok {
		return &Crash{How: crash.How, At: 2}
	}
	return how
}

// TestTimedRecord checks that the record that a plugin hangs over is named, and that the end of the run is not taken for
// a time-out.
func TestTimedRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := (&timedStage{hangingAtRecord{}, time.Second}).Process(t.Context(), make([]wire.Record, 3), slowReceiver{})
		if crash, ok := errors.AsType[*Crash](err); !ok || crash.At != 2 {
			t.Errorf("want record 2 named, have %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		err = (&timedStage{&slowStage{before: []time.Duration{time.Hour}}, time.Minute}).Process(ctx, make([]wire.Record, 1), slowReceiver{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("want the run's end, have %v", err)
		}
	})
}

// TestBusy checks that a step counts as busy only while its plugin has the records: not while later steps have them, and
// not while it waits for memory.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step := &Step{Name: "a.x", Account: &Account{}, Stages: []Stage{
			&slowStage{before: []time.Duration{3e9, 4e9}, memory: time.Minute},
		}}
		if err := step.prepare(false); err != nil {
			t.Fatal(err)
		}
		held, busy := make(chan time.Duration, 3), make(chan time.Duration, 3)
		for _, at := range []time.Duration{30 * time.Second, 62 * time.Second, time.Hour + 65*time.Second} {
			time.AfterFunc(at, func() { held <- step.Account.LongestCall(); busy <- step.Account.Snapshot().Busy })
		}
		err := step.process(t.Context(), onlySlot, make([]wire.Record, 2), func([]wire.Record, wire.Answer) error {
			time.Sleep(time.Hour)
			if have := step.Account.LongestCall(); have != 0 {
				t.Errorf("want nothing held while others have the records, have %v", have)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []time.Duration{0, 2 * time.Second, 2 * time.Second} {
			if have := <-held; have != want {
				t.Errorf("want the run held for %v, have %v", want, have)
			}
		}
		for _, want := range []time.Duration{0, 2 * time.Second, 5 * time.Second} {
			if have := <-busy; have != want {
				t.Errorf("want the step busy for %v while it has the records, have %v", want, have)
			}
		}
		if want, have := 7*time.Second, step.Account.Snapshot().Busy; have != want {
			t.Errorf("want the step busy for %v, have %v", want, have)
		}
		if have := step.Account.LongestCall(); have != 0 {
			t.Errorf("want nothing held by a step that is done, have %v", have)
		}
	})
}
