package flow

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A summingStage passes records on, and answers Finish with how many there were.
type summingStage struct {
	n    int
	word func(n int) (wire.Answer, error)
}

func (s *summingStage) Process(_ context.Context, in []wire.Record, out Receiver) error {
	if len(in) > 0 {
		s.n += len(in)
		return out.Answer(wire.Answer{Outcomes: make([]wire.Outcome, len(in)), Last: true})
	}
	a, err := s.word(s.n)
	if err != nil {
		return err
	}
	return out.Answer(a)
}

// summingStep returns a step with Finish, whose side output goes to sink NAME.
func (w *world) summingStep(name string, word func(n int) (wire.Answer, error)) *Step {
	return &Step{
		Name: name, Plugin: "talker", Account: &Account{}, Ordered: true, Finish: true,
		Sides: map[string]*Sink{"sums": w.out(name)}, Stages: []Stage{&summingStage{word: word}},
	}
}

func sums(row string) func(int) (wire.Answer, error) {
	return func(n int) (wire.Answer, error) {
		return wire.Answer{
			Sides:  []wire.Side{{Output: "sums", JSON: []byte(row)}},
			Counts: []wire.Count{{Name: "records", N: int64(n)}},
		}, nil
	}
}

// TestFinish checks that Finish of a step is called once all records have arrived, wherever the step is, and that its rows
// name no position.
func TestFinish(t *testing.T) {
	var steps []*Step
	have, totals, err := run(t, 1, 20, -1, nil, func(w *world) []Node {
		a, b, c := w.summingStep("t.a", sums(`{"n":1}`)), w.summingStep("t.b", sums(`{}`)), w.summingStep("t.c", sums(`{"step":"x"}`))
		steps = []*Step{a, b, c}
		return []Node{
			a, &Tee{Name: "tee", Body: []Node{b, w.out("branch")}},
			&First{Name: "f", Members: []Member{w.stepWith("x.x", 1, is("3", "decline")), c}}, w.out("main"),
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"t.a": `{"step":"t.a","n":1}` + "\n", "t.b": `{"step":"t.b"}` + "\n", "t.c": `{"step":"t.c"}` + "\n",
	} {
		if have[name] != want {
			t.Errorf("%s: want %s, have %s", name, want, have[name])
		}
	}
	for i, want := range []int64{20, 20, 2} {
		f := steps[i].Account.Snapshot()
		if f.Counts["records"] != want || f.In != want {
			t.Errorf("step %d: want %d records counted, have %d of %d", i, want, f.Counts["records"], f.In)
		}
	}
	if totals.Written != 40 {
		t.Errorf("want 40 records written, have %d", totals.Written)
	}
}

// TestFinishFails checks that an error after the last record fails the run and names the step.
func TestFinishFails(t *testing.T) {
	_, _, err := run(t, 1, 5, -1, nil, func(w *world) []Node {
		return []Node{w.summingStep("t.a", func(int) (wire.Answer, error) { return wire.Answer{}, errors.New("disk full") }), w.out("main")}
	})
	if err == nil || err.Error() != "step t.a: after the last record: disk full" {
		t.Errorf("want the step's error, have %v", err)
	}
	_, _, err = run(t, 1, 5, -1, nil, func(w *world) []Node {
		return []Node{w.summingStep("t.a", func(int) (wire.Answer, error) {
			return wire.Answer{Outcomes: make([]wire.Outcome, 1)}, nil
		}), w.out("main")}
	})
	if err == nil || !strings.Contains(err.Error(), "want 0 records answered, have 1") {
		t.Errorf("want an answer about no record refused, have %v", err)
	}
}

// TestNoFinish checks that Finish is not called after a run that has failed elsewhere.
func TestNoFinish(t *testing.T) {
	_, _, err := run(t, 1, 20, -1, nil, func(w *world) []Node {
		asked := func(int) (wire.Answer, error) {
			t.Error("want a run that failed not summed up")
			return wire.Answer{}, nil
		}
		return []Node{w.step("x.x", is("7", "fail")), w.summingStep("t.a", asked), w.out("main")}
	})
	if err == nil || !strings.Contains(err.Error(), "as asked") {
		t.Errorf("want the failure, have %v", err)
	}
}
