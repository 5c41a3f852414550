package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var (
	rulePassword = &Label{"password-assignment", rules.Password}
	ruleSecret   = &Label{"secret-assignment", rules.GenericSecret}
	ruleBearer   = &Label{"bearer", rules.AuthHeader}
	ruleBasic    = &Label{"basic-authorization", rules.AuthHeader}
	ruleCurl     = &Label{"curl-user", rules.URLCredentials}
	ruleSeed     = &Label{"seed-phrase", rules.SeedPhrase}
)

var assignmentForm = compiled(
	`(?i)^(?:passw(?:or)?d|pwd|passphrase|(?:secret|token|api[_-]?key|access_?key|private_key|credential)s?)([A-Za-z0-9_-]{0,24}?)` +
		`\\{0,3}["'\x60]?[ \t]{0,3}(?:=>|:=|=|:)[ \t]{0,3}(\\{0,3}["'\x60]?)([^\s"'\x60<>{}()\[\],;\\]{6,200})`)

var passwordSaid = compiled(`(?i)^(?:password|passphrase|passwd|pwd)(?: for [a-z0-9_.@-]{1,40})? is:? (["'\x60]?)([^\s"'\x60<>{}()\[\],;]{6,100})`)

// assignment looks at a word that names a secret for a value behind it.
func (s *Scan) assignment(at int) {
	rest := s.s[at:]
	rest = rest[:min(len(rest), 300)]
	if loc := assignmentForm().FindStringSubmatchIndex(rest); loc != nil {
		s.secretValue(at+loc[6], at+loc[7], s.s[at]|0x20 == 'p' && s.s[at+1]|0x20 != 'r', loc[4] < loc[5])
		return
	}
	if loc := passwordSaid().FindStringSubmatchIndex(rest); loc != nil {
		s.secretValue(at+loc[4], at+loc[5], true, loc[2] < loc[3])
	}
}

// secretValue adds what is said to be a password or another secret, when it looks like one.
func (s *Scan) secretValue(start, end int, isPassword, quoted bool) {
	value := s.s[start:end]
	if !quoted {
		value = strings.TrimRight(value, ".!?")
	}
	name := value // that a variable can have, such as password16
	if n := len(strings.TrimRight(value, "0123456789")); !quoted && n >= len(value)-2 {
		name = value[:n]
	}
	switch {
	case isPlaceholder(value), isPlaceholder(name), value == "", value[0] == '+', s.after(end) == '(':
	case isPassword && looksLikePassword(value, quoted):
		s.add(rulePassword, rankContext, start, start+len(value))
	case !isPassword && looksLikeSecret(value):
		s.add(ruleSecret, rankContext, start, start+len(value))
	}
}

// looksLikePassword tells a password from a word of code or prose: a digit or sign among letters, and no path of names.
func looksLikePassword(v string, quoted bool) bool {
	digit, letter, sign := 0, 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case isDigit(c):
			digit++
		case isAlnum(c) || c >= 0x80:
			letter++
		case c != '_' && c != '.' && c != '-' && c != '/' && c != ':' && c != '\\':
			sign++
		}
	}
	if strings.ContainsAny(v, "\\$") && !quoted || strings.Contains(v, "://") || strings.HasPrefix(v, "*") || strings.HasPrefix(v, "&") || strings.HasPrefix(v, "/") {
		return false
	}
	return len(v) >= 6 && letter > 0 && (digit > 0 && (quoted || digit+sign > 1 || sign > 0) || sign > 0 && letter > 2) && entropy(v) > 2.2
}

// looksLikeSecret tells a random token from a name: long, letters and digits, and enough entropy.
func looksLikeSecret(v string) bool {
	digit, letter := 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case isDigit(c):
			digit++
		case isAlnum(c):
			letter++
		case strings.IndexByte("+/=_-.~%|", c) < 0:
			return false
		}
	}
	return len(v) >= 16 && digit >= 2 && letter >= 2 && entropy(v) >= 3 && strings.Count(v, ".") <= 3 && !strings.Contains(v, "://") && !isUUID(v) && !namePath().MatchString(v)
}

// namePath is a path of names in code, such as config.secretKey2.
var namePath = compiled(`^[A-Za-z_][A-Za-z_]*[0-9]{0,2}(?:\.[A-Za-z_][A-Za-z_]*[0-9]{0,2})+$`)

func isUUID(v string) bool {
	return len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-'
}

// isPlaceholder tells whether a value stands for one that somebody has to fill in, or is read from somewhere.
func isPlaceholder(v string) bool {
	low := strings.ToLower(v)
	words := rules.Words()
	return slices.Contains(words.PlaceholderValues, low) || strings.Trim(v, "*") == "" || strings.HasPrefix(v, "$") && strings.ToUpper(v) == v ||
		slices.ContainsFunc(words.Placeholders, func(p string) bool { return strings.Contains(low, p) })
}

