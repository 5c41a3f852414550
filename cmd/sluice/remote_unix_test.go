//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/bucket"
	"github.com/sluicehq/sluice/host/receipt"
)

// bucketToBucket is a pipeline from the bucket into it, with files by a label and rejects.
const bucketToBucket = `
source "jsonl" "in" {
  paths = ["s3://corpus/in/*.jsonl"]
  batch = "64KiB"
}
tee "all" {
  sink "jsonl" "all" {
    path = "s3://corpus/out/all.jsonl"
  }
}
step "act" "act" {}
sink "jsonl" "split" {
  path = "s3://corpus/out/{k}.jsonl.gz"
}
`

// A remoteRun is a run of bucketToBucket on objects of its own.
type remoteRun struct {
	t      *testing.T
	server *bucket.Server
	dir    string
	rows   []byte // of the input, which out/all.jsonl has in the end
}

// newRemoteRun makes a bucket with input of about so many bytes.
func newRemoteRun(t *testing.T, random *rand.Rand, size int) *remoteRun {
	t.Helper()
	s, err := bucket.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r := &remoteRun{t: t, server: s, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(r.dir, "p.hcl"), []byte(bucketToBucket), 0o666); err != nil {
		t.Fatal(err)
	}
	objects := 1 + random.IntN(5)
	for i := range objects {
		var text bytes.Buffer
		for row := 0; text.Len() < size/objects; row++ {
			fmt.Fprintf(&text, `{"row":"%d.%d","do":"label k=%c","pad":"%x"}`+"\n", i, row, 'a'+rune(random.IntN(3)), bytes.Repeat([]byte{byte(random.Uint32())}, 1+random.IntN(2000)))
		}
		r.rows = append(r.rows, text.Bytes()...)
		if err := s.Put(fmt.Sprintf("in/%d.jsonl", i), text.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *remoteRun) command(flags ...string) *exec.Cmd {
	cmd := exec.Command("sluice", append([]string{"run", "p.hcl", "--progress", "off"}, flags...)...)
	cmd.Dir = r.dir
	act, err := exec.LookPath("sluice-plugin-act")
	if err != nil {
		r.t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), append(r.server.Env(), "SLUICE_PLUGIN_PATH="+filepath.Dir(act), "SLUICE_STAGE="+filepath.Join(r.dir, "stage"))...)
	return cmd
}

// visible lists what the run has written so far, without sidecars.
func (r *remoteRun) visible() (keys []string) {
	all, err := r.server.Keys()
	if err != nil {
		r.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(key string) bool { return !strings.HasPrefix(key, "out/") })
}

// check compares what a run that succeeded has written with its input, and that it has left nothing.
func (r *remoteRun) check() {
	r.t.Helper()
	all, err := r.server.Get("out/all.jsonl")
	if err != nil || !bytes.Equal(all, r.rows) {
		r.t.Fatalf("want the %d bytes of the input written, have %d, %v", len(r.rows), len(all), err)
	}
	text, err := r.server.Get("out/receipt.json")
	if err != nil {
		r.t.Fatal(err)
	}
	var rows int64
	for _, o := range gjson.GetBytes(text, `outputs.#(sink=="jsonl.split")#`).Array() {
		rows += o.Get("records").Int()
		data, err := r.server.Get(strings.TrimPrefix(o.Get("path").Str, "s3://corpus/"))
		if err != nil || int64(len(data)) != o.Get("bytes").Int() {
			r.t.Fatalf("%s: want %d bytes, have %d, %v", o.Get("path"), o.Get("bytes").Int(), len(data), err)
		}
	}
	if want := int64(bytes.Count(r.rows, []byte("\n"))); rows != want {
		r.t.Fatalf("want %d rows by label, have %d", want, rows)
	}
	r.leftNothing()
}

// leftNothing checks that no upload and no staged file is left.
func (r *remoteRun) leftNothing() {
	r.t.Helper()
	if n, err := r.server.Uploads(); n != 0 || err != nil {
		r.t.Errorf("want no upload left, have %d, %v", n, err)
	}
	_ = filepath.WalkDir(filepath.Join(r.dir, "stage"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			r.t.Errorf("want nothing left in the folder for staging, have %s", path)
		}
		return nil
	})
}

const large = 40 << 20 // some parts

