// Package checkdigit knows the numbers that banks and authorities issue by their check digits and ranges.
package checkdigit

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A Check reports whether a number without separators can have been issued. A check digit leaves little room for chance.
type Check struct {
	Holds      func(digits string) bool
	CheckDigit bool // and not only a range
}

// ByName are the checks that a rule may name.
var ByName = map[string]Check{
	"bsn":         {varied(weighed(11, 9, 8, 7, 6, 5, 4, 3, 2, -1)), true},
	"cnpj":        {isCNPJ, true},
	"cpf":         {isCPF, true},
	"dni":         {isDNI, true},
	"fiscal-code": {isFiscalCode, true},
	"itin":        {isITIN, false},
	"luhn":        {Luhn, true},
	"mod97":       {isMod97, true},
	"nhs":         {weighed(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1), true},
	"nir":         {isNIR, true},
	"pesel":       {isPESEL, true},
	"resident-id": {isResidentID, true},
	"ssn":         {isSSN, false},
	"ssn-shape":   {isLikeSSN, false},
	"tax-id":      {isTaxID, true},
	"tfn":         {varied(weighed(11, 1, 4, 3, 7, 5, 8, 6, 9, 10)), true},
	"verhoeff":    {verhoeff, true},
}

// Names returns the names of the checks that a rule may name.
func Names() []string { return slices.Sorted(maps.Keys(ByName)) }

// Compact returns a text without what people put between groups.
func Compact(value string) string { return groupSigns.Replace(value) }

var groupSigns = strings.NewReplacer(" ", "", "-", "", ".", "", "/", "")

// Luhn checks the last digit as payment cards have it.
func Luhn(digits string) bool {
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
		if !ascii.IsDigit(c) && !ascii.IsUpper(c) {
			return false
		}
		rest = Mod97(rest, c)
	}
	return rest == 1
}

// IsCard reports whether digits are the number of a payment card of one of the issuers.
func IsCard(issuers []rules.Issuer, digits string) bool {
	if len(digits) < 13 || len(digits) > 19 || !Luhn(digits) {
		return false
	}
	return slices.ContainsFunc(issuers, func(i rules.Issuer) bool {
		first, err := strconv.Atoi(digits[:i.Digits])
		return err == nil && first >= i.From && first <= i.To && slices.Contains(i.Lengths, len(digits))
	})
}

// Mod97 goes on with a remainder by 97; letters of either case count from 10 on.
func Mod97(rest int, c byte) int {
	if ascii.IsDigit(c) {
		return (rest*10 + int(c-'0')) % 97
	}
	return (rest*100 + int(c&^0x20-'A') + 10) % 97
}

// isSSN follows the rules of the Social Security Administration for area, group and serial number.
func isSSN(d string) bool {
	return len(d) == 9 && d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000" &&
		d != "123456789" && d != "111111111"
}

// isLikeSSN reports whether digits that are said to be a social security number can be meant as one, though none like it was issued.
func isLikeSSN(d string) bool { return len(d) == 9 && !AllSame(d) && !isITIN(d) }

