package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
)

// finding tells one thing that is wrong, on a line of its own.
func (r *report) finding(f finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintln(r.out, format.Printable(oneLine(f.String())))
}

// checked tells what the rows were and how many findings there are of each code.
func (r *report) checked(x *checked) {
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
	fmt.Fprintf(w, "rows\t%s\nwrong\t%s\n", format.Count(x.Records), format.Count(x.Wrong))
	table("shape", x.Shapes)
	table("finding", x.Codes)
	w.Flush()
	for line := range strings.Lines(b.String()) {
		r.say("%s", strings.TrimRight(line, " \n"))
	}
}
