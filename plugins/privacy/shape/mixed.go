package shape

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

// LooksMixed reports whether a value has signs and digits among its letters, or digits and letters of both cases, as no name, word or
// expression has. It judges what is too short or has too many signs for LooksLikeSecret. A whole value, which nothing follows in its
// quotation marks or line, may have brackets too.
func LooksMixed(v string, whole, quoted bool) bool {
	var letters [Sampled]byte
	size, other := 0, false
	head := Sample(v)
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
	s, odd, sign := Count(head), Oddness(string(letters[:size])), strings.ContainsAny(head, chosenSigns)
	bothCases := s.Upper > 0 && s.Lower > 0
	switch {
	case len(v) < 6, s.Upper+s.Lower == 0, Entropy(head) <= 2.2, strings.Contains(head, "://"), strings.Contains(head, "..."),
		isOpening(v, quoted), isHexNumber(head), isExpression(head):
		return false
	case other:
		return whole && s.Digits > 0 && odd >= 0.3 && (sign || len(v) >= 16) && Entropy(head) >= 3
	case sign && s.Digits > 0:
		return ascii.IsAlnum(v[0]) || strings.ContainsAny(head[1:], chosenSigns) || odd >= 0.3
	case sign:
		return bothCases && odd >= 0.3
	case !bothCases, IsNamePath(head), versionForm().MatchString(v[max(0, len(v)-24):]):
		return false
	}
	return odd >= 0.4 || s.Digits > 0 && odd >= 0.3
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
		return len(part) > 2 && strings.Trim(part, ascii.DigitBytes) != "" && !IsNamed(part)
	})
}
