//go:build unix

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/host"
)

var killRounds = flag.Int("killrounds", 0, "rounds of TestRandomKills; by default 4, and 20 with -long")

const (
	killRows = 4000
	killHead = 1000 // rows that go in before any process is killed, so that all of them are at work
)

// TestRandomKills kills single plugin processes while records stream in. No round may hang, and no row may be lost,
// doubled or out of order: what is missing from the output stands in the dead letter, or the run has failed and left
// nothing. The seed is the round.
func TestRandomKills(t *testing.T) {
	program, err := exec.LookPath("sluice-plugin-fault")
	if err != nil {
		t.Fatal(err)
	}
	rounds := *killRounds
	switch {
	case rounds > 0:
	case *long:
		rounds = 20
	default:
		rounds = 4 // one of each kind
	}
	for round := range rounds {
		x := &trial{workers: 1 + round%2*2, onCrash: []string{"fail", "isolate"}[round/2%2]}
		t.Run(fmt.Sprintf("%d/%d workers/%s", round, x.workers, x.onCrash), func(t *testing.T) {
			t.Parallel()
			x.dir = t.TempDir()
			tryKills(t, x, program, rand.New(rand.NewPCG(uint64(round), 0)))
		})
	}
}

func tryKills(t *testing.T, x *trial, program string, random *rand.Rand) {
	step := func(name string) string {
		return fmt.Sprintf("step \"fault\" %q {\ncalm = true\nhost {\nworkers = %d\non_crash = %q\n}\n}\n", name, x.workers, x.onCrash)
	}
	x.write(t, "p.hcl", fmt.Sprintf("plugin \"fault\" {\npath = %q\n}\n", x.own(t, program))+
		"source \"jsonl\" \"in\" {\npaths = [\"-\"]\nbatch = \"1KiB\"\n}\n"+step("one")+step("two")+step("three")+
		fmt.Sprintf("sink \"jsonl\" \"out\" {\npath = %q\n}\n", filepath.Join(x.dir, "out", "out.jsonl")))
	in, feed := io.Pipe()
	p, err := host.Load(filepath.Join(x.dir, "p.hcl"), host.Options{Stdin: in})
	if err != nil {
		t.Fatal(err)
	}
	go x.feed(feed, random)
	err = within(t, patience, func() error {
		_, err := p.Run(t.Context())
		in.Close()
		return err
	})
	x.noProcess(t, os.Getpid())
	if err == nil {
		x.allThere(t)
		return
	}
	x.nothingLeft(t)
	if x.onCrash == "isolate" || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("want every row, or with on_crash = \"fail\" the signal told; have %v", err)
	}
}

// feed writes the records, and kills up to three processes at some of them.
func (x *trial) feed(to *io.PipeWriter, random *rand.Rand) {
	kills := map[int]bool{}
	for range 1 + random.IntN(3) {
		kills[killHead+random.IntN(killRows-killHead)] = true
	}
	for id := range killRows {
		if kills[id] {
			if mine := x.processes(); len(mine) > 0 {
				_ = syscall.Kill(mine[random.IntN(len(mine))], syscall.SIGKILL) // it may have gone by itself
			}
		}
		if _, err := fmt.Fprintf(to, "{\"id\":%d,\"pad\":%q}\n", id, strings.Repeat("x", random.IntN(200))); err != nil {
			return // the run has failed
		}
	}
	to.Close()
}

// processes are those of the trial's plugins.
func (x *trial) processes() (mine []int) {
	for _, pid := range children(os.Getpid()) {
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && bytes.Contains(line, []byte(x.dir)) {
			mine = append(mine, pid)
		}
	}
	return mine
}

// allThere wants each row once, in the output or as a crash in the dead letter, both in order.
func (x *trial) allThere(t *testing.T) {
	t.Helper()
	rejects := map[int64]bool{}
	last := int64(0)
	for line := range strings.Lines(x.read(t, "rejects.jsonl")) {
		at := gjson.Get(line, "line").Int()
		if gjson.Get(line, "code").Str != "plugin_crash" || at <= last {
			t.Errorf("want crashes in order, have %s", line)
		}
		last, rejects[at-1] = at, true
	}
	next := int64(0)
	for line := range strings.Lines(x.read(t, "out.jsonl")) {
		for ; rejects[next]; next++ {
		}
		if id := gjson.Get(line, "id").Int(); id != next {
			t.Fatalf("want row %d, have %d", next, id)
		}
		next++
	}
	for ; rejects[next]; next++ {
	}
	if next != killRows || len(rejects) > 3 {
		t.Errorf("want %d rows and no more rejects than kills, have %d and %d", killRows, next, len(rejects))
	}
}

// TestSignals ends the program itself in every place of a pipeline. No plugin outlives it; after a signal that it can
// answer it leaves nothing, and after one that it cannot, the next run removes what it left and gives the bytes of any run.
func TestSignals(t *testing.T) {
	program, err := exec.LookPath("sluice-plugin-fault")
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range places {
		for _, workers := range []int{1, 3} {
			for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
				if place != "step" && sig != syscall.SIGINT && sig != syscall.SIGKILL {
					continue // the place does not concern how a signal is taken
				}
				x := &trial{place: place, workers: workers, onCrash: "isolate", way: "memory", sink: "DIR/out/out.jsonl"}
				t.Run(fmt.Sprintf("%s/%d/%v", place, workers, sig), func(t *testing.T) {
					t.Parallel()
					x.dir = t.TempDir()
					trySignal(t, x, sig, program)
				})
			}
		}
	}
}

func trySignal(t *testing.T, x *trial, sig syscall.Signal, program string) {
	x.input(t, "wait")
	pipe := newHeraldPipe(t, x.dir)
	x.args = fmt.Sprintf("pipe = %q", pipe.path)
	file := x.pipeline(t, x.own(t, program))
	var said bytes.Buffer
	host := exec.Command("sluice", "run", file, "--receipt", filepath.Join(x.dir, "out", "receipt.json"))
	host.Stderr = &said
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := pipe.held(); err != nil {
		t.Errorf("want a record at hand, have %v", err)
	}
	if err := host.Process.Signal(sig); err != nil {
		t.Error(err)
	}
	err := within(t, patience, host.Wait)
	if err := pipe.gone(); err != nil {
		t.Errorf("want the plugin gone with the program, have %v", err)
	}
	if sig != syscall.SIGKILL {
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != cli.ExitInterrupted {
			t.Errorf("want exit code %d, have %v: %s", cli.ExitInterrupted, err, said.String())
		}
		x.nothingLeft(t)
		return
	}
	if hidden := x.hidden(t); len(hidden) == 0 {
		t.Error("want hidden files of the run that was killed, or this test shows nothing")
	}
	for _, name := range []string{"out.jsonl", "receipt.json"} {
		if _, err := os.Stat(filepath.Join(x.dir, "out", name)); err == nil {
			t.Errorf("want no %s of a run that was killed", name)
		}
	}
	x.args = "calm = true"
	again := x.load(t, filepath.Join(x.dir, "sluice-plugin-fault"))
	err = within(t, patience, func() error {
		_, err := again.Run(t.Context())
		return err
	})
	x.succeeded(t, err, "wait")
	if hidden := x.hidden(t); len(hidden) > 0 {
		t.Errorf("want what the killed run left removed by the next, have %v", hidden)
	}
}

// hidden are the hidden files beside the outputs, and those among their origins.
func (x *trial) hidden(t *testing.T) (names []string) {
	t.Helper()
	for _, folder := range []string{"out", "out/.sluice"} {
		found, err := filepath.Glob(filepath.Join(x.dir, folder, ".*.*"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	return names
}
