package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var (
	rulePassword = &Label{"password-assignment", rules.Password}
	ruleSecret   = &Label{"secret-assignment", rules.GenericSecret}
)

// assignment finds the value of a name that holds the word for a secret in s.s[at:at+size].
func (s *Scan) assignment(at, size int) {
	n := s.nameAt(at, size)
	if s.named.start == n.start && s.named.end == n.end {
		return // found by another word in it
	}
	s.named = n
	if strings.HasSuffix(s.s[:n.start], "::") {
		return // of a type or a package
	}
	class := rules.Class(0)
	take := func(start int) (done bool) {
		if start < 0 {
			return false
		}
		if class == 0 {
			if class = rules.NameClass(s.s[n.start:n.end]); class == 0 {
				return true
			}
		}
		return s.pairedWith(n, class, start) || s.assigned(n, class, start)
	}
	if start := s.valueStart(&n); take(start) || start >= 0 && !n.loose {
		return
	}
	if take(s.proseStart(&n)) {
		return
	}
	if n.said = false; take(s.pairStart(n)) {
		return
	}
	n.loose, n.said = true, false
	if !take(s.callStart(n)) && class == 0 {
		class = rules.NameClass(s.s[n.start:n.end])
	}
	if s.beforeName(n, class); s.isColumn(n) {
		s.header(n.start)
	}
}

// assigned adds the value of a name that begins at start, and reports whether there is one.
func (s *Scan) assigned(n name, class rules.Class, start int) bool {
	if c, next := s.after(start), s.after(start+1); (c == '(' || c == '[') && (partSet[next] || ascii.IsQuote(next)) {
		start++
	}
	v := s.valueAt(n, start)
	if v.end-v.start < 6 {
		return false
	}
	value := s.s[v.start:v.end]
	switch {
	case shape.IsPlaceholder(value), s.isOperand(value, v.quoted), !v.quoted && s.isCall(v),
		!v.quoted && shape.IsPlaceholder(withoutNumber(value)), n.said && !looksChosen(value, class), n.loose && strings.Trim(value, ascii.DigitBytes+"+-.eE") == "",
		n.said && class&rules.PasswordKey == 0 && (len(value) < 16 && !(n.dashed && v.line) || !shape.LooksRandom(value)):
		return false
	case class&rules.PasswordKey != 0 && s.passwordIn(&v, n):
		s.add(rulePassword, rankContext, v.start, v.end)
	case class&rules.SecretKey != 0:
		end := s.secretEnd(v)
		if end < 0 {
			return false
		}
		s.add(ruleSecret, rankContext, v.start, end)
	case class&rules.VagueKey != 0 && (v.quoted || v.line) && looksDrawn(value):
		s.add(ruleSecret, rankContext, v.start, v.end)
	default:
		return false
	}
	return true
}

// mostInSentence is the size of the longest secret that is looked for in a sentence. Many names may share a longer value.
const mostInSentence = 512

// inSentence returns a value up to the first byte that no token has: the sign that ends its sentence, the next part of a URL, a letter of
// a script in which a sentence goes on without a blank.
func inSentence(value string) string {
	if len(value) > mostInSentence {
		return value
	}
	return value[:ascii.Forward(value, 0, len(value), inSentenceSet)]
}

// partSet are the bytes of a part of a list.
var partSet = ascii.Set(ascii.TokenBytes + "+/=.")

var inSentenceSet = ascii.Set(ascii.TokenBytes + "+/=.~%|:")

// isOperand reports whether a value begins with the sign of an operator and a name behind it: + name, !name, $name.
func (s *Scan) isOperand(v string, quoted bool) bool {
	drawn := func(word string) bool { return shape.LooksRandom(word) || len(word) > 2 && ascii.HasDigit(word) }
	if words := strings.FieldsFunc(shape.Sample(v), func(r rune) bool { return r == '+' || r == '%' }); len(words) > 2 && strings.Contains(v, "+") &&
		!strings.ContainsAny(v, "?@#^!$&=~") && !slices.ContainsFunc(words, drawn) {
		return true // of a form, where it is a blank
	}
	if strings.IndexByte("+!$", v[0]) < 0 || quoted && v[0] != '+' {
		return false
	}
	rest := strings.TrimLeft(v[1:], "!$ ")
	rest = rest[:until(rest, 0, " ,()+|")]
	_, member, _ := strings.Cut(rest, ".")
	return rest == "" || v[0] == '!' && shape.IsIdentifier(member) || shape.IsIdentifier(rest) && (shape.IsNamed(rest) || strings.Contains(rest, "."))
}

