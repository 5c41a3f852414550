//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/host/receipt"
)

// parted has a node of every kind that runs in parts, every kind of output, and rejects of the source and of steps.
const parted = `
variable "out" {
  default = "parts"
}
source "jsonl" "lines" {
  paths    = ["in/*.jsonl", "in/*.jsonl.gz", "in/*.jsonl.zst"]
  optional = true
  batch    = "16KiB"
}
source "auto" "rest" {
  paths    = ["in/*.json", "in/*.csv", "in/*.txt"]
  optional = true
  batch    = "16KiB"
}
first "shape" {
  report = "${var.out}/shape.json"
  step "native" "canonical" {}
  step "messages" "rendered" {}
  step "eliza-record" "flat" {}
}
step "privacy" "redact" {
  profile = "standard"
  output "ledger" {
    sink "jsonl" "ledger" {
      path = "${var.out}/ledger.jsonl.gz"
    }
  }
}
shadow "swap" {
  report = "${var.out}/swap.json"
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
  step "mix" "thin" {
    rate = 1.5
  }
  sink "jsonl" "copy" {
    path   = "${var.out}/copy.jsonl"
    rotate = "7 rows"
  }
}
step "split" "split" {
  val  = 0.3
  test = 0.2
}
route "part" {
  on = "@split"
  case "train" {
    sink "jsonl" "train" {
      path = "${var.out}/train.jsonl.zst"
    }
  }
  case "calibration" {
    sink "jsonl" "none" {
      path = "${var.out}/none.jsonl"
    }
  }
  default {}
}
sink "jsonl" "rest" {
  path = "${var.out}/rest-{split}.jsonl.gz"
}
`

// The parts of a run, whatever the corpus and their number, and whatever becomes of the first tries of some, make the whole run: the
// joined files are its bytes, with their origins, and the merged receipt has its counts.
func TestPartsAreTheWhole(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	most := 9
	if *long {
		most = 64
	}
	for seed := range drawn(2, 12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 31))
			p := &partedRun{dir: t.TempDir(), n: 1 + random.IntN(most)}
			writeCorpus(t, random, root, filepath.Join(p.dir, "in"))
			text := strings.ReplaceAll(parted, "ROOT", root)
			if err := os.WriteFile(filepath.Join(p.dir, "p.hcl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if seed%4 != 0 {
				p.flags = []string{"--in-process"}
			}
			p.must(t, "run", "p.hcl", "--var", "out=whole", "--checkpoint=off")
			p.runParts(t, random)
			p.must(t, "merge", "parts", "--join")
			p.must(t, "verify", "parts")
			compareJoined(t, filepath.Join(p.dir, "whole"), filepath.Join(p.dir, "parts"))
			if t.Failed() {
				t.Logf("%d parts", p.n)
			}
		})
	}
}

