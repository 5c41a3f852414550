package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConflicts holds that no file has two writers and nothing that is read is written, whoever they are, and that the
// mistake is told at both places. Places that stand in no file have no line.
func TestConflicts(t *testing.T) {
	const source = "source \"jsonl\" \"in\" { paths = [\"in.jsonl\"] }\n"
	for _, c := range []struct {
		reason, text string
		opts         Options
		want         string
	}{
		{"nobody has what another has", `sink "jsonl" "a" { path = "out/a.jsonl" }`, Options{}, ""},
		{"two sinks, in another spelling", `tee "t" {
  sink "jsonl" "a" { path = "a.jsonl" }
}
sink "jsonl" "b" { path = "./x/../a.jsonl" }`, Options{},
			`p.hcl:5:20: sink jsonl.a and sink jsonl.b have one file; want a path of its own, have "./x/../a.jsonl", which sink jsonl.a writes as "a.jsonl"
p.hcl:3:22: sink jsonl.a and sink jsonl.b have one file; want a file of its own, have "a.jsonl", which sink jsonl.b writes
`},
		{"a sink and the rejects that nobody named", `sink "jsonl" "a" { path = "out/rejects.jsonl" }`, Options{},
			`p.hcl: sink jsonl.a and sink rejects have one file; want a path of its own, have "out/rejects.jsonl", which sink jsonl.a writes
p.hcl:2:20: sink jsonl.a and sink rejects have one file; want a file of its own, have "out/rejects.jsonl", which sink rejects writes
`},
		{"a sink and the receipt that nobody named", `sink "jsonl" "a" { path = "out/receipt.json" }`, Options{},
			`p.hcl: sink jsonl.a and the receipt have one file; want a path of its own, have "out/receipt.json", which sink jsonl.a writes
p.hcl:2:20: sink jsonl.a and the receipt have one file; want a file of its own, have "out/receipt.json", which the receipt writes
`},
		{"no receipt takes no path", `sink "jsonl" "a" { path = "out/receipt.json" }`, Options{NoReceipt: true}, ""},
		{"--receipt on a sink", `sink "jsonl" "a" { path = "out/a.jsonl" }`, Options{Receipt: "out/a.jsonl"},
			`p.hcl: sink jsonl.a and the receipt have one file; want a path of its own, have "out/a.jsonl", which sink jsonl.a writes
p.hcl:2:20: sink jsonl.a and the receipt have one file; want a file of its own, have "out/a.jsonl", which the receipt writes
`},
		{"--receipt on an input", `sink "jsonl" "a" { path = "out/a.jsonl" }`, Options{Receipt: "in.jsonl"},
			`p.hcl: source jsonl.in and the receipt have one file; want a path of its own, have "in.jsonl", which source jsonl.in reads
p.hcl:1:23: source jsonl.in and the receipt have one file; want a file of its own, have "in.jsonl", which the receipt writes
`},
		{"--receipt on the pipeline file", `sink "jsonl" "a" { path = "out/a.jsonl" }`, Options{Receipt: "p.hcl"},
			`p.hcl: the pipeline file and the receipt have one file; want a path of its own, have "p.hcl", which the pipeline file reads
`},
		{"--receipt on a folder", `sink "jsonl" "a" { path = "out/a.jsonl" }`, Options{Receipt: "folder"},
			`p.hcl: bad path of the receipt; want a file to write, have the folder "folder"
`},
		{"--receipt on standard output", `sink "jsonl" "a" { path = "out/a.jsonl" }`, Options{Receipt: "-"},
			`p.hcl: bad path of the receipt; want a file to write, have "-"
`},
		{"a sink on an input, through a link", `sink "jsonl" "a" { path = "link.jsonl" }`, Options{},
			`p.hcl:2:20: source jsonl.in and sink jsonl.a have one file; want a path of its own, have "link.jsonl", which source jsonl.in reads as "in.jsonl"
p.hcl:1:23: source jsonl.in and sink jsonl.a have one file; want a file of its own, have "in.jsonl", which sink jsonl.a writes
`},
		{"a side output and the sink", `step "noop" "n" {
  output "log" {
    sink "jsonl" "log" { path = "a.jsonl" }
  }
}
sink "jsonl" "a" { path = "a.jsonl" }`, Options{},
			`p.hcl:7:20: sink jsonl.log and sink jsonl.a have one file; want a path of its own, have "a.jsonl", which sink jsonl.log writes
p.hcl:4:26: sink jsonl.log and sink jsonl.a have one file; want a file of its own, have "a.jsonl", which sink jsonl.a writes
`},
		{"the report of a first and the sink", `first "f" {
  report = "a.jsonl"
  step "noop" "n" {}
}
sink "jsonl" "a" { path = "a.jsonl" }`, Options{},
			`p.hcl:2:1: sink jsonl.a and report of first f have one file; want a path of its own, have "a.jsonl", which sink jsonl.a writes
p.hcl:6:20: sink jsonl.a and report of first f have one file; want a file of its own, have "a.jsonl", which report of first f writes
`},
		{"the report that a shadow has by itself, and the sink", shadowed + `
sink "jsonl" "a" { path = "out/shadow-s.json" }`, Options{},
			`p.hcl:2:1: sink jsonl.a and report of shadow s have one file; want a path of its own, have "out/shadow-s.json", which sink jsonl.a writes
p.hcl:10:20: sink jsonl.a and report of shadow s have one file; want a file of its own, have "out/shadow-s.json", which report of shadow s writes
`},
		{"the rows of a shadow and the dead letter", `shadow "s" {
  current {
    step "noop" "a" {}
  }
  candidate {
    step "noop" "b" {}
  }
  sink "jsonl" "rows" { path = "r.jsonl" }
}
sink "jsonl" "a" { path = "a.jsonl" }
dead_letter {
  sink "jsonl" "rejects" { path = "r.jsonl" }
}`, Options{},
			`p.hcl:13:28: sink jsonl.rows and sink jsonl.rejects have one file; want a path of its own, have "r.jsonl", which sink jsonl.rows writes
p.hcl:9:25: sink jsonl.rows and sink jsonl.rejects have one file; want a file of its own, have "r.jsonl", which sink jsonl.rejects writes
`},
		{"a file that the pipeline reads", `step "noop" "n" { text = file("text.txt") }
sink "jsonl" "a" { path = "text.txt" }`, Options{}, `p.hcl:3:20: the pipeline and sink jsonl.a have one file; want a path of its own, have "text.txt", which the pipeline reads
`},
		{"a file of steps", `include "x" { file = "x.steps.hcl" }
sink "jsonl" "a" { path = "./x.steps.hcl" }`, Options{}, `p.hcl:3:20: the pipeline and sink jsonl.a have one file; want a path of its own, have "./x.steps.hcl", which the pipeline reads as "x.steps.hcl"
`},
		{"the lock, which is not there", `sink "jsonl" "a" { path = ".sluice.lock.hcl" }`, Options{}, `p.hcl:2:20: the pipeline and sink jsonl.a have one file; want a path of its own, have ".sluice.lock.hcl", which the pipeline reads
`},
		{"the tests, which are not there", `sink "jsonl" "a" { path = "p.test.hcl" }`, Options{}, `p.hcl:2:20: sluice test and sink jsonl.a have one file; want a path of its own, have "p.test.hcl", which sluice test reads
`},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "text.txt", "")
			put(t, "x.steps.hcl", "step \"noop\" \"x\" {}\n")
			tree := parseHere(t, source+c.text+"\n")
			put(t, "in.jsonl", "{}\n")
			if err := os.Mkdir("folder", 0o777); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(c.text, "link.jsonl") {
				if err := os.Symlink("in.jsonl", "link.jsonl"); err != nil {
					t.Fatal(err)
				}
			}
			_, diags := planned(t, tree, c.opts)
			wantDiags(t, c.want, diags)
			if _, err := os.Stat("out"); err == nil {
				t.Error("want nothing made by a plan, have a folder")
			}
		})
	}
}

