package host

import (
	"fmt"
	"testing"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestWarnsOfOneRow holds that one row without an output is told as one.
func TestWarnsOfOneRow(t *testing.T) {
	for n, want := range map[int64]string{
		1: `step own.own wrote 1 row for its output "ledger", which has no block`, 2: `step own.own wrote 2 rows for its output "ledger", which has no block`,
	} {
		var have string
		warnStep(&receipt.StepAccount{Name: "own.own", Unwanted: map[string]int64{"ledger": n}}, nil, nil, func(_, format string, args ...any) { have = fmt.Sprintf(format, args...) })
		if have != want {
			t.Errorf("want %s, have %s", want, have)
		}
	}
}
