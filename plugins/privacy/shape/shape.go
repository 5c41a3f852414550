// Package shape judges by the look of a value whether a program generated it, a person chose it, or it is a name.
package shape

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// Sampled is the most bytes of a value that its shape depends on, so that a text of many long values is read once.
const Sampled = 256

func Sample(v string) string { return v[:min(len(v), Sampled)] }

// followers are the letters that often follow each letter in words and names.
var followers = func() (f [26]uint32) {
	for _, row := range strings.Fields(`a:abcdefgiklmnprstuvxy b:abcdefilorsuy c:abcdefghiklmoprstuv d:abcdefgilmoprsuy
		e:abcdefgilmnopqrstuvwxy f:acdefgilmoprstuy g:aeghilnorsuy h:aeiorty i:abcdefglmnoprstvxz j:aeou k:aeinosy
		l:abcdefgilmostuvy m:abeilmopstuy n:acdefgiklnopstuvy o:abcdefgiklmnoprstuvwxy p:acdehilmoprstuy q:u
		r:acdefgiklmnoprstuvy s:abcdehiklmnopqrstuwy t:acdefhilmnoprstuwy u:abcdefgilmnprstx v:aceimops w:aehinors x:aceipst
		y:aemnops z:aeio`) {
		for _, c := range []byte(row[2:]) {
			f[row[0]-'a'] |= 1 << (c - 'a')
		}
	}
	return f
}()

// Oddness returns the share of neighbours in a text that are rare in words and names: letters that do not follow each other, and
// letters next to digits. Words have 0.1 and less, random texts 0.4 and more.
func Oddness(v string) float64 {
	odd := 0.0
	for i := 1; i < len(v); i++ {
		a, b := v[i-1], v[i]
		switch {
		case !ascii.IsAlnum(a) || !ascii.IsAlnum(b) || ascii.IsDigit(a) && ascii.IsDigit(b):
		case ascii.IsDigit(a) || ascii.IsDigit(b):
			odd++
		case !ascii.IsUpper(a) && ascii.IsUpper(b):
			odd += 0.5 // where a word of a name begins
		case followers[a|0x20-'a']>>(b|0x20-'a')&1 == 0:
			odd++
		}
	}
	return odd / float64(max(1, len(v)-1))
}

// LooksRandom reports whether a program drew a value, and no person named it.
func LooksRandom(v string) bool {
	v = Sample(v)
	return Oddness(v) >= 0.2 && Entropy(v) >= 3
}

// Words returns the runs of letters in a name, and whether the rest is only numbers of up to five digits and signs.
func Words(v string) (all []string, plain bool) {
	v = Sample(v)
	plain = true
	short := 0
	for i := 0; i < len(v); {
		start := i
		switch c := v[i]; {
		case ascii.IsDigit(c):
			i = ascii.Forward(v, i, len(v), ascii.DigitSet)
			plain = plain && i-start <= 5
			continue
		case c >= utf8.RuneSelf:
			i = ascii.Forward(v, i, len(v), foreignSet)
		case !ascii.IsAlnum(c):
			i++
			continue
		default:
			for i++; i < len(v) && ascii.IsAlnum(v[i]) && !ascii.IsDigit(v[i]) && (ascii.IsUpper(v[i]) == ascii.IsUpper(v[i-1]) || ascii.IsUpper(v[i-1]) && i-start == 1); i++ {
			}
		}
		word := strings.ToLower(v[start:i])
		if len(word) < 3 {
			short++
		} else if len(word) > 3 && Oddness(word) > 0.34 || len(word) > 18 {
			plain = false
		}
		all = append(all, word)
	}
	return all, plain && short*2 <= len(all)
}

// IsNamed reports whether a value is a name, or words, of which no part looks drawn.
func IsNamed(v string) bool {
	if Oddness(Sample(v)) >= 0.3 {
		return false
	}
	all, plain := Words(v)
	return plain && len(all) > 0
}

// IsUUID reports whether v is 32 hexadecimal digits with hyphens where a UUID has them.
func IsUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		if hyphen := i == 8 || i == 13 || i == 18 || i == 23; hyphen != (v[i] == '-') || !hyphen && !ascii.IsHex(v[i]) {
			return false
		}
	}
	return strings.Trim(v, "0-") != ""
}

