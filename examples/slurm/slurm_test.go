package slurm_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("want %s, have none", name)
	}
	return path
}

func output(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, said)
	}
	return string(said)
}

func TestSyntax(t *testing.T) {
	scripts, err := filepath.Glob("*.sbatch")
	if err != nil || len(scripts) != 2 {
		t.Fatalf("want 2 scripts, have %v (%v)", scripts, err)
	}
	bash := tool(t, "bash")
	for _, s := range scripts {
		output(t, exec.Command(bash, "-n", s))
	}
	output(t, exec.Command(tool(t, "shellcheck"), scripts...))
}

// TestParts runs the scripts as Slurm does, one task after the other, with 3 parts in place of 64.
func TestParts(t *testing.T) {
	bash, dir := tool(t, "bash"), t.TempDir()
	output(t, exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(dir, "sluice"), "../../cmd/sluice"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config")) // what the test runs is trusted nowhere else
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	const pipeline = "../../pipelines/eliza-sft.hcl"
	output(t, exec.Command("sluice", "run", pipeline, "--var", "out="+filepath.Join(dir, "whole")))
	parts, err := os.ReadFile("parts.sbatch")
	if err != nil {
		t.Fatal(err)
	}
	three := filepath.Join(dir, "parts.sbatch")
	if bytes.Count(parts, []byte(`_ID/64"`)) != 1 || !bytes.Contains(parts, []byte("--array=0-63\n")) {
		t.Fatal("want an array of 64 tasks with a part each")
	}
	if err := os.WriteFile(three, bytes.ReplaceAll(parts, []byte("/64"), []byte("/3")), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for i := range 3 {
		run := exec.Command(bash, three, pipeline, "--var", "out="+out)
		run.Env = append(run.Environ(), fmt.Sprint("SLURM_ARRAY_TASK_ID=", i))
		output(t, run)
	}
	output(t, exec.Command(bash, "merge.sbatch", out, "--join"))
	output(t, exec.Command("sluice", "verify", out))
	for _, file := range []string{"train.jsonl", "rejects.jsonl", "ledger.jsonl"} {
		want, err := os.ReadFile(filepath.Join(dir, "whole", file))
		if err != nil {
			t.Fatal(err)
		}
		if have, err := os.ReadFile(filepath.Join(out, file)); err != nil || !bytes.Equal(want, have) {
			t.Errorf("%s: want the bytes of the whole run, have others (%v)", file, err)
		}
	}
	missing := exec.Command(bash, "merge.sbatch", out)
	if err := os.Remove(filepath.Join(out, "receipt-00001-of-00003.json")); err != nil {
		t.Fatal(err)
	}
	if said, err := missing.CombinedOutput(); missing.ProcessState.ExitCode() != 1 || !strings.Contains(string(said), "missing: part 1 of 3\n") {
		t.Errorf("want exit 1 and the missing part, have %v\n%s", err, said)
	}
}
