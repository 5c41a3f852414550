package sdk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

func concurrently(n int, f Func) Plugin {
	p := tester(Concurrent(n, f))
	p.Concurrent = true
	return p
}

// withoutNotes returns the log of a space without the notes, which say what was under way.
func withoutNotes(log []string) (rest []string) {
	for _, line := range log {
		if !strings.HasPrefix(line, "note ") {
			rest = append(rest, line)
		}
	}
	return rest
}

// everything does to a record what its member "do" says, after as many milliseconds as "wait" says.
func everything(_ context.Context, r *Record, emit func(*Record)) error {
	time.Sleep(time.Duration(r.Get("wait").Int()) * time.Millisecond)
	r.SetLabel("part", fmt.Sprint(r.Pos().Line))
	r.Side("rows", fmt.Appendf(nil, `{"n":%d}`, r.Pos().Line))
	r.Count("n", 1)
	switch r.Get("do").String() {
	case "same":
		emit(r)
	case "edit":
		if err := r.Set("done", true); err != nil {
			return err
		}
		emit(r)
	case "many":
		emit(r)
		r.SetLabel("split", "second")
		emit(r.Derive([]byte(`{"made":[1,2]}`)))
	case "drop":
		return Drop("asked")
	case "kept":
		r.Conceal([]byte(`"hidden"`))
		return Keep(Reject("bad", "do", "asked"))
	case "decline":
		return Decline("asked")
	case "fail":
		emit(r)
		return errors.New("failed")
	case "text":
		emit(r.Derive([]byte(`{"made":`)))
	case "label":
		r.SetLabel("other", "x")
		emit(r)
	case "large":
		emit(r.Derive([]byte(`"` + strings.Repeat("x", 2000) + `"`)))
	case "nil":
		emit(nil)
	}
	return nil
}

// TestConcurrentIsSequential holds that a concurrent processor answers as one that is called for one record after the other,
// whatever becomes of the records and in whatever order the calls return.
func TestConcurrentIsSequential(t *testing.T) {
	var docs []string
	for i, do := range []string{"same", "edit", "many", "drop", "kept", "decline", "fail", "text", "label", "large", "nil", "edit", "none", "same"} {
		docs = append(docs, fmt.Sprintf(`{"do":%q,"wait":%d}`, do, 90-7*i%40))
	}
	for _, poison := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			logs := map[int][]string{}
			for _, n := range []int{0, 1, 3, 100} {
				s, p := &space{grant: 40, most: 1000}, concurrently(n, everything)
				if n == 0 {
					p = tester(Func(everything))
				}
				must(t, s.run(t, open(t, p, poison), input(docs...)))
				logs[n] = withoutNotes(s.log)
			}
			if len(logs[0]) < 3 {
				t.Fatalf("want answers, have %q", logs[0])
			}
			for _, n := range []int{1, 3, 100} {
				if have, want := strings.Join(logs[n], "\n"), strings.Join(logs[0], "\n"); have != want {
					t.Errorf("%d at once: want\n%s\nhave\n%s", n, want, have)
				}
			}
		})
	}
}

// TestConcurrentCalls holds that as many calls as asked for are under way, and no more, and that they take as long as the
// longest of them. Views are valid until their call returns.
func TestConcurrentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		p := concurrently(16, func(_ context.Context, r *Record, emit func(*Record)) error {
			view := r.View("a").String()
			n := now.Add(1)
			for have := most.Load(); n > have && !most.CompareAndSwap(have, n); have = most.Load() {
			}
			time.Sleep(20 * time.Millisecond)
			now.Add(-1)
			if want := fmt.Sprint("v", r.Pos().Line); view != want {
				t.Errorf("want the view %s, have %s", want, view)
			}
			emit(r)
			return nil
		})
		var docs []string
		for i := range 1000 {
			docs = append(docs, fmt.Sprintf(`{"a":"v%d"}`, i+1))
		}
		began := time.Now()
		s := &space{}
		must(t, s.run(t, open(t, p, true), input(docs...)))
		if most.Load() != 16 {
			t.Errorf("want 16 calls at once, have %d", most.Load())
		}
		if took := time.Since(began); took > 1300*time.Millisecond {
			t.Errorf("want 63 rounds of 20ms, have %v", took)
		}
	})
}

