package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestHostEnvironment holds that a plugin cannot read the environment of the program that started it. Root could, so it runs as
// another user then.
func TestHostEnvironment(t *testing.T) {
	program, err := exec.LookPath("sluice-plugin-spy")
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
	for _, path := range []*string{&sluice, &program} { // where another user may run them
		real, err := filepath.EvalSymlinks(*path)
		if err != nil {
			t.Fatal(err)
		}
		near := filepath.Join(dir, filepath.Base(*path))
		if os.Link(real, near) != nil { // they are on another disk
			program, err := os.ReadFile(real)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(near, program, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		*path = near
	}
	input, file := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "p.hcl")
	writeText(t, input, "{}\n")
	writeText(t, file, fmt.Sprintf(spyPipeline, program))
	host := exec.Command(sluice, "run", file)
	host.Dir = dir
	host.Env = []string{"SECRET=hunter2", "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	if os.Getuid() == 0 {
		const nobody = 65534
		for _, path := range []string{dir, input, file} {
			if err := os.Chown(path, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		host.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	said, err := host.CombinedOutput()
	if text := readText(t, filepath.Join(dir, "out/rejects.jsonl")); err != nil || !strings.Contains(text, "permission denied") || strings.Contains(text, "hunter2") {
		t.Errorf("want the environment of the program hidden, have %v: %s %s", err, text, said)
	}
}

const spyPipeline = `
plugin "spy" {
  path = %q
}
source "jsonl" "in" {
  paths = ["in.jsonl"]
}
step "spy" "spy" {}
sink "jsonl" "out" {
  path = "out/out.jsonl"
}
`
