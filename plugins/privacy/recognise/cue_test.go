package recognise

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWatched holds that no cue escapes the look at the cues of all sets, whatever its case and wherever the numbers are.
func TestWatched(t *testing.T) {
	r, found := rand.New(rand.NewPCG(1, 2)), 0
	words := strings.Split("phone Phone TELEFON tel. Tel( cel call Kall ﬀ 電話 Телефон ТЕЛЕФОН 身份证 né İban iban IBAN x ssn SSN: nhs number tax id passport é  12 345 - \n a z", " ")
	texts := 25_000
	if *long {
		texts = 100_000
	}
	for range texts {
		var text strings.Builder
		for range 1 + r.IntN(6) {
			text.WriteString(words[r.IntN(len(words))] + []string{" ", "", ":", "1", "é"}[r.IntN(5)])
		}
		s := NewScan(fuzzEngine)
		s.begin(text.String(), 0)
		for at := 0; at <= len(s.s); at += 1 + r.IntN(8) {
			if at < len(s.s) && !utf8.RuneStart(s.s[at]) {
				continue
			}
			for _, f := range fuzzEngine.numbers {
				if f.cues == nil || !f.cues.in(s.lead(at, reachOfNumber)) {
					continue
				}
				if found++; !s.beforeNumber.mayHold(s.watched, s.s, at, reachOfNumber) {
					t.Fatalf("%s before %d of %q: want it seen", f.Name, at, s.s)
				}
			}
			if s.dialing.before.in(s.lead(at, reachOfPhone)) && !s.beforePhone.mayHold(s.dialing.watched, s.s, at, reachOfPhone) {
				t.Fatalf("a word for a telephone before %d of %q: want it seen", at, s.s)
			}
		}
	}
	if found < 1000 {
		t.Fatalf("want many cues, have %d", found)
	}
}
