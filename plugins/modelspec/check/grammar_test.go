package check

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestGrammars holds what grammars of BNF and EBNF allow.
func TestGrammars(t *testing.T) {
	for _, c := range []struct {
		reason, grammar, text string
		want                  bool
	}{
		{"rules that begin with themselves", "<s> ::= <s> \"+\" <n> | <n>\n<n> ::= \"1\" | \"2\"", "1+2+1", true},
		{"a rule that wants more", "<s> ::= <s> \"+\" <n> | <n>\n<n> ::= \"1\" | \"2\"", "1+", false},
		{"EBNF", "list = item, { \",\", item } ;\nitem = [ \"-\" ], ( \"a\" | \"b\" ) ;", "-a,b", true},
		{"sets, repetition, a root", "word ::= [a-z]+\nroot ::= word (\" \" word)* [^a-z]?", "ab c!", true},
		{"a set that has not the letter", "root ::= [^0-9]*", "a1", false},
		{"escapes", `root ::= "\n" "\""`, "\n\"", true},
	} {
		g, err := readGrammar(c.grammar)
		if err != nil || g.matches(c.text) != c.want {
			t.Errorf("%s: want %v, have the other (%v)", c.reason, c.want, err)
		}
	}
	for reason, grammar := range map[string]string{"no rule": "a b", "an unknown name": "a ::= b", "a text without its end": "a ::= \"b", "a group without its end": "a ::= (\"b\""} {
		if _, err := readGrammar(grammar); err == nil {
			t.Errorf("%s: want a mistake, have none", reason)
		}
	}
}

// TestOpenSamplers holds that a custom sampler may be anything: what is no grammar of BNF or EBNF by its key and its text allows all.
func TestOpenSamplers(t *testing.T) {
	for _, sampler := range []string{`{"grammar":"sum ::= [0-9]+"}`, `{"regex":"[0-9]+"}`, `{"bnf":"[0-9]+"}`, `{"bnf":7}`, `{}`} {
		settings := `{"formats":[{"name":"sum","sampler":` + sampler + `}]}`
		if results, _ := sdktest.Run(t, Plugin, `{}`, thread(settings, "user: Hi\nassistant(sum).: one")); results[0].Verdict != "emit" {
			t.Errorf("%s: want no finding, have %s: %s", sampler, results[0].Code, results[0].Message)
		}
	}
}

// TestGrammarSpellings holds that a grammar is tried under each name that it may have, among them the document's own "ENBF".
func TestGrammarSpellings(t *testing.T) {
	for _, name := range []string{"bnf", "BNF", "ebnf", "EBNF", "enbf", "ENBF"} {
		settings := `{"formats":[{"name":"sum","sampler":{"` + name + `":"sum ::= [0-9]+ (\"+\" [0-9]+)*"}}]}`
		for content, want := range map[string]int64{"1+22": 0, "1+": 1} {
			if _, counts := sdktest.Run(t, Plugin, `{}`, thread(settings, "user: Hi\nassistant(sum).: "+content)); counts["check.grammar"] != want {
				t.Errorf("%s, %s: want %d findings, have %v", name, content, want, counts)
			}
		}
	}
}
