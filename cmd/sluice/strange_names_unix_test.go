//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStrangeNames protects a terminal from the names of files and folders, which may hold what it obeys: no command writes an escape
// sequence, a bell or a change of direction as it is, and no name begins a row of a table.
func TestStrangeNames(t *testing.T) {
	const name = "a\x1b]0;x\x07b\u202ec\nforged"
	dir := filepath.Join(t.TempDir(), name)
	write := func(file, text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	rows, pipeline := name+".jsonl", name+".hcl"
	write(rows, `{"messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"hi"}]}`+"\nnone\n")
	text := func(step string) string {
		return "source \"jsonl\" \"in\" {\n  paths = [\"*.jsonl\"]\n}\n" + step + "\nsink \"jsonl\" \"out\" {\n  path = \"out/a\u202eb.jsonl\"\n}\n"
	}
	write(pipeline, text(`step "noop" "n" {}`))
	write("own.hcl", text(`step "own" "n" {}`))
	write("bad.hcl", text("step \"noop\" \"n\" {\n  x = 1\n}"))
	write("sluice-plugin-own", "#!/bin/sh\nexit 1\n")
	for _, args := range [][]string{
		{"run", pipeline}, {"run", filepath.Join(dir, "own.hcl")}, {"validate", pipeline}, {"validate", filepath.Join(dir, "own.hcl")},
		{"validate", filepath.Join(dir, "bad.hcl")}, {"graph", pipeline}, {"fmt", "--check", pipeline}, {"explain", pipeline, "--record", rows + ":1"},
		{"shapes", rows}, {"check", rows}, {"stats", rows}, {"diff", rows, rows}, {"report", "out"}, {"test", pipeline},
		{"plugin", "list"}, {"plugin", "lock", "own.hcl"}, {"docs", "own"}, {"trust", "own.hcl"}, {"trust", dir}, {"trust"}, {"trust", dir, "--forget"},
		{"publish", "out", "--to", "published"}, {"view", "absent" + name}, {"preview", rows, "--template", name},
	} {
		c := exec.CommandContext(t.Context(), "sluice", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, ".config"))
		said, _ := c.CombinedOutput() // whether it can do what it is told does not matter
		for _, raw := range []string{"\x1b", "\x07", "\u202e"} {
			if strings.Contains(string(said), raw) {
				t.Errorf("sluice %q: want no %q, have %q", args, raw, said)
			}
		}
		if args[0] == "shapes" && strings.Contains(string(said), "\nforged") {
			t.Errorf("sluice %q: want no row that a name begins, have %q", args, said)
		}
	}
}
