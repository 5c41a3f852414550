package dice

import (
	"slices"
	"testing"
)

// TestDice protects what was drawn in earlier versions, and holds that every number comes up about as often.
func TestDice(t *testing.T) {
	d := New("seed", []byte("id"))
	var have []int
	for range 8 {
		have = append(have, d.Roll(100))
	}
	if want := []int{44, 9, 14, 48, 10, 84, 9, 26}; !slices.Equal(want, have) {
		t.Errorf("want %v, have %v", want, have)
	}
	counts := make([]int, 6)
	for range 6000 {
		counts[d.Roll(6)]++
	}
	if slices.Min(counts) < 900 || slices.Max(counts) > 1100 {
		t.Errorf("want about 1000 of each, have %v", counts)
	}
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	Shuffle(&d, all)
	if sorted := slices.Sorted(slices.Values(all)); slices.Equal(sorted, all) || !slices.Equal(sorted, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("want the same in another order, have %v", all)
	}
}
