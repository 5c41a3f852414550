package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/survey"
)

// Shapes writes to stdout what a corpus consists of.
func (p *Printer) Shapes(found *survey.Report) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, s survey.Group, rest string) {
		if s.Records == 0 {
			fmt.Fprintf(w, "%s\t0\t\t\t\n", name)
			return
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f%%\t%s:%d\t%s\n", name, format.Count(s.Records), s.Share*100, s.First.File, s.First.Line, rest)
	}
	rejected := func(s survey.Shape) string {
		if len(s.Rejected) == 0 {
			return ""
		}
		return "rejected: " + strings.Join(Breakdown(s.Rejected), ", ")
	}
	fmt.Fprintf(w, "shape\trecords\tshare\tfirst at\t\n")
	for _, s := range found.Shapes {
		row(s.Adapter, s.Group, rejected(s))
	}
	row("unknown", found.Unknown, "")
	row("unreadable", found.Unreadable.Group, rejected(found.Unreadable))
	for _, a := range found.Ambiguous {
		row("ambiguous", a.Group, strings.Join(a.Adapters, ", "))
	}
	w.Flush()
	p.Print(b.String())
}
