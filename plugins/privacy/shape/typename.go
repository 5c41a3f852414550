package shape

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// numberType is a type of numbers, bytes or text, as languages name them: uint16, Uint8Array, *float64, char16_t, Utf8String.
var numberType = Compiled(`^[*&?]{0,2}(?i:(?:big)?u?int|b?float|complex|char|utf|ucs|vec|nvarchar|varchar|i|u|f)(?:8|16|32|64|128|256)` +
	`(?i:_t|(?:clamped)?(?:array|list|string|str|ptr|buffer|vec|slice|value)|le|be)?[*&?]{0,2}$`)

// IsType reports whether a value is the name of a type: one of numbers, or words and versions that end as names of types do.
func IsType(v string) bool {
	if len(v) > longestType || !ascii.HasDigit(v) {
		return false
	}
	if numberType().MatchString(v) {
		return true
	}
	last, ok := camel(v)
	return ok && slices.Contains(rules.Words().Types, last)
}

const longestType = 80 // bytes

// IsCamel reports whether a value is words, short forms and versions that are written as one, as in T5Gemma2PreTrainedModel.
func IsCamel(v string) bool {
	_, ok := camel(v)
	return ok
}

// camel returns the last word of a name whose words begin with capitals. Its letters are mostly those of words of four and more, of which
// it has two, so that no text that a program drew is one.
func camel(v string) (last string, ok bool) {
	if len(v) > longestType || len(v) < 8 {
		return "", false
	}
	letters, long, words := 0, 0, 0
	for i := 0; i < len(v); {
		start := i
		switch c := v[i]; {
		case c == '_':
			i++
			continue
		case ascii.IsDigit(c):
			if i = ascii.Forward(v, i, len(v), ascii.DigitSet); i-start > 3 {
				return "", false
			}
			continue
		case ascii.IsUpper(c):
			for i++; i < len(v) && ascii.IsUpper(v[i]); i++ {
			}
			if lower := i < len(v) && v[i]-'a' < 26; lower && i-start > 1 {
				i-- // which begins the next word
			} else if lower {
				i = ascii.Forward(v, i, len(v), smallSet)
			}
		case c-'a' < 26:
			i = ascii.Forward(v, i, len(v), smallSet)
		default:
			return "", false
		}
		word := strings.ToLower(v[start:i])
		letters += len(word)
		switch {
		case ascii.IsUpper(v[i-1]): // a short form
			if len(word) > 6 {
				return "", false
			}
		case len(word) > 2 && Oddness(word) > 0.34 || len(word) > 18:
			return "", false
		case len(word) > 3:
			long, words = long+len(word), words+1
		}
		if len(word) > 2 {
			last = word
		}
	}
	return last, words > 1 && long*2 >= letters
}

var smallSet = ascii.Set(ascii.Bytes("a-z"))
