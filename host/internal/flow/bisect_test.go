package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestCrashes checks that exactly the records that crash the plugin are rejected, wherever the step is and however many
// workers crash with it, and that all others come out once, in order, with their rows and counts.
func TestCrashes(t *testing.T) {
	const n = 60
	guilty := []string{`"3"`, `"4"`, `"17"`, `"31"`, `"59"`}
	var rows, rejects, log strings.Builder
	for i, text := range numbers(n) {
		if failOn(errFatal, guilty...)(text) == nil {
			rows.WriteString(text + "\n")
			fmt.Fprintf(&log, `{"file":"in","line":%d,"step":"m.x","saw":%s}`+"\n", i+1, text)
			continue
		}
		fmt.Fprintf(&rejects, `{"code":"plugin_crash","message":"the plugin ended: exit status 2","path":"","step":"m.x","plugin":"mortal","file":"in","line":%d,"record":%s}`+"\n", i+1, text)
	}
	around := map[string]func(*world, *Step) []Node{
		"a step": func(w *world, m *Step) []Node { return []Node{m, w.out("main")} },
		"a first": func(w *world, m *Step) []Node {
			all := func(string) string { return "decline" }
			return []Node{&First{Name: "f", Members: []Member{w.stepWith("a.x", len(m.Stages), all), m}}, w.out("main")}
		},
		"a route": func(w *world, m *Step) []Node {
			return []Node{&Route{Name: "r", Key: func(*wire.Record) string { return "" }, Default: &Case{Body: []Node{m}}}, w.out("main")}
		},
		"a tee": func(w *world, m *Step) []Node {
			return []Node{&Tee{Name: "t", Body: []Node{m, w.out("main")}}, w.out("stream")}
		},
		"a shadow's current step": func(w *world, m *Step) []Node {
			return []Node{&Shadow{
				Name: "s", Differences: &Differences{},
				Current: m, Candidate: w.stepWith("new.x", len(m.Stages), add("!")),
			}, w.out("main")}
		},
	}
	for where, body := range around {
		for _, workers := range []int{1, 3} {
			for seed := int64(1); seed < 25; seed++ {
				var step *Step
				have, _, err := run(t, seed, n, -1, nil, func(w *world) []Node {
					step, _ = w.crashingStep("m.x", workers, failOn(errKilled, guilty...))
					step.Sides["log"] = w.out("log")
					return body(w, step)
				})
				if err != nil {
					t.Fatalf("%s, %d workers, seed %d: %v", where, workers, seed, err)
				}
				delete(have, "stream")
				want := map[string]string{"main": rows.String(), "dead": rejects.String(), "log": log.String()}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Fatalf("%s, %d workers, seed %d (-want +have):\n%s", where, workers, seed, diff)
				}
				f := step.Account.Snapshot()
				if f.In != n || f.Counts["seen"] != n-int64(len(guilty)) {
					t.Fatalf("%s, %d workers, seed %d: want %d records in and each counted once, have %d and %v", where, workers, seed, n, f.In, f.Counts)
				}
			}
		}
	}
}

