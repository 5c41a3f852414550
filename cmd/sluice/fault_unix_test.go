//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// A faultCase is one way to fail, and what must come of it.
type faultCase struct {
	name   string
	do     string // what the guilty record asks for
	args   string
	alone  bool   // it would end the process of the tests
	how    string // the plugin's end, when a record is guilty of it
	closes string // what an end that fails is told as
}

var faultCases = []faultCase{
	{name: "crash", do: "crash", alone: true, how: "signal: killed"},
	{name: "hang", do: "hang", how: "want an answer within 2s, have none"},
	{name: "panic", do: "panic", how: `panic: as asked( \(exit status 2\))?`},
	{name: "exit", do: "exit", alone: true, how: "exit status 3"},
	{name: "memory", do: "eat", alone: true, how: `memory: want at most 128MiB, have [0-9.]+MiB`},
	{name: "exit in Close", args: `close = "exit"`, alone: true, closes: "step fault.f: the plugin ended: exit status 3 while it closed"},
	{name: "killed in Close", args: `close = "killed once"`, alone: true},
	{name: "error in Close", args: `close = "error"`, closes: "step fault.f: could not flush"},
	{name: "cancel", do: "wait"},
	{name: "full disk"},
}

// TestFaults tries every way to fail in every place of a pipeline. No run may hang, lose or double a row, leave a
// process, or leave a file of a run that failed; and what a candidate does ends no run.
func TestFaults(t *testing.T) {
	program, err := exec.LookPath("sluice-plugin-fault")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { close(neverHangsOn) })
	for _, f := range faultCases {
		for _, x := range f.trials() {
			t.Run(fmt.Sprintf("%s/%s/%d/%s/%s", f.name, x.place, x.workers, x.onCrash, x.way), func(t *testing.T) {
				t.Parallel()
				tryFault(t, x, f, program)
			})
		}
	}
}

// trials returns where a fault is tried: with -long in every combination of place, workers, on_crash and way, else in so
// many that every place, every number of workers and every way meets each on_crash.
func (f *faultCase) trials() (all []*trial) {
	for _, place := range places {
		for _, workers := range []int{1, 4} {
			for _, onCrash := range []string{"fail", "isolate"} {
				for _, way := range ways {
					if f.concerns(onCrash, way) {
						all = append(all, &trial{place: place, workers: workers, onCrash: onCrash, way: way, args: f.args})
					}
				}
			}
		}
	}
	if *long {
		return all
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] }) // so that they differ in everything
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(x *trial) bool {
		met := true
		for _, pair := range []string{x.place, fmt.Sprint(x.workers), x.way} {
			met = met && seen[pair+x.onCrash]
			seen[pair+x.onCrash] = true
		}
		return met
	})
}

// concerns leaves out what cannot be tried, and what would try the same code again: without a guilty record on_crash does
// nothing, and the way of the records matters only to where the guilty one is found.
func (f *faultCase) concerns(onCrash, way string) bool {
	switch {
	case f.alone && way == "in process":
		return false
	case f.how == "":
		return onCrash == "isolate" && way != "inline"
	}
	return way != "inline" || !slices.Contains([]string{"panic", "exit", "memory"}, f.name) // which are crashes
}

func tryFault(t *testing.T, x *trial, f faultCase, program string) {
	x.dir = t.TempDir()
	x.input(t, f.do)
	x.sink = "DIR/out/out.jsonl"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	switch f.name {
	case "hang":
		x.timeout = "2s"
	case "memory":
		x.memory = "128MiB"
	case "full disk":
		x.sink = fullDisk(t)
	case "killed in Close":
		x.args += fmt.Sprintf("\npipe = %q", filepath.Join(x.dir, "killed"))
	case "cancel":
		pipe := newHeraldPipe(t, x.dir)
		x.args = fmt.Sprintf("pipe = %q", pipe.path)
		go func() {
			defer cancel()
			if _, err := pipe.held(); err != nil {
				t.Errorf("want a record at hand, have %v", err)
			}
		}()
	}
	p := x.load(t, x.own(t, program))
	err := within(t, patience, func() error {
		r, err := p.Run(ctx)
		if err == nil && !r.Balanced {
			err = errors.New("want an account that balances")
		}
		return err
	})
	x.noProcess(t, os.Getpid())
	switch {
	case f.name == "cancel":
		if !errors.Is(err, context.Canceled) {
			t.Errorf("want the run cancelled, have %v", err)
		}
	case f.name == "full disk":
		wantError(t, err, `sink jsonl\.out: /dev/full: no space left on device`)
	case x.place == "shadow":
		x.succeeded(t, err, f.do)
		return
	case f.name == "killed in Close": // once, and all records had been answered
		x.succeeded(t, err, f.do)
		return
	case f.closes != "":
		wantError(t, err, regexp.QuoteMeta(f.closes))
	case x.onCrash == "isolate":
		x.succeeded(t, err, f.do, guilty)
		x.rejected(t, f)
		return
	default:
		x.failed(t, err, f.how)
	}
	x.nothingLeft(t)
}

