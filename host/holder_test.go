package host

import (
	"testing"
	"time"
)

// TestHeldBy holds what is said to hold a run over a second.
func TestHeldBy(t *testing.T) {
	busy := func(share float64) time.Duration { return time.Duration(share * float64(time.Second)) }
	step := func(name string, share float64, behind bool) StepProgress {
		return StepProgress{Name: name, Behind: behind, Workers: 2, Busy: 2 * busy(share)}
	}
	end := func(name string, share float64) EndProgress { return EndProgress{name, busy(share)} }
	cases := []struct {
		reason string
		now    Progress
		want   Holder
	}{
		{"nothing runs", Progress{}, Holder{}},
		{"no answer counts more than work", Progress{Step: "slow.s", Held: 72 * time.Second, Steps: []StepProgress{step("busy.b", 1, false)}},
			Holder{Kind: "step", Name: "slow.s", Silent: 72 * time.Second}},
		{"a moment without an answer is none", Progress{Step: "quick.q", Held: time.Second}, Holder{}},
		{"the busiest", Progress{Steps: []StepProgress{step("a", 0.6, false), step("b", 0.9, false), step("c", 0.7, false)}},
			Holder{Kind: "step", Name: "b", Busy: 0.9}},
		{"none is busy for long", Progress{Steps: []StepProgress{step("a", 0.4, false), step("b", 0.3, false)}}, Holder{}},
		{"the steps of a chain are weighed together",
			Progress{Steps: []StepProgress{step("alone", 0.6, false), step("head", 0.2, false), step("next", 0.5, true), step("last", 0.2, true)}},
			Holder{Kind: "step", Name: "next", Busy: 0.5}},
		{"a sink that writes all the time",
			Progress{Steps: []StepProgress{step("a", 0.6, false)}, Sinks: []EndProgress{end("jsonl.rejects", 0.1), end("jsonl.out", 0.97)}},
			Holder{Kind: "sink", Name: "jsonl.out", Busy: 0.97}},
		{"a source that has nothing",
			Progress{Steps: []StepProgress{step("a", 0.1, false)}, Sources: []EndProgress{end("jsonl.in", 0.9)}, Sinks: []EndProgress{end("jsonl.out", 0.1)}},
			Holder{Kind: "source", Name: "jsonl.in", Busy: 0.9}},
		{"a source waits while the memory is full of what a sink writes",
			Progress{Sources: []EndProgress{end("jsonl.in", 1)}, Sinks: []EndProgress{end("jsonl.out", 0.98)}},
			Holder{Kind: "sink", Name: "jsonl.out", Busy: 0.98}},
		{"a source waits while the memory is full of what a step is at",
			Progress{Steps: []StepProgress{step("a", 0.9, false)}, Sources: []EndProgress{end("jsonl.in", 1)}},
			Holder{Kind: "step", Name: "a", Busy: 0.9}},
		{"a source that is slower than a step",
			Progress{Steps: []StepProgress{step("a", 0.6, false)}, Sources: []EndProgress{end("jsonl.in", 0.9)}},
			Holder{Kind: "source", Name: "jsonl.in", Busy: 0.9}},
	}
	for _, c := range cases {
		c.now.Elapsed = time.Second
		if have := HeldBy(c.now, Progress{}); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
	before := Progress{Elapsed: time.Second, Steps: []StepProgress{step("old", 1, false), step("new", 0, false)}}
	now := Progress{Elapsed: 2 * time.Second, Steps: []StepProgress{step("old", 1, false), step("new", 0.8, false)}}
	if have, want := HeldBy(now, before), (Holder{Kind: "step", Name: "new", Busy: 0.8}); have != want {
		t.Errorf("since a second ago: want %v, have %v", want, have)
	}
}
