//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/sdk"
)

// A trial is a pipeline around one step of the plugin "fault", in a folder of its own.
type trial struct {
	dir     string
	place   string // where the step stands: one of places
	workers int
	onCrash string
	way     string // how records reach the plugin: one of ways
	args    string // attributes of the step
	timeout string
	memory  string
	sink    string // path of the last sink
}

var (
	places = []string{"step", "first", "route", "tee", "shadow"}
	ways   = []string{"in process", "memory", "inline"}
)

const (
	trialRows = 40
	guilty    = 17 // the line of the record that asks for something
)

// input writes the records, of which one asks for something.
func (x *trial) input(t *testing.T, do string) {
	t.Helper()
	var b strings.Builder
	for id := 1; id <= trialRows; id++ {
		asks := ""
		if id == guilty {
			asks = fmt.Sprintf(`,"do":%q`, do)
		}
		fmt.Fprintf(&b, "{\"id\":%d,\"kind\":%q%s}\n", id, kind(id), asks)
	}
	x.write(t, "in.jsonl", b.String())
}

func kind(id int) string {
	if id%2 == guilty%2 {
		return "a"
	}
	return "b"
}

func (x *trial) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(x.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// rows are what the last sink of a place gets, without the lines that are left out.
func (x *trial) rows(do string, without ...int) string {
	var b strings.Builder
	for id := 1; id <= trialRows; id++ {
		if slices.Contains(without, id) {
			continue
		}
		asks, by := "", `,"by":"fault"`
		if id == guilty {
			asks = fmt.Sprintf(`,"do":%q`, do)
		}
		if x.place == "route" && kind(id) != "a" {
			by = ""
		}
		fmt.Fprintf(&b, "{\"id\":%d,\"kind\":%q%s%s}\n", id, kind(id), asks, by)
	}
	return b.String()
}

// pipeline writes the file around the step.
func (x *trial) pipeline(t *testing.T, plugin string) string {
	t.Helper()
	step := func(name, args string) string {
		timeout := ""
		if x.timeout != "" {
			timeout = fmt.Sprintf("timeout = %q\n", x.timeout)
		}
		if x.memory != "" {
			timeout += fmt.Sprintf("memory = %q\n", x.memory)
		}
		return fmt.Sprintf("step \"fault\" %q {\n%s\nhost {\nworkers = %d\non_crash = %q\n%s}\n}\n", name, args, x.workers, x.onCrash, timeout)
	}
	f, out := step("f", x.args), fmt.Sprintf("sink \"jsonl\" \"out\" {\npath = %q\n}\n", x.sink)
	last := out
	switch x.place {
	case "first":
		f = "first \"shape\" {\n" + step("never", "declines = true") + f + "}\n"
	case "route":
		f = "route \"kind\" {\non = \"kind\"\ncase \"a\" {\n" + f + "}\ndefault {}\n}\n"
	case "tee":
		f, last = "tee \"copy\" {\n"+f+out+"}\n", "sink \"jsonl\" \"whole\" {\npath = \"DIR/out/whole.jsonl\"\n}\n"
	case "shadow":
		f = "shadow \"swap\" {\nreport = \"DIR/out/swap.json\"\ncurrent {\n" + step("now", "calm = true") + "}\ncandidate {\n" + f + "}\n}\n"
	}
	pin := ""
	if x.way != "in process" {
		pin = fmt.Sprintf("plugin \"fault\" {\npath = %q\n}\n", plugin)
	}
	text := pin + `
source "jsonl" "in" {
  paths = ["DIR/in.jsonl"]
  batch = "256B"
}
tee "spare" {
  sink "jsonl" "spare" {
    path = "DIR/out/spare.jsonl"
  }
}
` + f + last + `
dead_letter {
  sink "jsonl" "rejects" {
    path = "DIR/out/rejects.jsonl"
  }
}
`
	x.write(t, "p.hcl", strings.ReplaceAll(text, "DIR", x.dir))
	return filepath.Join(x.dir, "p.hcl")
}

// load reads the pipeline as the trial is to run it.
func (x *trial) load(t *testing.T, plugin string) *host.Pipeline {
	t.Helper()
	opts := host.Options{Receipt: filepath.Join(x.dir, "out", "receipt.json"), InProcess: x.way == "in process", Inline: x.way == "inline"}
	if opts.InProcess {
		opts.BuiltIns = []sdk.Plugin{fault}
	}
	p, err := host.Load(x.pipeline(t, plugin), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// own makes the plugin's program known under a path of this trial's, so that its processes can be told from others.
func (x *trial) own(t *testing.T, program string) string {
	t.Helper()
	path := filepath.Join(x.dir, "sluice-plugin-fault")
	if err := os.Symlink(program, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// within fails the test, with the stacks of all goroutines, when do takes too long.
func within(t *testing.T, limit time.Duration, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		stacks := make([]byte, 1<<20)
		t.Fatalf("want an end within %v, have none:\n%s", limit, stacks[:runtime.Stack(stacks, true)])
		return nil
	}
}

// nothingLeft wants no output and no hidden file.
func (x *trial) nothingLeft(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(x.dir, "out"))
	if err == nil {
		t.Errorf("want no folder of outputs after a failure, have one with %v", entries)
	}
}

// noProcess wants none of the trial's plugins left among the children of a process.
func (x *trial) noProcess(t *testing.T, parent int) {
	t.Helper()
	for _, pid := range children(parent) {
		if line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil && strings.Contains(string(line), x.dir) {
			t.Errorf("want no process left, have %d: %q", pid, line)
		}
	}
}

func (x *trial) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(x.dir, "out", name))
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
