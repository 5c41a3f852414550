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
			Elapsed: time.Duration(seconds) * time.Second, Total: 10_000, Bytes: 10_000, Records: 1000, DoneBytes: bytes,
		})
	}
	for i := range int64(100) { // 10 bytes a second, then 100
		at(i+1, 10*(i+1))
	}
	for i := range int64(10) {
		at(101+i, 1000+100*(i+1))
	}
	x := past.pace()
	if x.bytes != 100 {
		t.Errorf("want 100 bytes a second, have %v", x.bytes)
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

// TestWhy holds how what holds a run is told.
func TestWhy(t *testing.T) {
	for _, c := range []struct {
		by   host.Holder
		want string
	}{
		{host.Holder{Kind: "step", Name: "slow.s", Silent: 72 * time.Second}, "step slow.s holds the run: no answer for 1m12s"},
		{host.Holder{Kind: "step", Name: "a.b", Busy: 0.9}, "step a.b holds the run: 90% busy"},
		{host.Holder{Kind: "sink", Name: "jsonl.out", Busy: 0.97}, "sink jsonl.out holds the run: writing 97% of the time"},
		{host.Holder{Kind: "source", Name: "jsonl.in", Busy: 0.9}, "source jsonl.in holds the run: waited for 90% of the time"},
	} {
		if have := held(c.by); have != c.want {
			t.Errorf("want %q, have %q", c.want, have)
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
