package flow

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestBatchSpans checks that the spans of a step add up to its account, whatever the workers do.
func TestBatchSpans(t *testing.T) {
	for seed := int64(0); seed < 30; seed++ {
		var mu sync.Mutex
		var told []BatchSpan
		var step *Step
		_, _, err := run(t, seed, 60, -1, nil, func(w *world) []Node {
			step = w.step("fake.a", func(s string) string {
				switch {
				case strings.HasSuffix(s, `3"`):
					return "drop"
				case strings.HasSuffix(s, `4"`):
					return "reject"
				case strings.HasSuffix(s, `5"`):
					return s + "|" + s
				}
				return ""
			})
			step.OnBatch = func(b BatchSpan) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, b)
			}
			return []Node{step, w.out("o")}
		})
		if err != nil {
			t.Fatal(err)
		}
		var sum Account
		records := 0
		for _, b := range told {
			records += b.Records
			if b.Failed || b.Unanswered != 0 || len(b.Steps) != 1 || b.Ended.Before(b.Began) || b.First.Line == 0 || b.Last.Line < b.First.Line {
				t.Fatalf("seed %d: want a batch of one step that went well, have %+v", seed, b)
			}
			f := b.Steps[0].Figures
			sum.figures.In, sum.figures.Out, sum.figures.Extra = sum.figures.In+f.In, sum.figures.Out+f.Out, sum.figures.Extra+f.Extra
			sum.figures.BytesIn, sum.figures.BytesOut, sum.figures.Busy = sum.figures.BytesIn+f.BytesIn, sum.figures.BytesOut+f.BytesOut, sum.figures.Busy+f.Busy
			for reason, n := range f.Dropped {
				sum.dropped.add(reason, n, maxReasons)
			}
			for code, n := range f.Rejected {
				sum.rejected.add(code, n, maxReasons)
			}
		}
		if diff := cmp.Diff(step.Account.Snapshot(), sum.Snapshot(), cmpopts.IgnoreFields(Figures{}, "Accepted", "Unwanted", "Drops")); diff != "" || records != 60 {
			t.Fatalf("seed %d: %d records; the account (-) and the batches (+):\n%s", seed, records, diff)
		}
	}
}

// A crashAtOne stage answers the records before "1", which crashes it.
type crashAtOne struct{}

func (crashAtOne) Process(_ context.Context, in []wire.Record, out Receiver) error {
	for i := range in {
		if string(in[i].Data) == "1" {
			return &Crash{How: errKilled.How, At: i}
		}
		if err := out.Answer(wire.Answer{Outcomes: make([]wire.Outcome, 1)}); err != nil {
			return err
		}
	}
	return nil
}

// TestBatchSpanOfCrash checks that a span holds the crashes of its worker, and how many records were left.
func TestBatchSpanOfCrash(t *testing.T) {
	for _, test := range []struct {
		why        string
		isolate    bool
		crashes    int
		unanswered int
	}{
		{"the run ends", false, 1, 1},
		{"the record is looked for, and rejected", true, 2, 0},
	} {
		var told []BatchSpan
		s := &Step{Name: "fake.a", Account: &Account{}, Isolate: test.isolate, Restarts: 100, Stages: []Stage{crashAtOne{}}}
		s.OnBatch = func(b BatchSpan) { told = append(told, b) }
		if err := s.prepare(false); err != nil {
			t.Fatal(err)
		}
		in := []wire.Record{{Data: []byte("0"), Line: 1}, {Data: []byte("1"), Line: 2}}
		err := s.process(t.Context(), onlySlot, in, func([]wire.Record, wire.Answer) error { return nil })
		if failed := err != nil; failed == test.isolate || len(told) != 1 || told[0].Failed != failed {
			t.Fatalf("%s: want one batch, have %+v (%v)", test.why, told, err)
		}
		b := told[0]
		if len(b.Crashes) != test.crashes || b.Crashes[0].Step != "fake.a" || b.Crashes[0].How != errKilled.How || b.Unanswered != test.unanswered {
			t.Errorf("%s: want %d crashes and %d records left, have %+v", test.why, test.crashes, test.unanswered, b)
		}
	}
}

// A constantStage answers every batch as a whole.
type constantStage struct{ outcomes [1]wire.Outcome }

func (q *constantStage) Process(_ context.Context, in []wire.Record, out Receiver) error {
	return out.Answer(wire.Answer{Outcomes: q.outcomes[:len(in)], Last: true})
}

// TestUnobservedBatch checks that spans cost nothing when they are not observed.
func TestUnobservedBatch(t *testing.T) {
	allocations := func(tell func(BatchSpan)) float64 {
		s := &Step{Name: "fake.a", Account: &Account{}, Stages: []Stage{&constantStage{}}, OnBatch: tell}
		if err := s.prepare(false); err != nil {
			t.Fatal(err)
		}
		in, emit := []wire.Record{{Data: []byte("1")}}, func([]wire.Record, wire.Answer) error { return nil }
		return testing.AllocsPerRun(100, func() {
			if err := s.process(t.Context(), onlySlot, in, emit); err != nil {
				t.Error(err)
			}
		})
	}
	if n := (&Step{}).newSpanRecorder(); n != nil {
		t.Errorf("want nothing kept without an observer, have %+v", n)
	}
	if untold, told := allocations(nil), allocations(func(BatchSpan) {}); untold > 4 || told <= untold {
		t.Errorf("want at most 4 allocations without an observer and more with one, have %v and %v", untold, told)
	}
}
