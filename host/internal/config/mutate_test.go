package config

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
)

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
	for _, m := range Mutants("p.hcl", src) {
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
