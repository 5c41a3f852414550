package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A numbered format is tried where digits begin, if there are as many as in its example.
type numbered struct {
	*format
	cues *cueSet // nil when the form is enough
}

// maxLead is the most letters before the first digits of an identifier, and maxRun the most of those digits.
const maxLead, maxRun = 7, 24

// identifiers are the formats of numbers by how many digits they have, and those with letters by how many letters and
// digits they begin with.
type identifiers struct {
	plain    [41][]numbered
	lettered [maxLead][maxRun][]numbered
}

func (e *Engine) addNumber(r rules.Rule) {
	n := numbered{format: e.format(r, e.rankOf(r), `^(?:%s)$`)}
	if len(n.Cue) > 0 {
		n.cues = newCueSet(n.Cue)
	}
	e.numbers = append(e.numbers, n.format)
	digits := len(digitsOf(r.Sample()))
	e.ids.plain[digits] = append(e.ids.plain[digits], n)
}

// addIdentifier adds a format of letters and digits. Its example ends with the value.
func (e *Engine) addIdentifier(r rules.Rule) {
	n := numbered{format: e.format(r, e.rankOf(r), `^(?:%s)`)}
	if len(n.Cue) > 0 {
		n.cues = newCueSet(n.Cue)
	}
	value := r.Example[strings.LastIndexByte(r.Example, ' ')+1:]
	lead := strings.IndexAny(value, "0123456789")
	run := lead
	for run < len(value) && isDigit(value[run]) {
		run++
	}
	letters := len(strings.TrimRight(value[:lead], "-"))
	e.ids.lettered[letters][run-lead] = append(e.ids.lettered[letters][run-lead], n)
}

func (e *Engine) rankOf(r rules.Rule) int {
	c, ok := checks[r.Check]
	switch {
	case c.checkDigit:
		return rankChecked
	case ok:
		return rankFormat
	}
	return rankContext
}

// hasCue reports whether the key of a number or a word before it says what it is, or nothing has to.
func (s *Scan) hasCue(n *numbered, at int) bool {
	return n.cues == nil && n.class == 0 || s.class&n.class != 0 || n.cues != nil && n.cues.in(s.lead(at, reachOfPhone))
}

// numberRules matches the formats of numbers at a run of digits in groups.
func (s *Scan) numberRules(at int, c *cluster) {
	if b := s.before(at); c.n == 0 || b == '-' || b == '/' || !s.clear(c.end) {
		return
	}
	formats := s.ids.plain[c.n]
	for i := range formats {
		f := &formats[i]
		if s.hasCue(f, at) && f.pattern().MatchString(s.s[at:c.end]) && (f.check == nil || f.check(string(c.digits[:c.n]))) {
			s.add(f.label, f.rank, at, c.end)
		}
	}
}

// identifier finds an identifier with letters before or after digits.
func (s *Scan) identifier(at int) {
	start := at
	if s.before(at) == '-' && at > 1 && isAlnum(s.s[at-2]) {
		start--
	}
	hyphen := at - start
	for start > 0 && at-start-hyphen < maxLead && isAlnum(s.s[start-1]) && !isDigit(s.s[start-1]) {
		start--
	}
	letters := at - start - hyphen
	if b := s.before(start); letters == maxLead || isWordByte(b) || b == '.' || b == '+' || b == '/' {
		return
	}
	run := at
	for run < len(s.s) && run-at < maxRun && isDigit(s.s[run]) {
		run++
	}
	if run-at == maxRun {
		return
	}
	formats := s.ids.lettered[letters][run-at]
	for i := range formats {
		f := &formats[i]
		n := len(f.pattern().FindString(s.s[start:min(len(s.s), start+maxRun)]))
		if n > 0 && s.clear(start+n) && s.after(start+n) != '+' && (f.check == nil || f.check(compact(s.s[start:start+n]))) && s.hasCue(f, start) {
			s.add(f.label, f.rank, start, start+n)
		}
	}
}
