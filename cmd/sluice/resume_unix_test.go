//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A resumable is a pipeline whose runs are ended at their checkpoints.
type resumable struct {
	reason string
	file   string // text of the pipeline, or the name of a shipped one
	cpus   int
	flags  []string
	signal syscall.Signal
	after  int  // the run is ended when it has made so many checkpoints
	ends   bool // some records end a plugin, the first of them before any checkpoint
}

// ending has a plugin that some records end, and steps behind it.
const ending = `
plugin "act" {
  path = "PLUGIN"
}
source "jsonl" "in" {
  paths = ["in/*.jsonl"]
  batch = "16KiB"
}
step "act" "act" {}
step "split" "split" {}
step "dedup" "dedup" {}
sink "jsonl" "out" {
  path = "out/{split}.jsonl.gz"
}
`

// mixture has a node of every kind, and every kind of file.
const mixture = `
source "jsonl" "in" {
  paths = ["in/[cfn]*.jsonl"]
  batch = "16KiB"
}
first "shape" {
  report = "out/shape.json"
  step "native" "canonical" {}
  step "messages" "rendered" {}
  step "eliza-record" "flat" {}
}
step "privacy" "redact" {
  profile = "standard"
  output "ledger" {
    sink "jsonl" "ledger" {
      path = "out/ledger.jsonl.gz"
    }
  }
}
shadow "swap" {
  report = "out/swap.json"
  current {
    step "alias" "now" {
      file = "ROOT/pipelines/aliases/eliza.json"
    }
  }
  candidate {
    step "alias" "new" {
      aliases = { REPLY = "ANSWER" }
    }
  }
}
tee "copy" {
  sink "jsonl" "copy" {
    path   = "out/copy.jsonl"
    rotate = "100 rows"
  }
}
step "split" "split" {}
step "dedup" "dedup" {}
route "part" {
  on = "@split"
  case "train" {
    sink "jsonl" "train" {
      path = "out/train.jsonl.zst"
    }
  }
  default {}
}
sink "jsonl" "rest" {
  path = "out/rest/{split}.jsonl.gz"
}
`

// sources are pipelines with a source of each kind, and one with several, of which one is empty.
var sources = []resumable{
	{reason: "csv", file: sourced(`source "csv" "in" {
  paths = ["in/table.csv"]
  batch = "1KiB"
}`)},
	{reason: "json", file: sourced(`source "json" "in" {
  paths = ["in/array.json", "in/document.json"]
  batch = "1KiB"
}`)},
	{reason: "sessions", file: sourced(`source "sessions" "in" {
  paths = ["in/sessions.jsonl"]
  batch = "1KiB"
}`)},
	{reason: "several", file: sourced(`source "jsonl" "none" {
  paths = ["in/empty.jsonl"]
}
source "csv" "table" {
  paths = ["in/table.csv"]
  batch = "1KiB"
}
source "jsonl" "rows" {
  paths = ["in/empty.jsonl", "in/flat.jsonl"]
  batch = "16KiB"
}
source "json" "array" {
  paths = ["in/array.json"]
  batch = "1KiB"
}`)},
}

// sourced is a pipeline that joins records, the last of them behind the last record, and leaves out those that came before.
func sourced(source string) string {
	return source + `
step "gather" "some" {
  size = 7
}
step "dedup" "dedup" {}
step "split" "split" {}
sink "jsonl" "out" {
  path = "out/{split}.jsonl.zst"
}
`
}

