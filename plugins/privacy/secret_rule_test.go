package privacy

import (
	"strings"
	"testing"
)

func TestSecretRulesFindTheirExamples(t *testing.T) {
	e := newEngine(options{})
	if len(secretRules()) < 60 {
		t.Errorf("want 60 rules or more, have %d", len(secretRules()))
	}
	names := map[string]bool{}
	for _, r := range secretRules() {
		if names[r.name] || r.source == "" {
			t.Errorf("%s: want a name of its own and a source, have %q", r.name, r.source)
		}
		names[r.name] = true
		for _, around := range [][2]string{{"", ""}, {"use ", " now"}, {"密钥", "，请"}, {"(", ")."}, {`"`, `"`}, {"x\n", "\ny"}} {
			text := around[0] + r.example + around[1]
			s := scan{engine: e, s: text}
			e.run(&s)
			found := s.choose()
			if len(found) != 1 || found[0].rule.name != r.name || !strings.Contains(r.example, text[found[0].start:found[0].end]) {
				t.Errorf("%s: want it alone in %q, have %v", r.name, text, ruleNames(found))
			}
		}
		if s := (scan{engine: e, s: "a" + r.example}); !r.open && r.leadMax == 0 {
			e.run(&s)
			for _, m := range s.choose() {
				if m.rule.name == r.name {
					t.Errorf("%s: want nothing inside a word, have a match", r.name)
				}
			}
		}
	}
}

func ruleNames(matches []match) (names []string) {
	for _, m := range matches {
		names = append(names, m.rule.name)
	}
	return names
}
