package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var ruleKeyTail = &Label{"pem-private-key", rules.PrivateKey}

// keyEnd is the last line of a private key.
var keyEnd = shape.Compiled(`^-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)

const (
	maxKeyTail  = 1 << 14 // the most bytes of a key before its last line
	leastOfLine = 32      // bytes of each line of a key but the last, which holds what is left
	keyJoints   = " \t\r\n\\\"'+,;#"
)

var keySet = ascii.Set(ascii.Bytes("A-Za-z0-9+/="))

// keyTail finds what is left of a private key whose first line is not there: the lines in base64 before its last one, at at.
func (s *Scan) keyTail(at int) {
	end := at + len(keyEnd().FindString(s.s[at:min(len(s.s), at+80)]))
	if end == at {
		return
	}
	low, start, lines := max(0, at-maxKeyTail), at, 0
	for {
		last := low + len(strings.TrimRight(s.s[low:start], keyJoints))
		first := ascii.Back(s.s, last, last-low, keySet)
		whole := last-first >= leastOfLine
		if first == last || !whole && (lines > 0 || at-start > leastOfLine) || first > 0 && strings.IndexByte(keyJoints, s.s[first-1]) < 0 && first > low {
			break
		}
		if start = first; whole {
			lines++
		}
	}
	if lines > 0 {
		s.add(ruleKeyTail, rankChecked, start, end)
	}
}
