package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleJWT = &Label{"jwt", rules.JWT}

var jwtSet = byteSet(tokenBytes + "%")

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