// withoutNumber returns a name without up to two digits at its end, as in password16.
func withoutNumber(v string) string {
	if name := strings.TrimRight(v, ascii.DigitBytes); len(v)-len(name) <= 2 {
		return name
	}
	return v
}

// looksDrawn reports whether a value is random, whatever its name is. Hexadecimal digits are often hashes.
func looksDrawn(v string) bool {
	head := shape.Sample(v)
	return len(v) >= 16 && !shape.IsUUID(v) && strings.Trim(head, ascii.HexDigits) != "" && shape.LooksLikeSecret(v, false) && shape.LooksRandom(v) && strings.ContainsAny(head, ascii.DigitBytes)
}

// passwordIn reports whether a value is a password. Quoted words are one when the first looks like one.
func (s *Scan) passwordIn(v *value, n name) bool {
	text := s.s[v.start:v.end]
	blank := strings.IndexAny(text, " \t")
	if s.isVerdict(n, text) || n.loose && isWordy(text) || strings.Trim(text, ascii.DigitBytes+"v.") == "" || text[0] == '\\' || ascii.IsQuote(text[0]) && !v.quoted {
		return false
	}
	if blank < 0 {
		return shape.LooksLikePassword(text, v.quoted || n.option || v.line)
	}
	return len(text) < 100 && blank >= 6 && shape.LooksLikePassword(text[:blank], false) && !shape.IsPlaceholder(text[:blank])
}

// isVerdict reports whether a name is what a program says of a test that passed, as in PASS: tests/parse-2: it has a test's name behind it,
// or the line before or behind it says what became of another one.
func (s *Scan) isVerdict(n name, value string) bool {
	if s.s[n.start:n.end] != "PASS" || s.after(n.end) != ':' || strings.ContainsAny(value, "!@$%^&*?") {
		return false
	}
	from, to := max(0, n.start-shape.Sampled), min(len(s.s), n.end+shape.Sampled)
	line := from + strings.LastIndexByte(s.s[from:n.start], '\n') + 1
	before := strings.LastIndexByte(s.s[from:max(from, line-1)], '\n') + 1
	_, behind, _ := strings.Cut(s.s[n.end:to], "\n")
	return testForm().MatchString(value) || verdictForm().MatchString(s.s[from+before:line]) || verdictForm().MatchString(behind)
}

// testForm is the name of a test, and verdictForm the beginning of a line of what runs tests.
var (
	testForm    = shape.Compiled(`^(?:[A-Za-z0-9_.-]+/)*(?i:tests?|check)[_/-]|^Test[A-Z]|/[A-Za-z0-9_.-]+\.[a-z]{1,4}$`)
	verdictForm = shape.Compiled(`^[#\s-]{0,8}(?:X?PASS|X?FAIL|SKIP|KFAIL|UNSUPPORTED|UNRESOLVED|UNTESTED|TOTAL):`)
)

// isWordy reports whether a value is words or an option, as arguments of calls are.
func isWordy(v string) bool {
	if shape.IsIdentifier(v) && strings.ToUpper(v) == v && !shape.LooksRandom(v) || strings.HasPrefix(v, `\x1b`) || strings.HasPrefix(v, `\033`) {
		return true
	}
	return shape.IsNamed(v) && !chosenForm().MatchString(v) && !strings.ContainsAny(v, "!@#$%^&*+?") || v[0] == '-'
}

// isCall reports whether a value is the beginning of an expression.
func (s *Scan) isCall(v value) bool {
	c := s.after(v.end)
	text := s.s[v.start:v.end]
	first, _, dotted := strings.Cut(text, ".")
	return c == '(' || (c == '[' && s.after(v.end+1) != '\\' || c == '{' || dotted && len(first) > 2 && shape.IsNamed(first)) && shape.IsIdentifier(text)
}

