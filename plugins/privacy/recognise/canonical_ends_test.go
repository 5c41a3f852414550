package recognise

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// TestEnds holds that a text with a number in another spelling is never taken for one without it.
func TestEnds(t *testing.T) {
	e := New(Options{Regions: []string{"US", "DE", "GB"}})
	for _, c := range []struct{ reason, entity, value, text string }{
		{"national in place of international", rules.PhoneNumber, "+49 30 901820", "ring 030 901820 now"},
		{"in one piece", rules.PhoneNumber, "+1 (415) 867-5309", "id=14158675309;"},
		{"with an extension behind it", rules.PhoneNumber, "415-867-5309 ext. 12", "ring 4158675309"},
		{"with other digits behind it", rules.PhoneNumber, "415-867-5309", "ring 415.867.5309 12"},
		{"in groups", rules.CreditCard, "4012888888881881", "4012 8888 8888 1881"},
		{"small letters", rules.IBANCode, "GB82WEST12345698765432", "gb82 west 1234 5698 7654 32"},
		{"behind an escape", "US_SSN", "219-09-9999", `row\n219099999`},
	} {
		var ends Ends
		ends.Add(c.entity, c.value)
		var n Numbers
		for _, spelling := range e.Spellings(c.entity, c.value) {
			n.Add(spelling, rulePhone)
		}
		if len(n.Find(c.text)) == 0 || !ends.In(c.text) {
			t.Errorf("%s: want %q found as a copy of %q, have %d and %t", c.reason, c.text, c.value, len(n.Find(c.text)), ends.In(c.text))
		}
		if text := "of 12 rows in 100 tables"; len(n.Find(text)) > 0 || !ends.open && ends.In(text) {
			t.Errorf("%s: want nothing in %q, have something", c.reason, text)
		}
	}
}
