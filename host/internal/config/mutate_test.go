package config

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
)

var noFacts = Facts{
	Words:   func(plugin, attr string) []string { return nil },
	Default: func(plugin, attr string) string { return "" },
	Unset:   func(step, attr string) bool { return false },
	Idle:    func(plugin string) string { return "" },
}

// TestMutants holds which changes are made of a file, each once and in its order, and that each differs from the file and has its syntax.
func TestMutants(t *testing.T) {
	src := []byte(`source "jsonl" "in" {
  paths = ["in"]
}
step "alias" "a" {
  keep  = true
  rules = {
    one = "x",
    two = false
  }
}
tee "copy" {
  sink "jsonl" "copy" {
    path = "copy"
  }
}
route "r" {
  on = "@split"
  case "train" {
    sink "jsonl" "train" {
      path = "train"
    }
  }
  case "val" {}
}
`)
	want := []string{
		`4 step "alias" "a" and tee "copy" swapped`, `4 step "alias" "a" removed`,
		`5 keep of step "alias" "a" is false`, `5 keep of step "alias" "a" removed`,
		`6 rules of step "alias" "a" removed`,
		`7 rules.one of step "alias" "a" removed`,
		`8 rules.two of step "alias" "a" is true`, `8 rules.two of step "alias" "a" removed`,
		`11 tee "copy" and route "r" swapped`, `11 tee "copy" removed`,
		`13 paths of sink "jsonl" "copy" and sink "jsonl" "train" swapped`,
		`18 case "train" removed`, `18 values of case "train" and case "val" swapped`,
		`23 case "val" removed`,
	}
	var have []string
	seen := map[string]bool{string(src): true}
	for _, m := range Mutants("p.hcl", src, noFacts) {
		have = append(have, strconv.Itoa(m.Line)+" "+m.What)
		if _, diags := parseFrom(m.Src, "p.hcl", hcl.InitialPos); diags.HasErrors() || seen[string(m.Src)] {
			t.Errorf("%s: want another file with right syntax, have (%v)\n%s", m.What, diags, m.Src)
		}
		seen[string(m.Src)] = true
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// TestMutantsWithFacts holds the changes that need to know the plugins: another word, what is not literal negated, a step moved behind a
// tee that is not next to it, and which changes are known to make no difference.
func TestMutantsWithFacts(t *testing.T) {
	facts := Facts{
		Words: func(plugin, attr string) []string {
			switch attr {
			case "mode", "gates.a":
				return []string{"drop", "keep"}
			case "deep":
				return []string{"true", "false"}
			}
			return nil
		},
		Default: func(plugin, attr string) string { return map[string]string{"mode": `"drop"`}[attr] },
		Unset:   func(step, attr string) bool { return step == "act.a" && attr == "deep" },
		Idle:    func(plugin string) string { return map[string]string{"print": "it only prints"}[plugin] },
	}
	const src = `step "act" "a" {
  mode  = "drop"
  deep  = var.deep
  gates = {
    a = var.gate
  }
}
step "print" "p" {}
tee "t" {}
`
	want := []string{
		`1 step "act" "a" and step "print" "p" swapped (it only prints)`,
		`1 step "act" "a" moved behind tee "t"`,
		`1 step "act" "a" removed`,
		`2 mode of step "act" "a" is "keep"`,
		`2 mode of step "act" "a" removed ("drop" is the default)`,
		`3 deep of step "act" "a" is negated`,
		`3 deep of step "act" "a" removed (as good as absent in all tests, none of which sets var.deep)`,
		`4 gates of step "act" "a" removed`,
		`5 gates.a of step "act" "a" is "drop"`,
		`5 gates.a of step "act" "a" removed`,
		`8 step "print" "p" and tee "t" swapped (it only prints)`,
		`8 step "print" "p" removed (it only prints)`,
		`9 tee "t" removed`,
	}
	var have []string
	for _, m := range Mutants("p.hcl", []byte(src), facts) {
		what := strconv.Itoa(m.Line) + " " + m.What
		if m.Same != "" {
			what += " (" + m.Same + ")"
		}
		have = append(have, what)
		if _, diags := parseFrom(m.Src, "p.hcl", hcl.InitialPos); diags.HasErrors() {
			t.Errorf("%s: want right syntax, have %v\n%s", m.What, diags, m.Src)
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// TestMutantsOfSteps holds that a file of steps that a pipeline includes is changed, too, but for the order of its steps.
func TestMutantsOfSteps(t *testing.T) {
	dir := t.TempDir()
	steps := "step \"a\" \"one\" {\n  deep = true\n}\nstep \"a\" \"two\" {}\n"
	if err := os.WriteFile(filepath.Join(dir, "a.steps.hcl"), []byte(steps), 0o666); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, m := range Mutants(filepath.Join(dir, "p.hcl"), []byte("include \"a\" {\n  file = \"a.steps.hcl\"\n}\n"), noFacts) {
		have = append(have, m.File+":"+strconv.Itoa(m.Line)+" "+m.What)
	}
	want := []string{
		`:1 include "a" removed`, `a.steps.hcl:1 step "a" "one" removed`,
		`a.steps.hcl:2 deep of step "a" "one" is false`, `a.steps.hcl:2 deep of step "a" "one" removed`, `a.steps.hcl:4 step "a" "two" removed`,
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}