// TestRemoteFaults runs with a network on which much goes wrong. No row is lost or doubled, and nothing is visible unless the run
// commits.
func TestRemoteFaults(t *testing.T) {
	t.Parallel()
	for seed := range drawn(3, 50) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7))
			size := 200_000
			if seed%10 == 3 {
				size = large
			}
			r := newRemoteRun(t, random, size)
			faults := bucket.NewFaults(seed, 0.05+0.3*random.Float64())
			r.server.Spoil(faults)
			out, err := r.command().CombinedOutput()
			r.server.Spoil(nil)
			if err == nil {
				r.check()
				return
			}
			t.Logf("met %v: %s", faults.Met(), out)
			if keys := r.visible(); len(keys) > 0 && !bytes.Contains(out, []byte("run --resume completes it")) {
				t.Fatalf("want nothing visible of a run that failed, have %q", keys)
			}
			if out, err := r.command("--resume").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			r.check()
		})
	}
}

// TestRemoteKilled kills runs at some request, and has another go on, or begin anew.
func TestRemoteKilled(t *testing.T) {
	t.Parallel()
	for seed := range drawn(2, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 8))
			r := newRemoteRun(t, random, []int{200_000, large}[seed%2])
			at := 1 + random.IntN(40)
			cmd := r.command("--checkpoint", "100ms")
			var once sync.Mutex
			n, committing := 0, false
			r.server.Watch(func(request string) {
				once.Lock()
				defer once.Unlock()
				n++
				begins := strings.HasPrefix(request, "PUT /corpus/out/") && !strings.Contains(request, "uploadId") || strings.HasPrefix(request, "POST /corpus/out/") && strings.Contains(request, "uploadId")
				committing = committing || begins // behind the kill, too: several requests are under way at once
				if n == at {
					_ = cmd.Process.Kill()
				}
			})
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			once.Lock() // a request may come before Start returns
			err := cmd.Start()
			once.Unlock()
			if err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			r.server.Watch(nil)
			once.Lock()
			defer once.Unlock()
			if _, killed := errors.AsType[*exec.ExitError](err); err != nil && !killed {
				t.Fatal(err)
			}
			if keys := r.visible(); err != nil && !committing && len(keys) > 0 {
				t.Fatalf("want nothing visible of a run that was killed before its commit, have %q", keys)
			}
			flags := []string{"--resume"}
			if seed%4 == 3 {
				flags = nil
			}
			if out, err := r.command(flags...).CombinedOutput(); err != nil {
				t.Fatalf("killed at request %d: %v: %s", at, err, out)
			}
			r.check()
		})
	}
}

// TestRemoteMoto has another server say whether it understands what is sent: rows go into a bucket and come back.
func TestRemoteMoto(t *testing.T) {
	if ok, _ := holds("python:moto"); !ok {
		t.Skip("Python has no moto")
	}
	if !*long {
		t.Skip("-long")
	}
	server := exec.Command("python3", "-c", `
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print("http://%s:%d" % server.get_host_and_port(), flush=True)
sys.stdin.read()
`)
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = server.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	endpoint := strings.TrimSpace(address)
	req, err := http.NewRequest(http.MethodPut, endpoint+"/corpus", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("sluice", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "AWS_ENDPOINT_URL="+endpoint, "AWS_ACCESS_KEY_ID=k", "AWS_SECRET_ACCESS_KEY=s", "SLUICE_STAGE="+filepath.Join(dir, "stage"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rows := strings.Repeat(`{"pad":"`+strings.Repeat("0123456789", 1000)+"\"}\n", large/10_000)
	write("in.jsonl", rows)
	write("p.hcl", `
variable "in" {}
variable "out" {}
source "jsonl" "in" {
  paths = [var.in]
}
sink "jsonl" "out" {
  path = "${var.out}/rows.jsonl"
}
`)
	run("run", "p.hcl", "--var", "in=in.jsonl", "--var", "out=s3://corpus/a b+c")
	run("verify", "s3://corpus/a b+c")
	run("run", "p.hcl", "--var", "in=s3://corpus/a b+c/r*.jsonl", "--var", "out=back")
	run("run", "p.hcl", "--var", "in=back/rows.jsonl", "--var", "out=s3://corpus/a b+c")
	for i, want := range []int{0, 1, 0, 1} {
		stored := []string{"run", "p.hcl", "--var", "in=back/rows.jsonl", "--var", "out=stored", "--store", "s3://corpus/a store"}
		if i == 2 {
			stored = append(stored, "--fresh")
		}
		run(stored...)
		if x, err := receipt.Read(filepath.Join(dir, "stored", "receipt.json")); err != nil || x.Reused.Files != want {
			t.Fatalf("run %d with a store: want %d files reused, have %+v, %v", i, want, x.Reused, err)
		}
	}
	have, err := os.ReadFile(filepath.Join(dir, "back", "rows.jsonl"))
	if err != nil || string(have) != rows {
		t.Fatalf("want the %d bytes back, have %d, %v", len(rows), len(have), err)
	}
}
