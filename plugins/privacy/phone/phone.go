package phone

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// A Number is a telephone number that was read.
type Number struct {
	Code      int    // of the country
	National  string // the digits behind the code, without what is dialled before them at home
	Extension string
}

const (
	longestText  = 250
	fewestDigits = 2 // of a national number
	mostDigits   = 17
	longestCode  = 3
)

// Parse reads a number. One that does not begin with + is read as in a region, which has two letters.
func Parse(text, in string) (n Number, ok bool) {
	if text == "" || len(text) > longestText {
		return n, false
	}
	if text, ok = strip(text); !ok || !isViable(text) {
		return n, false
	}
	r := regionOf(in)
	if r == nil && !strings.ContainsAny(text, pluses) {
		return n, false
	}
	text, n.Extension = cutExtension(text)
	code, digits, ok := country(text, r)
	if at := strings.IndexAny(text, pluses); !ok && at >= 0 && code == 0 {
		code, digits, ok = country(strings.TrimLeft(text[at:], pluses), r)
		ok = ok && code != 0
	}
	if !ok {
		return n, false
	}
	if code != 0 {
		if home := mainOf(code); home.id != in {
			r = home
		}
	} else if digits = normalized(text); r != nil {
		code = r.code
	}
	if len(digits) < fewestDigits {
		return n, false
	}
	if r != nil {
		inside := r.withoutPrefix(digits)
		if f := r.fit(inside); f != tooShort && f != fitsAtHome && f != fitsNot {
			digits = inside
		}
	}
	if len(digits) < fewestDigits || len(digits) > mostDigits {
		return n, false
	}
	n.Code, n.National = code, plainDigits(digits)
	return n, true
}

// plainDigits returns a national number as the module does, which holds it as an integer and a count of leading zeros: a number with
// digits of a script that normalized leaves is 0.
func plainDigits(digits string) string {
	zeros := 0
	for zeros < len(digits)-1 && digits[zeros] == '0' {
		zeros++
	}
	value, _ := strconv.ParseUint(digits, 10, 64)
	return digits[:zeros] + strconv.FormatUint(value, 10)
}

// Possible reports whether the number has a size that numbers of its country have.
func (n Number) Possible() bool {
	r := mainOf(n.Code)
	if r == nil {
		return false
	}
	f := r.fit(n.National)
	return f == fits || f == fitsAtHome
}

// Valid reports whether the plan of the number's country has it.
func (n Number) Valid() bool {
	all := regions().byCode[n.Code]
	for _, decoded := range all {
		r := decoded()
		if len(all) > 1 && r.begins != "" {
			if expression("^(?:" + r.begins + ")").MatchString(n.National) {
				return r.has(n.National)
			}
		} else if r.has(n.National) {
			return true
		}
	}
	return false
}

// E164 returns the number as it is dialled from anywhere, without its extension.
func (n Number) E164() string { return "+" + strconv.Itoa(n.Code) + n.National }

// strip returns the part of a text that may be a number. It reads the context in which RFC 3966 puts the country behind the number.
func strip(text string) (number string, ok bool) {
	before, context, found := strings.Cut(text, ";phone-context=")
	switch {
	case !found:
		number = possible(text)
	default:
		if context, _, _ = strings.Cut(context, ";"); !contexts().MatchString(context) {
			return "", false
		}
		if before == "" {
			number = possible(text)
			break
		}
		if _, behind, prefixed := strings.Cut(before, "tel:"); prefixed {
			before = behind
		}
		if number = before; context[0] == '+' {
			number = context + before
		}
	}
	if at := strings.Index(number, ";isub="); at > 0 {
		number = number[:at]
	}
	return number, true
}

// possible returns a text from where a number begins to where a second one does.
func possible(text string) string {
	at := strings.IndexFunc(text, func(r rune) bool { return unicode.Is(unicode.Nd, r) || strings.ContainsRune(pluses, r) })
	if at < 0 {
		return ""
	}
	if text = text[at:]; isSimple(text) {
		return text
	}
	for _, end := range ends() {
		if found := end.FindStringIndex(text); found != nil {
			text = text[:found[0]]
		}
	}
	return text
}

// country takes the code of the country off a number, as one that is in the region would dial it, if it has it. The digits are
// those behind the code. It is not ok when the number begins as one from abroad and no code follows; code is -1 when that is because
// too few digits do.
func country(text string, r *region) (code int, digits string, ok bool) {
	if text == "" {
		return 0, "", true
	}
	full := strings.TrimLeft(text, pluses)
	abroad := len(full) < len(text)
	if full = normalized(full); !abroad {
		full, abroad = withoutAbroad(full, r)
	}
	if abroad {
		if len(full) <= fewestDigits {
			return -1, "", false
		}
		code, digits = codeOf(full)
		return code, digits, code != 0
	}
	if r == nil {
		return 0, "", true
	}
	if rest, found := strings.CutPrefix(full, strconv.Itoa(r.code)); found {
		inside := r.withoutPrefix(rest)
		if !r.all.whole(full) && r.all.whole(inside) || r.fit(full) == tooLong {
			return r.code, inside, true
		}
	}
	return 0, "", true
}

// withoutAbroad takes off what a region dials before numbers of others.
func withoutAbroad(digits string, r *region) (rest string, ok bool) {
	if r == nil {
		return digits, false
	}
	found := expression(r.abroad).FindStringIndex(digits)
	if found == nil || found[0] != 0 || strings.HasPrefix(digits[found[1]:], "0") {
		return digits, false
	}
	return digits[found[1]:], true
}

