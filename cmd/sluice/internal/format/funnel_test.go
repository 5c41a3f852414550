package format

import (
	"testing"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestFunnel holds that a figure which says the same as the one before is left out, and that rows which steps made are no share of records.
func TestFunnel(t *testing.T) {
	for _, c := range []struct {
		f    receipt.Funnel
		want string
	}{
		{receipt.Funnel{Read: 11000, Unreadable: 89, Rejected: 622, Dropped: 3524, Kept: 6765},
			"11,000 records read, 10,911 readable, 10,289 accepted, 6,765 kept (61.5%)"},
		{receipt.Funnel{Read: 1, Kept: 1}, "1 record read, 1 kept (100%)"},
		{receipt.Funnel{Read: 4, Unreadable: 4}, "4 records read, 0 readable, 0 kept (0%)"},
		{receipt.Funnel{}, "0 records read, 0 kept (0%)"},
		{receipt.Funnel{Read: 10, Rejected: 2, Made: 12, Kept: 20}, "10 records read, 2 rejected, 20 rows made of them and kept"},
	} {
		if have := Funnel(c.f); have != c.want {
			t.Errorf("want %q, have %q", c.want, have)
		}
	}
}
