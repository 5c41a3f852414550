package host_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host"
)

// TestInputsAndRoot holds that a run can read other files than its sources say and write nothing but in one folder, whatever
// the paths of the file are, and that no limit ends it.
func TestInputsAndRoot(t *testing.T) {
	inFolder(t, `
variable "input" {
  type = string
}
source "jsonl" "first" {
  paths = [var.input]
}
source "text" "second" {
  paths = ["missing/*"]
}
first "only" {
  report = "../first.json"
  step "act" "act" {}
}
tee "copy" {
  sink "jsonl" "up" {
    path = "../../up.jsonl"
  }
}
tee "out" {
  sink "jsonl" "stdout" {
    path = "-"
  }
}
sink "jsonl" "rows" {
  path = "${pipeline.dir}/rows.jsonl"
}
manifest {
  path = "manifest.json"
}
dead_letter {
  limit = 0
}
`, `{"do":"edit"}
{"do":"reject"}
`)
	root := t.TempDir()
	p := load(t, host.Options{InProcess: true, Strict: true, Inputs: map[string][]string{"first": {"in.jsonl"}}, Root: root})
	r, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]int64{}
	for _, o := range r.Outputs {
		have[o.Sink] = o.Records
		isIn(t, root, o.Path)
	}
	if diff := cmp.Diff(map[string]int64{"jsonl.up": 1, "jsonl.stdout": 1, "jsonl.rows": 1, "rejects": 1}, have); diff != "" {
		t.Errorf("rows by sink (-want +have):\n%s", diff)
	}
	isIn(t, root, r.Path)
	if left, err := filepath.Glob("*"); err != nil || len(left) != 2 {
		t.Errorf("want p.hcl and in.jsonl alone where the file says, have %v, %v", left, err)
	}
	for _, path := range []string{"../first.json", "../../up.jsonl"} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("want nothing at %s, have a file", path)
		}
	}
}

func isIn(t *testing.T, root, path string) {
	t.Helper()
	if below, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(below) {
		t.Errorf("want %s in %s, have it elsewhere", path, root)
	}
}
