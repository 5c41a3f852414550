package phone

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
)

// check holds that a text is read as libphonenumber reads it.
func check(t *testing.T, text, in string) {
	t.Helper()
	want, err := phonenumbers.Parse(text, in)
	have, ok := Parse(text, in)
	if ok != (err == nil) {
		t.Fatalf("%q in %q: want %v, have %v", text, in, err, have)
	}
	if !ok {
		return
	}
	code, national, extension := int(want.GetCountryCode()), phonenumbers.GetNationalSignificantNumber(want), want.GetExtension()
	if have != (Number{code, national, extension}) {
		t.Fatalf("%q in %q: want %d %s %q, have %v", text, in, code, national, extension, have)
	}
	if want := phonenumbers.IsValidNumber(want); have.Valid() != want {
		t.Errorf("%q in %q is valid: want %t", text, in, want)
	}
	if want := phonenumbers.IsPossibleNumber(want); have.Possible() != want {
		t.Errorf("%q in %q is possible: want %t", text, in, want)
	}
	if want := phonenumbers.Format(want, phonenumbers.E164); have.E164() != want {
		t.Errorf("%q in %q: want %s, have %s", text, in, want, have.E164())
	}
}

// TestExamples reads the examples of each region and kind, as each format writes them, and with a digit changed, more or less.
func TestExamples(t *testing.T) {
	kinds := []phonenumbers.PhoneNumberType{phonenumbers.FIXED_LINE, phonenumbers.MOBILE, phonenumbers.TOLL_FREE, phonenumbers.PREMIUM_RATE,
		phonenumbers.SHARED_COST, phonenumbers.VOIP, phonenumbers.PERSONAL_NUMBER, phonenumbers.PAGER, phonenumbers.UAN, phonenumbers.VOICEMAIL}
	formats := []phonenumbers.PhoneNumberFormat{phonenumbers.E164, phonenumbers.INTERNATIONAL, phonenumbers.NATIONAL, phonenumbers.RFC3966}
	r := rand.New(rand.NewPCG(1, 2))
	all := regionIDs()
	for _, id := range all {
		if testing.Short() && r.IntN(8) > 0 {
			continue
		}
		for _, kind := range kinds {
			n := phonenumbers.GetExampleNumberForType(id, kind)
			if n == nil {
				continue
			}
			for _, format := range formats {
				text := phonenumbers.Format(n, format)
				at := r.IntN(len(text))
				for _, text := range []string{text, text + " ext. 12", text[:at] + text[min(len(text), at+1):], text[:at] + string(rune('0'+r.IntN(10))) + text[at:]} {
					check(t, text, id)
					check(t, text, "")
					check(t, text, all[r.IntN(len(all))])
				}
			}
		}
	}
	for code := range phonenumbers.GetSupportedCallingCodes() {
		if n := phonenumbers.GetExampleNumberForNonGeoEntity(code); n != nil {
			check(t, phonenumbers.Format(n, phonenumbers.E164), "US")
		}
	}
}

func regionIDs() []string { return slices.Sorted(maps.Keys(phonenumbers.GetSupportedRegions())) }

// fragments are what numbers are written with, and what is read in its own way.
var fragments = []string{"+", "＋", "00", "011", "0", "(", ")", " ", "-", ".", "/", "x", "ext", "ext. 5", ";ext=7", ";isub=9", ";phone-context=", ";phone-context=+49",
	"tel:", "example.com", ";", "#", "- 503#", ",,", ",", "*", "~", "１２", "٣", "۴", "५", "ſ", "\u212a", "ı", "FLOWERS", "a", "\\ x", "[", "]", "&&", "\n", "é", "доб", "\xff",
	"1", "2", "3", "44", "49", "39", "54", "9", "15", "55", "7", "800", "555", "0123", "98765", "202-555-0143"}

// TestRandom reads texts of what numbers are written with.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := append(regionIDs(), "", "ZZ", "001", "us")
	texts := 30_000
	if testing.Short() {
		texts /= 8
	}
	for range texts {
		check(t, randomText(r), all[r.IntN(len(all))])
	}
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(9) {
		if r.IntN(2) == 0 {
			b.WriteByte(byte('0' + r.IntN(10)))
			continue
		}
		b.WriteString(fragments[r.IntN(len(fragments))])
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, text := range fragments {
		f.Add("+1 202 555 01"+text, "US")
	}
	f.Fuzz(func(t *testing.T, text, in string) { check(t, text, in) })
}
