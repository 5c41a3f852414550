//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/cmd/sluice/internal/bucket"
	"github.com/sluicehq/sluice/host/receipt"
)

// Whatever the corpus, and whatever becomes of its files and of earlier runs: a run with a store writes the bytes of one without, and its
// receipt, but for times. It runs no file again that was there before, and of one for which only a later step has changed, nothing that comes
// before a step that keeps its records.
func TestStoredRunsAreWholeRuns(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(parted, "shadow \"swap\" {")
	_, behind, _ := strings.Cut(rest, "\n}\n")
	text := before + `
variable "name" {
  default = "ANSWER"
}
variable "rate" {
  default = 1.5
}
variable "share" {
  default = 0.3
}
step "alias" "now" {
  file    = "ROOT/pipelines/aliases/eliza.json"
  aliases = { REPLIED = var.name }
  host {
    keep = NOW
  }
}
` + behind
	text = strings.NewReplacer(
		"step \"privacy\" \"redact\" {", "step \"mix\" \"before\" {\n  rate = var.rate\n}\nstep \"privacy\" \"redact\" {\n  host {\n    keep = REDACT\n  }",
		"tee \"copy\" {", "tee \"copy\" {\n  step \"chatml\" \"row\" {}",
		"val  = 0.3", "val  = var.share",
	).Replace(text)
	rounds := 3
	if *long {
		rounds = 5
	}
	for seed := range drawn(1, 12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := &storedRun{partedRun: partedRun{dir: t.TempDir()}, random: rand.New(rand.NewPCG(seed, 6)), redact: seed%4 != 2, now: seed%4 > 1}
			writeCorpus(t, s.random, root, filepath.Join(s.dir, "in"))
			text := strings.NewReplacer("ROOT", root, "REDACT", fmt.Sprint(s.redact), "NOW", fmt.Sprint(s.now)).Replace(text)
			if err := os.WriteFile(filepath.Join(s.dir, "p.hcl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if seed%3 != 0 {
				s.flags = []string{"--in-process"}
			}
			s.store = "store"
			if seed%2 == 1 {
				s.inBucket(t, seed)
			}
			known := map[string]bool{}
			set := storedVariables{"1.5", "ANSWER", "0.3"}
			for round := range rounds {
				if round > 0 {
					s.edit(t)
				}
				switch s.random.IntN(8) {
				case 0:
					set.rate = []string{"1.5", "0.7"}[s.random.IntN(2)]
				case 1, 2:
					set.name = []string{"ANSWER", "SAY"}[s.random.IntN(2)]
				case 3, 4:
					set.share = []string{"0.3", "0.4"}[s.random.IntN(2)]
				}
				s.round(t, set, known)
				if t.Failed() {
					t.Fatalf("round %d", round)
				}
			}
		})
	}
}

type storedRun struct {
	partedRun
	random      *rand.Rand
	redact, now bool // keep their records
	store       string
}