// IsPlaceholder reports whether a value is to be filled in or read from somewhere. A random value may hold any word.
func IsPlaceholder(v string) bool {
	low := strings.ToLower(Sample(v))
	data := rules.Words()
	switch {
	case slices.Contains(data.PlaceholderValues, low), IsTemplate(v), isFilled(low), IsType(v):
		return true
	case slices.ContainsFunc(data.PlaceholderPaths, func(p string) bool { return strings.HasPrefix(low, p) }):
		return true
	}
	all, plain := Words(v)
	return plain && Oddness(Sample(v)) < 0.3 && slices.ContainsFunc(all, func(w string) bool { return slices.Contains(data.Placeholders, w) })
}

// IsTemplate reports whether a value is a slot of a template.
func IsTemplate(v string) bool {
	if v == "" || v[0] == '<' && v[len(v)-1] == '>' || v[0] == '%' && (len(v) < 4 || v[len(v)-1] == '%') {
		return true
	}
	if v[0] == '$' && len(v) > 1 && strings.Trim(strings.TrimLeft(v, "$"), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" {
		return true
	}
	return slices.ContainsFunc([]string{"${", "{{", "$(", "#{", "<%", "%("}, func(open string) bool {
		at := strings.Index(Sample(v), open)
		return at == 0 || at > 0 && strings.ContainsAny(Sample(v)[at:], "})>")
	})
}

// isFilled reports whether a value repeats one character, as xxxx-xxxx, or ends in dots for the rest.
func isFilled(low string) bool {
	bare := strings.ReplaceAll(low, "-", "")
	return len(bare) >= 3 && strings.Trim(bare, bare[:1]) == "" || strings.Contains(low, "xxxxxx") && !LooksRandom(low) ||
		strings.HasSuffix(low, "...") || strings.Contains(low, "****")
}

// LooksLikePassword reports whether a value has a digit or sign among letters, and is no path of names or word of prose.
func LooksLikePassword(v string, quoted bool) bool {
	if last := len(v) - 1; last > 1 && ascii.IsQuote(v[0]) && v[0] == v[last] {
		v = v[1:last]
	}
	digit, lower, upper, sign := 0, 0, 0, 0
	head := Sample(v)
	for i := range len(head) {
		switch c := head[i]; {
		case ascii.IsDigit(c):
			digit++
		case ascii.IsUpper(c):
			upper++
		case ascii.IsAlnum(c) || c >= utf8.RuneSelf:
			lower++
		case strings.IndexByte("_.-/:\\", c) < 0:
			sign++
		}
	}
	switch {
	case len(v) < 6, lower+upper == 0, Entropy(head) <= 2.2, isOpening(v, quoted), strings.Contains(head, "://"),
		!quoted && strings.Contains(head, "\\"), digit == 0 && isNegation(v), strings.HasPrefix(head, "0x") && strings.Trim(head[2:], ascii.HexDigits) == "":
		return false
	}
	switch {
	case sign > 0:
		return digit > 0 || lower+upper > 2 && v[len(v)-1] != '*'
	case digit > 1 || digit > 0 && quoted:
		return true
	case digit > 0:
		return upper > 0 && lower > 0 && !IsNamed(v)
	}
	return quoted && Oddness(head) >= 0.4 && !strings.ContainsAny(head, ". /")
}

// isOpening reports whether the first sign of a value begins something else: a pointer, a path, an expression.
func isOpening(v string, quoted bool) bool {
	rest := Sample(v[1:])
	switch v[0] {
	case '!':
		if quoted {
			return false
		}
	case '*', '&':
	case '/':
		if strings.Contains(rest, "/") && !LooksRandom(v) || strings.ContainsAny(rest, "[](){}\\|^") {
			return true
		}
	case '[', '(', '{':
		if strings.ContainsAny(rest, "])}") {
			return true
		}
	default:
		return false
	}
	return IsNamed(rest) || !quoted && IsIdentifier(rest) || !ascii.HasDigit(rest)
}

// isNegation reports whether a value is an exclamation mark before a variable, as in $pass = !$pass.
func isNegation(v string) bool {
	name, ok := strings.CutPrefix(v, "!$")
	return ok && strings.TrimLeft(name, ascii.TokenBytes+".>()") == ""
}

