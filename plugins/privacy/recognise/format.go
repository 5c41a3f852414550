package recognise

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/checkdigit"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// A format is a rule of the files or of the user, ready to be run.
type format struct {
	rules.Rule
	label   *Label
	rank    int
	lead    *[256]bool
	tail    *[256]bool // bytes that continue a token longer than maxToken
	next    *[256]bool // bytes behind the first digits of an identifier; nil: any
	begins  beginnings // of an identifier
	layouts []layout   // of a number
	class   rules.Class
	cues    *cueSet                  // of a number or an identifier, nil when the form is enough
	check   func(digits string) bool // nil for none
	pattern func() *regexp.Regexp
}

// maxToken is the most bytes that a pattern reads. A longer token ends where the bytes of tokens do.
const maxToken = 1024

// format returns a rule ready to run. The keys that it names become a class of their own.
func (e *Engine) format(r rules.Rule, rank int, around string) *format {
	f := &format{Rule: r, label: &Label{r.Name, r.Entity}, rank: rank, lead: ascii.Set(ascii.Bytes(r.Lead)), check: checkdigit.ByName[r.Check].Holds}
	f.pattern = shape.Compiled(fmt.Sprintf(around, r.Pattern))
	f.tail = tokenSet
	if strings.Contains(r.Pattern, "+/") {
		f.tail = base64Set
	}
	f.Cue = nil
	for _, cue := range r.Cue {
		f.Cue = append(f.Cue, strings.ToLower(cue))
	}
	if len(r.Key) > 0 {
		e.own = max(e.own<<1, rules.FirstOwn)
		f.class = e.own
		for _, key := range r.Key {
			if plain := rules.PlainKey(key); plain != "" {
				e.keys[plain] |= f.class
			}
		}
	}
	return f
}

// holds reports whether a match of the pattern is what the rule means, by its value and the words around it.
func (s *Scan) holds(f *format, start, end int) bool {
	value := s.s[start:end]
	if f.Entropy > 0 && shape.Entropy(value) < f.Entropy || f.Mixed && !isMixed(value, f.General) || f.check != nil && !f.check(checkdigit.Compact(value)) {
		return false
	}
	return len(f.Cue)+len(f.Key) == 0 || s.class&f.class != 0 || s.cue(start, f.Cue)
}

// token matches a format at one of its anchors. A URL may begin behind a word that could lead to the anchor too, as in url:https://.
func (f *format) token(s *Scan, at int) {
	start := ascii.Back(s.s, at, f.LeadMax, f.lead)
	if !f.tokenFrom(s, start, at) && f.LeadMax > 0 {
		if url := strings.LastIndex(s.s[start:at], "http"); url > 0 {
			f.tokenFrom(s, start+url, at)
		}
	}
}

// tokenFrom matches a format from start on, and reports whether something is there.
func (f *format) tokenFrom(s *Scan, start, at int) bool {
	if s.foundAround(f.label, start) {
		return true
	}
	if s.inWord(start) {
		return false
	}
	text := s.s[start:]
	if f.Entity != rules.PrivateKey && len(text) > maxToken {
		text = text[:maxToken]
	}
	loc := f.pattern().FindStringSubmatchIndex(text)
	if loc == nil || start+loc[1] <= at {
		return false
	}
	from, to := start+loc[0], start+loc[1]
	if loc[1] == maxToken {
		to = s.runEnd(to, f.tail)
	}
	if !f.Open && ascii.IsWord(s.after(to)) {
		return false
	}
	if len(loc) > 2 && loc[2] >= 0 {
		from, to = start+loc[2], start+loc[3]
	}
	if !s.holds(f, from, to) {
		s.refused = match{from, to, f.label, f.rank}
		return true
	}
	s.add(f.label, f.rank, from, to)
	return true
}

// inWord reports whether a word goes on at at. The escape of a line break, a colour or a URL is no word.
func (s *Scan) inWord(at int) bool {
	c := s.before(at)
	if !ascii.IsWord(c) {
		return false
	}
	switch {
	case at >= 2 && s.s[at-2] == '\\' && strings.IndexByte("nrt", c) >= 0:
		return false
	case at >= 3 && s.s[at-3] == '%' && ascii.IsHex(c) && ascii.IsHex(s.s[at-2]):
		return false
	case c == 'm':
		codes := strings.TrimRight(s.s[max(0, at-9):at-1], "0123456789;")
		return !strings.HasSuffix(codes, "[")
	}
	return true
}

// foundAround reports whether a late match of the rule, or its last refusal, covers at, so that repeated anchors cost one read.
func (s *Scan) foundAround(label *Label, at int) bool {
	covers := func(m match) bool { return m.label == label && m.start <= at && at < m.end }
	return covers(s.refused) || slices.ContainsFunc(s.matches[max(0, len(s.matches)-16):], covers)
}

// everywhere matches a format in the whole text.
func (f *format) everywhere(s *Scan) {
	if !strings.Contains(s.s, f.Anchor) {
		return
	}
	for _, loc := range f.pattern().FindAllStringSubmatchIndex(s.s, -1) {
		if len(loc) > 2 && loc[2] >= 0 {
			loc = loc[2:4]
		}
		if loc[1] > loc[0] && s.holds(f, loc[0], loc[1]) {
			s.add(f.label, f.rank, loc[0], loc[1])
		}
	}
}

