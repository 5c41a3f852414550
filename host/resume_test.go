package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A refused resume says each thing that has changed, and no sensitive value.
func TestSaysWhatChanged(t *testing.T) {
	hash := func(b string) string { return b + "0123456789abcdef" }
	was := []fact{
		{What: "program", Shown: "sluice v1", Hash: hash("1")},
		{What: "variable out", Shown: "out", Hash: hash("2")},
		{What: "variable token", Shown: Sensitive, Hash: hash("3"), Secret: true},
		{What: "env HOME", Hash: hash("4")},
		{What: "plugin of step a.b", Shown: "a v2", Hash: hash("5")},
	}
	for _, c := range []struct {
		reason string
		is     []fact
		want   []string
	}{
		{"nothing", was, nil},
		{"everything", []fact{
			{What: "program", Shown: "sluice v1", Hash: hash("a")},
			{What: "variable out", Shown: "else", Hash: hash("b")},
			{What: "variable token", Shown: Sensitive, Hash: hash("c"), Secret: true},
			{What: "env HOME"},
			{What: "arguments of step a.b", Hash: hash("d")},
		}, []string{
			"program: want sluice v1 (sha256 10123456789a), have sluice v1 (sha256 a0123456789a)",
			"variable out: want out (sha256 20123456789a), have else (sha256 b0123456789a)",
			"variable token: want the value of the interrupted run, have one that differs",
			"env HOME: want sha256 40123456789a, have no value",
			"plugin of step a.b: want a v2 (sha256 50123456789a), have it no more",
			"arguments of step a.b: want no such thing, have sha256 d0123456789a",
		}},
	} {
		if diff := cmp.Diff(c.want, changed(was, c.is)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// What lies beside a pipeline that is not trusted may be planted: a run reads none of it.
func TestGoesOnWithNothingUntrusted(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("in.jsonl", "{}\n")
	write("p.hcl", `source "jsonl" "in" { paths = ["${pipeline.dir}/in.jsonl"] }
step "theirs" "x" {}
sink "jsonl" "out" { path = "${pipeline.dir}/out/out.jsonl" }
`)
	write("sluice-plugin-theirs", "a program")
	if err := os.Chmod(filepath.Join(dir, "sluice-plugin-theirs"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("out/.sluice/receipt.json.resume", "planted")
	p, err := Load(filepath.Join(dir, "p.hcl"), Options{
		Resume: true, Receipt: filepath.Join(dir, "out", "receipt.json"), Trusted: func(string, string) bool { return false },
	})
	if p == nil {
		t.Fatal(err)
	}
	if _, err = p.Run(t.Context()); err == nil || strings.Contains(err.Error(), "resume") || !strings.Contains(err.Error(), "trust") {
		t.Errorf("want the error of a pipeline that is not trusted, have %v", err)
	}
}