func wantError(t *testing.T, err error, form string) {
	t.Helper()
	if err == nil || !regexp.MustCompile(form).MatchString(err.Error()) {
		t.Errorf("want an error like %q, have %v", form, err)
	}
}

// failed wants an error that says where, which step, how it ended, and what to do about it.
func (x *trial) failed(t *testing.T, err error, how string) {
	t.Helper()
	others := ""
	if x.workers > 1 {
		others = `, at this record or at the record of another of its 4 workers`
	}
	form := regexp.MustCompile(`in\.jsonl:(\d+)(?: to \S*in\.jsonl:(\d+))?: step (?:fault\.never or )?fault\.f: the plugin ended: ` + how + `(?:; peak memory below [0-9]+MiB)?` + others +
		`; without on_crash = "fail" in its host block such records are rejected and the run goes on`)
	m := form.FindStringSubmatch(fmt.Sprint(err))
	if m == nil {
		t.Errorf("want an error like %q, have %v", form, err)
		return
	}
	if x.workers > 1 && x.way != "in process" {
		return // another worker's record may be named, and the error says so
	}
	first, _ := strconv.Atoi(m[1])
	last := first
	if m[2] != "" {
		last, _ = strconv.Atoi(m[2])
	}
	if exact := x.way != "inline"; first > guilty || last < guilty || exact && first != last {
		t.Errorf("want line %d named (exactly: %v), have %d to %d", guilty, exact, first, last)
	}
}

// succeeded wants every row once and in order, but those that are left out.
func (x *trial) succeeded(t *testing.T, err error, do string, without ...int) {
	t.Helper()
	if err != nil {
		t.Fatalf("want a run that goes on, have %v", err)
	}
	if diff := cmp.Diff(x.rows(do, without...), x.read(t, "out.jsonl")); diff != "" {
		t.Errorf("rows:\n%s", diff)
	}
	receipt := x.read(t, "receipt.json")
	if !gjson.Get(receipt, "balanced").Bool() || gjson.Get(receipt, "totals.read").Int() != trialRows {
		t.Errorf("want a receipt of %d records that balances, have %s", trialRows, gjson.Get(receipt, "totals"))
	}
	if len(without) == 0 && x.read(t, "rejects.jsonl") != "" {
		t.Errorf("want no reject, have %s", x.read(t, "rejects.jsonl"))
	}
}

// rejected wants the guilty record, and no other, in the dead letter.
func (x *trial) rejected(t *testing.T, f faultCase) {
	t.Helper()
	rejects := x.read(t, "rejects.jsonl")
	r := gjson.Parse(rejects)
	if r.Get("code").Str != "plugin_crash" || r.Get("line").Int() != guilty || gjson.Get(rejects, "..#").Int() != 1 {
		t.Errorf("want line %d alone rejected as plugin_crash, have %s", guilty, rejects)
	}
	if !regexp.MustCompile(`^the plugin ended: ` + f.how + `(; peak memory below [0-9]+MiB)?$`).MatchString(r.Get("message").Str) {
		t.Errorf("want how it ended, %q, have %q", f.how, r.Get("message").Str)
	}
}

func fullDisk(t *testing.T) string {
	t.Helper()
	const path = "/dev/full"
	if _, err := os.Stat(path); err != nil {
		t.Skipf("want %s to stand for a full disk: %v", path, err)
	}
	return path
}