// A run that is killed at checkpoints, and each time goes on, writes what one that was never interrupted does, byte for byte.
func TestGoesOnAfterKills(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	shipped := func(name string) string { return filepath.Join(root, "pipelines", name) }
	mixture := strings.ReplaceAll(mixture, "ROOT", root)
	plugin, err := exec.LookPath("sluice-plugin-act")
	if err != nil {
		t.Fatal(err)
	}
	cases := []resumable{
		{reason: "every kind of node, with SIGKILL", file: mixture, cpus: 4, signal: syscall.SIGKILL, after: 2},
		{reason: "every kind of node, one worker, with SIGTERM", file: mixture, cpus: 1, signal: syscall.SIGTERM, after: 3},
		{reason: "chat rows in process, with Ctrl-C", file: shipped("eliza-sft.hcl"), cpus: 4, flags: []string{"--in-process"}, signal: syscall.SIGINT, after: 1},
		{reason: "a plugin that records end, with SIGKILL", file: strings.ReplaceAll(ending, "PLUGIN", plugin), cpus: 2, signal: syscall.SIGKILL, after: 2, ends: true},
		{reason: "a corpus, with the end of the session", file: shipped("prepare.hcl"), cpus: 4, signal: syscall.SIGHUP, after: 1},
	}
	for i, c := range sources {
		c.cpus, c.signal, c.after = 1+3*(i%2), syscall.SIGKILL, 3
		cases = append(cases, c)
	}
	if *long {
		for _, after := range []int{1, 2, 4} {
			for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
				for _, file := range []string{mixture, shipped("eliza-sft.hcl"), shipped("prepare.hcl")} {
					for _, flags := range [][]string{nil, {"--in-process"}} {
						cpus := 1 + 3*(len(cases)/2%2)
						cases = append(cases, resumable{reason: "long", file: file, cpus: cpus, flags: flags, signal: signal, after: after})
					}
				}
			}
		}
	}
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s", i, c.reason), func(t *testing.T) {
			t.Parallel()
			whole, broken := c.folder(t, root), c.folder(t, root)
			if said, err := c.command(whole, "--checkpoint=off").run(t); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			ended := 0
			for turn := 0; ; turn++ {
				var more []string
				if turn > 0 {
					more = []string{"--resume"}
				}
				run := c.command(broken, append(more, "--checkpoint=1ns")...)
				if turn < 2 {
					run.endAfter(c.after, c.signal)
				}
				said, err := run.run(t)
				if err == nil {
					break
				}
				if turn > 2 || !run.ended {
					t.Fatalf("turn %d: %v\n%s", turn, err, said)
				}
				if ended++; c.signal != syscall.SIGKILL && (run.ProcessState.ExitCode() != 130 || !strings.Contains(said, "--resume")) {
					t.Errorf("want exit code 130 and how to go on, have %v\n%s", err, said)
				}
			}
			if ended == 0 {
				t.Log("the run was over before it could be ended")
			}
			compareRuns(t, whole, broken)
			if !c.ends {
				return
			}
			if text := readText(t, filepath.Join(broken, "out/rejects.jsonl")); !strings.Contains(text, `"plugin_crash"`) {
				t.Errorf("want records rejected for the end of a plugin, have %.300s", text)
			}
		})
	}
}

