package rowcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
)

// Text says what the rows were and how many findings there are of each code.
func (r *Result) Text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	table := func(head string, by map[string]int64) {
		if len(by) > 0 {
			fmt.Fprintf(w, "\n%s\t\n", head)
		}
		for _, name := range slices.Sorted(maps.Keys(by)) {
			fmt.Fprintf(w, "%s\t%s\n", name, format.Count(by[name]))
		}
	}
	fmt.Fprintf(w, "rows\t%s\nwrong\t%s\n", format.Count(r.Records), format.Count(r.Wrong))
	table("shape", r.Shapes)
	table("finding", r.Codes)
	w.Flush()
	return b.String()
}
