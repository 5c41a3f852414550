package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host"
)

// TestPlainProgress holds that a line of progress names the step that holds the run, and that the end of the input is not
// shown as the end of the run.
func TestPlainProgress(t *testing.T) {
	cases := []struct {
		reason string
		at     host.Progress
		want   string
	}{
		{"an even run", host.Progress{Bytes: 5e6, Total: 10e6, Records: 1500, Elapsed: time.Second}, "1,500 records, 5.0 MB of 10.0 MB (50%), 5.0 MB/s, about 1s left"},
		{"all is read and a step still works", host.Progress{Bytes: 10e6, Total: 10e6, Records: 20, Elapsed: 90 * time.Second, Step: "slow.s", Held: 80 * time.Second},
			"20 records, 10.0 MB of 10.0 MB (99%), 111.1 kB/s, held by step slow.s for 1m20s"},
		{"a step that takes a moment holds nobody", host.Progress{Bytes: 1e6, Records: 1, Elapsed: time.Second, Step: "quick.q", Held: time.Second}, "1 records, 1.0 MB, 1.0 MB/s"},
	}
	for _, c := range cases {
		var out bytes.Buffer
		r := &report{err: &out}
		r.plainProgress(c.at)
		if have := strings.TrimSpace(out.String()); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// TestBarProgress holds the same for the bar that a terminal shows.
func TestBarProgress(t *testing.T) {
	var out bytes.Buffer
	r := &report{err: &out}
	r.barProgress(host.Progress{Bytes: 10e6, Total: 10e6, Records: 20, Elapsed: time.Minute, Step: "slow.s", Held: time.Minute})
	have := out.String()
	if strings.Contains(have, "100.00%") || !strings.Contains(have, "99.00%") || !strings.Contains(have, "20 records, held by step slow.s for 1m0s") {
		t.Errorf("want less than all, and the step that holds the run, have %q", have)
	}
	r.endProgress()
	if !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("want the line cleared at the end, have %q", out.String())
	}
}

// TestPrintable holds that nothing which names of files or words of plugins hold is obeyed by a terminal or looks like a
// line of the program's own.
func TestPrintable(t *testing.T) {
	cases := []struct{ reason, text, want string }{
		{"plain text and other scripts stay", "Zoë 東京\n\tand on", "Zoë 東京\n\tand on"},
		{"colours, bells and carriage returns", "a\x1b[31mred\x07\rover", `a\x1b[31mred\a\rover`},
		{"marks that turn text around", "gpj\u202eexe", `gpj\u202eexe`},
		{"the C1 controls", "a\u009b2J", `a\u009b2J`},
	}
	for _, c := range cases {
		if have := printable(c.text); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
	var out bytes.Buffer
	(&report{err: &out}).plugin("a.b", "x\nsluice: forged")
	if have := out.String(); have != "a.b: x\\nsluice: forged\n" {
		t.Errorf("want one line for one line, have %q", have)
	}
}
