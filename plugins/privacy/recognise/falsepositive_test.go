package recognise

import (
	"testing"
)

// TestOnlyLooksSo holds that what only looks personal or secret is not found, and that similar findings are.
func TestOnlyLooksSo(t *testing.T) {
	s := NewScan(New(Options{Regions: []string{"US", "GB"}}))
	for _, c := range []struct {
		reason, text string
		want         int
	}{
		{"algorithms behind a prefix of keys", "sk-ecdsa-sha2-nistp256 sk-ssh-ed25519-cert-v01 sk-loading-spinner-container-2 sk-toggleable__content", 0},
		{"a name behind a provider's prefix", "hf_requiredCharacteristicTypesForDisplayMetadata and 2018-250/xoxo-indieweb-1.jpg", 0},
		{"a file's name with its hash", "video_box.ico-7a388b69018576d24b59331fd60aab0c.png", 0},
		{"a token in a blob", "AAAA" + base64Blob + base64Blob + "/EAAC" + base64Blob + base64Blob, 0},
		{"a key without a body", `x = b"-----BEGIN OPENSSH PRIVATE KEY-----"; y = b"-----END OPENSSH PRIVATE KEY-----"`, 0},
		{"keys that are to be filled in", "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----\n<key>\n-----END PRIVATE KEY-----\n" +
			"-----BEGIN PRIVATE KEY-----\nYOUR_KEY_HERE\n-----END PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----\nkey\n-----END PRIVATE KEY-----\n" +
			"-----BEGIN PRIVATE KEY-----\nyour key here\n-----END PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----\n\n-----END PRIVATE KEY-----", 0},
		{"a short key between its lines", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", 1},
		{"a short key in a string of code", `"-----BEGIN PRIVATE KEY-----\n3kV9+q7R\n-----END PRIVATE KEY-----\n"`, 1},
		{"words behind a bearer", "bearer certificates of authority, Bearer responsibilities, Bearer authentication/authorization, the Bearer misunderstandings", 0},
		{"a bearer's value to be filled in", "Authorization: Bearer your-access-token-here, Authorization: Bearer YOUR_ACCESS_TOKEN", 0},
		{"a token of small letters", "Bearer abcdefghijklmnop and Authorization: Bearer correcthorsebatterystaple and \"authorization\": \"bearer correcthorsebatterystaple\"", 3},
		{"numbers of equal digits", "ssn 000-00-0000, SSN: 111-11-1111", 0},
		{"numbers that nobody has, behind the word", "my SSN is 123-45-6789, ssn 123456789, social security 000 12 3456, ssn 666-12-3456", 4},
		{"an array of decimals", "geometric_mean([4.0, 9.0]); Vec2D(0.0, 0.0); map(Decimal, '1.0 3.5 7.25')", 0},
		{"a matrix", "0.9239 -0.3827 0.1200 10.5000\n0.3827 0.9239 12.3000 0.1000\n", 0},
		{"the result of a calculation", "(12.1824939607035, 12.1824939607035)", 0},
		{"a rotation of nothing", `<a:rot lat="0" lon="0" rev="0"/>`, 0},
		{"an object identifier", `ObjectIdentifier("1.3.101.112") oid 2.5.29.45`, 0},
		{"versions", "deps: patch V8 to 6.5.254.38; upgrade to 9.4.146.24", 0},
		{"an algorithm of SSH", "kex-strict-c-v00@openssh.com,zlib@openssh.com", 0},
		{"a constant of physics", "call 1.239 841 9739 e-26 and Decimal('+35236450.6')", 0},
		{"a dump in hexadecimal digits", "07:c6:cb:a8:ee:89:c0:6f", 0},
		{"names of decorators and constants", "hey @unittest.skipUnless and @ATTRIBUTE, see <password>@proxy-host", 0},
		{"seconds since 1970 behind a verb", "call at 1748071612 and text 1600000000", 0},
		{"numbers of sections", "// 31.7.8.1: Vector Loads, see 15.5.4.11", 0},
		{"decimals behind a word that is no place", "pos 64.9708, 78.9667 pos=(64.9708, 78.9667) translate(64.9708, 78.9667) mean: 12.3456, 78.9667", 0},
		{"digits behind a word for an id", "request_id=4012888888881881 order #4012888888881881 trace 4012888888881881", 0},
		{"a name with a number behind its words", "passport strategy 20240512, births 1.2", 0},
		{"a negation", "$pass = !$pass", 0},
		{"a list in code", `passwords := []string{"WRONG"}; tokens = (tokenize(input1), 2)`, 0},
		{"thousands", "1,415,555,267 and +14,155,552,671 and 4,012,888,888,881,881", 0},
		{"arguments behind a verb", "call f(1234567, 2345678) and call 1234567, 2345678", 0},
		{"a telephone number that no plan has, before a date", "+0 123 456 789 2024-01-01", 0},
		{"the same digits without a word", "pay 4012888888881881", 1},
		{"a private address before a message", "10.1.2.3: Connection refused", 1},
		{"a place", "at 37.7749, -122.4194 now", 1},
		{"a handle with a hyphen, as a whole", "Thanks @Dean-Coakley", 1},
		{"an address behind a word for a host", "connect to 10.1.2.3", 1},
		{"a key that only its prefix tells", "sk-ant-api03-abcdefghijklmnop", 1},
		{"a token behind an escape, a colour and a percent sign", `\nghp_` + drawnToken + ` %3Dghp_` + drawnToken + " \x1b[93mghp_" + drawnToken, 3},
	} {
		if found := s.Find(c.text, 0, nil); len(found) != c.want {
			t.Errorf("%s: want %d in %q, have %v", c.reason, c.want, c.text, spans(found))
		}
	}
}

const base64Blob = "mWc4TbY8nVf3LsH6dJg5QaNq7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaNq7Rk2ZpX9"

// TestReserved holds what stays when what standards keep for documents and tests is to stay, and what goes.
func TestReserved(t *testing.T) {
	all, kept := NewScan(New(Options{Regions: []string{"US"}})), NewScan(New(Options{Regions: []string{"US"}, KeepReserved: true}))
	for _, c := range []struct {
		reason, text string
		stays        bool
	}{
		{"a domain of documents", "a@example.com", true},
		{"below one", "a@mail.example.org", true},
		{"a domain of tests", "a@host.test", true},
		{"one that only ends so", "a@myexample.com", false},
		{"an address of documents", "from 203.0.113.9", true},
		{"a private address", "from 192.168.7.70", true},
		{"one of version 6", "from 2001:db8::8a2e:370:7334", true},
		{"anybody's", "from 93.184.216.34", false},
		{"a 555 number", "call 415-555-0199", true},
		{"a number for drama", "call +44 20 7946 0958", true},
		{"somebody's", "call 415-867-5309", false},
	} {
		if len(all.Find(c.text, 0, nil)) != 1 {
			t.Errorf("%s: want it found in %q otherwise, have %v", c.reason, c.text, spans(all.Find(c.text, 0, nil)))
		}
		if found := kept.Find(c.text, 0, nil); len(found) == 0 != c.stays {
			t.Errorf("%s: want it to stay %t in %q, have %v", c.reason, c.stays, c.text, spans(found))
		}
	}
}