// shadowed is a shadow that says nothing of a report, 8 lines long.
const shadowed = `shadow "s" {
  current {
    step "noop" "a" {}
  }
  candidate {
    step "noop" "b" {}
  }
}`

// TestConflictsOfSteps holds that what the steps of a run read is not written either: the programs of plugins, and the files that
// attributes of built-in ones name.
func TestConflictsOfSteps(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"the program of a plugin", `step "plain" "n" {}
sink "jsonl" "a" { path = "bin/plain" }`, `p.hcl:2:1: plugin plain and sink jsonl.a have one file; want a file of its own, have "bin/plain", which sink jsonl.a writes
p.hcl:3:20: plugin plain and sink jsonl.a have one file; want a path of its own, have "bin/plain", which plugin plain reads
`},
		{"a file that an attribute names, through a link", `step "chatml" "n" { rules = [{ file = "rules.json" }] }
sink "jsonl" "a" { path = "link.jsonl" }`, `p.hcl:2:1: step chatml.n and sink jsonl.a have one file; want a file of its own, have "rules.json", which sink jsonl.a writes
p.hcl:3:20: step chatml.n and sink jsonl.a have one file; want a path of its own, have "link.jsonl", which step chatml.n reads as "rules.json"
`},
		{"a file beside it that belongs to it", `step "chatml" "n" { file = "rules.json" }
sink "jsonl" "a" { path = "tokenizer_config.json" }`, `p.hcl:2:1: step chatml.n and sink jsonl.a have one file; want a file of its own, have "tokenizer_config.json", which sink jsonl.a writes
p.hcl:3:20: step chatml.n and sink jsonl.a have one file; want a path of its own, have "tokenizer_config.json", which step chatml.n reads
`},
		{"a text that names no file", `step "chatml" "n" { text = "out.jsonl" }
sink "jsonl" "a" { path = "out.jsonl" }`, ""},
		{"a file that a plugin of the user may write", `step "plain" "n" { file = "rules.json" }
sink "jsonl" "a" { path = "rules.json" }`, ""},
		{"the receipt", `step "chatml" "n" { file = "rules.json" }
sink "jsonl" "a" { path = "out.jsonl" }
manifest { path = "rules.json" }`, `p.hcl:2:1: step chatml.n and the manifest have one file; want a file of its own, have "rules.json", which the manifest writes
p.hcl:4:1: step chatml.n and the manifest have one file; want a path of its own, have "rules.json", which step chatml.n reads
`},
	} {
		t.Run(c.reason, func(t *testing.T) {
			tree := parse(t, "source \"jsonl\" \"in\" { paths = [\"in.jsonl\"] }\n"+c.text+"\n")
			for _, name := range []string{"bin/plain", "rules.json", "tokenizer_config.json"} {
				put(t, name, "{}\n")
			}
			if err := os.Symlink("rules.json", "link.jsonl"); err != nil {
				t.Fatal(err)
			}
			p, diags := planned(t, tree, Options{})
			wantDiags(t, "", diags)
			found := p.CheckPlugins(running(p))
			found.Sort()
			wantDiags(t, c.want, found.Errors())
		})
	}
}

