//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sluicehq/sluice/host/receipt"
)

// Parts that share a store are parts of the whole run, whatever has become of the files since the store got them. When nothing has changed no
// part runs anything again, and a whole run takes from them what they have not cut.
func TestStoredParts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(parted, "shadow \"swap\" {")
	_, behind, _ := strings.Cut(rest, "\n}\n")
	text := strings.ReplaceAll(before+behind, "step \"privacy\" \"redact\" {", "step \"privacy\" \"redact\" {\n  host {\n    keep = true\n  }")
	for seed := range drawn(1, 12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := &storedRun{partedRun: partedRun{dir: t.TempDir()}, random: rand.New(rand.NewPCG(seed, 61)), store: "store"}
			s.n = 1 + s.random.IntN(7)
			writeCorpus(t, s.random, root, filepath.Join(s.dir, "in"))
			if err := os.WriteFile(filepath.Join(s.dir, "p.hcl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if seed%4 != 0 {
				s.flags = []string{"--in-process"}
			}
			if seed%2 == 1 {
				s.inBucket(t, seed)
			}
			for round := range 3 {
				if round == 1 {
					s.edit(t)
				}
				if s.isBroken(t) {
					return
				}
				s.runStored(t)
				s.must(t, "merge", "parts", "--join")
				s.must(t, "verify", "parts")
				compareJoined(t, filepath.Join(s.dir, "whole"), filepath.Join(s.dir, "parts"))
				x, err := receipt.Read(filepath.Join(s.dir, "parts", "receipt.json"))
				if err != nil {
					t.Fatal(err)
				}
				if round == 2 && (x.Reused == nil || x.Reused.Files != x.Reused.Of || x.Reused.Records != x.Totals.Read) {
					t.Errorf("want all of the parts reused when nothing has changed, have %+v", x.Reused)
				}
				if t.Failed() {
					t.Fatalf("round %d of %d parts", round, s.n)
				}
				for _, dir := range []string{"parts", "whole"} {
					if err := os.RemoveAll(filepath.Join(s.dir, dir)); err != nil {
						t.Fatal(err)
					}
				}
			}
			s.must(t, "run", "p.hcl", "--var", "out=out", "--checkpoint=off")
			if err := os.Rename(filepath.Join(s.dir, "out"), filepath.Join(s.dir, "whole")); err != nil {
				t.Fatal(err)
			}
			s.must(t, "run", "p.hcl", "--var", "out=out", "--checkpoint=off", "--store="+s.store)
			compareWhole(t, filepath.Join(s.dir, "whole"), filepath.Join(s.dir, "out"))
		})
	}
}

// isBroken runs the whole without a store, and reports whether it fails, as it does for a document that is broken now.
func (s *storedRun) isBroken(t *testing.T) bool {
	t.Helper()
	args := append([]string{"run", "p.hcl", "--var", "out=whole", "--checkpoint=off"}, s.flags...)
	said, err := s.command("sluice", args...).CombinedOutput()
	if err != nil && !bytes.Contains(said, []byte("the rest of the file cannot be read")) {
		t.Fatalf("%v\n%s", err, said)
	}
	return err != nil
}

// runStored runs all parts with the store, some at once, in any order.
func (s *storedRun) runStored(t *testing.T) {
	t.Helper()
	var group sync.WaitGroup
	slots := make(chan struct{}, 3)
	for _, i := range s.random.Perm(s.n) {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			args := append([]string{"run", "p.hcl", "--report=false", fmt.Sprintf("--part=%d/%d", i, s.n), "--store=" + s.store}, s.flags...)
			if said, err := s.command("sluice", args...).CombinedOutput(); err != nil {
				t.Errorf("part %d: %v\n%s", i, err, said)
			}
		})
	}
	group.Wait()
}
