package recognise

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestNorthAmericanPlan holds what is remembered of a number's first digits to the library.
func TestNorthAmericanPlan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s Scan
	for range 3000 {
		first := fmt.Sprintf("%03d%03d", r.IntN(1000), r.IntN(1000))
		for range 3 {
			number := fmt.Sprintf("%s%04d", first, r.IntN(10000))
			for _, plain := range []string{number, "1" + number} {
				if want, have := s.valid(plain, "US"), s.validNorthAmerican(plain); want != have {
					t.Errorf("%s: want %t, have %t", plain, want, have)
				}
			}
		}
	}
}
