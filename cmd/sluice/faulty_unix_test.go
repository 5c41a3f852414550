//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/filehash"
)

// TestFaulty holds the program against every way to break the protocol: it tells what was wrong, neither dies nor grows, and
// no record vanishes.
func TestFaulty(t *testing.T) {
	t.Parallel()
	for _, c := range faultyCases {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			l := runFaulty(t, c, settings{onCrash: "fail"}, 0)
			if have := l.exit; have != c.exit {
				t.Errorf("%s: want exit code %d, have %d: %.1000s", c.reason, c.exit, have, l.said)
			}
			if c.exit != 0 {
				l.wants(t, c, l.said)
				nothingIn(t, filepath.Join(l.dir, "out"))
				return
			}
			rejects := l.read(t, "rejects.jsonl")
			l.wants(t, c, rejects)
			l.accounts(t, rejects)
		})
	}
}

// TestFaultyEverywhere tries the ways to break the protocol with one worker and several, in messages and through memory, where a crash ends
// the run and where it costs a record: the run fails, or rejects the records that it cannot have processed, and the account balances.
func TestFaultyEverywhere(t *testing.T) {
	t.Parallel()
	n := 0
	for _, onCrash := range []string{"isolate", "fail"} {
		for _, workers := range []int{4, 1} {
			for _, inline := range []bool{true, false} {
				for i, c := range faultyCases {
					s := settings{workers, inline, onCrash}
					if n++; !c.concerns(s) || !*long && (i+n)%29 != 0 {
						continue
					}
					t.Run(fmt.Sprintf("%s/%d/%t/%s", c.mode, workers, inline, onCrash), func(t *testing.T) {
						t.Parallel()
						tryFaulty(t, c, s)
					})
				}
			}
		}
	}
}

func tryFaulty(t *testing.T, c faultyCase, s settings) {
	l := runFaulty(t, c, s, 0)
	breach := strings.HasPrefix(c.want, broke)
	atEnd := strings.Contains(c.want, "the end of its stream") // then no record is to blame
	crashes := s.onCrash == "isolate" && !atEnd && (breach || strings.Contains(c.want, "want an answer within"))
	if breach && s.inline { // there are no grants, which some messages name
		c.want = broke
	}
	if exit := c.exit; !crashes && l.exit != exit || crashes && l.exit != 0 {
		t.Fatalf("%s: want exit code %d, or 0 where each record is rejected (%t), have %d: %.1000s", c.reason, exit, crashes, l.exit, l.said)
	}
	if l.exit != 0 {
		l.wants(t, c, l.said)
		nothingIn(t, filepath.Join(l.dir, "out"))
		return
	}
	rejects := l.read(t, "rejects.jsonl")
	l.accounts(t, rejects)
	if !crashes {
		l.wants(t, c, rejects)
	} else if n := strings.Count(rejects, `"code":"plugin_crash"`); n != l.rows {
		t.Errorf("%s: want each of %d records rejected as plugin_crash, have %d: %.1000s", c.reason, l.rows, n, rejects)
	}
}

// concerns leaves out what is no breach in messages, and what TestFaulty tries.
func (c *faultyCase) concerns(s settings) bool {
	if s.inline && slices.Contains([]string{"inline", "need-forever", "write-input"}, c.mode) {
		return false
	}
	return s.inline || s.onCrash == "isolate" || s.workers == 1
}

// TestLateWrite holds the program against a plugin that changes bytes while they are checked and after: what was checked is what is
// written, or else the record is rejected.
func TestLateWrite(t *testing.T) {
	for range 2 {
		l := runFaulty(t, faultyCase{mode: "write-after"}, settings{onCrash: "fail"}, 500)
		if l.exit != 0 {
			t.Fatalf("want exit code 0, have %d: %.1000s", l.exit, l.said)
		}
		l.accounts(t, l.read(t, "rejects.jsonl"))
		for _, o := range gjson.Get(l.read(t, "receipt.json"), "outputs").Array() {
			sum, err := filehash.File(o.Get("path").Str, filehash.Default)
			if want := o.Get(filehash.Default).Str; err != nil || want == "" || sum.Hex() != want {
				t.Errorf("want the sum of the receipt, %q, for %s, have %s (%v)", want, o.Get("path").Str, sum.Hex(), err)
			}
		}
	}
}