// TestRestarts checks that a run fails when a plugin crashes more often than it may, and says which records each step has lost.
func TestRestarts(t *testing.T) {
	const over = "in:3: want at most 5 restarts of the process of step m.x in a run, have 6: the plugin ended: exit status 2; before that step m.x lost 2 records: in:1, in:2; host { restarts = N } in the step allows more"
	for _, c := range []struct {
		reason string
		deadly int
		want   string
	}{
		{"one below the bound", 4, ""},
		{"as many as the bound", 5, ""},
		{"one more", 6, over},
		{"always", 500, over},
	} {
		w := newWorld(1)
		left := c.deadly
		step, sh := w.crashingStep("m.x", 1, func(string) error { // two crashes a record
			if left--; left < 0 {
				return nil
			}
			return errKilled
		})
		step.Restarts = 5
		err := Run(t.Context(), Plan{
			Sources: []*Source{{Name: "lines.x", Reader: &lineReader{texts: numbers(20), n: 1, arena: w.arena()}}},
			Body:    []Node{step, w.out("main")}, DeadLetter: &Sink{Writer: &lineWriter{}}, Account: &Totals{},
		})
		if have := fmt.Sprint(err); err != nil && have != c.want || err == nil && c.want != "" {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
		if want := min(c.deadly, 6); sh.ended != want {
			t.Errorf("%s: want %d processes ended, have %d", c.reason, want, sh.ended)
		}
	}
}

// TestCrashTogether checks that workers that crash with one process count as one crash, and the next crash as another.
func TestCrashTogether(t *testing.T) {
	s := &bisector{}
	for crashes := range 3 {
		generation := s.currentGeneration()
		for range 3 { // workers
			s.countCrash(generation)
		}
		if s.generation != crashes+1 {
			t.Errorf("want %d crashes, have %d", crashes+1, s.generation)
		}
	}
}

// A script is a stage with one function for each call.
type script []func(in []wire.Record, out Receiver) error

func (s *script) Process(_ context.Context, in []wire.Record, out Receiver) error {
	next := (*s)[0]
	*s = (*s)[1:]
	return next(in, out)
}

func answerAll(in []wire.Record, out Receiver) error {
	return out.Answer(wire.Answer{Outcomes: make([]wire.Outcome, len(in)), Last: true})
}

// failsAt answers n records and fails at another.
func failsAt(n, at int) func([]wire.Record, Receiver) error {
	return func(in []wire.Record, out Receiver) error {
		if n > 0 {
			if err := out.Answer(wire.Answer{Outcomes: make([]wire.Outcome, n)}); err != nil {
				return err
			}
		}
		return OfRecord(&wire.RecordError{Record: at, Err: errFatal}, in)
	}
}

// TestFailureBehindCrash holds that an error names the record of the batch, also when it comes of a part behind a crash.
func TestFailureBehindCrash(t *testing.T) {
	stage := &script{crashAfter(2, 3), answerAll, crashAfter(0, 0), failsAt(0, 1)}
	step := &Step{Name: "a.x", Isolate: true, Restarts: 100, Account: &Account{}, Stages: []Stage{stage}}
	if err := step.prepare(false); err != nil {
		t.Fatal(err)
	}
	err := step.process(t.Context(), onlySlot, letters("abcdef"), func([]wire.Record, wire.Answer) error { return nil })
	if want := "in:6: step a.x: cannot go on"; err == nil || err.Error() != want {
		t.Errorf("want %s, have %v", want, err)
	}
}

// crashAfter answers n records and crashes at another, if there is one.
func crashAfter(n, at int) func([]wire.Record, Receiver) error {
	return func(in []wire.Record, out Receiver) error {
		if n > 0 {
			if err := out.Answer(wire.Answer{Outcomes: make([]wire.Outcome, n), Last: n == len(in)}); err != nil {
				return err
			}
		}
		return &Crash{How: "exit status 2", At: at}
	}
}

// breachAfter answers n records and breaks the protocol, in a process that has had an earlier batch or not.
func breachAfter(n int, doubtful bool) func([]wire.Record, Receiver) error {
	crash := crashAfter(n, -1)
	return func(in []wire.Record, out Receiver) error {
		err := crash(in, out)
		if c, ok := errors.AsType[*Crash](err); ok {
			c.Breach, c.Doubtful = true, doubtful
		}
		return err
	}
}

// A recordingStage records the batches that it gets.
type recordingStage struct {
	script
	batches []string
}

func (a *recordingStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	batch := ""
	for _, r := range in {
		batch += string(r.Data)
	}
	a.batches = append(a.batches, batch)
	return a.script.Process(ctx, in, out)
}

// A verdictReceiver keeps verdicts.
type verdictReceiver struct {
	verdicts string
	last     []bool
}

func (k *verdictReceiver) Waiting(bool) {}

func (k *verdictReceiver) Answer(a wire.Answer) error {
	for _, o := range a.Outcomes {
		k.verdicts += map[wire.Verdict]string{wire.Unchanged: "u", wire.Rejected: "r"}[o.Verdict]
	}
	k.last = append(k.last, a.Last)
	return nil
}

func letters(s string) []wire.Record {
	var in []wire.Record
	for i := range s {
		in = append(in, wire.Record{Data: []byte(s[i : i+1]), File: "in", Line: int64(i + 1), Ord: uint64(i)})
	}
	return in
}

// TestBisection checks which batches a bisection tries.
func TestBisection(t *testing.T) {
	for _, c := range []struct {
		reason  string
		script  script
		batches []string
		want    string
	}{
		{"the records before the noted one are tried first, then that alone",
			script{crashAfter(0, 2), answerAll, crashAfter(0, 0), answerAll}, []string{"abcdef", "ab", "c", "def"}, "uuruuu"},
		{"a record that passes alone is not rejected",
			script{crashAfter(0, 2), answerAll, answerAll, answerAll}, []string{"abcdef", "ab", "c", "def"}, "uuuuuu"},
		{"without a noted record it tries halves",
			script{crashAfter(0, -1), answerAll, crashAfter(0, -1), crashAfter(0, -1), crashAfter(0, -1), answerAll, answerAll},
			[]string{"abcdef", "abc", "def", "de", "d", "e", "f"}, "uuuruu"},
		{"answered records are not sent again, and a noted record that was answered is ignored",
			script{crashAfter(4, 1), crashAfter(0, -1), answerAll}, []string{"abcdef", "e", "f"}, "uuuuru"},
		{"a record that is alone in its batch is tried again before it is rejected",
			script{crashAfter(5, 5), crashAfter(0, 0)}, []string{"abcdef", "f"}, "uuuuur"},
		{"a breach is looked for among all records that are left",
			script{breachAfter(0, false), answerAll, breachAfter(0, true), answerAll, breachAfter(0, true), breachAfter(0, false)},
			[]string{"abcdef", "abc", "def", "de", "f", "f"}, "uuuuur"},
		{"the last record is tried alone before it is rejected",
			script{crashAfter(5, -1), answerAll}, []string{"abcdef", "f"}, "uuuuuu"},
		{"a crash after the last answer rejects nothing", script{crashAfter(6, -1)}, []string{"abcdef"}, "uuuuuu"},
	} {
		stage, out := &recordingStage{script: c.script}, &verdictReceiver{}
		err := bisectedStage{stage, &bisector{restarts: 100}, onlySlot.oldest, nil}.Process(t.Context(), letters("abcdef"), out)
		if err != nil || out.verdicts != c.want {
			t.Errorf("%s: want %s, have %s (%v)", c.reason, c.want, out.verdicts, err)
		}
		if diff := cmp.Diff(c.batches, stage.batches); diff != "" {
			t.Errorf("%s: batches (-want +have):\n%s", c.reason, diff)
		}
		for i, last := range out.last[:len(out.last)-1] {
			if last {
				t.Errorf("%s: want only the last answer to be the last, have number %d", c.reason, i)
			}
		}
	}
}

// TestBisectionTurns checks that a bisection waits for older batches, keeps later ones from beginning, and does not blame
// a record for a crash that another worker may have caused.
func TestBisectionTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &bisector{restarts: 100}
		oldest, hold, proceed := make(chan struct{}), make(chan struct{}), make(chan struct{})
		stage := &recordingStage{script: script{
			crashAfter(0, 0),
			func(in []wire.Record, out Receiver) error { <-proceed; return crashAfter(0, 0)(in, out) },
			answerAll,
		}}
		busy := &script{func(in []wire.Record, out Receiver) error { <-hold; return answerAll(in, out) }}
		var one, two, three verdictReceiver
		done := make(chan error, 3)
		go func() { done <- bisectedStage{busy, s, onlySlot.oldest, nil}.Process(t.Context(), letters("x"), &two) }()
		synctest.Wait()
		go func() { done <- bisectedStage{stage, s, oldest, nil}.Process(t.Context(), letters("a"), &one) }()
		synctest.Wait()
		if len(stage.batches) != 1 {
			t.Errorf("want no bisection before the batch is the oldest, have %d calls", len(stage.batches))
		}
		close(oldest)
		synctest.Wait()
		go func() {
			done <- bisectedStage{&script{answerAll}, s, onlySlot.oldest, nil}.Process(t.Context(), letters("y"), &three)
		}()
		synctest.Wait()
		if len(stage.batches) != 2 || three.verdicts != "" {
			t.Errorf("want a bisection and no other call meanwhile, have %d calls and %q", len(stage.batches), three.verdicts)
		}
		close(proceed)
		synctest.Wait()
		if one.verdicts != "u" || len(stage.batches) != 3 {
			t.Errorf("want the record tried once more and passed, have %q after %d calls", one.verdicts, len(stage.batches))
		}
		close(hold)
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if three.verdicts != "u" {
			t.Error("want the call that waited to go on")
		}
	})
}

