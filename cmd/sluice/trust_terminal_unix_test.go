//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrustInTerminal protects that a person is asked before a program beside a pipeline is started, and asked once.
func TestTrustInTerminal(t *testing.T) {
	upper, err := exec.LookPath("sluice-plugin-upper")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env := []string{"XDG_CONFIG_HOME=" + filepath.Join(dir, ".config")}
	started := filepath.Join(dir, "started")
	for name, text := range map[string]string{
		"sluice-plugin-upper": "#!/bin/sh\n: >" + started + "\nexec " + upper + ` "$@"` + "\n",
		"in.jsonl":            "{}\n",
		"p.hcl": `source "jsonl" "in" {
  paths = ["in.jsonl"]
}

step "upper" "u" {}

sink "jsonl" "out" {
  path = "out.jsonl"
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		reason, answer string // "" where no question is asked
		starts         bool
	}{
		{"somebody who only presses return", "\n", false},
		{"somebody who agrees", "y\n", true},
		{"somebody who has agreed", "", true},
	} {
		x := startTerminal(t, 200, dir, env, "sluice", "validate", "p.hcl")
		if c.answer != "" {
			x.sees("want to trust it, now and later? [y/N]")
			if _, err := os.Stat(started); err == nil {
				t.Fatalf("%s: want the question before the program, have it started", c.reason)
			}
			if _, err := x.both.WriteString(c.answer); err != nil {
				t.Fatal(err)
			}
		}
		if code := x.ends(); code != 0 {
			t.Errorf("%s: want exit code 0, have %d:\n%s", c.reason, code, x.shown())
		}
		if asked := strings.Contains(x.shown(), "[y/N]"); asked != (c.answer != "") {
			t.Errorf("%s: want a question: %v, have:\n%s", c.reason, c.answer != "", x.shown())
		}
		if _, err := os.Stat(started); (err == nil) != c.starts {
			t.Errorf("%s: want the program started: %v, have %v", c.reason, c.starts, err)
		}
		_ = os.Remove(started)
	}
}