var bearerForm = compiled(`(?i)^bearer[ \t\n]+([A-Za-z0-9._~+/=-]{16,})`)

// bearer finds the token of an authorization header.
func (s *Scan) bearer(at int) {
	if isWordByte(s.before(at)) {
		return
	}
	loc := bearerForm().FindStringSubmatchIndex(s.s[at:])
	if loc == nil || isPlaceholder(s.s[at+loc[2]:at+loc[3]]) {
		return
	}
	value := s.s[at+loc[2] : at+loc[3]]
	trimmed := strings.TrimRight(value, ".")
	if hasDigit(value) && strings.IndexByte(value, '/') != 0 || s.s[at] == 'B' && entropy(value) >= 3 && strings.Count(value, "-") < 2 {
		s.add(ruleBearer, rankFormat, at+loc[2], at+loc[2]+len(trimmed))
	}
}

var userForm = compiled(`^(?:-u|--user)[ =]?[ \t]*\\{0,3}["']?([^\s"':$\\]{0,64}:[^\s"'$\\]{3,64})`)

// curl finds user and password among the arguments of a command.
func (s *Scan) curl(at int) {
	if isWordByte(s.before(at)) {
		return
	}
	line, _, _ := strings.Cut(s.s[at:min(len(s.s), at+400)], "\n")
	for i := len("curl"); i < min(len(line), 206); i++ {
		if strings.HasPrefix(line[i:], "curl ") && !isWordByte(line[i-1]) {
			return // which is looked at by itself
		}
		if line[i] != '-' || !isBlank(line[i-1]) {
			continue
		}
		loc := userForm().FindStringSubmatchIndex(line[i:])
		if loc == nil {
			continue
		}
		start, end := at+i+loc[2], at+i+loc[3]
		if _, secret, _ := strings.Cut(s.s[start:end], ":"); !isPlaceholder(secret) {
			s.add(ruleCurl, rankFormat, start, end)
		}
		return
	}
}

var basicForm = compiled(`(?i)^basic[ \t]+([A-Za-z0-9+/]{8,}={0,2})`)

// basic finds user and password of an authorization header, which are in base64.
func (s *Scan) basic(at int) {
	loc := basicForm().FindStringSubmatchIndex(s.s[at:])
	if loc == nil || isWordByte(s.before(at)) {
		return
	}
	value := s.s[at+loc[2] : at+loc[3]]
	if s.cueWithin(at, 24, rules.Cues().Basic, false) || strings.HasSuffix(value, "=") || len(value) >= 16 && hasDigit(value) && value != strings.ToLower(value) && len(value)%4 == 0 {
		s.add(ruleBasic, rankFormat, at+loc[2], at+loc[3])
	}
}

var seedForm = compiled(`(?i)^(?:phrase|mnemonic)(?: is|:|=){0,2}\s{1,3}["'\x60]?((?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){12})?[a-z]{3,8})\b`)

// seed finds the 12 or 24 words of a wallet after a word for them.
func (s *Scan) seed(at int) {
	loc := seedForm().FindStringSubmatchIndex(s.s[at:min(len(s.s), at+300)])
	if loc != nil && (s.s[at]|0x20 == 'm' || s.cue(at, rules.Cues().Seed)) {
		s.add(ruleSeed, rankContext, at+loc[2], at+loc[3])
	}
}

// keyed finds what the key of the text says is a secret: all of it, or parts of it when it has several.
func (s *Scan) keyed() {
	switch {
	case strings.ContainsAny(s.s, " \n\t"):
		if s.class&rules.SecretKey != 0 {
			s.parts()
		}
	case isPlaceholder(s.s):
	case s.class&rules.PasswordKey != 0 && looksLikePassword(s.s, true):
		s.add(rulePassword, rankContext, 0, len(s.s))
	case s.class&rules.SecretKey != 0 && looksLikeSecret(s.s):
		s.add(ruleSecret, rankContext, 0, len(s.s))
	}
}

// parts looks at what a name and an equals sign stand before, as in a cookie, and at what follows a scheme, as in a header.
func (s *Scan) parts() {
	words := 0
	for at := 0; at < len(s.s); at++ {
		end := at
		for end < len(s.s) && strings.IndexByte(" \n\t,;", s.s[end]) < 0 {
			end++
		}
		if end == at {
			continue
		}
		words++
		start := at
		if name := strings.IndexByte(s.s[at:end], '='); name > 0 && strings.Trim(s.s[at+name:end], "=") != "" {
			start += name + 1
		}
		alone := words == 2 && end == len(s.s)
		if value := s.s[start:end]; (start > at || alone) && looksLikeSecret(value) && !isPlaceholder(value) {
			s.add(ruleSecret, rankContext, start, end)
		}
		at = end
	}
}
