package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
)

// What stands around text to train on.
const (
	trainedFrom = "{+"
	trainedTo   = "+}"
)

// previewed shows rows as a model reads them, and tells what a template has left out.
func (r *report) previewed(x *previewed) {
	for _, s := range x.Shown {
		var b strings.Builder
		for _, part := range s.Segments {
			if part.Trained {
				part.Text = trainedFrom + part.Text + trainedTo
			}
			b.WriteString(part.Text)
		}
		fmt.Fprintf(r.out, "--- %s:%d\n%s\n", format.Printable(s.File), s.Line, format.Printable(b.String()))
	}
	for _, f := range x.Findings {
		r.finding(f)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "rows\t%s\n", format.Count(x.Rows))
	fmt.Fprintf(w, "complete\t%s\n", format.Count(x.Rows-x.Incomplete))
	if x.Characters > 0 {
		fmt.Fprintf(w, "trained\t%.1f%% of %s characters\n", 100*float64(x.Trained)/float64(x.Characters), format.Count(x.Characters))
	}
	if x.Inexact > 0 {
		fmt.Fprintf(w, "about\t%s: what is trained on begins where the prompt ends to be the same\n", format.Plural(x.Inexact, "row"))
	}
	for _, by := range []struct {
		what  string
		codes map[string]int64
	}{{"lost", x.Losses}, {"rejected", x.Rejected}} {
		for _, line := range breakdown(by.codes) {
			fmt.Fprintf(w, "%s\t%s\n", by.what, line)
		}
	}
	w.Flush()
	for line := range strings.Lines(b.String()) {
		r.say("%s", strings.TrimRight(line, " \n"))
	}
}