// A faultyRun is a run of the faulty that has ended.
type faultyRun struct {
	dir  string
	rows int
	exit int
	said string
}

// mostMemory is how much the program may take whatever a plugin does.
const mostMemory = 600 << 20

// settings say how the plugin is run.
type settings struct {
	workers int // 0: as many as there are cores
	inline  bool
	onCrash string
}

// runFaulty sends the plugin three records in one batch, or so many alone.
func runFaulty(t *testing.T, c faultyCase, s settings, alone int) *faultyRun {
	t.Helper()
	l := &faultyRun{dir: t.TempDir(), rows: max(alone, 3)}
	timeout := "1m"
	if c.hangs {
		timeout = "2s"
	}
	var rows strings.Builder
	for id := range l.rows {
		fmt.Fprintf(&rows, "{\"id\":%d}\n", id+1)
	}
	writeText(t, filepath.Join(l.dir, "in.jsonl"), rows.String())
	more := ""
	if alone > 0 {
		more = `batch = "1 records"`
	}
	if s.workers > 0 {
		more += fmt.Sprintf("\nworkers = %d", s.workers)
	}
	writeText(t, filepath.Join(l.dir, "p.hcl"), strings.ReplaceAll(fmt.Sprintf(faultyPipeline, c.mode, s.inline, timeout, s.onCrash, more), "DIR", l.dir))
	program, err := exec.LookPath("sluice-plugin-faulty")
	if err != nil {
		t.Fatal(err)
	}
	cmd, peak := measured(t, "sluice", "run", filepath.Join(l.dir, "p.hcl"))
	cmd.Env = append(os.Environ(), "SLUICE_PLUGIN_PATH="+filepath.Dir(program))
	var said bytes.Buffer
	cmd.Stderr = &said
	_ = within(t, patience, cmd.Run) // the exit code tells
	l.exit, l.said = cmd.ProcessState.ExitCode(), said.String()
	if have := peak(); have > mostMemory {
		t.Errorf("want at most %d MiB of memory, have %d", mostMemory>>20, have>>20)
	}
	if regexp.MustCompile(`(?m)^(panic: |fatal error: |goroutine |SIGSEGV|sluice: forged|forged)`).MatchString(l.said) {
		t.Errorf("want neither a death nor a forged line, have %.1000s", l.said)
	}
	if regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`).MatchString(l.said) {
		t.Errorf("want no control characters, have %.1000q", l.said)
	}
	return l
}

const faultyPipeline = `
source "jsonl" "in" {
  paths = ["DIR/in.jsonl"]
}
step "faulty" "l" {
  mode   = %q
  inline = %v
  host {
    timeout  = %q
    on_crash = %q
    %s
  }
  output "side" {
    sink "jsonl" "side" {
      path = "DIR/out/side.jsonl"
    }
  }
}
sink "jsonl" "out" {
  path = "DIR/out/out.jsonl"
}
`

func (l *faultyRun) read(t *testing.T, name string) string {
	t.Helper()
	return readText(t, filepath.Join(l.dir, "out", name))
}

func (l *faultyRun) wants(t *testing.T, c faultyCase, text string) {
	t.Helper()
	if c.want == "" && text != "" || !regexp.MustCompile(c.want).MatchString(text) {
		t.Errorf("%s: want %q, have %.1000s", c.reason, c.want, text)
	}
}

// accounts wants every record written, rejected or dropped, as the receipt says, and JSON in every line.
func (l *faultyRun) accounts(t *testing.T, rejects string) {
	t.Helper()
	out, receipt := l.read(t, "out.jsonl"), l.read(t, "receipt.json")
	for line := range strings.Lines(out + rejects + l.read(t, "side.jsonl")) {
		if !gjson.Valid(line) {
			t.Errorf("want JSON, have %.200q", line)
		}
	}
	written, rejected := int64(strings.Count(out, "\n")), int64(strings.Count(rejects, "\n"))
	dropped := gjson.Get(receipt, "totals.dropped.total").Int()
	if written+rejected+dropped != int64(l.rows) || !gjson.Get(receipt, "balanced").Bool() {
		t.Errorf("want %d records accounted for, have %d written, %d rejected, %d dropped: %s", l.rows, written, rejected, dropped, gjson.Get(receipt, "totals"))
	}
}
