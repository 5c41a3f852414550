package format

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// Funnel says how many records were kept of those that were read, each part a part of the one before.
func Funnel(f receipt.Funnel) string {
	parts := []string{plural.Of(f.Read, "record") + " read"}
	if f.Unreadable > 0 {
		parts = append(parts, plural.Count(f.Readable())+" readable")
	}
	switch {
	case f.Made != 0: // rejected and kept are what steps made of several records, or several of one
		if f.Rejected > 0 {
			parts = append(parts, plural.Count(f.Rejected)+" rejected")
		}
		parts = append(parts, plural.Of(f.Kept, "row")+" made of them and kept")
	case f.Rejected > 0:
		parts = append(parts, plural.Count(f.Accepted())+" accepted")
		fallthrough
	default:
		parts = append(parts, fmt.Sprintf("%s kept (%s)", plural.Count(f.Kept), Share(f.Kept, f.Read)))
	}
	return strings.Join(parts, ", ")
}
