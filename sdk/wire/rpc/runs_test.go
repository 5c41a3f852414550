package rpc

import (
	"context"
	"fmt"
	"testing"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A decliner declines every record for one reason, and sets one label on every record that has one already.
type decliner struct{}

func (decliner) Process(_ context.Context, in []wire.Record, _ wire.Space, reply func(*wire.Reply) error) error {
	r := &wire.Reply{Done: true}
	for i := range in {
		if in[i].Labels == nil {
			r.Verdicts = append(r.Verdicts, byte(wire.Declined))
			r.AddFault(&wire.Fault{Message: "not mine"})
			continue
		}
		r.Verdicts, r.Emitted, r.Same = append(r.Verdicts, byte(wire.Emitted)), append(r.Emitted, 1), append(r.Same, wire.InputBytes)
		r.AddLabels(len(r.Lengths), append([]wire.Label{{Name: "a", Value: "new"}}, in[i].Labels...))
		r.Offsets, r.Lengths = append(r.Offsets, 0), append(r.Lengths, 0)
	}
	return reply(r)
}
func (decliner) Check()       {}
func (decliner) Close() error { return nil }

// outcomes collects what a worker answers, as text.
type outcomes []string

func (o *outcomes) Answer(a wire.Answer) error {
	for _, x := range a.Outcomes {
		text := fmt.Sprint(x.Verdict)
		if x.Fault != nil {
			text += x.Fault.Message
		}
		for _, e := range x.Emitted {
			text += fmt.Sprint(e.Labels)
		}
		*o = append(*o, text)
	}
	return nil
}
func (*outcomes) Waiting(bool) {}

// TestRuns holds that equal faults and labels cross once between ends that have the feature, and each by itself to a host, or from a
// host, that has it not: with the same outcomes.
func TestRuns(t *testing.T) {
	p := wire.Provider{Plugins: []wire.Info{{Name: "d"}}, Open: func(wire.OpenRequest) (wire.Worker, []wire.ArgError) { return decliner{}, nil }}
	var in []wire.Record
	label := []wire.Label{{Name: "b", Value: "old"}}
	for i := range 10 {
		in = append(in, wire.Record{Data: []byte("{}"), File: "in", Line: int64(i + 1)})
		if i >= 4 {
			in[i].Labels = label
		}
	}
	var want string
	for _, c := range []struct {
		features              []string
		faults, labels, batch int // how many cross
	}{
		{[]string{Runs}, 1, 1, 1},
		{nil, 4, 6, 6},
	} {
		c1, end, err := Pipe(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c1.rpc.Describe(t.Context(), &pb.DescribeRequest{Features: c.features}); err != nil {
			t.Fatal(err)
		}
		if _, err := c1.Open(t.Context(), OpenRequest{Plugin: "d", Workers: 1, Capacity: 1 << 12}); err != nil {
			t.Fatal(err)
		}
		out := wire.NewArena(make([]byte, 1<<12), 1<<12, nil)
		w, err := c1.Worker(t.Context(), 0, WorkerOptions{Plugin: "d", Out: out, Capacity: 1 << 12, Depth: 100, Runs: len(c.features) > 0})
		if err != nil {
			t.Fatal(err)
		}
		var have outcomes
		x := &exchange{Worker: w, out: &have, validator: wire.Validator{In: in, Depth: 100, Name: "d"}}
		batch, err := x.batch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := x.send(&pb.ToWorker{Message: &pb.ToWorker_Batch{Batch: batch}}); err != nil {
			t.Fatal(err)
		}
		m, err := x.stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Faults) != c.faults || len(m.Labels) != c.labels || len(batch.Labels) != c.batch {
			t.Errorf("%v: want %d faults and %d labels, and %d in the batch, have %d, %d and %d",
				c.features, c.faults, c.labels, c.batch, len(m.Faults), len(m.Labels), len(batch.Labels))
		}
		if err := x.answer(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(have); want == "" {
			want = text
		} else if text != want {
			t.Errorf("%v: want %s, have %s", c.features, want, text)
		}
		if len(have) != len(in) {
			t.Errorf("want %d outcomes, have %d", len(in), len(have))
		}
		end()
	}
}
