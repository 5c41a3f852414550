package recognise

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// TestKeyTails holds that the lines of a private key go whose first line is not there, and that nothing else does.
func TestKeyTails(t *testing.T) {
	s := NewScan(New(Options{}))
	line := base64Blob[:64]
	const end = "-----END PRIVATE KEY-----"
	for _, c := range []struct {
		reason, before, key string
	}{
		{"two lines", "$ tail -3 key.pem\n", line + "\n" + line + "\n" + end},
		{"a short last line", "$ tail -3 key.pem\n", line + "\n" + line + "\nq7Rk2Zp=\n" + end},
		{"of a kind", "", line + "\n" + strings.Replace(end, "PRIVATE", "RSA PRIVATE", 1)},
		{"lines of Windows", "key:\r\n", line + "\r\n" + line + "\r\n" + end},
		{"lines with a margin", "key:\n    ", line + "\n    " + line + "\n    " + end},
		{"breaks that are text", "out: ", line + `\n` + line + `\nq7Rk=\n` + end},
		{"strings of code", "x = \"", line + "\\n\" +\n    \"" + line + "\\n\" +\n    \"" + end},
		{"one line", "key: ", line + line + end},
		{"no key before it", "and it ends with " + end, ""},
		{"words before it", "the last line of such a file says\nhowever\n" + end, ""},
		{"a certificate", line + "\n-----END CERTIFICATE-----", ""},
		{"a public key", line + "\n-----END PUBLIC KEY-----", ""},
		{"a line of a path", "see /usr/share/doc/openssl/\n" + end, ""},
	} {
		text := c.before + c.key
		found := s.Find(text+" ok", 0, nil)
		if c.key == "" {
			if len(found) > 0 {
				t.Errorf("%s: want nothing in %q, have %v", c.reason, text, spans(found))
			}
		} else if len(found) != 1 || found[0].Entity != rules.PrivateKey || found[0].Start != len(c.before) || found[0].End != len(text) {
			t.Errorf("%s: want the key of %q, have %v", c.reason, text, spans(found))
		}
	}
	if !grows(s, "", line+"\n") || !grows(s, "", end+"\n") || !grows(s, "", line+"\n"+end+"\n") {
		t.Error("want time in proportion to size, have more")
	}
}
