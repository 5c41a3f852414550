package flow

import (
	"fmt"
	"math/rand"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestBounded checks that an account of many names stays small, loses nothing, and does not depend on the order of the
// names.
func TestBounded(t *testing.T) {
	const limit, names = 5, 40
	want := map[string]int64{Other: 0}
	for i := range names {
		if name := fmt.Sprintf("%03d", i); i < limit {
			want[name] = int64(i + 1)
		} else {
			want[Other] += int64(i + 1)
		}
	}
	for seed := int64(0); seed < 50; seed++ {
		var adds []string
		for i := range names {
			for range i + 1 {
				adds = append(adds, fmt.Sprintf("%03d", i))
			}
		}
		rand.New(rand.NewSource(seed)).Shuffle(len(adds), func(i, j int) { adds[i], adds[j] = adds[j], adds[i] })
		var b bounded
		for _, name := range adds {
			b.add(name, 1, limit)
			if len(b.names) > limit {
				t.Fatalf("want at most %d names kept, have %d", limit, len(b.names))
			}
		}
		if diff := cmp.Diff(want, b.snapshot()); diff != "" {
			t.Fatalf("seed %d (-want +have):\n%s", seed, diff)
		}
	}
	var few bounded
	for i := range limit {
		few.add(fmt.Sprint(i), 1, limit)
	}
	if _, ok := few.snapshot()[Other]; ok {
		t.Error("want as many names as the limit to stand by themselves")
	}
}

// TestAccountLimits checks how many names and reasons a step and a run keep apart.
func TestAccountLimits(t *testing.T) {
	const n = 1100
	in := make([]wire.Record, n)
	var a Account
	answer := wire.Answer{}
	for i := range n {
		verdict := []wire.Verdict{wire.Dropped, wire.Declined, wire.Rejected}[i%3]
		answer.Outcomes = append(answer.Outcomes, wire.Outcome{Verdict: verdict, Fault: &wire.Fault{Code: fmt.Sprintf("c%d", i), Message: fmt.Sprint(i)}})
		answer.Counts = append(answer.Counts, wire.Count{Name: fmt.Sprint(i), N: 2})
		a.addUnwanted(fmt.Sprint(i))
	}
	a.add(in, answer)
	f := a.Snapshot()
	for what, c := range map[string]struct {
		have   map[string]int64
		names  int
		amount int64
	}{
		"drop reasons": {f.Dropped, maxReasons, 367}, "decline reasons": {f.Declined, maxReasons, 367}, "codes": {f.Rejected, maxReasons, 366},
		"counts": {f.Counts, maxCounts, 2 * n}, "outputs": {f.Unwanted, maxReasons, n},
	} {
		var amount int64
		for _, n := range c.have {
			amount += n
		}
		if len(c.have) != c.names+1 || amount != c.amount {
			t.Errorf("%s: want %d by themselves and %d in all, have %d and %d", what, c.names, c.amount, len(c.have)-1, amount)
		}
	}
}

// TestColumnLimits holds that counts named after columns displace no others, and that the order of the columns does not matter.
func TestColumnLimits(t *testing.T) {
	for _, prefix := range ofColumns {
		var a Account
		a.count("zebra", 1)
		for i := range 1100 {
			a.count(fmt.Sprintf("%s%04d", prefix, (i*7)%1100), 2)
		}
		f := a.Snapshot()
		if len(f.Counts) != maxColumns+2 || f.Counts["zebra"] != 1 || f.Counts[prefix+"0199"] != 2 || f.Counts[prefix+"other"] != 2*900 {
			t.Errorf("%s: want the first %d columns, 1800 of others and the other count, have %v", prefix, maxColumns, f.Counts)
		}
	}
}

// TestWritten checks that flow counts what it sent to each sink, so that it can be compared with what was written.
func TestWritten(t *testing.T) {
	w := newWorld(4)
	step := w.stepWith("a.x", 2, is("7", "reject"))
	side, main, dead := w.out("log"), w.out("main"), &Sink{Name: "dead", Writer: &lineWriter{}}
	step.Sides["log"] = side
	other := w.stepWith("b.x", 2, func(string) string { return "" })
	err := Run(t.Context(), Plan{
		Sources: []*Source{{Name: "lines.x", Reader: &lineReader{texts: numbers(40), n: 6, arena: w.arena()}}},
		Body:    []Node{step, other, main}, DeadLetter: dead, Account: &Totals{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if side.Written.Load() != 40 || main.Written.Load() != 36 || dead.Written.Load() != 4 {
		t.Errorf("want 40 rows, 36 records and 4 rejects, have %d, %d and %d", side.Written.Load(), main.Written.Load(), dead.Written.Load())
	}
	if n := other.Account.Snapshot().Unwanted["log"]; n != 36 {
		t.Errorf("want the 36 rows without a block counted, have %d", n)
	}
	if n := len(step.Account.Snapshot().Unwanted); n != 0 {
		t.Errorf("want no row of an output with a block counted as unwanted, have %d", n)
	}
}

// TestFirstWritten checks that later records do not change the time of the first.
func TestFirstWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, totals := time.Now(), &Totals{}
		if at := totals.FirstWritten(); !at.IsZero() {
			t.Errorf("want no time before a record is written, have %v", at)
		}
		for range 3 {
			time.Sleep(time.Second)
			totals.wrote(2)
		}
		if took, n := totals.FirstWritten().Sub(began), totals.Snapshot().Written; took != time.Second || n != 6 {
			t.Errorf("want the first of 6 after 1s, have %d and %v", n, took)
		}
	})
}
