package tokenizers_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"
)

// TestTokens runs the example as a person would: the plugin in Python counts, and the step stats sums up.
func TestTokens(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("want python3, have none")
	}
	if said, err := exec.Command(python, "-c", "import grpc, google.protobuf, tokenizers").CombinedOutput(); err != nil {
		t.Skipf("want grpcio, protobuf and tokenizers for %s: %s", python, bytes.TrimSpace(said))
	}
	sdk, err := filepath.Abs("../../sdk/python")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", sdk)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // what the test runs is trusted nowhere else
	dir := t.TempDir()
	sluice := filepath.Join(dir, "sluice")
	if said, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", sluice, "../../cmd/sluice").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	run := func(vars ...string) (string, error) {
		args := []string{"run", "tokens.hcl", "--var", "out=" + dir}
		for _, v := range vars {
			args = append(args, "--var", v)
		}
		said, err := exec.Command(sluice, args...).CombinedOutput()
		return string(said), err
	}
	if said, err := run(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	stats, err := os.ReadFile(filepath.Join(dir, "stats.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"tokens_from": "@tokens", "all.tokens.rows": "2", "all.tokens.sum": "19", "all.tokens.max": "12",
	} {
		if have := gjson.GetBytes(stats, path).String(); have != want {
			t.Errorf("%s: want %s, have %s", path, want, have)
		}
	}
	before, err := os.ReadFile("rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "rows.jsonl")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("want the rows as they were, have others (%v)", err)
	}
	args := []string{"plugin", "verify", "tokens.py", "--name", "tokens", "--arg", "tokenizer=testdata/tokenizer.json",
		"--rows", "rows.jsonl", "--env", "PYTHONPATH"}
	for _, check := range []string{"version range", "host death", "wrong attribute", "rows", "messages", "odd records", "untouched bytes", "ending"} {
		args = append(args, "--check", check)
	}
	if said, err := exec.Command(sluice, args...).CombinedOutput(); err != nil {
		t.Errorf("want a plugin that keeps to the protocol: %v\n%s", err, said)
	}
	if said, err := run("tokenizer=rows.jsonl"); err == nil || !bytes.Contains([]byte(said), []byte("want a tokenizer.json, have a file that is none")) {
		t.Errorf("want a file that is no tokenizer refused, have %v\n%s", err, said)
	}
}
