package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var ruleJWT = &Label{"jwt", rules.JWT}

var jwtSet = ascii.Set(ascii.TokenBytes + "%")

// jwt finds a JSON Web Token of RFC 7519, of any length: a header and a payload that are JSON in base64, and a signature,
// which may be empty. One that is encrypted has five parts, of which only the header is JSON.
func (s *Scan) jwt(at int) {
	if s.inWord(at) {
		return
	}
	end := s.runEnd(at, jwtSet)
	if header := end - at; header < 12 || s.after(end) != '.' {
		return
	}
	signed := strings.HasPrefix(s.s[end+1:], "ey")
	parts := 1
	for parts < 5 && s.after(end) == '.' {
		next := s.runEnd(end+1, jwtSet)
		if next == end+1 && parts != 2 {
			break // nothing but a signature may be empty
		}
		end = next
		parts++
	}
	if parts < 3 || parts < 5 && !signed {
		return
	}
	for range 2 {
		if s.after(end) == '=' {
			end++
		}
	}
	s.add(ruleJWT, rankProvider, at, end)
}

var ruleJWK = &Label{"json-web-key", rules.PrivateKey}

// jwkPart is a member of a JSON Web Key that is secret, by RFC 7518, in JSON of any depth of strings.
var jwkPart = shape.Compiled(`\\*"(?:d|k|p|q|dp|dq|qi)\\*"\s*:\s*\\*"([A-Za-z0-9_-]{16,})\\*"`)

// maxJWK is the most bytes between the type of a key and its members.
const maxJWK = 1 << 14

// jwk finds the secret members of a JSON Web Key in a text.
func (s *Scan) jwk(at int) {
	if at < s.jwkEnd {
		return // the object was read before
	}
	low := max(s.jwkEnd, at-maxJWK)
	from := low + strings.LastIndexByte(s.s[low:at], '{') + 1
	to := min(len(s.s), at+maxJWK)
	if n := strings.IndexByte(s.s[at:to], '}'); n >= 0 {
		to = at + n
	}
	s.jwkEnd = to
	for _, loc := range jwkPart().FindAllStringSubmatchIndex(s.s[from:to], -1) {
		s.add(ruleJWK, rankChecked, from+loc[2], from+loc[3])
	}
}