// keyed finds the secret that the key of the text announces: the whole text, its parts when it has several, or what it begins with.
func (s *Scan) keyed() {
	found := len(s.matches)
	switch {
	case s.s == "":
	case strings.ContainsAny(s.s, " \n\t"):
		if s.class&rules.SecretKey != 0 {
			s.parts(0, len(s.s))
		}
	case shape.IsPlaceholder(s.s):
		return
	case s.class&rules.PasswordKey != 0 && shape.LooksLikePassword(s.s, true):
		s.add(rulePassword, rankContext, 0, len(s.s))
	case s.class&rules.SecretKey != 0 && (shape.LooksLikeSecret(s.s, true) || shape.LooksMixed(s.s, true, true) || looksPacked(s.s)),
		s.class&rules.VagueKey != 0 && looksDrawn(s.s):
		s.add(ruleSecret, rankContext, 0, len(s.s))
	}
	if start := ascii.Forward(s.s, 0, maxRun, openingSet); found == len(s.matches) && start < len(s.s) {
		s.assigned(name{}, s.class, start)
	}
}

// LeastHeld is the size of the shortest secret that only the key of the object around it names.
const LeastHeld = 8

// MayBeHeld reports whether a string of JSON as it is written may have the shape of a secret for HeldClass.
func MayBeHeld(raw string) bool {
	return !strings.Contains(raw, " ") && (strings.ContainsAny(raw, ascii.DigitBytes+"!@#$%^&*?~\\") || shape.Oddness(shape.Sample(raw)) > 0.1)
}

// HeldClass returns the class of a secret that the key of an object names, if a string in it looks drawn, or surely chosen as a password:
// other members say when it expires, or how it looks. An address of a currency is no token, and the words of a wallet have a look of their own.
func HeldClass(value string, class rules.Class) rules.Class {
	switch {
	case class&rules.SeedKey != 0:
		return rules.SeedKey
	case strings.ContainsAny(value, " \t\n"), shape.IsUUID(value), shape.IsPlaceholder(value), strings.HasPrefix(value, "0x"):
		return 0
	case class&rules.SecretKey != 0 && shape.LooksRandom(value) && (len(value) >= 16 && shape.LooksLikeSecret(value, true) || shape.LooksMixed(value, true, true) && shape.IsSurelyChosen(value)):
		return rules.SecretKey
	case class&rules.PasswordKey != 0 && shape.LooksLikePassword(value, true) && shape.IsSurelyChosen(value):
		return rules.PasswordKey
	}
	return 0
}

// openingSet are the bytes that may precede the value in a text whose key announces it.
var openingSet = ascii.Set(" \t\n([{<|*_")

// looksPacked reports whether a value is name=value, as a cookie with one part is.
func looksPacked(v string) bool {
	_, value, ok := strings.Cut(v, "=")
	return ok && shape.LooksLikeSecret(strings.TrimRight(value, ";"), true)
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
		if value := s.s[start:end]; (start > at || alone) && shape.LooksLikeSecret(value, true) && !shape.IsPlaceholder(value) {
			s.add(ruleSecret, rankContext, start, end)
		}
		at = end
	}
}

// spaces returns the end of the blanks at an offset of a line.
func (s *Scan) spaces(at int) int { return ascii.Forward(s.s, at, len(s.s), ascii.SpaceSet) }

// quote returns the end of the quotation mark at at, with up to three backslashes before it, or -1.
func (s *Scan) quote(at int) int {
	for i := at; i < min(len(s.s), at+4); i++ {
		if ascii.IsQuote(s.s[i]) {
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

// secretEnd returns where the secret ends that a value of a secret's name is, or -1 when it is none. One without quotation marks ends
// before the next parameter of a query, before the sign of its sentence, or where a sentence goes on without a blank.
func (s *Scan) secretEnd(v value) int {
	text := s.s[v.start:v.end]
	switch {
	case v.quoted && (shape.LooksLikeSecret(text, true) || shape.LooksMixed(text, true, true)):
		return v.end
	case v.quoted:
		return -1
	case len(text) > mostInSentence:
		if shape.LooksLikeSecret(text, false) {
			return v.end
		}
		return -1
	}
	for at := range len(text) {
		if (text[at] == '&' || text[at] == '?') && s.nextParameter(v.start+at+1) {
			text = text[:at]
			break
		}
	}
	whole := v.line && v.start+len(text) == v.end
	for _, text := range []string{strings.TrimRight(text, "!?*~&"), text} {
		if text != "" && (shape.LooksLikeSecret(text, false) || shape.LooksMixed(text, whole, false)) {
			return v.start + len(text)
		}
	}
	if text = inSentence(text); text != "" && shape.LooksLikeSecret(text, false) {
		return v.start + len(text)
	}
	return -1
}
