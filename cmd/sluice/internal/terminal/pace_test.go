package terminal

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host"
)

// TestPace holds that rates are of the last seconds, and the time left of the last half minute.
func TestPace(t *testing.T) {
	var past history
	at := func(seconds, bytes int64) {
		past.add(host.Progress{
			Elapsed: time.Duration(seconds) * time.Second, Total: 10_000, Bytes: 10_000, Records: 1000, DoneBytes: bytes, DoneRecords: bytes / 10,
		})
	}
	for i := range int64(100) { // 10 bytes a second, then 100
		at(i+1, 10*(i+1))
	}
	for i := range int64(10) {
		at(101+i, 1000+100*(i+1))
	}
	x := past.pace()
	if x.bytes != 100 || x.records != 10 {
		t.Errorf("want 100 bytes and 10 records a second, have %v and %v", x.bytes, x.records)
	}
	if want := 200 * time.Second; x.left != want { // 8000 bytes at (20*10 + 10*100) / 30 a second
		t.Errorf("want %v left, have %v", want, x.left)
	}
	if len(past.samples) > 32 {
		t.Errorf("want only what is needed to be kept, have %d", len(past.samples))
	}
	at(120, 2000)
	if x := past.pace(); x.bytes != 0 || x.left == 0 {
		t.Errorf("want no rate after a while of nothing, and the time left as before, have %v and %v", x.bytes, x.left)
	}
}

// TestPaceBegins holds that neither the start of processes nor what an interrupted run had done counts.
func TestPaceBegins(t *testing.T) {
	var past history
	at := func(seconds float64, bytes int64, busy time.Duration) {
		past.add(host.Progress{
			Elapsed: time.Duration(seconds * float64(time.Second)), Total: 10_000, DoneBytes: bytes,
			Steps: []host.StepProgress{{Name: "slow.s", Workers: 1, Busy: busy}},
		})
	}
	at(9, 5000, time.Minute)
	at(9.5, 5100, time.Minute+500*time.Millisecond)
	x := past.pace()
	if x.bytes != 200 || x.steps[0].busy != 1 || x.left != 24500*time.Millisecond {
		t.Errorf("want 200 bytes a second, 100%% busy and 24.5s left, have %v, %v and %v", x.bytes, x.steps[0].busy, x.left)
	}
}

// TestHolds holds what is said to hold the run.
func TestHolds(t *testing.T) {
	step := func(name string, busy float64, behind bool) stepPace {
		return stepPace{StepProgress: host.StepProgress{Name: name, Behind: behind}, busy: busy}
	}
	cases := []struct {
		reason string
		now    host.Progress
		pace   pace
		want   hold
	}{
		{"nothing runs", host.Progress{}, pace{}, hold{}},
		{"no answer counts more than work", host.Progress{Step: "slow.s", Held: 72 * time.Second},
			pace{steps: []stepPace{step("busy.b", 1, false)}}, hold{"step", "slow.s", "no answer for 1m12s"}},
		{"a moment without an answer is none", host.Progress{Step: "quick.q", Held: time.Second}, pace{}, hold{}},
		{"the busiest", host.Progress{}, pace{steps: []stepPace{step("a", 0.6, false), step("b", 0.9, false), step("c", 0.7, false)}},
			hold{"step", "b", "90% busy"}},
		{"none is busy for long", host.Progress{}, pace{steps: []stepPace{step("a", 0.4, false), step("b", 0.3, false)}}, hold{}},
		{"the steps of a chain are weighed together", host.Progress{},
			pace{steps: []stepPace{step("alone", 0.6, false), step("head", 0.2, false), step("next", 0.5, true), step("last", 0.2, true)}},
			hold{"step", "next", "50% busy"}},
		{"a sink that writes all the time", host.Progress{},
			pace{steps: []stepPace{step("a", 0.6, false)}, sinks: []endPace{{"jsonl.rejects", 0.1}, {"jsonl.out", 0.97}}},
			hold{"sink", "jsonl.out", "writing 97% of the time"}},
		{"a source that has nothing", host.Progress{},
			pace{steps: []stepPace{step("a", 0.1, false)}, sources: []endPace{{"jsonl.in", 0.9}}, sinks: []endPace{{"jsonl.out", 0.1}}},
			hold{"source", "jsonl.in", "waited for 90% of the time"}},
		{"a source waits while the memory is full of what a sink writes", host.Progress{},
			pace{sources: []endPace{{"jsonl.in", 1}}, sinks: []endPace{{"jsonl.out", 0.98}}},
			hold{"sink", "jsonl.out", "writing 98% of the time"}},
		{"a source waits while the memory is full of what a step is at", host.Progress{},
			pace{steps: []stepPace{step("a", 0.9, false)}, sources: []endPace{{"jsonl.in", 1}}}, hold{"step", "a", "90% busy"}},
		{"a source that is slower than a step", host.Progress{},
			pace{steps: []stepPace{step("a", 0.6, false)}, sources: []endPace{{"jsonl.in", 0.9}}},
			hold{"source", "jsonl.in", "waited for 90% of the time"}},
	}
	for _, c := range cases {
		if have := holds(c.now, c.pace); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
}

// TestLines holds what a line says, and that there is one every five seconds.
func TestLines(t *testing.T) {
	var have []string
	lines := NewLines(func(l Line) { have = append(have, l.String()) })
	lines.Show(host.Progress{}) // as records begin to flow
	for _, p := range tale(4, 10, func(p *host.Progress) {
		switch {
		case p.Elapsed > 6*time.Second:
			troubled(p)
			p.Bytes, p.DoneBytes = p.Total, p.Total
		case p.Elapsed == 500*time.Millisecond:
			p.DoneRecords = 1
		}
	}) {
		lines.Show(p)
	}
	want := []string{
		"10,000 records, 86.0 MB of 340.0 MB (25%), 17.2 MB/s, about 15s left, step plugin2.step2 holds the run: 74% busy",
		"20,000 records, 340.0 MB of 340.0 MB (99%), 50.8 MB/s, 1,206 rejected, step plugin3.step3 holds the run: no answer for 1m12s",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
	if have, want := perSecond(0.26)+" "+perSecond(9.96)+" "+perSecond(1234.5), "0.3 10 1,235"; have != want {
		t.Errorf("want %s, have %s", want, have)
	}
	if have, want := (Line{Records: 1, Bytes: 999}).String(), "1 record, 999 B, 0 B/s"; have != want {
		t.Errorf("of an input whose size is not known: want %q, have %q", want, have)
	}
}

// TestClock holds how times are written.
func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0s", 59*time.Second + 700*time.Millisecond: "1m0s", 61 * time.Minute: "1h01m", 50*time.Hour + 29*time.Second: "50h00m",
	} {
		if have := clock(d); have != want {
			t.Errorf("want %s, have %s", want, have)
		}
	}
}

// TestPaintElsewhere holds when there are colours where no terminal is; a test with a terminal holds the rest.
func TestPaintElsewhere(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cases := []struct {
		reason string
		env    map[string]string
		want   Paint
	}{
		{"a file has none", map[string]string{"TERM": "xterm"}, false},
		{"unless they are forced", map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"0 forces nothing", map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{"who wants none gets none", map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "yes"}, false},
	}
	for _, c := range cases {
		env := func(name string) string { return c.env[name] }
		if have := PaintFor(file, env); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
		if have := PaintFor(new(bytes.Buffer), env); have != c.want {
			t.Errorf("%s, in memory: want %v, have %v", c.reason, c.want, have)
		}
		if _, ok := Open(file, env); ok {
			t.Errorf("%s: want nothing drawn into a file", c.reason)
		}
	}
}
