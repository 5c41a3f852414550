package check

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxGrammarText bounds the contents that are matched with a grammar, in bytes, since ambiguous grammars take long. Longer
// contents pass.
const maxGrammarText = 16 << 10

// grammarAllows matches a content with the BNF or EBNF grammar of its format's sampler.
func grammarAllows(v *view, i int) string {
	f, ok := v.Formats.Find(v.messages[i].Format)
	if !ok || f.Sampler.Grammar == "" || v.messages[i].Role != "assistant" || len(v.texts[i]) > maxGrammarText {
		return ""
	}
	g, err := readGrammar(f.Sampler.Grammar)
	switch {
	case err != nil:
		return fmt.Sprintf("want a grammar of rules such as name ::= \"a\" | other, have %s for %s", err, quote(f.Name))
	case !g.matches(v.texts[i]):
		return "want content that the grammar of the settings allows, have other text in " + quote(f.Name)
	}
	return ""
}

// A grammar is a set of rules. A text must match the first one.
type grammar struct {
	rules []rule
	named map[string]int
}

// A rule is a list of alternatives, each a sequence of symbols.
type rule [][]symbol

// A symbol is a text, a set of characters, or a rule. It occurs once; least 0 makes it optional, and many lets it repeat.
type symbol struct {
	text  string
	set   []span
	not   bool // of a set: all others
	rule  int  // -1 for none
	least int
	many  bool
}

type span struct{ from, to rune }

// matcher finds where the symbols of a grammar may end in a text.
type matcher struct {
	*grammar
	text  string
	ends  map[place]map[int]bool
	grown bool
	steps int
}

type place struct{ rule, at int }

// maxGrammarSteps bounds the work for one content.
const maxGrammarSteps = 2_000_000

// matches reports whether a text matches the first rule. It collects the ends of every rule at every place until there are no
// new ones, so that rules may begin with themselves.
func (g *grammar) matches(text string) bool {
	text = strings.TrimRight(text, "\n")
	m := &matcher{grammar: g, text: text, ends: map[place]map[int]bool{{0, 0}: {}}}
	for m.grown = true; m.grown && m.steps < maxGrammarSteps; {
		m.grown = false
		var all []place
		for p := range m.ends {
			all = append(all, p)
		}
		for _, p := range all {
			for _, sequence := range m.rules[p.rule] {
				for end := range m.sequence(sequence, map[int]bool{p.at: true}) {
					if !m.ends[p][end] {
						m.ends[p][end], m.grown = true, true
					}
				}
			}
		}
	}
	return m.ends[place{0, 0}][len(text)] || m.steps >= maxGrammarSteps
}

// sequence returns where a sequence may end that begins at one of the places from.
func (m *matcher) sequence(sequence []symbol, from map[int]bool) map[int]bool {
	for _, s := range sequence {
		if from = m.repeated(s, from); len(from) == 0 {
			break
		}
	}
	return from
}

// repeated returns where the repetitions of a symbol may end.
func (m *matcher) repeated(s symbol, from map[int]bool) map[int]bool {
	if s.least > 0 {
		from = m.once(s, from)
	}
	if s.least > 0 && !s.many {
		return from
	}
	all := maps.Clone(from)
	for len(from) > 0 {
		next := map[int]bool{}
		for at := range m.once(s, from) {
			if !all[at] {
				all[at], next[at] = true, true
			}
		}
		if from = next; !s.many {
			break
		}
	}
	return all
}

func (m *matcher) once(s symbol, from map[int]bool) map[int]bool {
	to := map[int]bool{}
	for at := range from {
		m.steps++
		switch {
		case s.rule >= 0:
			p := place{s.rule, at}
			ends, known := m.ends[p]
			if !known {
				m.ends[p], m.grown = map[int]bool{}, true
			}
			for end := range ends {
				to[end] = true
			}
		case s.set != nil || s.not:
			if r, n := utf8.DecodeRuneInString(m.text[at:]); n > 0 && in(s.set, r) != s.not {
				to[at+n] = true
			}
		case strings.HasPrefix(m.text[at:], s.text):
			to[at+len(s.text)] = true
		}
	}
	return to
}

func in(set []span, r rune) bool {
	for _, s := range set {
		if r >= s.from && r <= s.to {
			return true
		}
	}
	return false
}

// unquoted decodes the escapes of a text in a grammar.
func unquoted(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == '\'':
		case c == '\\' && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i++
		case c == '"':
			b.WriteString(`\"`)
		default:
			b.WriteByte(c)
		}
	}
	if s, err := strconv.Unquote(`"` + b.String() + `"`); err == nil {
		return s
	}
	return text
}
