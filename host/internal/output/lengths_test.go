package output

import (
	"math"
	"testing"
)

// TestLengths holds that a row is counted by a bound that it does not pass, and that is at most an eighth of a power of two above it.
func TestLengths(t *testing.T) {
	for _, size := range []int{0, 1, 15, 16, 17, 18, 31, 32, 33, 36, 63, 64, 1000, 1023, 1024, 1 << 20, 1<<20 + 1, math.MaxInt} {
		var l lengths
		l.add(size)
		for bound, n := range l.byBound() {
			if n != 1 || bound < int64(size) || (bound-int64(size)) > int64(size)/8 {
				t.Errorf("want a bound of %d, have %d", size, bound)
			}
		}
	}
	var l lengths
	for size := range 5000 {
		l.add(size)
	}
	all, last := int64(0), int64(-1)
	for i := range int64(6000) {
		if n := l.byBound()[i]; n > 0 {
			if all += n; n != min(i, 4999)-last {
				t.Fatalf("want the rows of %d to %d together, have %d", last+1, i, n)
			}
			last = i
		}
	}
	if all != 5000 {
		t.Errorf("want each row once, have %d", all)
	}
}
