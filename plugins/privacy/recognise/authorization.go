package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var (
	ruleBearer = &Label{"bearer", rules.AuthHeader}
	ruleBasic  = &Label{"basic-authorization", rules.AuthHeader}
)

// runEnd returns the end of the bytes of a set from at on. It remembers it, since one run may hold many anchors.
func (s *Scan) runEnd(at int, set *[256]bool) int {
	for i := range s.runs {
		if r := &s.runs[i]; r.set == set && r.start <= at && at < r.end {
			return r.end
		}
	}
	end := ascii.Forward(s.s, at, len(s.s), set)
	s.runs[s.nextRun%len(s.runs)] = run{at, end, set}
	s.nextRun++
	return end
}

type run struct {
	start, end int
	set        *[256]bool
}

var headerSet = ascii.Set(ascii.Bytes("A-Za-z0-9._~+/=-"))

// bearer finds the token of an authorization header.
func (s *Scan) bearer(at int) {
	start := len(s.s) - len(strings.TrimLeft(s.s[at+len("bearer"):], " \t\n"))
	if ascii.IsWord(s.before(at)) || start == at+len("bearer") {
		return
	}
	value := strings.TrimRight(s.s[start:s.runEnd(start, headerSet)], ".")
	if len(value) < 16 || shape.IsPlaceholder(value) || shape.IsNamed(value) && !s.isBearerWord(at, value) {
		return
	}
	if ascii.HasDigit(value) && value[0] != '/' || (s.s[at] == 'B' || s.behindAuthorization(at)) && shape.Entropy(shape.Sample(value)) >= 3 {
		s.add(ruleBearer, rankFormat, start, start+len(value))
	}
}

// isBearerWord reports whether a word without digits and signs may be a token: in a header any, elsewhere one whose letters nearly all
// differ, as those of no word of prose do.
func (s *Scan) isBearerWord(at int, value string) bool {
	if ascii.Forward(value, 0, len(value), letterSet) < len(value) || strings.ToLower(value[1:]) != value[1:] {
		return false
	}
	return shape.Entropy(shape.Sample(value)) > 3.75 || at == 0 && s.class&(rules.SecretKey|rules.VagueKey) != 0 || s.behindAuthorization(at)
}

// behindAuthorization reports whether the name of the header is right before at.
func (s *Scan) behindAuthorization(at int) bool {
	const name = "authorization"
	before := strings.TrimRight(s.s[max(0, at-len(name)-8):at], " \t\"'\\:=")
	return len(before) >= len(name) && strings.EqualFold(before[len(before)-len(name):], name)
}

var basicForm = shape.Compiled(`(?i)^basic[ \t]+([A-Za-z0-9+/]{8,}={0,2})`)

// basic finds user and password of an authorization header, which are in base64.
func (s *Scan) basic(at int) {
	loc := basicForm().FindStringSubmatchIndex(s.s[at:])
	if loc == nil || ascii.IsWord(s.before(at)) {
		return
	}
	value := s.s[at+loc[2] : at+loc[3]]
	if isWholeBase64(value) || s.cueWithin(at, 24, rules.Cues().Basic, false) {
		s.add(ruleBasic, rankFormat, at+loc[2], at+loc[3])
	}
}

// isWholeBase64 reports whether a run in base64 is no word of prose: it is padded, or long and of full groups with digits and capitals.
func isWholeBase64(v string) bool {
	if strings.HasSuffix(v, "=") {
		return true
	}
	return len(v) >= 16 && len(v)%4 == 0 && ascii.HasDigit(v) && v != strings.ToLower(v)
}

var ruleHeader = &Label{"authorization-header", rules.AuthHeader}

// authorization finds the value of a header with any scheme, or none: Authorization: Token value.
func (s *Scan) authorization(at int) {
	if b := s.before(at); ascii.IsWord(b) || b == ':' || b == '.' {
		return
	}
	start := s.spaces(s.pastQuote(at + len("authorization")))
	if s.after(start) != ':' && s.after(start) != '=' {
		return
	}
	start = s.pastQuote(s.spaces(start + 1))
	if strings.EqualFold(s.s[start:min(len(s.s), start+len("digest "))], "digest ") {
		s.digest(start)
		return
	}
	for range 3 { // up to two words
		end := until(s.s, start, controls+ascii.Quotes+",;")
		value := strings.TrimRight(s.s[start:end], "\\.")
		if _, given, ok := strings.Cut(value, "="); ok && given != "" && strings.Trim(given, "=") != "" && shape.IsIdentifier(value[:strings.IndexByte(value, '=')]) {
			start += len(value) - len(given) // token=value
			value = given
		}
		if shape.LooksLikeSecret(value, true) && !shape.IsPlaceholder(value) {
			s.add(ruleHeader, rankContext, start, start+len(value))
			return
		}
		if end == start || !shape.IsNamed(value) && value != "" || s.after(end) != ' ' {
			return
		}
		start = s.spaces(end)
	}
}

// maxDigest is the most bytes of the parameters of a digest.
const maxDigest = 1000

// digest finds what a client answers to a challenge: the response, which is made of the password, and the numbers drawn for it.
func (s *Scan) digest(at int) {
	line := s.s[at:until(s.s[:min(len(s.s), at+maxDigest)], at, "\n")]
	for _, name := range []string{"response", "nonce", "opaque"} { // and cnonce
		for i := 0; ; {
			n := strings.Index(line[i:], name+"=")
			if n < 0 {
				break
			}
			i += n + len(name) + 1
			start := s.pastQuote(at + i)
			end := ascii.Forward(s.s, start, at+len(line)-start, base64Set)
			if text := s.s[start:end]; len(text) >= 8 && ascii.HasDigit(text) && !shape.IsPlaceholder(text) {
				s.add(ruleHeader, rankContext, start, end)
			}
		}
	}
}

var ruleApp = &Label{"facebook-app-token", "ACCESS_TOKEN"}

// appTokenID is the most digits of an app's number at Meta; it may have one less.
const appTokenID = 16

// appToken finds the token of an app at Meta: its number, a bar, and 27 characters or more.
func (s *Scan) appToken(at int) {
	bar := at + appTokenID - 1
	if s.after(bar) != '|' {
		bar++
	}
	if s.after(bar) != '|' || strings.Trim(s.s[at:bar], ascii.DigitBytes) != "" || ascii.IsWord(s.before(at)) {
		return
	}
	end := ascii.Forward(s.s, bar+1, 41, nameSet)
	if n := end - bar - 1; n >= 27 && n <= 40 && shape.LooksRandom(s.s[bar+1:end]) {
		s.add(ruleApp, rankFormat, at, end)
	}
}

var ruleMailgun = &Label{"mailgun-key", "API_KEY"}

// mailgunKey finds a key of Mailgun around a digit: 32 hexadecimal digits, and twice a hyphen and 8 of them.
func (s *Scan) mailgunKey(at int) {
	const first, second, whole = 32, 41, 50
	start := ascii.Back(s.s, at, first, ascii.HexSet)
	if end := start + whole; end <= len(s.s) && s.s[start+first] == '-' && s.s[start+second] == '-' && s.isApart(start, end, '-') {
		if key := s.s[start:end]; strings.Trim(key, ascii.HexDigits+"-") == "" && strings.Count(key, "-") == 2 {
			s.add(ruleMailgun, rankProvider, start, end)
		}
	}
}