// codeOf takes off the code of a country, which is 0 when there is none.
func codeOf(digits string) (code int, rest string) {
	for size := 1; size <= longestCode && size <= len(digits) && digits[0] != '0'; size++ {
		code, _ = strconv.Atoi(digits[:size])
		if len(regions().byCode[code]) > 0 {
			return code, digits[size:]
		}
	}
	return 0, ""
}

// withoutPrefix takes off what the region dials before its own numbers, unless only the whole is one.
func (r *region) withoutPrefix(digits string) string {
	if digits == "" || r.home == "" {
		return digits
	}
	prefix := expression("^(?:" + r.home + ")")
	found := prefix.FindStringSubmatchIndex(digits)
	if found == nil {
		return digits
	}
	rest := digits[found[1]:]
	if last := len(found) - 2; r.homeRule != "" && found[last] >= 0 {
		rest = prefix.ReplaceAllString(digits, r.homeRule)
	}
	if r.all.whole(digits) && !r.all.whole(rest) {
		return digits
	}
	return rest
}

// normalized returns the digits of a number. When it has three letters or more, each counts as the digit of its key on a telephone.
func normalized(text string) string {
	letters := 0
	for i := range len(text) {
		if (text[i]|0x20)-'a' < 26 {
			letters++
		}
	}
	const keys = "22233344455566677778889999"
	return strings.Map(func(r rune) rune {
		switch up := unicode.ToUpper(r); {
		case r >= '0' && r <= '9':
			return r
		case letters >= 3 && up >= 'A' && up <= 'Z':
			return rune(keys[up-'A'])
		case letters >= 3 || !unicode.IsDigit(r):
			return -1
		}
		for _, zero := range []rune{'٠', '۰', '０'} {
			if r >= zero && r <= zero+9 {
				return '0' + r - zero
			}
		}
		return r
	}, text)
}

const pluses = "+\uFF0B"

// isSimple reports whether a text has only what most numbers have, and neither an extension nor a plus behind the beginning.
func isSimple(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9', c == ' ', c == '-', c == '(', c == ')', c == '.', c == '/', c == '+' && i == 0:
		default:
			return false
		}
	}
	return true
}

// isViable reports whether a text may be a number in any country.
func isViable(text string) bool {
	if !isSimple(text) {
		return len(text) >= fewestDigits && viable().MatchString(text)
	}
	digits := 0
	for i := range len(text) {
		if text[i]-'0' < 10 {
			digits++
		}
	}
	return digits >= 3 || digits == 2 && len(text) == 2
}

// cutExtension parts a number from its extension, if it has one.
func cutExtension(text string) (number, extension string) {
	if isSimple(text) {
		return text, ""
	}
	found := extensions().FindStringSubmatchIndex(text)
	if found == nil || !isViable(text[:found[0]]) {
		return text, ""
	}
	for i := 2; i < len(found); i += 2 {
		if found[i] >= 0 && found[i] < found[i+1] {
			return text[:found[0]], text[found[i]:found[i+1]]
		}
	}
	return text, ""
}

// The expressions that few numbers need.
const (
	digit       = `\p{Nd}`
	punctuation = `-x\x{2010}-\x{2015}\x{2212}\x{30FC}\x{FF0D}-\x{FF0F} \x{A0}\x{AD}\x{200B}\x{2060}\x{3000}()\x{FF08}\x{FF09}\x{FF3B}\x{FF3D}.\[\]/~\x{2053}\x{223C}\x{FF5E}`
	blanks      = `[ \x{A0}\t,]*`
	spaces      = `[ \x{A0}\t]*`
	behindLabel = `[:.\x{FF0E}]?[ \x{A0}\t,-]*`
	extension   = `;ext=(` + digit + `{1,20})` +
		`|` + blanks + `(?:e?xt(?:ensi(?:o\x{0301}?|\x{F3}))?n?|\x{FF45}?\x{FF58}\x{FF54}\x{FF4E}?|доб|anexo)` + behindLabel + `(` + digit + `{1,20})#?` +
		`|` + blanks + `(?:[x\x{FF58}#\x{FF03}~\x{FF5E}]|int|\x{FF49}\x{FF4E}\x{FF54})` + behindLabel + `(` + digit + `{1,9})#?` +
		`|[- ]+(` + digit + `{1,6})#` +
		`|` + spaces + `(?:,{2}|;)` + behindLabel + `(` + digit + `{1,15})#?` +
		`|` + spaces + `,+` + behindLabel + `(` + digit + `{1,9})#?`
)

var (
	extensions = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(?:` + extension + `)$`) })
	viable     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:` + digit + `{2}|[+\x{FF0B}]*(?:[` + punctuation + `*]*` + digit + `){3,}[` + punctuation + `*A-Za-z` + digit + `]*(?:` + extension + `)?)$`)
	})
	contexts = sync.OnceValue(func() *regexp.Regexp {
		const word = `[A-Za-z` + digit + `]+(?:-*[A-Za-z` + digit + `])*`
		return regexp.MustCompile(`^(?:\+[-.()` + digit + `]*` + digit + `[-.()` + digit + `]*|(?:` + word + `\.)*[A-Za-z]+(?:-*[A-Za-z` + digit + `])*\.?)$`)
	})
	// ends match where a number ends. The first is libphonenumber's for what no number ends with, as Go reads it, which knows no && in a
	// set. The second is where another number begins.
	ends = sync.OnceValue(func() []*regexp.Regexp {
		return []*regexp.Regexp{regexp.MustCompile(`(?s).&&[^#]\]+$`), regexp.MustCompile(`[\\/] *x`)}
	})
)
