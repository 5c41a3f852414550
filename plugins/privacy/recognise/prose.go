package recognise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

const (
	reachOfProse = 96 // the most bytes between a name and its value in prose
	proseWords   = 9  // the most words
)

// proseStart returns the start of a value in prose, as in: the password for the site is x. It is -1 for none.
func (s *Scan) proseStart(n *name) int {
	at := n.end
	for _, short := range []string{"'s ", "’s "} {
		if strings.HasPrefix(s.s[at:], short) {
			return s.spaces(at + len(short))
		}
	}
	if s.after(at) == ',' && s.after(at+1) == ' ' { // the password, as agreed: x
		n.said = true
		return s.behindWords(n, at+2)
	}
	if at = s.spaces(at); at == n.end && s.after(at) < utf8.RuneSelf {
		return -1
	}
	if c := s.after(at); (c == '"' || c == '\'') && at > n.end && n.end-n.start >= len("secret") {
		return at // IDENTIFIED BY PASSWORD 'x', or the password "x"
	}
	for _, word := range rules.Names().Said {
		if r, _ := utf8.DecodeRuneInString(word); r >= noSpaces && !unicode.Is(unicode.Latin, r) && strings.HasPrefix(s.s[at:], word) {
			return s.spaces(at + len(word))
		}
	}
	if at == n.end || strings.EqualFold(s.s[n.start:n.end], "pass") && !strings.HasPrefix(s.s[at:], "is ") && !s.behindUser(n.start) {
		return -1 // to pass something on
	}
	if s.after(at) == '(' { // API key (prod): x
		end := until(s.s[:min(len(s.s), at+40)], at, ")\n")
		if s.after(end) != ')' {
			return -1
		}
		if at = end + 1; s.after(at) == ':' || s.after(at) == '=' {
			return s.spaces(at + 1)
		}
		at = s.spaces(at)
	}
	return s.behindWords(n, at)
}

// behindUser reports whether the name of a user is before at, as in: user admin pass x.
func (s *Scan) behindUser(at int) bool {
	at, name := s.wordBefore(at)
	_, word := s.wordBefore(at)
	return name != "" && slices.Contains([]string{"user", "username", "login", "account", "user:", "username:", "login:"}, strings.ToLower(word))
}

// behindWords returns the start of the value behind words that say what a name is, or at itself for a value without such words.
// Behind words that it does not know, the value has to look drawn or chosen.
func (s *Scan) behindWords(n *name, at int) int {
	names, limit := rules.Names(), min(len(s.s), at+reachOfProse)
	said, joined, changed, to := false, false, false, false
	for words := range proseWords {
		if at >= limit {
			return -1
		}
		end := until(s.s[:limit], at, controls)
		word, colon := strings.CutSuffix(s.s[at:end], ":")
		if word == "" && !colon {
			return -1
		}
		low := strings.ToLower(word)
		switch {
		case slices.Contains(names.Said, low), changed && (low == "to" || low == "auf"):
			said, changed = true, false
		case slices.Contains(names.Fillers, low):
			changed, said = true, said || colon
		case said:
			return at
		case slices.Contains(dashes, word):
			n.said, n.dashed = true, words == 0
			return s.spaces(end)
		case colon && (joined || word == ""), low == "=":
			return s.spaces(end)
		case words == 0 && slices.Contains(names.Joins, low):
			joined = true
		case (words == 0 && !n.said || to || words == 1 && joined) && s.isChosenAt(*n, at): // the password x; changed the password to x
			n.said = true
			return at
		case strings.HasSuffix(word, ".") || strings.HasSuffix(word, ";"):
			return -1
		default:
			n.said = n.said || !joined
			said = colon
		}
		if said && colon {
			return s.spaces(end)
		}
		to, at = low == "to", s.spaces(end)
	}
	return -1
}

// isChosenAt reports whether the value of a name at at looks drawn or chosen.
func (s *Scan) isChosenAt(n name, at int) bool {
	v := s.valueAt(n, at)
	return looksChosen(s.s[v.start:v.end], 0)
}

// dashes are signs between a name and its value that may be between other words too.
var dashes = []string{"-", "–", "—", "→", "->", "=>"}

