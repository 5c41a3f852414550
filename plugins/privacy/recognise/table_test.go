package recognise

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/checkdigit"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// TestCardRanges holds every issuer at both ends of its range, in each length, and outside of it.
func TestCardRanges(t *testing.T) {
	e := New(Options{})
	for _, c := range []struct {
		from, to string
		lengths  []int
	}{
		{"4", "4", []int{13, 16, 19}}, {"51", "55", []int{16}}, {"2221", "2720", []int{16}}, {"34", "34", []int{15}}, {"37", "37", []int{15}},
		{"36", "36", []int{14, 16}}, {"38", "39", []int{14, 16}}, {"300", "305", []int{14, 16}}, {"6011", "6011", []int{16}}, {"65", "65", []int{16}},
		{"644", "649", []int{16}}, {"3528", "3589", []int{16}}, {"62", "62", []int{16, 17, 18, 19}},
	} {
		for _, prefix := range []string{c.from, c.to} {
			for n := 12; n <= 20; n++ {
				want := strings.Contains(fmt.Sprint(c.lengths), strconv.Itoa(n))
				if number := withLuhn(prefix, n); checkdigit.IsCard(e.Issuers, number) != want {
					t.Errorf("%s, %d digits: want a card: %t, have %t", prefix, n, want, !want)
				}
			}
		}
	}
	for _, prefix := range []string{"1", "50", "56", "2220", "2721", "33", "35270", "359", "306", "310", "6012", "643", "66", "61", "7", "9"} {
		if checkdigit.IsCard(e.Issuers, withLuhn(prefix, 16)) {
			t.Errorf("%s: want no card of any issuer, have one", prefix)
		}
	}
}

// withLuhn makes a number of n digits that Luhn's check accepts.
func withLuhn(prefix string, n int) string {
	number := prefix + strings.Repeat("1", n-1-len(prefix))
	for check := range 10 {
		if checkdigit.Luhn(number + strconv.Itoa(check)) {
			return number + strconv.Itoa(check)
		}
	}
	panic("no digit fits")
}

// TestCardGroups holds every way in which cards are written.
func TestCardGroups(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range []struct{ reason, number, groups string }{
		{"fours and a three", withLuhn("4", 19), "44443"}, {"fours", withLuhn("4", 16), "4444"},
		{"American Express", withLuhn("37", 15), "465"}, {"Diners Club", withLuhn("36", 14), "464"},
	} {
		for _, separator := range []string{" ", "-"} {
			var groups []string
			rest := c.number
			for _, n := range c.groups {
				groups, rest = append(groups, rest[:n-'0']), rest[n-'0':]
			}
			text := "x " + strings.Join(groups, separator) + " y"
			if found := s.Find(text, 0, nil); len(found) != 1 || found[0].Entity != rules.CreditCard || found[0].End != len(text)-2 {
				t.Errorf("%s: want a card in %q, have %v", c.reason, text, spans(found))
			}
		}
	}
}

// TestIBANSizes holds the length of every country, and that one more or less is none.
func TestIBANSizes(t *testing.T) {
	s := NewScan(New(Options{}))
	for country, size := range rules.Tables().IBANSizes {
		for n := size - 1; n <= size+1; n++ {
			text := "pay " + withMod97(country, n) + " now"
			found := s.Find(text, 0, nil)
			isIBAN := len(found) == 1 && found[0].Entity == rules.IBANCode
			if isIBAN != (n == size) {
				t.Errorf("%s: want an IBAN %t of %d, have %v in %q", country, n == size, n, spans(found), text)
			}
		}
	}
}

// withMod97 makes an IBAN of n characters.
func withMod97(country string, n int) string {
	body := strings.Repeat("A7", n)[:n-4]
	for check := 2; ; check++ {
		if whole := fmt.Sprintf("%s%02d%s", country, check, body); checkdigit.ByName["mod97"].Holds(whole) {
			return whole
		}
	}
}

// TestCues holds that every word does what it is for, and that without it nothing, or with a version everything, is found.
func TestCues(t *testing.T) {
	s := NewScan(New(Options{Regions: []string{"US"}}))
	cues := rules.Cues()
	for _, c := range []struct {
		entity string
		words  []string
		value  string
		found  bool // with the word
	}{
		{rules.UKNINO, cues.NINO, "AB 12 34 56 C", true},
		{rules.DateOfBirth, rules.Dates().Birth, "1990-01-02", true},
		{rules.CreditCard, cues.Card, withLuhn("4", 13), true},
		{rules.IPAddress, cues.Host, "10.1.2.3", true},
		{rules.IPAddress, cues.Version, "10.0.190.41", false},
		{rules.PhoneNumber, cues.Phone, "4155550199", true},
		{rules.GeoCoordinates, cues.Place, "37.77, 12.34", true},
		{rules.SocialHandle, cues.Handle, "@alice_smith", true},
		{rules.SeedPhrase, cues.Seed, "phrase: " + strings.Repeat("abandon ", 11) + "about", true},
		{rules.AuthHeader, cues.Basic, "basic QWxhZGRpbg", true},
		{rules.CryptoWallet, cues.Ethereum, "0x52908400098527886E0F7030069857D2E4169EE7", true},
		{rules.PrivateKey, cues.HexKey, "0x" + strings.Repeat("3fa9c07e1b5d82f4", 4), true},
	} {
		if len(c.words) == 0 {
			t.Errorf("%s: want words, have none", c.entity)
		}
		for _, word := range append(c.words, "zebra") {
			have := false
			for _, m := range s.Find("so "+word+" "+c.value+" ok", 0, nil) {
				have = have || m.Entity == c.entity
			}
			if want := c.found == (word != "zebra"); have != want {
				t.Errorf("%s behind %q: want it found %t, have %t", c.value, word, want, have)
			}
		}
	}
}

// TestPrecision holds that only decimals as fine as a place's are one without a word for it.
func TestPrecision(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range []struct {
		reason, text string
		found        bool
	}{
		{"four decimals", "at 37.7749, 12.4194 now", true},
		{"three", "at 37.774, 12.419 now", false},
		{"three in one of them", "at 37.774, 12.4194 now", false},
		{"out of range", "at 97.7749, 112.4194 now", false},
	} {
		if found := s.Find(c.text, 0, nil); len(found) > 0 != c.found {
			t.Errorf("%s: want a place %t, have %v", c.reason, c.found, spans(found))
		}
	}
}
