package preview

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
)

// Text returns rows as a model reads them, and what the template left out.
func (r *Result) Text() string {
	var b strings.Builder
	for _, s := range r.Shown {
		fmt.Fprintf(&b, "--- %s:%d\n", format.Printable(s.File), s.Line)
		for _, part := range s.Segments {
			if part.Trained {
				part.Text = "{+" + part.Text + "+}"
			}
			b.WriteString(format.Printable(part.Text))
		}
		b.WriteString("\n")
	}
	for _, f := range r.Findings {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// Counts says how much the template left out.
func (r *Result) Counts() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "rows\t%s\n", format.Count(r.Rows))
	fmt.Fprintf(w, "complete\t%s\n", format.Count(r.Rows-r.Incomplete))
	if r.Characters > 0 {
		fmt.Fprintf(w, "trained\t%.1f%% of %s characters\n", 100*float64(r.Trained)/float64(r.Characters), format.Count(r.Characters))
	}
	if r.Inexact > 0 {
		fmt.Fprintf(w, "about\t%s: what is trained on begins where the prompt ends to be the same\n", format.Plural(r.Inexact, "row"))
	}
	for _, by := range []struct {
		what  string
		codes map[string]int64
	}{{"lost", r.Losses}, {"rejected", r.Rejected}} {
		for _, line := range cli.Breakdown(by.codes) {
			fmt.Fprintf(w, "%s\t%s\n", by.what, line)
		}
	}
	w.Flush()
	return b.String()
}