// looksChosen reports whether a value in prose is no word, version, number or code, so that a name next to it is enough.
func looksChosen(v string, class rules.Class) bool {
	head := shape.Sample(v)
	switch {
	case len(v) < 8, !ascii.HasDigit(head), strings.Trim(head, ascii.DigitBytes+"-.,/:_()$%") == "", packageVersion().MatchString(head),
		shape.IsPlaceholder(v), strings.HasPrefix(head, "//"), strings.Contains(head, "://"):
		return false
	case shape.IsUUID(v):
		return class&rules.SecretKey != 0
	case shape.LooksLikeSecret(v, false) && shape.LooksRandom(v) && len(v) >= 16:
		return true
	case chosenForm().MatchString(v):
		return class&rules.SecretKey == 0
	case strings.ContainsAny(head, "(){}[]<>\\\"'`;|,"):
		return false
	}
	if !shape.LooksLikePassword(v, false) {
		return false
	}
	bare := strings.TrimRight(head, "!?.")
	if strings.ContainsAny(bare, "!@#$%^&*+?~") && !strings.Contains(bare, "=") && !strings.HasPrefix(head, "--") {
		return true
	}
	return !strings.ContainsAny(bare, "-./:") && shape.HasBothCases(bare) && shape.Oddness(bare) >= 0.3 && !shape.IsNamePath(bare)
}

// packageVersion is the version of a package, whose epoch may be before it.
var packageVersion = shape.Compiled(`^(?:[0-9]+:)?v?[0-9]+\.[0-9]+[.+~0-9a-z-]*$`)

// chosenForm is a word or two with a sign and a number, as people choose passwords.
var chosenForm = shape.Compiled(`^(?:[A-Z][a-z]{3,}[.!@#_-][0-9]{2,4}|[a-z]{3,}[-_.][a-z]{3,}[-_.][0-9]{2,4})$`)

// beforeName finds a value before its name, as in: use x as the password, or: x (API key).
func (s *Scan) beforeName(n name, class rules.Class) {
	if class&(rules.PasswordKey|rules.SecretKey) == 0 {
		return
	}
	at, limit := n.start, max(0, n.start-reachOfProse)
	if s.before(at) == '(' {
		s.valueBefore(at-1, class, class&rules.PasswordKey == 0 || s.after(n.end) != ')')
		return
	}
	names := rules.Names()
	for range 5 {
		begins := at
		var word string
		if at, word = s.wordBefore(at); at <= limit && at > 0 || word == "" {
			return
		}
		switch word = strings.ToLower(word); {
		case slices.Contains(names.As, word), slices.Contains(backDashes, word):
			s.valueBefore(s.behindPronoun(at), class, !slices.Contains(names.As, word))
			return
		case strings.HasSuffix(word, "'s") && slices.Contains(pronouns, word): // that's the password
			s.valueBefore(s.behindPronoun(begins), class, true)
			return
		case len(word) > 12, slices.Contains(names.Joins, word):
			return
		}
	}
}

// pronouns refer to a value that was just said, and backDashes are the signs between it and its name.
var (
	pronouns   = []string{"that's", "this", "that", "it's", "it", "which", "here's", "das", "esa", "esta", "quella", "cela"}
	backDashes = []string{"-", "–", "—", "<-", "←", "<--", "#", "//", "="}
)

// behindPronoun returns at, or where a pronoun before it and the sign before that begin.
func (s *Scan) behindPronoun(at int) int {
	for _, words := range [][]string{pronouns, backDashes} {
		if start, word := s.wordBefore(at); slices.Contains(words, strings.ToLower(word)) {
			at = start
		}
	}
	return at
}

// valueBefore adds the word before at when it looks drawn or chosen. With drawn nothing says that it is the value.
func (s *Scan) valueBefore(at int, class rules.Class, drawn bool) {
	from, word := s.wordBefore(at)
	text := strings.TrimLeft(word, ascii.Quotes)
	from += len(word) - len(text)
	text = strings.TrimRight(strings.TrimRight(text, ",;:"), ascii.Quotes+",;:")
	if looksChosen(text, class) && (!drawn || len(text) >= 16 && shape.LooksRandom(text)) {
		s.addSecret(class, from, from+len(text))
	}
}

// wordBefore returns the word before the blanks that precede at, and its place. It is "" without blanks.
func (s *Scan) wordBefore(at int) (from int, word string) {
	end := ascii.Back(s.s, at, 8, ascii.SpaceSet)
	if end == at {
		return at, ""
	}
	from = ascii.Back(s.s, end, reachOfProse, noBlankSet)
	return from, s.s[from:end]
}

var noBlankSet = func() *[256]bool {
	set := ascii.Set(ascii.Bytes("!-~\x80-\xff"))
	return set
}()