// isITIN follows the ranges that the Internal Revenue Service issues.
func isITIN(d string) bool {
	if len(d) != 9 || d[0] != '9' {
		return false
	}
	group := d[3:5]
	return group >= "50" && group <= "65" || group >= "70" && group <= "88" || group >= "90" && group <= "92" || group >= "94"
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

// The checks of national identifiers take letters in either case. Each returns false for a value that is too
// short or has a wrong letter.

// weighted is the sum of digits times weights, or -1 when one of them is no digit or there are too few.
func weighted(digits string, weights ...int) int {
	if len(digits) < len(weights) {
		return -1
	}
	sum := 0
	for i, w := range weights {
		if !ascii.IsDigit(digits[i]) {
			return -1
		}
		sum += int(digits[i]-'0') * w
	}
	return sum
}

// weighed returns a check that a modulus divides the sum of as many digits as weights, times these.
func weighed(modulus int, weights ...int) func(v string) bool {
	return func(v string) bool { return len(v) == len(weights) && weighted(v, weights...)%modulus == 0 }
}

// AllSame reports whether all bytes are the same, as in no number that was issued.
func AllSame(v string) bool { return v == "" || strings.Trim(v, v[:1]) == "" }

// varied returns a check that also refuses a number of equal digits.
func varied(holds func(v string) bool) func(v string) bool {
	return func(v string) bool { return !AllSame(v) && holds(v) }
}

// isNIR checks the French number of registration by 97. Corsica's departments 2A and 2B count as 19 and 18.
func isNIR(v string) bool {
	if len(v) != 15 {
		return false
	}
	v = strings.ToUpper(v)
	switch v[5:7] {
	case "2A":
		v = v[:5] + "19" + v[7:]
	case "2B":
		v = v[:5] + "18" + v[7:]
	}
	rest := 0
	for i := range 13 {
		if !ascii.IsDigit(v[i]) {
			return false
		}
		rest = Mod97(rest, v[i])
	}
	return weighted(v[13:], 10, 1) == 97-rest
}

// isFiscalCode checks the last letter of an Italian codice fiscale, in which odd places count otherwise than even ones.
func isFiscalCode(v string) bool {
	odd := [26]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	if len(v) != 16 {
		return false
	}
	v = strings.ToUpper(v)
	sum := 0
	for i := range 15 {
		n := int(v[i] - 'A')
		if ascii.IsDigit(v[i]) {
			n = int(v[i] - '0')
		}
		if n < 0 || n >= 26 {
			return false
		}
		if i%2 == 0 {
			n = odd[n]
		}
		sum += n
	}
	return v[15] == 'A'+byte(sum%26)
}

// isPESEL checks the Polish number: the month, which has the century in it, the day and the last digit.
func isPESEL(v string) bool {
	if len(v) != 11 {
		return false
	}
	month, day := weighted(v[2:], 10, 1)%20, weighted(v[4:], 10, 1)
	sum := weighted(v, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)
	return month >= 1 && month <= 12 && day >= 1 && day <= 31 && sum >= 0 && sum%10 == 0
}

// byEleven is the Brazilian digit of a sum: 11 less its rest by 11, or 0.
func byEleven(sum int) byte {
	if rest := sum % 11; rest >= 2 {
		return '0' + byte(11-rest)
	}
	return '0'
}

// isCPF checks both last digits of the Brazilian number of a person.
func isCPF(v string) bool {
	if len(v) != 11 || AllSame(v) {
		return false
	}
	first, second := weighted(v, 10, 9, 8, 7, 6, 5, 4, 3, 2), weighted(v, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)
	return first >= 0 && second >= 0 && v[9] == byEleven(first) && v[10] == byEleven(second)
}

// isCNPJ checks both last digits of the Brazilian number of a company, whose others may be letters.
func isCNPJ(v string) bool {
	if v = strings.ToUpper(v); len(v) != 14 || AllSame(v) {
		return false
	}
	first, second := 0, 0
	for i := range 13 {
		if !ascii.IsAlnum(v[i]) {
			return false
		}
		n := int(v[i] - '0')
		if i < 12 {
			first += n * ((11-i)%8 + 2)
		}
		second += n * ((12-i)%8 + 2)
	}
	return v[12] == byEleven(first) && v[13] == byEleven(second)
}

// isResidentID checks the last place of a Chinese number, which is X for ten.
func isResidentID(v string) bool {
	if len(v) != 18 {
		return false
	}
	sum := weighted(v, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
	return sum >= 0 && "10X98765432"[sum%11] == strings.ToUpper(v[17:])[0]
}

// isDNI checks the letter of a Spanish document. X, Y and Z, with which the documents of foreigners begin, count as 0, 1 and 2.
func isDNI(v string) bool {
	if len(v) != 9 {
		return false
	}
	v = strings.ToUpper(v)
	if first := v[0]; first >= 'X' && first <= 'Z' {
		v = string('0'+first-'X') + v[1:]
	}
	n := weighted(v, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1)
	return n >= 0 && "TRWAGMYFPDXBNJZSQVHLCKE"[n%23] == v[8]
}

// isTaxID checks the German number: exactly one of the first ten digits occurs twice or three times, and the last is the check
// digit of ISO 7064 MOD 11,10.
func isTaxID(v string) bool {
	if len(v) != 11 || v[0] == '0' || weighted(v, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) < 0 {
		return false
	}
	var seen [10]int
	product := 10
	for i := range 10 {
		n := int(v[i] - '0')
		seen[n]++
		if n = (n + product) % 10; n == 0 {
			n = 10
		}
		product = n * 2 % 11
	}
	several := 0
	for _, n := range seen {
		if n > 1 {
			several++
		}
		if n > 3 {
			return false
		}
	}
	return several == 1 && int(v[10]-'0') == (11-product)%10
}
