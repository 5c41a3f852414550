package recognise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var (
	rulePassword = &Label{"password-assignment", rules.Password}
	ruleSecret   = &Label{"secret-assignment", rules.GenericSecret}
)

// A name is the place of a variable, key or option in a text.
type name struct {
	start, end int
	option     bool // of a command line
	loose      bool // nothing says that the value is assigned to it
}

// maxName is the most bytes of a name on either side of the word that it was found by.
const maxName = 64

// assignment finds the value of a name that holds a word for a secret.
func (s *Scan) assignment(at int) {
	n := s.nameAt(at)
	if s.named == n {
		return // found by another word in it
	}
	s.named = n
	if strings.HasSuffix(s.s[:n.start], "::") {
		return // of a type or a package
	}
	class := rules.Class(0)
	each := func(start int) bool {
		if start < 0 {
			return false
		}
		if class == 0 {
			if class = rules.NameClass(s.s[n.start:n.end]); class == 0 {
				return true
			}
		}
		return s.assigned(n, class, start)
	}
	if start := s.valueStart(&n); start >= 0 {
		if !each(start) && n.loose {
			each(s.pairStart(n))
		}
		return
	}
	if !each(s.proseStart(n)) {
		each(s.pairStart(n))
	}
}

// nameAt returns the place of the name around the word at at, which names a secret.
func (s *Scan) nameAt(at int) name {
	n := name{start: at, end: at}
	if s.s[at] >= utf8.RuneSelf { // of a script that writes words without blanks
		for _, noun := range slices.Concat(rules.Names().Password, rules.Names().Secret) {
			if strings.HasPrefix(s.s[at:], noun) {
				n.end = max(n.end, at+len(noun))
			}
		}
		return n
	}
	for n.start > 0 && at-n.start < maxName {
		r, size := utf8.DecodeLastRuneInString(s.s[:n.start])
		if !isNameRune(r) {
			break
		}
		n.start -= size
	}
	for n.end < len(s.s) && n.end-at < maxName {
		r, size := utf8.DecodeRuneInString(s.s[n.end:])
		if !isNameRune(r) {
			break
		}
		n.end += size
	}
	for n.start < at && strings.IndexByte("-.", s.s[n.start]) >= 0 {
		n.option = s.s[n.start] == '-'
		n.start++
	}
	n.end = at + len(strings.TrimRight(s.s[at:n.end], "-."))
	return n
}

// isNameRune reports whether names go on with r.
func isNameRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordByte(byte(r)) || r == '-' || r == '.'
	}
	return unicode.Is(unicode.Latin, r)
}

// assigned adds the value of a name that begins at start, and reports whether there is one.
func (s *Scan) assigned(n name, class rules.Class, start int) bool {
	v := s.valueAt(n, start)
	if v.end-v.start < 6 {
		return false
	}
	value := s.s[v.start:v.end]
	switch {
	case isPlaceholder(value), value[0] == '+', !v.quoted && s.isCall(v), !v.quoted && isPlaceholder(withoutNumber(value)):
		return false
	case class&rules.PasswordKey != 0 && s.passwordIn(&v, n):
		s.add(rulePassword, rankContext, v.start, v.end)
	case class&rules.SecretKey != 0 && looksLikeSecret(value, v.quoted),
		class&rules.VagueKey != 0 && (v.quoted || v.line) && looksDrawn(value):
		s.add(ruleSecret, rankContext, v.start, v.end)
	default:
		return false
	}
	return true
}

// withoutNumber returns a name without up to two digits at its end, as in password16.
func withoutNumber(v string) string {
	if name := strings.TrimRight(v, digitBytes); len(v)-len(name) <= 2 {
		return name
	}
	return v
}