// Numeral returns what a JSON number is by its key, or nil. Some programs drop the zeros before it, and add a fraction of zeros.
func (e *Engine) Numeral(written string, class rules.Class) *Label {
	if birth := e.birthNumber(written, class); birth != nil {
		return birth
	}
	digits, fraction, _ := strings.Cut(written, ".")
	if strings.Trim(digits, ascii.DigitBytes) != "" || strings.Trim(fraction, "0") != "" || len(digits) > 19 {
		return nil
	}
	var found *Label
	switch {
	case class&rules.PhoneKey != 0 && len(digits) >= 7 && len(digits) <= 15:
		found = rulePhone
	case class&rules.CardKey != 0 && checkdigit.IsCard(e.Issuers, digits):
		found = ruleCard
	case class >= rules.FirstOwn:
		found = e.keyedNumber(digits, class)
	}
	if found == nil || e.off[found.Entity] {
		return nil
	}
	return found
}

// birthNumber returns the rule for a date of birth if its key says so: a part of one, the whole in digits, or a time in seconds.
func (e *Engine) birthNumber(written string, class rules.Class) *Label {
	isPart := class&rules.BirthPartKey != 0 && len(written) <= 4 && strings.Trim(written, ascii.DigitBytes) == ""
	if !isPart && (class&(rules.BirthKey|rules.BirthPartKey) == 0 || !isEpoch(written)) || e.off[rules.DateOfBirth] {
		return nil
	}
	return ruleBirth
}

// keyedNumber returns the rule that names the key of a number and fits it, with up to two zeros before it.
func (e *Engine) keyedNumber(digits string, class rules.Class) *Label {
	for _, f := range slices.Concat(e.numbers, e.customNumbers) {
		for _, zeros := range []string{"", "0", "00"} {
			if n := zeros + digits; f.class&class != 0 && f.pattern().FindString(n) == n && (f.check == nil || f.check(n)) {
				return f.label
			}
		}
	}
	return nil
}

// isMixed reports whether a value is a key and not words with hyphens: it has a digit, or letters of both cases, or no hyphen in
// its body. After a prefix that is not a provider's own it must not be a name either.
func isMixed(s string, general bool) bool {
	_, body, _ := strings.Cut(s, "-")
	if general && shape.IsNamed(body) {
		return false
	}
	return strings.ContainsAny(body, ascii.DigitBytes) || !strings.ContainsAny(body, "-") || shape.HasBothCases(body)
}

// CheckRule returns the first mistake in a rule of the user, and the attribute that holds it.
func CheckRule(r rules.Rule) (attr string, err error) {
	re, err := regexp.Compile(r.Pattern)
	switch {
	case err != nil:
		return "pattern", fmt.Errorf("want a regular expression: %w", err)
	case re.MatchString(""):
		return "pattern", fmt.Errorf("want a pattern that needs at least one character, have %q, which matches empty text", r.Pattern)
	case !rules.IsEntityName(r.Entity):
		return "entity", fmt.Errorf("want a name such as CUSTOMER_ID, have %q", r.Entity)
	case r.Anchor != "" && len(r.Anchors) > 0:
		return "anchor", fmt.Errorf("want anchor or anchors, have %q and a list of %d", r.Anchor, len(r.Anchors))
	case r.Anchor != "" && !isAnchor(r.Anchor):
		return "anchor", fmt.Errorf(anchorWanted, r.Anchor)
	case r.Check != "" && checkdigit.ByName[r.Check].Holds == nil:
		return "check", fmt.Errorf("want one of %s, have %q", strings.Join(checkdigit.Names(), ", "), r.Check)
	case r.LeadMax < 0 || r.LeadMax > maxToken:
		return "lead_max", fmt.Errorf("want 0 to %d, have %d", maxToken, r.LeadMax)
	}
	if i := slices.IndexFunc(r.Anchors, func(a string) bool { return !isAnchor(a) }); i >= 0 {
		return fmt.Sprintf("anchors.%d", i), fmt.Errorf(anchorWanted, r.Anchors[i])
	}
	if i := slices.IndexFunc(r.Cue, func(c string) bool { return c == "" }); i >= 0 {
		return fmt.Sprintf("cue.%d", i), fmt.Errorf("want a word, have %q", r.Cue[i])
	}
	return "", nil
}

const anchorWanted = `want two bytes or more without quotes, \ and line breaks, have %q`

// isAnchor reports whether a text can be an anchor: every writer of JSON spells it the same, except for its slashes.
func isAnchor(text string) bool { return len(text) >= 2 && !strings.ContainsAny(text, "\"\\\n\t\r") }

// addSlashes adds an anchor with slashes in their other spelling, which some writers of JSON use.
func (e *Engine) addSlashes(text string) {
	if written := strings.ReplaceAll(text, "/", `\/`); written != text {
		e.add(prefilter.Anchor{Text: written}, clue)
	}
}
