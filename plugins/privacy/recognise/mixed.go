package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// chosenSigns are what people and programs put into passwords. operatorSigns are those that code writes between names, and others.
const (
	chosenSigns   = "!@#$%^&*?~"
	operatorSigns = "*&%^?~|+/=:-"
)

// looksMixed reports whether a value has signs and digits among its letters, or digits and letters of both cases, as no name, word or
// expression has. It judges what is too short or has too many signs for looksLikeSecret. A whole value, which nothing follows in its
// quotation marks or line, may have brackets too.
func looksMixed(v string, whole, quoted bool) bool {
	var letters [sampled]byte
	size, other := 0, false
	head := sample(v)
	for i := range len(head) {
		switch c := head[i]; {
		case ascii.IsAlnum(c):
			letters[size] = c
			size++
		case c <= ' ', c >= 0x7f, ascii.IsQuote(c), strings.IndexByte("\\,;", c) >= 0:
			return false
		case strings.IndexByte(chosenSigns+ascii.TokenBytes+"+/=.|:", c) < 0:
			other = true
		}
	}
	s, odd, sign := measure(head), oddness(string(letters[:size])), strings.ContainsAny(head, chosenSigns)
	bothCases := s.upper > 0 && s.lower > 0
	switch {
	case len(v) < 6, s.upper+s.lower == 0, entropy(head) <= 2.2, strings.Contains(head, "://"), strings.Contains(head, "..."),
		isOpening(v, quoted), isHexNumber(head), isExpression(head):
		return false
	case other:
		return whole && s.digits > 0 && odd >= 0.3 && (sign || len(v) >= 16) && entropy(head) >= 3
	case sign && s.digits > 0:
		return ascii.IsAlnum(v[0]) || strings.ContainsAny(head[1:], chosenSigns) || odd >= 0.3
	case sign:
		return bothCases && odd >= 0.3
	case !bothCases, namePath().MatchString(head), versionForm().MatchString(v[max(0, len(v)-24):]):
		return false
	}
	return odd >= 0.4 || s.digits > 0 && odd >= 0.3
}

// isHexNumber reports whether a value is a number as code writes it, or a colour.
func isHexNumber(v string) bool {
	digits, number := strings.CutPrefix(strings.TrimLeft(v, "-+"), "0x")
	if !number {
		digits, number = strings.CutPrefix(v, "#")
		number = number && len(digits) <= 8
	}
	return number && strings.Trim(digits, ascii.HexDigits+"uUlL") == ""
}

// isExpression reports whether a value is names, numbers and keys such as F4 with operators between them.
func isExpression(v string) bool {
	if strings.ContainsAny(v, "!@#$") {
		return false
	}
	parts := strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(operatorSigns, r) })
	return !slices.ContainsFunc(parts, func(part string) bool {
		return len(part) > 2 && strings.Trim(part, ascii.DigitBytes) != "" && !isNamed(part)
	})
}

// secretEnd returns where the secret ends that a value of a secret's name is, or -1 when it is none. One without quotation marks ends
// before the next parameter of a query, before the sign of its sentence, or where a sentence goes on without a blank.
func (s *Scan) secretEnd(v value) int {
	text := s.s[v.start:v.end]
	switch {
	case v.quoted && (looksLikeSecret(text, true) || looksMixed(text, true, true)):
		return v.end
	case v.quoted:
		return -1
	case len(text) > mostInSentence:
		if looksLikeSecret(text, false) {
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
		if text != "" && (looksLikeSecret(text, false) || looksMixed(text, whole, false)) {
			return v.start + len(text)
		}
	}
	if text = inSentence(text); text != "" && looksLikeSecret(text, false) {
		return v.start + len(text)
	}
	return -1
}