// looksDrawn reports whether a value is random, whatever its name is. Hexadecimal digits are often hashes.
func looksDrawn(v string) bool {
	head := sample(v)
	return len(v) >= 16 && !isUUID(v) && strings.Trim(head, hexDigits) != "" && looksLikeSecret(v, false) && looksRandom(v) && strings.ContainsAny(head, digitBytes)
}

// passwordIn reports whether a value is a password. Quoted words are one when the first looks like one.
func (s *Scan) passwordIn(v *value, n name) bool {
	text := s.s[v.start:v.end]
	blank := strings.IndexAny(text, " \t")
	if n.loose && (isNamed(text) && !strings.ContainsAny(text, "!@#$%^&*+?") || text[0] == '-') {
		return false
	}
	if blank < 0 {
		return looksLikePassword(text, v.quoted || n.option || v.line)
	}
	return len(text) < 100 && blank >= 6 && looksLikePassword(text[:blank], false) && !isPlaceholder(text[:blank])
}

// isCall reports whether a value is the beginning of an expression.
func (s *Scan) isCall(v value) bool {
	c := s.after(v.end)
	text := s.s[v.start:v.end]
	first, _, dotted := strings.Cut(text, ".")
	return c == '(' || (c == '[' || c == '{' || dotted && len(first) > 2 && isNamed(first)) && isIdentifier(text)
}

// isIdentifier reports whether a value is a name, or a path of names, as programs write them.
func isIdentifier(v string) bool {
	other := func(r rune) bool { return r >= utf8.RuneSelf || !isWordByte(byte(r)) && r != '.' }
	return v != "" && !isDigit(v[0]) && !strings.ContainsFunc(v, other)
}

// keyed finds the secret that the key of the text announces: the whole text, or its parts when it has several.
func (s *Scan) keyed() {
	switch {
	case s.s == "":
	case strings.ContainsAny(s.s, " \n\t"):
		if s.class&rules.SecretKey != 0 {
			s.parts(0, len(s.s))
		}
	case isPlaceholder(s.s):
	case s.class&rules.PasswordKey != 0 && looksLikePassword(s.s, true):
		s.add(rulePassword, rankContext, 0, len(s.s))
	case s.class&rules.SecretKey != 0 && (looksLikeSecret(s.s, true) || looksPacked(s.s)),
		s.class&rules.VagueKey != 0 && looksDrawn(s.s):
		s.add(ruleSecret, rankContext, 0, len(s.s))
	}
}

// looksPacked reports whether a value is name=value, as a cookie with one part is.
func looksPacked(v string) bool {
	_, value, ok := strings.Cut(v, "=")
	return ok && looksLikeSecret(strings.TrimRight(value, ";"), true)
}

// parts finds the values of names, as in a cookie, and what follows a scheme, as in a header.
func (s *Scan) parts(from, to int) {
	words := 0
	for at := from; at < to; at++ {
		end := until(s.s[:to], at, " \n\t,;")
		if end == at {
			continue
		}
		words++
		start := at
		if name := strings.IndexByte(s.s[at:end], '='); name > 0 && strings.Trim(s.s[at+name:end], "=") != "" {
			start += name + 1
		}
		alone := words == 2 && end == to
		if value := s.s[start:end]; (start > at || alone) && looksLikeSecret(value, true) && !isPlaceholder(value) {
			s.add(ruleSecret, rankContext, start, end)
		}
		at = end
	}
}

// spaces returns the end of the blanks at an offset of a line.
func (s *Scan) spaces(at int) int { return forward(s.s, at, len(s.s), spaceSet) }

// quote returns the end of the quotation mark at at, with up to three backslashes before it, or -1.
func (s *Scan) quote(at int) int {
	for i := at; i < min(len(s.s), at+4); i++ {
		if isQuote(s.s[i]) {
			return i + 1
		}
		if s.s[i] != '\\' {
			break
		}
	}
	return -1
}

// pastQuote returns the end of the quotation mark at at, or at when there is none.
func (s *Scan) pastQuote(at int) int { return max(at, s.quote(at)) }
