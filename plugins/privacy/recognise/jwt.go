package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleJWT = &Label{"jwt", rules.JWT}

var jwtSet = byteSet(tokenBytes + "%")

// jwt finds a JSON Web Token of RFC 7519, of any length: a header, a payload and, unless there is no signature, one or
// three parts more. Encrypted ones have a header that names what they are encrypted with.
func (s *Scan) jwt(at int) {
	if isWordByte(s.before(at)) {
		return
	}
	end := s.runEnd(at, jwtSet)
	parts := 1
	for parts < 5 && s.after(end) == '.' {
		next := s.runEnd(end+1, jwtSet)
		if size := next - end - 1; size == 0 && parts == 1 || parts == 1 && (size < 8 || !strings.HasPrefix(s.s[end+1:], "ey")) && next < len(s.s) && s.s[next] != '.' {
			break
		} else if size == 0 && parts != 2 {
			break
		}
		end = next
		parts++
	}
	if parts < 3 || strings.IndexByte(s.s[at:end], '.') < 12 {
		return
	}
	for range 2 {
		if s.after(end) == '=' {
			end++
		}
	}
	s.add(ruleJWT, rankProvider, at, end)
}