// inBucket has the store in a bucket, and has a share of all requests go wrong.
func (s *storedRun) inBucket(t *testing.T, seed uint64) {
	t.Helper()
	server, err := bucket.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	for _, v := range server.Env() {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	t.Setenv("SLUICE_STAGE", filepath.Join(s.dir, "stage"))
	s.store = "s3://corpus/a store"
	server.Spoil(bucket.NewFaults(seed, 0.3*s.random.Float64()))
}

// storedVariables are variables of steps: before both that may keep their records, of the second, and behind both.
type storedVariables struct{ rate, name, share string }

// edit changes, adds, renames and removes some files.
func (s *storedRun) edit(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "in", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for range 1 + s.random.IntN(3) {
		if len(files) == 0 { // all were removed
			return
		}
		path := files[s.random.IntN(len(files))]
		text, err := os.ReadFile(path)
		if err != nil { // it was removed or renamed
			continue
		}
		switch s.random.IntN(5) {
		case 0:
			err = os.WriteFile(filepath.Join(s.dir, "in", fmt.Sprintf("new%d.jsonl", s.random.IntN(100))), []byte("{\"n\":1}\nno record\n"), 0o600)
		case 1:
			if filepath.Ext(path) == ".jsonl" {
				text = append(bytes.TrimRight(text, "\r\n"), "\n{\"more\":1}\n"...)
			}
			err = os.WriteFile(path, text, 0o600)
		case 2:
			err = os.Rename(path, filepath.Join(filepath.Dir(path), fmt.Sprintf("moved%d", s.random.IntN(100))+filepath.Ext(path)))
		case 3:
			if len(files) > 1 {
				err = os.Remove(path)
			}
		default: // as large as before, but another
			if i := bytes.IndexByte(text, 'e'); i >= 0 && filepath.Ext(path) == ".jsonl" {
				text[i] = 'a'
			}
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// round runs with the store and without it, and compares. known are the files of earlier rounds that were run to their end, with all that
// their results depend on, or those of a step that keeps its records.
func (s *storedRun) round(t *testing.T, set storedVariables, known map[string]bool) {
	t.Helper()
	run := append([]string{"run", "p.hcl", "--var", "out=out", "--var", "rate=" + set.rate, "--var", "name=" + set.name, "--var", "share=" + set.share, "--checkpoint=off"}, s.flags...)
	stored := append(slices.Clone(run), "--store="+s.store)
	if said, err := s.command("sluice", run...).CombinedOutput(); err != nil { // for a document that is broken
		if again, err := s.command("sluice", stored...).CombinedOutput(); err == nil || !bytes.HasSuffix(again, said) { // behind what the store has
			t.Errorf("want the mistake of the run without a store, %s, have %v, %s", said, err, again)
		}
		os.RemoveAll(filepath.Join(s.dir, "out"))
		return
	}
	if err := os.Rename(filepath.Join(s.dir, "out"), filepath.Join(s.dir, "whole")); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(filepath.Join(s.dir, "whole"))
	defer os.RemoveAll(filepath.Join(s.dir, "out"))
	switch s.random.IntN(3) {
	case 0: // killed, wherever it is
		shell := s.command("sh", "-c", `"$@" & sleep 0.0$RANDOMLY; kill -9 $!`, "sh", "sluice")
		shell.Args = append(shell.Args, stored...)
		shell.Env = append(os.Environ(), fmt.Sprintf("RANDOMLY=%d", 1+s.random.IntN(9)))
		_ = shell.Run()
	case 1: // at once, into another folder
		beside := slices.Clone(stored)
		beside[3] = "out=other"
		other := s.command("sluice", beside...)
		var said bytes.Buffer
		other.Stderr = &said
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := other.Wait(); err != nil {
				t.Errorf("the run beside: %v\n%s", err, &said)
			}
		}()
	}
	for { // until the run that was killed has ended
		said, err := s.command("sluice", stored...).CombinedOutput()
		if err == nil {
			break
		}
		if !bytes.Contains(said, []byte("another run is writing")) {
			t.Fatalf("sluice %s: %v\n%s", strings.Join(stored, " "), err, said)
		}
	}
	s.must(t, "verify", "out")
	compareWhole(t, filepath.Join(s.dir, "whole"), filepath.Join(s.dir, "out"))

	x, err := receipt.Read(filepath.Join(s.dir, "out", "receipt.json"))
	if err != nil {
		t.Fatal(err)
	}
	want, behind := 0, 0
	for _, in := range x.Inputs {
		file := in.Name + " " + in.Hex()
		whole, redact, now := fmt.Sprint(set, file), fmt.Sprint(set.rate, file), fmt.Sprint(set.rate, set.name, file)
		switch {
		case known[whole]:
			want++
		case s.redact && known[redact], s.now && known[now]:
			behind++
		}
		known[whole], known[redact], known[now] = true, true, true
	}
	if x.Reused == nil || x.Reused.Files < want || x.Reused.Of != len(x.Inputs) {
		t.Fatalf("want at least %d of %d files reused, have %+v", want, len(x.Inputs), x.Reused)
	}
	have := x.Reused.Files
	for _, b := range x.Reused.Behind {
		have += b.Files
	}
	if have < want+behind {
		t.Errorf("want at least %d files reused, %d of them behind a step, have %+v", want+behind, behind, x.Reused)
	}
}

// compareWhole compares all that two runs into one folder have written, but for times.
func compareWhole(t *testing.T, want, have string) {
	t.Helper()
	written := func(dir string) map[string]string {
		all := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			name := strings.TrimPrefix(path, dir)
			if err != nil || d.IsDir() || strings.HasSuffix(name, ".timeline.jsonl") || strings.HasSuffix(name, "report.html") {
				return err
			}
			text, err := os.ReadFile(path)
			if all[name] = string(text); name == "/receipt.json" {
				all[name] = comparable(t, dir)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if diff := cmp.Diff(written(want), written(have)); diff != "" {
		t.Errorf("want what a run without a store writes (-want +have):\n%s", diff)
	}
}

// comparable is the receipt in a folder, without times and what was reused.
func comparable(t *testing.T, dir string) string {
	t.Helper()
	r, err := receipt.Read(filepath.Join(dir, "receipt.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(r.Comparable(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
