package mask_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
)

// TestCounts holds that a plugin which puts values into its codes shows none, and that no count is lost or told twice by that.
func TestCounts(t *testing.T) {
	have := mask.Counts(map[string]int64{"bad": 1, "ann@corp-mail.io": 2, "bob@corp-mail.io": 3, "a\x1b[31m": 4})
	if diff := cmp.Diff(map[string]int64{"bad": 1, "<EMAIL_ADDRESS>": 5, `a\x1b[31m`: 4}, have); diff != "" {
		t.Error(diff)
	}
}
