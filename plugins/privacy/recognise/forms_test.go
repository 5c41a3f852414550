package recognise

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// drawValues returns values of the kinds that people and programs draw for secrets, four of each kind that fits.
func drawValues(kinds string) (all []string) {
	r := rand.New(rand.NewPCG(7, 26))
	draw := func(from string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(from[r.IntN(len(from))])
		}
		return b.String()
	}
	const small, big, digits = "abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789"
	for range 4 {
		for _, kind := range kinds {
			switch kind {
			case 'm': // letters of both cases and digits
				all = append(all, draw(small, 2)+draw(digits, 1)+draw(big, 1)+draw(small+big+digits, 20)+draw(digits, 2)+draw(big, 1))
			case 'x': // hexadecimal digits
				all = append(all, draw("0123456789abcdef", 26)+"9e"+draw("0123456789abcdef", 4))
			case 'b': // base64
				all = append(all, draw(big+small, 3)+"/"+draw(small+big+digits, 30)+"+"+draw(digits, 2)+draw(small+big, 3))
			case 's': // a sign first
				all = append(all, draw("+*&/%$#!@", 1)+draw(small+big, 3)+draw(digits, 2)+draw("!#%", 1)+draw(small+big+digits, 5))
			case 'p': // a short password
				all = append(all, draw(big, 1)+draw(small, 2)+draw(digits, 1)+draw(small, 2)+draw(digits, 2)+draw("!#$", 1))
			case 'w': // words with signs and digits
				all = append(all, []string{"correct-Horse7!", "Blue#Kettle42", "winter!Rain88", "s0lar_Panel$"}[r.IntN(4)])
			case 'a': // a key with a sign first
				all = append(all, draw("+/", 1)+draw(small+big+digits, 12)+draw(digits, 3)+draw(small+big+digits, 22)+"/"+draw(small, 1))
			}
		}
	}
	return all
}

const (
	secrets   = "mxba"   // what programs draw
	passwords = "mxbspw" // what people choose too
)

// TestForms holds that nothing of a value is left in any form in which people and programs write it beside its name. X is its place.
func TestForms(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, f := range forms {
		lost := []string{}
		values := drawValues(f.kinds)
		for _, v := range values {
			text := strings.Replace(f.text, "{X}", v, 1)
			if f.text == text {
				t.Fatalf("%s: want a place for the value in %q", f.reason, f.text)
			}
			left := text
			found := s.Find(text, 0, nil)
			for i := len(found) - 1; i >= 0; i-- {
				left = left[:found[i].Start] + "<>" + left[found[i].End:]
			}
			if have := gone(text, v, found); !have {
				lost = append(lost, v)
			} else if again := s.Find(left, 0, nil); len(again) > 0 {
				t.Errorf("%s: want nothing more in %q, have %v", f.reason, left, spans(again))
			}
		}
		if len(lost) > len(values)/24 {
			t.Errorf("%s: want %q gone, have %d of %d left, as %q", f.reason, f.text, len(lost), len(values), lost[0])
		}
	}
}

// gone reports whether every letter and digit of a value is in a finding, and little more.
func gone(text, value string, found []Match) bool {
	at := strings.Index(text, value)
	inside := 0
	for i := range len(value) {
		if !ascii.IsAlnum(value[i]) {
			continue
		}
		in := false
		for _, m := range found {
			in = in || m.Start <= at+i && at+i < m.End
		}
		if !in {
			return false
		}
		inside++
	}
	covered := 0
	for _, m := range found {
		if m.End > at && m.Start < at+len(value) {
			covered += m.End - m.Start
		}
	}
	return covered <= len(value)+24
}

// TestNoForms holds that the forms without a secret in them stay.
func TestNoForms(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range noForms {
		if found := s.Find(c.text, 0, nil); len(found) > 0 {
			t.Errorf("%s: want nothing in %q, have %v: %q", c.reason, c.text, spans(found), c.text[found[0].Start:found[0].End])
		}
	}
}
