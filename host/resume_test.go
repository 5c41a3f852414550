package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk"
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
			{What: "attributes of step a.b", Hash: hash("d")},
		}, []string{
			"program: want sluice v1 (sha256 10123456789a), have sluice v1 (sha256 a0123456789a)",
			"variable out: want out (sha256 20123456789a), have else (sha256 b0123456789a)",
			"variable token: want the value of the interrupted run, have one that differs",
			"env HOME: want sha256 40123456789a, have no value",
			"plugin of step a.b: want a v2 (sha256 50123456789a), have it no more",
			"attributes of step a.b: want no such thing, have sha256 d0123456789a",
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

// counting keeps how many records it has had, and may fail to save that.
var counting = sdk.Plugin{
	Name: "counting", Doc: "counts records", Args: countingArgs{}, Ordered: true,
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg countingArgs
		return &counter{fails: &cfg.Fails}, a.Decode(&cfg)
	},
}

type countingArgs struct {
	Fails bool `hcl:"fails,optional"`
}

type counter struct {
	fails *bool
	n     int
}

func (c *counter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	c.n++
	emit(r)
	return nil
}

func (c *counter) Save(w io.Writer) error {
	if *c.fails {
		return errors.New("no room for my state")
	}
	_, err := fmt.Fprint(w, c.n)
	return err
}

func (c *counter) Restore(r io.Reader) error {
	_, err := fmt.Fscan(r, &c.n)
	return err
}

// A candidate that cannot save its state costs a checkpoint, which is told once, and not the run.
func TestCandidateWithoutState(t *testing.T) {
	dir := t.TempDir()
	var rows strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&rows, "{\"n\":%d}\n", n)
	}
	file := `source "jsonl" "in" {
  paths = ["${pipeline.dir}/in.jsonl"]
  batch = "1KiB"
}
shadow "swap" {
  current {
    step "counting" "now" {}
  }
  candidate {
    step "counting" "new" { fails = true }
  }
}
sink "jsonl" "out" { path = "${pipeline.dir}/out/out.jsonl" }
`
	for name, text := range map[string]string{"in.jsonl": rows.String(), "p.hcl": file} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said []string
	p, err := Load(filepath.Join(dir, "p.hcl"), Options{
		BuiltIns: []sdk.Plugin{counting}, InProcess: true, Checkpoint: 1, Notice: func(text string) { said = append(said, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"no checkpoint was made: step counting.new: save its state: no room for my state"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said (-want +have):\n%s", diff)
	}
}
