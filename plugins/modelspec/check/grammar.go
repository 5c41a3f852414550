package check

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
)

// maxGrammarText is the size up to which contents are matched, since ambiguous grammars take long. Longer ones pass.
const maxGrammarText = 16 << 10

// grammarAllows matches a content with the BNF or EBNF grammar of its format's sampler. A grammar in another notation, which a custom
// sampler may have, says nothing here.
func grammarAllows(v *view, i int, m *notation.Message) string {
	f, ok := v.Formats.Find(m.Format)
	if !ok || f.Sampler.Grammar == "" || len(v.texts[i]) > maxGrammarText {
		return ""
	}
	if g, err := readGrammar(f.Sampler.Grammar); err == nil && !g.matches(v.texts[i]) {
		return "want content that the grammar of the settings allows for " + quote(f.Name)
	}
	return ""
}

// A grammar is a set of rules. A text must match the rule "root", or else the first one.
type grammar struct {
	rules []rule
	named map[string]int
	start int
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

// matches reports whether the grammar allows a text. It collects the ends of every rule at every place until there are no
// new ones, so that rules may begin with themselves.
func (g *grammar) matches(text string) bool {
	text = strings.TrimRight(text, "\n")
	m := &matcher{grammar: g, text: text, ends: map[place]map[int]bool{{g.start, 0}: {}}}
	for m.grown = true; m.grown && m.steps < maxGrammarSteps; {
		m.grown = false
		for _, p := range slices.Collect(maps.Keys(m.ends)) {
			for _, sequence := range m.rules[p.rule] {
				for end := range m.sequence(sequence, map[int]bool{p.at: true}) {
					if !m.ends[p][end] {
						m.ends[p][end], m.grown = true, true
					}
				}
			}
		}
	}
	return m.ends[place{g.start, 0}][len(text)] || m.steps >= maxGrammarSteps
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
		if from = m.once(s, from); !s.many {
			return from
		}
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
			maps.Copy(to, ends)
		case s.set != nil || s.not:
			if r, n := utf8.DecodeRuneInString(m.text[at:]); n > 0 && slices.ContainsFunc(s.set, func(s span) bool { return s.from <= r && r <= s.to }) != s.not {
				to[at+n] = true
			}
		case strings.HasPrefix(m.text[at:], s.text):
			to[at+len(s.text)] = true
		}
	}
	return to
}

// unquoted decodes a text in quotes at the beginning of another, and returns the length with the quotes, or 0 without an end.
// A text with an escape that Go does not have stays as it is.
func unquoted(text string) (decoded string, length int) {
	literal, length := toolschema.Quoted(text)
	decoded, err := strconv.Unquote(literal)
	if err != nil && length > 0 {
		return text[1 : length-1], length
	}
	return decoded, length
}

// ruleHead is the beginning of a rule: name ::=, <name> ::=, name :=, name = or name:.
var ruleHead = notation.Pattern(`(?m)^[ \t]*<?([A-Za-z][A-Za-z0-9_-]*)>?[ \t]*(?:::=|:=|=|:[ \t\n])`)

var remark = notation.Pattern(`(?m)(^|[ \t])#.*$|\(\*[^*]*\*\)`)

// readGrammar reads rules of BNF or EBNF: texts in quotes, names with or without brackets, alternatives, groups, sets of
// characters such as [a-z], and ?, * and + behind a symbol, or [ ] and { } around some.
func readGrammar(text string) (*grammar, error) {
	text = remark().ReplaceAllString(text, "")
	heads := ruleHead().FindAllStringSubmatchIndex(text, -1)
	if len(heads) == 0 {
		return nil, errors.New("no rule")
	}
	g := &grammar{named: map[string]int{}}
	for i, h := range heads {
		g.named[text[h[2]:h[3]]] = i
	}
	g.rules = make([]rule, len(heads))
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		r := grammarReader{grammar: g, text: strings.TrimRight(strings.TrimSpace(text[h[1]:end]), ";.")}
		all, err := r.alternatives()
		if err == nil && r.peek() != 0 {
			err = fmt.Errorf("something else behind rule %d", i+1)
		}
		if err != nil {
			return nil, err
		}
		g.rules[i] = all
	}
	g.start = g.named["root"] // 0 without such a rule
	return g, nil
}

type grammarReader struct {
	*grammar
	text string
	at   int
}

func (r *grammarReader) peek() byte {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n,", r.text[r.at]) >= 0 {
		r.at++
	}
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// alternatives reads sequences between bars.
func (r *grammarReader) alternatives() (all rule, err error) {
	for {
		var sequence []symbol
		for c := r.peek(); c != 0 && strings.IndexByte("|)]}", c) < 0; c = r.peek() {
			s, err := r.symbol(c)
			if err != nil {
				return nil, err
			}
			sequence = append(sequence, r.often(s))
		}
		all = append(all, sequence)
		if r.peek() != '|' {
			return all, nil
		}
		r.at++
	}
}

// often reads how often a symbol may occur.
func (r *grammarReader) often(s symbol) symbol {
	if rest := r.text[r.at:]; rest != "" && strings.IndexByte("?*+", rest[0]) >= 0 {
		if r.at++; rest[0] != '+' {
			s.least = 0
		}
		s.many = s.many || rest[0] != '?'
	}
	return s
}

func (r *grammarReader) symbol(c byte) (s symbol, err error) {
	s.rule, s.least = -1, 1
	rest := r.text[r.at:]
	switch {
	case c == '"' || c == '\'':
		text, n := unquoted(rest)
		if n == 0 {
			return s, errors.New("a text without its end")
		}
		s.text = text
		r.at += n
	case c == '[' && characters().MatchString(rest):
		found := characters().FindString(rest)
		r.at += len(found)
		s.set, s.not = setOf(found[1 : len(found)-1])
	case c == '(' || c == '[' || c == '{':
		r.at++
		inner, err := r.alternatives()
		if err != nil {
			return s, err
		}
		if r.peek() == 0 {
			return s, errors.New("a bracket without its end")
		}
		r.at++
		r.rules = append(r.rules, inner)
		s.rule = len(r.rules) - 1
		if c != '(' {
			s.least, s.many = 0, c == '{'
		}
	default:
		word := symbolName().FindString(rest)
		at, known := r.named[strings.Trim(word, "<>")]
		if word == "" || !known {
			return s, errors.New("the name of no rule")
		}
		r.at += len(word)
		s.rule = at
	}
	return s, nil
}

var (
	symbolName = notation.Pattern(`^<?[A-Za-z][A-Za-z0-9_-]*>?`)
	// characters is a set such as [a-z_] or [^"\n], as against an option such as [ name ].
	characters = notation.Pattern(`^\[(?:\^)?(?:\\.|[^\]\\ "'])*(?:\\.|[^\]\\"'])*\]`)
)

func setOf(text string) (set []span, not bool) {
	text, not = strings.CutPrefix(text, "^")
	var last rune
	pending := false
	next := func() rune {
		if text[0] == '\\' && len(text) > 1 {
			decoded, _ := unquoted(`"` + text[:2] + `"`)
			r, _ := utf8.DecodeRuneInString(decoded)
			text = text[2:]
			return r
		}
		r, n := utf8.DecodeRuneInString(text)
		text = text[n:]
		return r
	}
	for text != "" {
		if text[0] == '-' && pending && len(text) > 1 {
			text = text[1:]
			set[len(set)-1] = span{last, next()}
			pending = false
			continue
		}
		last, pending = next(), true
		set = append(set, span{last, last})
	}
	return set, not
}