// TestNoBisection checks that errors other than crashes start no bisection.
func TestNoBisection(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the user")
	for _, c := range []struct {
		reason string
		stage  func([]wire.Record, Receiver) error
		want   error
	}{
		{"an error of the plugin", func([]wire.Record, Receiver) error { return errFatal }, errFatal},
		{"a crash of what comes after", func(in []wire.Record, out Receiver) error { return answerAll(in, out) }, errKilled},
		{"the end of the run", func([]wire.Record, Receiver) error { cancel(stopped); return context.Cause(ctx) }, stopped},
	} {
		err := bisectedStage{&script{c.stage}, &bisector{restarts: 100}, onlySlot.oldest, nil}.Process(ctx, letters("ab"), failingReceiver{})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: want %v as it is, have %v", c.reason, c.want, err)
		}
	}
}

// A failingReceiver returns the crash of a later step.
type failingReceiver struct{}

func (failingReceiver) Waiting(bool)             {}
func (failingReceiver) Answer(wire.Answer) error { return errKilled }

// TestPeakIsRound holds that a crash of the same records has the same words, as long as its process needs ordinary memory.
func TestPeakIsRound(t *testing.T) {
	for peak, want := range map[int64]string{
		0:             "the plugin ended: exit status 2",
		1:             "the plugin ended: exit status 2; peak memory below 256MiB",
		256<<20 - 1:   "the plugin ended: exit status 2; peak memory below 256MiB",
		256 << 20:     "the plugin ended: exit status 2; peak memory below 512MiB",
		5<<30 + 12345: "the plugin ended: exit status 2; peak memory below 8192MiB",
	} {
		if have := (&Crash{How: "exit status 2", Peak: peak}).Error(); have != want {
			t.Errorf("want %q, have %q", want, have)
		}
	}
}
