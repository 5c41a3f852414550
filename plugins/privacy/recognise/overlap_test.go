package recognise

import (
	"fmt"
	"strings"
	"testing"
)

// TestPartsOfHints holds that nothing stays of a hint, whatever a rule finds in a part of it.
func TestPartsOfHints(t *testing.T) {
	e := New(Options{})
	for _, c := range []struct {
		reason, text string
		hints        []Hint
		want         string
	}{
		{"alone", "call Ann now", []Hint{{5, 8, "PERSON"}}, "[PERSON:Ann]"},
		{"inside of what a rule finds", "call ann@corp.io now", []Hint{{5, 8, "PERSON"}}, "[EMAIL_ADDRESS:ann@corp.io]"},
		{"before it", "call Ann ann@corp.io", []Hint{{5, 20, "PERSON"}}, "[PERSON:Ann EMAIL_ADDRESS:ann@corp.io]"},
		{"around it", "Ann (ann@corp.io) Lee", []Hint{{0, 21, "PERSON"}}, "[PERSON:Ann EMAIL_ADDRESS:ann@corp.io PERSON:Lee]"},
		{"around two", "A ann@corp.io B bob@corp.io C", []Hint{{0, 29, "PERSON"}}, "[PERSON:A EMAIL_ADDRESS:ann@corp.io PERSON:B EMAIL_ADDRESS:bob@corp.io PERSON:C]"},
		{"two that overlap", "Ann Lee Smith", []Hint{{0, 7, "PERSON"}, {4, 13, "ORGANIZATION"}}, "[PERSON:Ann Lee ORGANIZATION:Smith]"},
		{"one in the other", "Ann Lee Smith", []Hint{{0, 13, "PERSON"}, {4, 7, "ORGANIZATION"}}, "[PERSON:Ann Lee Smith]"},
		{"nothing but signs is left", "(ann@corp.io)!", []Hint{{0, 14, "PERSON"}}, "[EMAIL_ADDRESS:ann@corp.io]"},
		{"what a filter wrote", "<PERSON> ann@corp.io", []Hint{{0, 20, "PERSON"}}, "[EMAIL_ADDRESS:ann@corp.io]"},
	} {
		have := []string{}
		for _, m := range NewScan(e).Find(c.text, 0, c.hints) {
			have = append(have, m.Entity+":"+c.text[m.Start:m.End])
		}
		if fmt.Sprint(have) != c.want {
			t.Errorf("%s: want %s, have %v", c.reason, c.want, have)
		}
	}
}

// TestParted holds that nothing stays of a value which another one runs into, or which another recogniser takes a part of.
func TestParted(t *testing.T) {
	s := NewScan(New(Options{Regions: []string{"US", "DE"}}))
	for _, c := range []struct{ reason, text, want string }{
		{"a password with a number behind its comma", "password: hunter2X9!k,219-09-9999", "hunter2X9!k,|219-09-9999"},
		{"a telephone number before a card", "+1 415 555 2671 4111 1111 1111 1111", "+1 415 555|2671 4111 1111 1111|1111"},
		{"one that takes digits of the card", "+49 30 901820 4111 1111 1111 1111", "+49 30 901820|4111 1111 1111 1111"},
		{"the scope behind a key is no part of it", `credential="AKIAIOSFODNN7EXAMPLQ/20151229/us-east-1/s3/aws4_request"`, "AKIAIOSFODNN7EXAMPLQ"},
		{"the rest of a URL is no part of an address of mail", "postgres://app:s3cr3tPw9@db.example.net/x", "app:s3cr3tPw9"},
	} {
		if have := strings.Join(foundIn(s, c.text), "|"); have != c.want {
			t.Errorf("%s: want %q of %q, have %q", c.reason, c.want, c.text, have)
		}
	}
}
