package kubernetes_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// job is what of a Job says which commands are run.
type job struct {
	Kind string
	Spec struct {
		CompletionMode string `yaml:"completionMode"`
		Completions    int
		Template       struct {
			Spec struct{ Containers []struct{ Args []string } }
		}
	}
}

func read(t *testing.T, path string) job {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var j job
	if err := yaml.Unmarshal(text, &j); err != nil {
		t.Fatal(err)
	}
	if j.Kind != "Job" || len(j.Spec.Template.Spec.Containers) != 1 {
		t.Fatalf("%s: want a Job of one container, have %+v", path, j)
	}
	return j
}

func output(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", c, err, said)
	}
}

// TestSchema holds the manifests against the schema of Kubernetes, which knows no other members.
func TestSchema(t *testing.T) {
	validate, err := exec.LookPath("kubernetes-validate")
	if err != nil {
		t.Skip("want kubernetes-validate by pip, have none")
	}
	output(t, exec.Command(validate, "--strict", "parts.yaml", "merge.yaml"))
}

// TestParts runs the commands of the pods, one after the other, with 3 parts in place of 64, in a folder like the volume.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config")) // what the test runs is trusted nowhere else
	sluice := filepath.Join(dir, "sluice")
	output(t, exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", sluice, "../../cmd/sluice"))
	for to, from := range map[string]string{"pipeline": "../../pipelines", "corpus": "../corpus"} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		c := exec.Command(sluice, args...)
		c.Dir = dir
		output(t, c)
	}
	run("run", "pipeline/eliza-sft.hcl", "--var", "input=corpus/*.jsonl", "--var", "out=whole")
	parts, merge := read(t, "parts.yaml"), read(t, "merge.yaml")
	share := fmt.Sprint("$(JOB_COMPLETION_INDEX)/", parts.Spec.Completions)
	if parts.Spec.CompletionMode != "Indexed" {
		t.Errorf("want an indexed Job, have %q", parts.Spec.CompletionMode)
	}
	for i := range 3 {
		args := append([]string(nil), parts.Spec.Template.Spec.Containers[0].Args...)
		if strings.Count(strings.Join(args, " "), share) != 1 {
			t.Fatalf("want the share %s, have %q", share, args)
		}
		for n := range args {
			args[n] = strings.ReplaceAll(args[n], share, fmt.Sprintf("%d/3", i))
		}
		run(args...)
	}
	run(append(merge.Spec.Template.Spec.Containers[0].Args, "--join")...)
	run("verify", "out")
	for _, file := range []string{"train.jsonl", "rejects.jsonl", "ledger.jsonl"} {
		want, err := os.ReadFile(filepath.Join(dir, "whole", file))
		if err != nil {
			t.Fatal(err)
		}
		if have, err := os.ReadFile(filepath.Join(dir, "out", file)); err != nil || !bytes.Equal(want, have) {
			t.Errorf("%s: want the bytes of the whole run, have others (%v)", file, err)
		}
	}
}
