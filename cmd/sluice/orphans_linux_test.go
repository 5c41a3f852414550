package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOrphans kills the program while a plugin and its children hold a record, none of which any other signal ends. All are gone
// then, and the next run removes what is left of them from the folder for temporary files. A run that ends by itself leaves no
// child of a plugin either.
func TestOrphans(t *testing.T) {
	program, err := exec.LookPath("sluice-plugin-fault")
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		t.Run(fmt.Sprint(sig), func(t *testing.T) {
			t.Parallel()
			x := &trial{dir: t.TempDir(), place: "step", workers: 1, onCrash: "isolate", way: "memory", sink: "DIR/out/out.jsonl"}
			temp, err := os.MkdirTemp("", "o") // short, since sockets lie in it
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(temp) })
			x.input(t, "stray")
			pipe := newHeraldPipe(t, x.dir)
			x.args = fmt.Sprintf("pipe = %q", pipe.path)
			run := func() *exec.Cmd {
				host := exec.Command("sluice", "run", x.pipeline(t, program), "--receipt", filepath.Join(x.dir, "out", "receipt.json"))
				host.Env = append(os.Environ(), "TMPDIR="+temp)
				host.Stderr = new(bytes.Buffer)
				return host
			}
			host := run()
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := pipe.held(); err != nil {
				t.Errorf("want a record at hand, have %v: %s", err, host.Stderr)
			}
			if err := host.Process.Signal(sig); err != nil {
				t.Error(err)
			}
			_ = within(t, patience, host.Wait)
			if err := pipe.gone(); err != nil {
				t.Errorf("want the plugin and its children gone with the program, have %v", err)
			}
			x.args = "calm = true"
			again := run()
			if err := within(t, patience, again.Run); err != nil {
				t.Errorf("want a run, have %v: %s", err, again.Stderr)
			}
			if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
				t.Errorf("want no temporary folder left, have %q", left)
			}
		})
	}
}

// TestHostEnvironment holds that a plugin cannot read the environment of the program that started it. Root could, so it runs as
// another user.
func TestHostEnvironment(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("want root, to run as a user without any rights")
	}
	program, err := exec.LookPath("sluice-plugin-fault")
	if err != nil {
		t.Fatal(err)
	}
	sluice, err := exec.LookPath("sluice")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "e")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	x := &trial{dir: dir, place: "step", workers: 1, onCrash: "isolate", way: "memory", sink: "DIR/out/out.jsonl"}
	x.input(t, "read the environment")
	for _, path := range []*string{&sluice, &program} { // where another user may run them
		real, err := filepath.EvalSymlinks(*path)
		if err != nil {
			t.Fatal(err)
		}
		near := filepath.Join(dir, filepath.Base(*path))
		if err := os.Link(real, near); err != nil {
			t.Skipf("want a link to the program: %v", err)
		}
		*path = near
	}
	file := x.pipeline(t, program)
	for _, path := range []string{dir, filepath.Join(dir, "in.jsonl"), file} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	host := exec.Command(sluice, "run", file)
	host.Dir = dir
	host.Env = []string{"SECRET=hunter2", "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	host.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	said, err := host.CombinedOutput()
	if text := x.read(t, "rejects.jsonl"); err != nil || !strings.Contains(text, "permission denied") || strings.Contains(text, "hunter2") {
		t.Errorf("want the environment of the program hidden, have %v: %s %s", err, text, said)
	}
}