// TestConcurrentHolds holds that answers are sent while a record holds the others up, which is then the one that is noted, and that
// its context ends with the batch's.
func TestConcurrentHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := concurrently(4, func(ctx context.Context, r *Record, emit func(*Record)) error {
			if r.Pos().Line > 2 {
				<-ctx.Done()
				return ctx.Err()
			}
			emit(r)
			return nil
		})
		s := &space{}
		time.AfterFunc(time.Minute, func() { cancel(errStopped) })
		in := input(`1`, `2`, `3`, `4`, `5`)
		s.validator.In, s.validator.Depth, s.validator.Name = in, 100, "test"
		err := open(t, p, false).Process(ctx, in, s, func(r *wire.Reply) error {
			s.log = append(s.log, fmt.Sprintf("%d answers", len(r.Verdicts)))
			return nil
		})
		if !errors.Is(err, errStopped) {
			t.Errorf("want the cause of the end, have %v", err)
		}
		wantLog(t, s.log[:7], "note -1", "note 0", "note -1", "note 1", "note -1", "note 2", "2 answers")
	})
}

var errStopped = errors.New("the run was stopped")

// TestConcurrentTimeout holds that a call which ends with its context in time costs only its record, not the others and the process.
func TestConcurrentTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := concurrently(2, func(ctx context.Context, r *Record, emit func(*Record)) error {
			if r.Pos().Line == 2 {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			emit(r)
			return nil
		})
		w, bad := Host(p).Open(wire.OpenRequest{Plugin: p.Name, Timeout: 8 * time.Second})
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		s := &space{}
		began := time.Now()
		must(t, s.run(t, w, input(`1`, `2`, `3`)))
		if took := time.Since(began); took != 6*time.Second {
			t.Errorf("want the answer while the host waits, have it after %v", took)
		}
		// Whether the last answer has a reply of its own depends on the scheduler.
		wantLog(t, []string{strings.Join(withoutNotes(s.log), "; ")}, "unchanged; rejected|error||want an answer within 6s, of the step's timeout; unchanged")
	})
}

// TestConcurrentPanic holds that a panic is that of its record, when the records before it have their answers.
func TestConcurrentPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := concurrently(4, func(_ context.Context, r *Record, emit func(*Record)) error {
			if r.Pos().Line == 2 {
				panic("at line 2")
			}
			time.Sleep(time.Second)
			emit(r)
			return nil
		})
		s := &space{}
		defer func() {
			if have := recover(); have != "at line 2" {
				t.Errorf("want the panic of line 2, have %v", have)
			}
			if last := s.log[len(s.log)-1]; last != "note 1" {
				t.Errorf("want a note of the record, have %q", last)
			}
		}()
		_ = s.run(t, open(t, p, false), input(`1`, `2`, `3`, `4`))
	})
}

// TestConcurrentDeclared holds the mistakes of a plugin that is concurrent in one place and not in the other.
func TestConcurrentDeclared(t *testing.T) {
	silent, both := tester(Concurrent(2, Func(everything))), concurrently(2, everything)
	both.Ordered = true
	if err := both.Validate(); err == nil || !strings.Contains(err.Error(), "want Ordered or Concurrent, have both") {
		t.Errorf("want one of Ordered and Concurrent, have %v", err)
	}
	for _, p := range []Plugin{silent, concurrently(0, everything)} {
		if _, bad := Host(p).Open(wire.OpenRequest{Plugin: p.Name}); len(bad) != 1 || !strings.Contains(bad[0].Message, "want at least 1 call at once") {
			t.Errorf("want a mistake, have %v", bad)
		}
	}
}
