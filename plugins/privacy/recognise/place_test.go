package recognise

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// decimalsForm is what decimalsAt reads.
var decimalsForm = regexp.MustCompile(`^([+-]?[0-9]{1,3}\.(?:[0-9]{1,}))°?[ ]?[NSns]?([ ]*[,;/][ ]*|[ ]{1,2})([+-]?[0-9]{1,3}\.(?:[0-9]{1,}))°?(?:[ ]?[EWew]\b)?`)

// TestDecimals holds what reads two decimals to their pattern.
func TestDecimals(t *testing.T) {
	r, found := rand.New(rand.NewPCG(1, 2)), 0
	parts := []string{"1.5", "-12.25", "+180.0", "1234.5", "7", ".", "°", " ", "  ", ",", ";", "/", "N", "s", "E", "w", "Ex", "é", "+", "-"}
	for range 200_000 {
		var text strings.Builder
		text.WriteString(parts[r.IntN(3)])
		for range r.IntN(8) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		var want decimals
		loc := decimalsForm.FindStringSubmatchIndex(text.String())
		if loc != nil {
			found++
			part := func(i int) string { return text.String()[loc[2*i]:loc[2*i+1]] }
			want = decimals{part(1), part(2), part(3), loc[1]}
		}
		have, ok := decimalsAt(text.String())
		if ok != (loc != nil) || ok && have != want {
			t.Fatalf("%q: want %v, have %v", text.String(), want, have)
		}
	}
	if found < 1000 {
		t.Fatalf("want many pairs, have %d", found)
	}
}
