//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/sdk/wire/rpc/rpctest"
)

func init() { testPlugins["faulty"] = rpctest.ServeFaulty }

// TestFaulty holds the program against every way to break the protocol: it tells what was wrong, neither dies nor grows, and
// no record vanishes.
func TestFaulty(t *testing.T) {
	for _, c := range faultyCases {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			l := runFaulty(t, c, 0)
			if have := l.exit; have != c.exit {
				t.Errorf("%s: want exit code %d, have %d: %.1000s", c.reason, c.exit, have, l.said)
			}
			if c.exit != 0 {
				l.wants(t, c, l.said)
				l.nothingLeft(t)
				return
			}
			rejects := l.read(t, "rejects.jsonl")
			l.wants(t, c, rejects)
			l.accounts(t, rejects)
		})
	}
}

// TestLateWrite holds the program against a plugin that changes bytes while they are checked and after: what was checked is what is
// written, or else the record is rejected.
func TestLateWrite(t *testing.T) {
	for range 2 {
		l := runFaulty(t, faultyCase{mode: "write-after"}, 500)
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
	trial
	rows int
	exit int
	said string
}

// mostMemory is how much the program may take whatever a plugin does, in KiB.
const mostMemory = 600 << 10

// runFaulty sends the plugin three records in one batch, or so many alone.
func runFaulty(t *testing.T, c faultyCase, alone int) *faultyRun {
	t.Helper()
	l := &faultyRun{trial: trial{dir: t.TempDir()}, rows: max(alone, 3)}
	timeout := "1m"
	if c.hangs {
		timeout = "2s"
	}
	var rows strings.Builder
	for id := range l.rows {
		fmt.Fprintf(&rows, "{\"id\":%d}\n", id+1)
	}
	l.write(t, "in.jsonl", rows.String())
	batch := ""
	if alone > 0 {
		batch = `batch    = "1 records"`
	}
	l.write(t, "p.hcl", strings.ReplaceAll(fmt.Sprintf(faultyPipeline, c.mode, timeout, batch), "DIR", l.dir))
	program, err := exec.LookPath("sluice-plugin-faulty")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sluice", "run", filepath.Join(l.dir, "p.hcl"))
	cmd.Env = append(os.Environ(), "SLUICE_PLUGIN_PATH="+filepath.Dir(program))
	var said bytes.Buffer
	cmd.Stderr = &said
	_ = within(t, patience, cmd.Run) // the exit code tells
	l.exit, l.said = cmd.ProcessState.ExitCode(), said.String()
	if kib := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; kib > mostMemory {
		t.Errorf("want at most %d MiB of memory, have %d", mostMemory>>10, kib>>10)
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
  mode = %q
  host {
    timeout  = %q
    on_crash = "fail"
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
