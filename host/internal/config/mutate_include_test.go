package config

import (
	"strings"
	"testing"
)

// TestMutantsOfIncludes protects that the change of an include block, and of an attribute that a first shares, is one that tests may
// miss. The words of the host are none.
func TestMutantsOfIncludes(t *testing.T) {
	src := "first \"f\" {\n  report = \"r.json\"\n  deep   = true\n\n  include \"a\" {\n    file = \"a.steps.hcl\"\n    more = 1\n  }\n}\n"
	var have []string
	for _, m := range Mutants("p.hcl", []byte(src), noFacts) {
		have = append(have, m.What)
	}
	const want = `deep of first "f" is false; deep of first "f" removed; include "a" removed; more of include "a" removed`
	if got := strings.Join(have, "; "); got != want {
		t.Errorf("want %s, have %s", want, got)
	}
}
