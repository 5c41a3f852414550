package recognise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// values are those of code rather than of a list, in the forms that need no more than a word before them.
var values = []string{
	"203.0.114.9", "10.20.30.40", "2a02:8109:9a80:1a2c:b50c:dc83:84e2:1fb6", "3c:22:fb:4a:9e:01", "3C-22-FB-4A-9E-01",
	"DE89370400440532013000", "GB82 WEST 1234 5698 7654 32", "DE89 3704 0044 0532 0130 00",
	"4111 1111 1111 1111", "4111-1111-1111-1111", "3782 822463 10005", "card 4111111111111111",
	"+1 415 555 2671", "(415) 555-2671", "415-555-2671", "415.555.2671", "+49 30 901820", "+442079460958", "call 020 7946 0958", "phone 415 555 2671",
	"jane.roe@mail-corp.io", "born 1985-04-12", "date of birth: 04/12/1985", "passport number C01X00T47", "passport 533380006",
	"219-09-9999", "ssn 219 09 9999", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
	"password: hunter2X9!k", "api_key=Zk39dkXq0fLmPp27", "postgres://app:s3cr3tPw9@db.example.net/x",
}

// TestNeighbours holds that nothing is missed for what is before and behind it: other numbers, as in a row, a list or a log, and signs.
func TestNeighbours(t *testing.T) {
	s := NewScan(New(Options{Regions: []string{"US", "GB", "DE"}}))
	all := slices.Clone(values)
	for _, r := range slices.Concat(rules.Secrets(), rules.Numbers(), rules.Identifiers()) {
		all = append(all, r.Sample())
	}
	before := []string{"", "12 ", "2024-01-01 ", "10:33:01 ", "12, ", "12,", "12;", "12\t", "12\n", "12|", "12: ", "12 - ", "x, ", "a=", "a: ", "v1.2.3 ", "$5 ", "#3 ", "5) ",
		"1. ", "- ", "* ", "| ", "(", "[", "\"", "'", "`", "<b>", "é ", "日本", "12 12 12 12 12 12 12 12 12 "}
	behind := []string{"", " 12", " 2024-01-01", " 10:33:01", " 203.0.114.9", " 1.5", " 5%", " 12am", " A1", " x2", " +1", " $5", " #1", " (2)", " - 12", " / 12", " | 12", ", 12", ",12", ",123", ". 12",
		"; 12", ";12", "|12", ": 12", "\t12", "\n12", `\n12`, " abc", " a@b.co", ")", "]", ".", "...", "?", "!", ":", "\"", "'", "`", "</b>", " é", "日本",
		" 12 12 12 12 12 12 12 12", " 123456789012345678901234567890123456789012"}
	for n, value := range all {
		alone := slices.Clone(s.Find(value, 0, nil))
		if len(alone) == 0 {
			t.Errorf("want %q found, have nothing", value)
		}
		for i, b := range before {
			for j, a := range behind {
				if !*long && (n+i+j)%3 > 0 {
					continue // beside another value
				}
				text := b + value + a
				found := s.Find(text, 0, nil)
				for _, want := range alone {
					isIn := func(m Match) bool { return m.Start <= len(b)+want.Start && m.End >= len(b)+want.End }
					if !slices.ContainsFunc(found, isIn) {
						t.Errorf("want %q found in %q, have %s", value[want.Start:want.End], text, fmt.Sprint(spans(found)))
					}
				}
			}
		}
	}
}

// TestGlued holds what is found that a sign glues to a word, as in names of files, paths and links, and what is not.
func TestGlued(t *testing.T) {
	s := NewScan(New(Options{Regions: []string{"US"}}))
	for _, c := range []struct{ reason, text, want string }{
		{"an emphasis with one underscore", "it is _219-09-9999_ now", "219-09-9999"},
		{"an address in one", "ip _203.0.114.9_", "203.0.114.9"},
		{"the name of a file", "scan-219-09-9999.pdf", "219-09-9999"},
		{"behind an underscore", "file_219-09-9999.pdf", "219-09-9999"},
		{"a path", "GET https://x.org/users/219-09-9999/edit", "219-09-9999"},
		{"behind a word with a full stop", "SSN no.219-09-9999", "219-09-9999"},
		{"a card in groups", "cc-4111-1111-1111-1111", "4111-1111-1111-1111"},
		{"a card behind its word", "card-4111111111111111", "4111111111111111"},
		{"a link to a chat", "https://wa.me/14155552671?text=hi", "14155552671"},
		{"a telephone number in a path", "tel/+14155552671", "+14155552671"},
		{"an address of mail before an arrow", "jane.roe@mail-corp.io->bob", "jane.roe@mail-corp.io"},
		{"and before hyphens", "-- jane.roe@mail-corp.io--", "jane.roe@mail-corp.io"},
		{"a URL behind a name", "url:https://discord.com/api/webhooks/714092386571409238/q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN1q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN1q7",
			"https://discord.com/api/webhooks/714092386571409238/q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN1q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN1q7"},
		{"a key before the next parameter", "x?token=45ghiukldjahdnhzdauz&", "45ghiukldjahdnhzdauz"},
		{"a name with digits like those of a card", "tag2=cc _value=1 org-4747474747474747", ""},
		{"an order", "ORD-4012888888881881 and order_4012888888881881", ""},
		{"digits in a chain", "550e8400-e29b-123-45-6789-a716 and abc-219-09-9999-x", ""},
		{"a version", "lib_10.20.30.41.so and v-1.2.3.4", ""},
	} {
		if have := strings.Join(foundIn(s, c.text), ""); have != c.want {
			t.Errorf("%s: want %q of %q, have %q", c.reason, c.want, c.text, have)
		}
	}
}