// folder makes a folder with the pipeline's input.
func (c *resumable) folder(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"native", "chat", "flat"} {
		rows, err := os.ReadFile(filepath.Join(root, "examples/corpus", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		var all bytes.Buffer
		for n := range map[bool]int{false: 12, true: 40}[*long] {
			if c.ends && n%6 == 0 {
				all.WriteString("{\"do\":\"panic as asked\"}\n")
			}
			all.Write(bytes.ReplaceAll(rows, []byte(" the "), fmt.Appendf(nil, " the %d ", n%7)))
		}
		all.WriteString("no record\n")
		path := filepath.Join(dir, "in", name+".jsonl")
		if err := os.WriteFile(path, all.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	writeKinds(t, filepath.Join(dir, "in"))
	return dir
}

// writeKinds writes an input for each kind of source.
func writeKinds(t *testing.T, dir string) {
	t.Helper()
	var table, array, sessions bytes.Buffer
	table.WriteString("id,text\n")
	for n := range 4000 {
		fmt.Fprintf(&table, "%d,\"row %d, of\nthe table\"\n", n, n%101)
		fmt.Fprintf(&array, ",\n{\"id\":%d,\"text\":\"of the array\"}", n%103)
		fmt.Fprintf(&sessions, "{\"sessionId\":\"s%d\",\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"%d\"}}\n", n/5, n)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, text := range map[string]string{
		"empty.jsonl": "", "table.csv": table.String(), "array.json": "[" + array.String()[1:] + "]", "document.json": `{"id":-1}`, "sessions.jsonl": sessions.String(),
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
}

// A trialRun is a process of a run.
type trialRun struct {
	*exec.Cmd
	dir    string
	after  int
	signal syscall.Signal
	ended  bool // by the test
}

func (c *resumable) command(dir string, more ...string) *trialRun {
	file := c.file
	var vars []string
	if strings.Contains(file, "\n") {
		file = "p.hcl"
		if err := os.WriteFile(filepath.Join(dir, file), []byte(c.file), 0o666); err != nil {
			panic(err)
		}
	} else {
		vars = []string{"--var", "input=in/[cfn]*.jsonl", "--var", "out=out"}
	}
	run := exec.Command("sluice", slices.Concat([]string{"run", file, "--progress=off", "--report=false", "--receipt=out/receipt.json"}, vars, c.flags, more)...)
	run.Dir = dir
	program, err := exec.LookPath("sluice-plugin-gather")
	if err != nil {
		panic(err)
	}
	run.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", c.cpus), "SLUICE_PLUGIN_PATH="+filepath.Dir(program))
	return &trialRun{Cmd: run, dir: dir}
}

// endAfter has the run ended with a signal when its state has been written so many times.
func (r *trialRun) endAfter(n int, signal syscall.Signal) { r.after, r.signal = n, signal }

// run returns what the run said, and its error.
func (r *trialRun) run(t *testing.T) (string, error) {
	t.Helper()
	var said bytes.Buffer
	r.Stdout, r.Stderr = &said, &said
	before := stateOf(r.dir)
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- r.Wait() }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for seen := 0; ; {
		select {
		case err := <-over:
			return said.String(), err
		case <-tick.C:
			if now := stateOf(r.dir); r.after > 0 && !r.ended && now != before {
				if before = now; now != "" {
					seen++
				}
				if seen == r.after {
					r.ended = r.Process.Signal(r.signal) == nil
				}
			}
		}
	}
}

// stateOf tells one state of a run from another.
func stateOf(dir string) string {
	info, err := os.Stat(filepath.Join(dir, "out/.sluice/receipt.json.resume"))
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size(), info.Sys().(*syscall.Stat_t).Ino)
}

// compareRuns wants the same files in both folders, but for times and ids in receipts, and no others.
func compareRuns(t *testing.T, want, have string) {
	t.Helper()
	a, b := filesIn(t, want), filesIn(t, have)
	for name := range a {
		switch text, there := b[name]; {
		case !there:
			t.Errorf("want %s, have no such file", name)
		case !bytes.Equal(a[name], text) && len(text) > 1<<12:
			t.Errorf("%s: want the bytes of a run that was not interrupted, have others (%d and %d bytes)", name, len(a[name]), len(text))
		case !bytes.Equal(a[name], text):
			t.Errorf("%s: want the bytes of a run that was not interrupted, have others: %s", name, cmp.Diff(string(a[name]), string(text)))
		}
	}
	for name := range b {
		if _, there := a[name]; !there {
			t.Errorf("want no %s", name)
		}
	}
}

func filesIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name := strings.TrimPrefix(path, dir)
		switch {
		case strings.HasSuffix(name, ".timeline"), strings.Contains(filepath.Base(name), "timeline"), strings.HasSuffix(name, ".lock"):
			text = nil
		case filepath.Base(name) == "receipt.json", filepath.Base(name) == "manifest.json":
			text = withoutTimes(t, text)
		}
		all[name] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// withoutTimes takes out of a receipt what two runs do not have in common.
func withoutTimes(t *testing.T, text []byte) []byte {
	t.Helper()
	var x any
	if err := json.Unmarshal(text, &x); err != nil {
		t.Fatal(err)
	}
	var clean func(any)
	clean = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range []string{"run", "started", "finished", "seconds", "busy_seconds", "cpu_seconds", "restarts", "timeline"} {
				delete(v, name)
			}
			for _, inner := range v {
				clean(inner)
			}
		case []any:
			for _, inner := range v {
				clean(inner)
			}
		}
	}
	clean(x)
	out, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}
