package chatml

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Python reads no integer of more digits, and makes infinity, which is no JSON, of a number that is too large.
const mostDigits = 4300

// tooLarge describes a number in JSON that the readers of rows do not take, "" when it has none. It looks between the strings, which is
// mostly a comma or colon.
func tooLarge(json jsontext.JSON) (have string) {
	const shortest = len("1e309")
	for c := json.Cursor(); ; {
		n := strings.IndexByte(string(json[c.At:]), '"')
		if n < 0 {
			return tooLargeIn(string(json[c.At:]))
		}
		if n >= shortest {
			if have = tooLargeIn(string(json[c.At : c.At+n])); have != "" {
				return have
			}
		}
		c.At += n
		c.String()
	}
}

// tooLargeIn does so for JSON without strings.
func tooLargeIn(text string) (have string) {
	const numeric, longest = "0123456789-+.eE", 308 // digits that any float has
	for {
		begin := strings.IndexAny(text, "-0123456789")
		if begin < 0 {
			return ""
		}
		text = text[begin:]
		number := text[:len(text)-len(strings.TrimLeft(text, numeric))]
		text = text[len(number):]
		switch {
		case !strings.ContainsAny(number, ".eE"):
			if digits := len(strings.TrimPrefix(number, "-")); digits > mostDigits {
				return "an integer of " + strconv.Itoa(digits) + " digits"
			}
		case len(number) > longest || strings.ContainsAny(number, "eE"):
			if _, err := strconv.ParseFloat(number, 64); err != nil {
				return "a number beyond them"
			}
		}
	}
}