// LooksLikeSecret reports whether a value is a drawn token and no name: long, with letters, digits and enough entropy. A quoted
// value may have more signs and fewer digits.
func LooksLikeSecret(v string, quoted bool) bool {
	digit, letter, sign, dots := 0, 0, 0, 0
	head := Sample(v)
	for i := range len(head) {
		switch c := head[i]; {
		case ascii.IsDigit(c):
			digit++
		case ascii.IsAlnum(c):
			letter++
		case c == '.':
			dots++
		case strings.IndexByte("+/=_-~%|", c) >= 0:
		case c == ':' && (Oddness(head) >= 0.3 || isHexPair(head)):
		case c <= ' ' || c >= 0x7f || strings.IndexByte("(){}<>,;\"'`\\", c) >= 0:
			return false
		default:
			sign++
		}
	}
	switch {
	case IsUUID(v):
		return true
	case len(v) < 6, sign > 0 && !quoted, strings.Contains(head, "://"), dots > 3 && !LooksRandom(v),
		IsNamed(v), IsNamePath(head), versionForm().MatchString(v[max(0, len(v)-24):]):
		return false
	case letter < 2:
		return digit >= 14 && Entropy(head) > 2
	case len(v) < 12:
		return quoted && v[0] != '#' && digit > 0 && dots == 0 && Oddness(head) >= 0.3 && (HasBothCases(head) || digit > 1)
	case len(v) < 16:
		return digit > 0 && Oddness(head) >= 0.2 && (HasBothCases(head) || digit > 1) && Entropy(head) >= 2.8
	case digit >= 2:
		return Entropy(head) >= 3
	}
	return Oddness(head) >= 0.3 && Entropy(head) >= 3.3 && (quoted || len(v) >= 20)
}

// HasBothCases reports whether a value has small letters and capitals, of any script.
func HasBothCases(v string) bool { return strings.ToLower(v) != v && strings.ToUpper(v) != v }

// isHexPair reports whether v is a pair of hexadecimal numbers of eight digits or more, as user and password of a package server.
func isHexPair(v string) bool {
	user, password, _ := strings.Cut(v, ":")
	return len(user) >= 8 && len(password) >= 8 && len(v) <= 40 && strings.Trim(user, ascii.HexDigits) == "" && strings.Trim(password, ascii.HexDigits) == ""
}

// versionForm is the end of a name with its version, such as lib-core-1.2.3.
var versionForm = Compiled(`[a-z][-_@:]v?[0-9]{1,4}(?:\.[0-9]{1,4}){1,3}$`)

// IsNamePath reports whether a value is a path of names in code.
func IsNamePath(v string) bool { return namePath().MatchString(v) }

// namePath is a path of names in code, such as config.secretKey2 or Ed25519PrivateKey.sign.
var namePath = Compiled(`^[A-Za-z_][A-Za-z_]*[0-9]{0,5}[A-Za-z_]*(?:\.[A-Za-z_][A-Za-z_]*[0-9]{0,5}[A-Za-z_]*)+$`)

var foreignSet = ascii.Set(ascii.Bytes("\x80-\xff"))

// IsIdentifier reports whether a value is a name, or a path of names, as programs write them.
func IsIdentifier(v string) bool {
	other := func(r rune) bool { return r >= utf8.RuneSelf || !ascii.IsWord(byte(r)) && r != '.' }
	if dot := strings.LastIndexByte(v, '.'); dot >= 0 && dot+1 < len(v) && strings.Trim(v[dot+1:], ascii.DigitBytes) == "" {
		return false // no name is a number
	}
	return v != "" && !ascii.IsDigit(v[0]) && !strings.ContainsFunc(v, other)
}

// Entropy is Shannon's, in bits per byte.
func Entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum, last, term := 0.0, 0, 0.0
	for _, n := range counts {
		if n == 0 {
			continue
		}
		if n != last { // most bytes are as many as the one before
			p := float64(n) / float64(len(s))
			last, term = n, p*math.Log2(p)
		}
		sum -= term
	}
	return sum
}

// Compiled returns a regular expression that is compiled when it is first used, since every process has this package.
func Compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