// TestOpenSeesLateFiles holds that an input which a pattern finds only when the run begins is not overwritten either.
func TestOpenSeesLateFiles(t *testing.T) {
	p, diags := planned(t, parse(t, `source "jsonl" "in" { paths = ["in/*.jsonl"] }
sink "jsonl" "a" { path = "in/b.jsonl" }
`), Options{})
	wantDiags(t, "", diags)
	put(t, "in/b.jsonl", "{}\n")
	err := p.Open(t.Context())
	if err == nil || !strings.Contains(err.Error(), `p.hcl:2:20: source jsonl.in and sink jsonl.a have one file`) {
		t.Errorf("want a conflict, have %v", err)
	}
	if data, err := os.ReadFile("in/b.jsonl"); err != nil || string(data) != "{}\n" {
		t.Errorf("want the input as it was, have %q (%v)", data, err)
	}
}

// TestOpenTellsAll holds that everything that is wrong with the sources is told at once, before an output is touched.
func TestOpenTellsAll(t *testing.T) {
	p, diags := planned(t, parse(t, `
source "jsonl" "one" { paths = ["none.jsonl"] }
source "jsonl" "two" { paths = ["nor-this.jsonl"] }
sink "jsonl" "a" { path = "out/a.jsonl" }
`), Options{})
	wantDiags(t, "", diags)
	err := p.Open(t.Context())
	for _, want := range []string{"source jsonl.one: ", "none.jsonl", "source jsonl.two: ", "nor-this.jsonl"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in the error, have %v", want, err)
		}
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("want nothing made, have a folder")
	}
}

// TestAbort holds that a plan which is open leaves nothing when it is let go, again and again.
func TestAbort(t *testing.T) {
	tree := parse(t, `source "jsonl" "in" { paths = ["in.jsonl"] }
sink "jsonl" "a" { path = "out/x/a.jsonl" }
`)
	put(t, "in.jsonl", "{}\n")
	p, diags := planned(t, tree, Options{})
	wantDiags(t, "", diags)
	if err := p.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if staged, _ := filepath.Glob("out/x/.*"); len(staged) == 0 {
		t.Error("want the outputs staged, have nothing")
	}
	for range 2 {
		if err := p.Abort(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("want nothing left, have a folder")
	}
}

// TestFromHere holds that what names a file does not depend on where a checkout lies.
func TestFromHere(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, c := range []struct{ reason, path, want string }{
		{"below the folder at hand", filepath.Join(dir, "a", "b.jsonl"), filepath.Join("a", "b.jsonl")},
		{"elsewhere", filepath.Join(filepath.Dir(dir), "b.jsonl"), filepath.Join(filepath.Dir(dir), "b.jsonl")},
		{"relative already", "a.jsonl", "a.jsonl"},
		{"standard input", "-", "-"},
	} {
		if have := RelativePath(c.path); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}
