//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/bucket"
)

// Parts that read a bucket and write into it, while a share of all requests goes wrong, make the whole run, and so does their merge there.
func TestRemoteParts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range drawn(1, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 131))
			r := &remoteParts{partedRun: partedRun{dir: t.TempDir(), n: 1 + random.IntN(6), flags: []string{"--in-process"}}}
			var err error // of this one alone: the tests run at once
			if r.server, err = bucket.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(r.server.Close)
			writeCorpus(t, random, root, filepath.Join(r.dir, "in"))
			r.upload(t)
			text := strings.NewReplacer("ROOT", root, `"in/`, `"s3://corpus/in/`).Replace(parted)
			if err := os.WriteFile(filepath.Join(r.dir, "p.hcl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			r.until(t, 1, "run", "p.hcl", "--var", "out=s3://corpus/whole")
			r.server.Spoil(bucket.NewFaults(seed, 0.05+0.25*random.Float64()))
			for _, i := range random.Perm(r.n) {
				r.until(t, 9, "run", "p.hcl", "--var", "out=s3://corpus/parts", "--report=false", "--resume", "--checkpoint=1ns", fmt.Sprintf("--part=%d/%d", i, r.n))
			}
			r.until(t, 9, "merge", "s3://corpus/parts", "--join")
			r.until(t, 9, "verify", "s3://corpus/parts")
			r.server.Spoil(nil)
			for _, name := range []string{"whole", "parts"} {
				r.download(t, name)
			}
			compareJoined(t, filepath.Join(r.dir, "whole"), filepath.Join(r.dir, "parts"))
			if n, err := r.server.Uploads(); n != 0 || err != nil {
				t.Errorf("want no upload left, have %d, %v", n, err)
			}
			if t.Failed() {
				t.Logf("%d parts", r.n)
			}
		})
	}
}

type remoteParts struct {
	partedRun
	server *bucket.Server
}

// until runs a command until it succeeds, at most so many times: a request that has failed for half a minute ends it.
func (r *remoteParts) until(t *testing.T, times int, args ...string) {
	t.Helper()
	if args[0] == "run" {
		args = append(args, r.flags...)
	}
	var said []byte
	var err error
	for range times {
		c := r.command("sluice", args...)
		c.Env = append(os.Environ(), append(r.server.Env(), "SLUICE_STAGE="+filepath.Join(r.dir, "stage"))...)
		if said, err = c.CombinedOutput(); bytes.Contains(said, []byte(bucket.Secret)) {
			t.Fatalf("want no secret told, have %s", said)
		}
		if err == nil {
			return
		}
	}
	t.Fatalf("sluice %s: %v\n%s", strings.Join(args, " "), err, said)
}

func (r *remoteParts) upload(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, "in", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err == nil {
			err = r.server.Put("in/"+filepath.Base(path), text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// download writes the objects of a run into a folder of the same name, which its receipt is of then.
func (r *remoteParts) download(t *testing.T, name string) {
	t.Helper()
	keys, err := r.server.Keys()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if !strings.HasPrefix(key, name+"/") {
			continue
		}
		text, err := r.server.Get(key)
		path := filepath.Join(r.dir, filepath.FromSlash(key))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if filepath.Base(path) == "receipt.json" {
			text = bytes.ReplaceAll(text, []byte("s3://corpus/"+name), []byte(name))
		}
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
