package cli

import (
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
)

// changed says which figures are others than those of the run that this one took the place of, "" when none is.
func changed(x *host.Result) string {
	b := x.Before
	now, ok := x.Funnel()
	if b == nil || b.Funnel == nil || !ok {
		return ""
	}
	var all []string
	add := func(what string, n int64) {
		if n != 0 {
			all = append(all, what+" "+format.Signed(n))
		}
	}
	add("read", now.Read-b.Funnel.Read)
	add("kept", now.Kept-b.Funnel.Kept)
	add("rejected", now.Rejected+now.Unreadable-b.Funnel.Rejected-b.Funnel.Unreadable)
	add("dropped", now.Dropped-b.Funnel.Dropped)
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, ", ") + ", since the run of " + b.Started.UTC().Format("2 January 2006, 15:04 UTC")
}
