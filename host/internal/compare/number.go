package compare

import (
	"strconv"
	"strings"
)

// sameNumber compares numbers in any spelling and of any length: as float64 some different ones would be equal.
func sameNumber(a, b string) bool {
	x, okX := decimalOf(a)
	y, okY := decimalOf(b)
	return okX && okY && x == y
}

// Number returns the canonical spelling of a number.
func Number(text string) string {
	d, ok := decimalOf(text)
	if !ok {
		return text
	}
	if d.digits == "" {
		return "0"
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	const most = 20 // digits that are written out
	exponent := d.exponent - int64(len(d.digits))
	if exponent >= 0 && d.exponent <= most {
		return sign + d.digits + strings.Repeat("0", int(exponent))
	}
	return sign + d.digits + "e" + strconv.FormatInt(exponent, 10)
}

// A decimal is 0.digits times ten to the exponent. digits has no zero at either end, so each number has one decimal.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// decimalOf fails only for a number with an exponent beyond 32 bits.
func decimalOf(text string) (d decimal, ok bool) {
	text, d.negative = strings.CutPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if d.exponent, err = strconv.ParseInt(text[i+1:], 10, 32); err != nil {
			return d, false
		}
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.exponent += int64(len(whole))
	d.digits = whole
	if fraction != "" {
		d.digits = whole + fraction
	}
	begun := strings.TrimLeft(d.digits, "0")
	d.exponent -= int64(len(d.digits) - len(begun))
	if d.digits = strings.TrimRight(begun, "0"); d.digits == "" {
		return decimal{}, true // there is one zero
	}
	return d, true
}
