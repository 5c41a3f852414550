package recognise

import (
	"maps"
	"slices"
	"strings"
)

// A check reports whether digits can be what a rule means. A check digit leaves little room for chance.
type check struct {
	holds      func(digits string) bool
	checkDigit bool
}

// checks are the checks that a rule may name.
var checks = map[string]check{
	"bsn":         {isBSN, true},
	"cnpj":        {isCNPJ, true},
	"cpf":         {isCPF, true},
	"dni":         {isDNI, true},
	"fiscal-code": {isFiscalCode, true},
	"itin":        {isITIN, false},
	"luhn":        {luhn, true},
	"mod97":       {isMod97, true},
	"nhs":         {isNHS, true},
	"nir":         {isNIR, true},
	"pesel":       {isPESEL, true},
	"resident-id": {isResidentID, true},
	"ssn":         {isSSN, false},
	"tax-id":      {isTaxID, true},
	"tfn":         {isTFN, true},
	"verhoeff":    {verhoeff, true},
}

// Checks returns the names of the checks that a rule may name.
func Checks() []string { return slices.Sorted(maps.Keys(checks)) }

// compact returns a text without what people put between groups.
func compact(value string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -./", r) {
			return -1
		}
		return r
	}, value)
}

// luhn checks the last digit as payment cards have it.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if n < 0 || n > 9 {
			return false
		}
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// isMod97 checks the remainder by 97 of an IBAN, whose third and fourth place are check digits.
func isMod97(value string) bool {
	if len(value) < 5 {
		return false
	}
	rest := 0
	for _, c := range []byte(value[4:] + value[:4]) {
		if !isDigit(c) && !isUpper(c) {
			return false
		}
		rest = mod97(rest, c)
	}
	return rest == 1
}

// isSSN follows the rules of the Social Security Administration for area, group and serial number.
func isSSN(d string) bool {
	return len(d) == 9 && d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000" &&
		d != "123456789" && d != "111111111"
}

// isITIN follows the ranges that the Internal Revenue Service issues.
func isITIN(d string) bool {
	if len(d) != 9 || d[0] != '9' {
		return false
	}
	group := d[3:5]
	return group >= "50" && group <= "65" || group >= "70" && group <= "88" || group >= "90" && group <= "92" || group >= "94"
}

// isNHS checks the last of ten digits.
func isNHS(d string) bool {
	if len(d) != 10 {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += int(d[i]-'0') * (10 - i)
	}
	check := (11 - sum%11) % 11
	return check == int(d[9]-'0')
}

// verhoeff checks the last digit in the dihedral group of order ten.
func verhoeff(d string) bool {
	multiply := func(a, b int) int {
		switch {
		case a < 5 && b < 5:
			return (a + b) % 5
		case a < 5:
			return (a+b-5)%5 + 5
		case b < 5:
			return (a-5-b+5)%5 + 5
		}
		return (a - b + 5) % 5
	}
	permute := [10]int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}
	c := 0
	for i := range len(d) {
		n := int(d[len(d)-1-i] - '0')
		for range i % 8 {
			n = permute[n]
		}
		c = multiply(c, n)
	}
	return c == 0
}