// addSecret adds a value by the class of its name.
func (s *Scan) addSecret(class rules.Class, start, end int) {
	if class&rules.PasswordKey != 0 {
		s.add(rulePassword, rankContext, start, end)
	} else {
		s.add(ruleSecret, rankContext, start, end)
	}
}

// pairedWith adds the password behind a user, as in: login: kim / x, or credentials: kim:x. It reports whether there is one.
func (s *Scan) pairedWith(n name, class rules.Class, at int) bool {
	if !s.isOfPair(n, class) {
		return false
	}
	end := ascii.Forward(s.s, at, maxName, userSet)
	if end == at || end == len(s.s) {
		return false
	}
	user := s.s[at:end]
	rest := s.s[end:]
	for _, sign := range []string{" / ", ":", "/", " | ", " and ", ", ", " with "} {
		if !strings.HasPrefix(rest, sign) {
			continue
		}
		start := end + len(sign)
		v := s.valueAt(name{start: n.start, end: n.end, loose: true}, start)
		text := s.s[v.start:v.end]
		if len(text) < 6 || shape.IsPlaceholder(text) || shape.LooksRandom(user) && len(user) > 20 || len(user) == 1 || strings.HasPrefix(text, "/") ||
			!shape.LooksLikePassword(text, v.quoted || v.line) || isWordy(text) || strings.ContainsAny(text, "()") {
			return false
		}
		s.add(rulePassword, rankContext, v.start, v.end)
		return true
	}
	return false
}

var userSet = ascii.Set(ascii.Bytes("A-Za-z0-9_.@+-"))

// isOfPair reports whether a name is one of user and password together.
func (s *Scan) isOfPair(n name, class rules.Class) bool {
	low := strings.ToLower(s.s[n.start:n.end])
	if class&rules.PasswordKey != 0 {
		if c := s.before(n.start); c != '/' && c != '+' && c != ':' {
			return false
		}
		before := strings.ToLower(s.s[max(0, n.start-12):n.start])
		return strings.HasSuffix(before[:len(before)-1], "user") || strings.HasSuffix(before[:len(before)-1], "username") ||
			strings.HasSuffix(before[:len(before)-1], "login") || strings.HasSuffix(before[:len(before)-1], "email")
	}
	return strings.HasSuffix(low, "login") || strings.HasSuffix(low, "logins") || strings.HasSuffix(low, "creds") || strings.HasSuffix(low, "credentials")
}

// addSignIns adds what precedes a user and a password in prose.
func (e *Engine) addSignIns() {
	for _, words := range []string{"log in ", "login ", "sign in ", "logged in ", "log into "} {
		e.add(prefilter.Anchor{Text: words, Fold: true}, handler{try: func(s *Scan, at int) { s.signIn(at + len(words)) }})
	}
}

// between are the words between a user and a password.
var between = []string{"and", "with", "/", "|", "using", "password", "pw", "pass"}

// signIn finds the password behind a user: log in with kim and x.
func (s *Scan) signIn(at int) {
	last, limit := "", min(len(s.s), at+reachOfProse)
	with := false
	for range 8 {
		if at >= limit {
			return
		}
		end := until(s.s[:limit], at, controls)
		word := s.s[at:end]
		if with = with || word == "with" || word == "as" || word == "using"; !with {
			last = ""
		}
		if slices.Contains(between, last) || strings.HasSuffix(last, "/") {
			v := s.valueAt(name{start: at, end: at, loose: true}, at)
			if text := s.s[v.start:v.end]; looksChosen(text, rules.PasswordKey) {
				s.add(rulePassword, rankContext, v.start, v.end)
				return
			}
		}
		if end == at || s.after(end) != ' ' {
			return
		}
		last, at = strings.ToLower(word), end+1
	}
}

// behindMail finds the password behind the address of a user: kim@mail.example / x. at is the sign of the address.
func (s *Scan) behindMail(at int) {
	end := ascii.Forward(s.s, at+1, maxName, userSet)
	for _, sign := range []string{" / ", " | ", "/", ":"} {
		if !strings.HasPrefix(s.s[end:], sign) || end == at+1 || !ascii.IsAlnum(s.before(at)) {
			continue
		}
		start := end + len(sign)
		v := s.valueAt(name{start: start, end: start, loose: true}, start)
		text := s.s[v.start:v.end]
		if looksChosen(text, rules.PasswordKey) && !strings.Contains(text, "/") && (sign[0] == ' ' || strings.IndexByte(s.s[at:end], '.') > 0) {
			s.add(rulePassword, rankContext, v.start, v.end)
		}
		return
	}
}
