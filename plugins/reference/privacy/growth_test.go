package privacy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestTimeGrowsWithSize holds that eight times as much takes about eight times as long, and not sixty-four times.
func TestTimeGrowsWithSize(t *testing.T) {
	f := &Filter{Structured: true}
	for _, c := range []struct {
		reason string
		make   func(n int) string
	}{
		{"addresses in one array", func(n int) string { return `[""` + strings.Repeat(`,"user@example.com"`, n) + "]" }},
		{"addresses and telephone numbers in one string", func(n int) string { return `"` + strings.Repeat(`user@example.com 415-555-0199 `, n) + `"` }},
		{"places in one array", func(n int) string { return `[""` + strings.Repeat(`,{"lat":37.7,"lng":-122.4}`, n) + "]" }},
		{"personal keys that become one", func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, `,"user%d@example.com":1`, i)
			}
			return `{"":0` + b.String() + "}"
		}},
	} {
		small, large := fastest(f, c.make(1000)), fastest(f, c.make(8000))
		if large > 24*small+20*time.Millisecond {
			t.Errorf("%s: want time in proportion to size, have %s and %s for eight times as much", c.reason, small, large)
		}
	}
}

// fastest returns the least time of some, whatever else runs.
func fastest(f *Filter, doc string) time.Duration {
	return sdktest.Least(3, func() { f.Find(doc) })
}