// writeCorpus writes some files with rows that steps take, change and reject, and with lines that are no records.
func writeCorpus(t *testing.T, random *rand.Rand, root, dir string) {
	t.Helper()
	var rows []string
	for _, name := range []string{"corpus/native", "corpus/chat", "corpus/flat", "broken/rows"} {
		text, err := os.ReadFile(filepath.Join(root, "examples", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	rows = append(rows, "no record", "{", "", " ", `{"long":"`+strings.Repeat("a long line ", 3000)+`"}`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 1 + random.IntN(5) {
		var text bytes.Buffer
		end := []string{"\n", "\r\n"}[random.IntN(2)]
		for range []int{0, 1, 20, 100}[random.IntN(4)] {
			text.WriteString(rows[random.IntN(len(rows))] + end)
		}
		whole := text.Bytes()
		if random.IntN(3) == 0 {
			whole = bytes.TrimSuffix(whole, []byte(end))
		}
		name := fmt.Sprintf("%d%s", i, []string{".jsonl", ".jsonl", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".txt", ".json"}[random.IntN(7)])
		switch filepath.Ext(name) {
		case ".gz":
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			_, _ = z.Write(whole)
			_ = z.Close()
			whole = zipped.Bytes()
		case ".zst":
			whole = inFrames(t, whole, 1+random.IntN(20_000))
		case ".json":
			whole = []byte("[" + rows[0] + ",\n" + rows[1] + "]")
		case ".txt":
			first, _, _ := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(whole, []byte("\uFEFF"))), []byte(end))
			if bytes.HasPrefix(first, []byte("{")) && !json.Valid(first) { // it would be a document that has no end
				whole = append([]byte(rows[0]+end), whole...)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

type partedRun struct {
	dir   string
	n     int
	flags []string
}

func (p *partedRun) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = p.dir
	return c
}

func (p *partedRun) must(t *testing.T, args ...string) {
	t.Helper()
	if args[0] == "run" {
		args = append(args, p.flags...)
	}
	if said, err := p.command("sluice", args...).CombinedOutput(); err != nil {
		t.Fatalf("sluice %s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

// runParts runs all parts, some at once, in any order.
func (p *partedRun) runParts(t *testing.T, random *rand.Rand) {
	twice, killed, failed := random.IntN(p.n), random.IntN(p.n), random.IntN(p.n)
	var group sync.WaitGroup
	slots := make(chan struct{}, 3)
	for _, i := range random.Perm(p.n) {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			run := append([]string{"run", "p.hcl", "--report=false", fmt.Sprintf("--part=%d/%d", i, p.n)}, p.flags...)
			switch i {
			case twice: // at once: one of them is refused, unless it comes late
				other := p.command("sluice", run...)
				if err := other.Start(); err != nil {
					t.Error(err)
					return
				}
				defer func() { p.again(t, run, other.Wait()) }()
			case killed: // wherever it is
				shell := p.command("sh", "-c", `"$@" & sleep 0.0$RANDOMLY; kill -9 $!`, "sh", "sluice")
				shell.Args = append(shell.Args, append(run, "--checkpoint=1ns")...)
				shell.Env = append(os.Environ(), fmt.Sprintf("RANDOMLY=%d", 1+i%9))
				_ = shell.Run()
				run = append(run, "--resume", "--checkpoint=1ns")
			case failed: // the disk is full
				shell := p.command("sh", append([]string{"-c", `ulimit -f 4; trap "" XFSZ; exec "$@"`, "sh", "sluice"}, run...)...)
				if shell.Run() == nil {
					return // it writes little
				}
			}
			p.again(t, run, syscall.EAGAIN)
		})
	}
	group.Wait()
}

// again runs a part again after an error, until no other run of it is in the way.
func (p *partedRun) again(t *testing.T, run []string, err error) {
	for err != nil {
		var said []byte
		if said, err = p.command("sluice", run...).CombinedOutput(); err != nil && !bytes.Contains(said, []byte("another run of part")) {
			t.Errorf("sluice %s: %v\n%s", strings.Join(run, " "), err, said)
			return
		}
	}
}

// compareJoined compares what the merge has written with what the whole run has, but for times, and examples of differences.
func compareJoined(t *testing.T, whole, parts string) {
	t.Helper()
	err := filepath.WalkDir(whole, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, whole)
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.Contains(name, "receipt.json"), strings.Contains(name, "report.html"), strings.Contains(name, "swap.json"):
			return nil
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if have, err := os.ReadFile(filepath.Join(parts, name)); err != nil || !bytes.Equal(want, have) {
			t.Errorf("%s: want the %d bytes of the whole run, have %d (%v)", name, len(want), len(have), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(counted(t, whole), counted(t, parts)); diff != "" {
		t.Errorf("want the counts of the whole run: %s", diff)
	}
}

// counted is all of a receipt that a merge has in common with the whole run, as JSON.
func counted(t *testing.T, dir string) any {
	t.Helper()
	r, err := receipt.Read(filepath.Join(dir, "receipt.json"))
	if err != nil {
		t.Fatal(err)
	}
	x := r.Comparable()
	records := map[string]int64{}
	for _, in := range x.Inputs {
		records[in.Source+" "+in.Name] += in.Records
	}
	outputs := map[string]receipt.Output{}
	for _, o := range x.Outputs {
		name := strings.TrimPrefix(o.Path, filepath.Base(dir))
		o.Path, o.Origins = "", nil
		outputs[name] = o
	}
	for i := range x.Shadows {
		x.Shadows[i].Path = ""
	}
	for i := range x.Firsts {
		x.Firsts[i].Path = ""
	}
	x.Totals.BytesRead = 0
	text, err := json.Marshal([]any{x.Pipeline, x.Plugins, records, outputs, x.Steps, x.Totals, x.Firsts, x.Routes, x.Shadows})
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// inFrames returns a text in frames of zstd, of so many bytes of it each, which end within lines or with them.
func inFrames(t *testing.T, text []byte, size int) (all []byte) {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) == 0 {
		return z.EncodeAll(text, nil)
	}
	for part := range slices.Chunk(text, size) {
		if end := bytes.LastIndexByte(part, '\n'); size%2 == 0 && end >= 0 {
			all = z.EncodeAll(part[:end+1], all)
			part = part[end+1:]
		}
		all = z.EncodeAll(part, all)
	}
	return all
}
