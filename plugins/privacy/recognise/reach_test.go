package recognise

import (
	"strings"
	"testing"
)

// TestBeyondReach holds that a secret is found by the words around it and no longer when more blanks are between them than what reads
// them reaches over, and that any number of blanks is read.
func TestBeyondReach(t *testing.T) {
	const secret = "Tr0ub4dor3xyzQ8mN2pL"
	s := NewScan(New(Options{}))
	found := func(text string) bool {
		all := s.Find(text, 0, nil)
		if len(all) > 1 || len(all) == 1 && text[all[0].Start:all[0].End] != secret {
			t.Errorf("%q: want nothing else than the secret found, have %v", text, all)
		}
		return len(all) > 0
	}
	for _, c := range []struct {
		form string // with _ where blanks may be
		any  bool   // as many as there are
	}{
		{"the password for the site_ is " + secret, false},
		{"log in with kim and_ " + secret, false},
		{"use " + secret + " as_ the token", false},
		{"API key (prod)_ " + secret, true},
		{"credentials:_ kim / " + secret, true},
		{"INSERT INTO t_ (user, password) VALUES_ ('kim', '" + secret + "')", true},
	} {
		for _, between := range []string{"_", " "} { // the words at that place, or all
			was := true
			for n := range 200 {
				blanks := strings.Repeat(" ", n)
				text := strings.ReplaceAll(c.form, "_", blanks)
				if between == " " {
					text = strings.ReplaceAll(strings.ReplaceAll(c.form, "_", ""), " ", blanks+" ")
				}
				is := found(text)
				if n == 0 && !is || is && !was {
					t.Errorf("%s: want it found within reach, and none beyond, have it found %t with %d blanks", c.form, is, n)
				}
				was = is
			}
			if want := c.any && between == "_"; was != want {
				t.Errorf("%s: want it found %t at last, have %t", c.form, want, was)
			}
		}
	}
}
