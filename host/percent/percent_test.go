package percent

import (
	"math"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		decimals    int
		want        string
	}{
		{0, 0, 1, "0%"}, {0, 7, 1, "0%"}, {7, 7, 1, "100%"}, {1, 2, 1, "50.0%"}, {1, 2, 0, "50%"}, {3, 2, 1, "150.0%"},
		{1, 3, 2, "33.33%"}, {1, 2000, 1, "0.1%"}, {1, 2001, 1, "<0.1%"}, {9994, 10000, 1, "99.9%"}, {9997, 10000, 1, ">99.9%"},
		{9997, 10000, 2, "99.97%"}, {99997, 100000, 2, ">99.99%"}, {1, 1000, 0, "<1%"}, {999, 1000, 0, ">99%"},
		{math.MaxInt64 - 1, math.MaxInt64, 1, ">99.9%"}, {1, math.MaxInt64, 6, "<0.000001%"},
	} {
		if have := Of(c.part, c.whole, c.decimals); have != c.want {
			t.Errorf("%d of %d with %d decimals: want %s, have %s", c.part, c.whole, c.decimals, c.want, have)
		}
	}
}

func TestShare(t *testing.T) {
	for share, want := range map[float64]string{0: "0%", 1: "100%", 0.5: "50.0%", 0.0004: "<0.1%", 0.9997: ">99.9%", 1.0001: "100.0%", 1.2: "120.0%"} {
		if have := Share(share, 1); have != want {
			t.Errorf("%v: want %s, have %s", share, want, have)
		}
	}
}
