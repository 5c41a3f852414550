package page

import (
	"testing"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestLengthsOf holds that no key of a receipt makes a column that there is not.
func TestLengthsOf(t *testing.T) {
	h := lengthsOf(receipt.Output{Lengths: map[string]int64{"0": 5, "-1": 5, "x": 5, "4": 2}})
	if len(h.Columns) != 1 || h.Columns[0].Label != "4" || h.Columns[0].N != 2 {
		t.Errorf("want 2 rows of up to 4 bytes alone, have %v", h.Columns)
	}
}
