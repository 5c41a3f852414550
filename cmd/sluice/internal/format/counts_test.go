package format

import (
	"math"
	"slices"
	"testing"
)

// TestMostFirst holds the order also where a difference of counts would not fit.
func TestMostFirst(t *testing.T) {
	by := map[string]int64{"b": 1, "a": 1, "most": math.MaxInt64, "least": math.MinInt64}
	if have := MostFirst(by); !slices.Equal(have, []string{"most", "a", "b", "least"}) {
		t.Errorf("want the highest first, have %v", have)
	}
	if have := Total(by); have != 1 {
		t.Errorf("want 1 in all, have %d", have)
	}
}
