package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sluicehq/sluice/host/percent"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/survey"
)

// mostFiles is how many files have a line of their own, whatever is in them.
const mostFiles = 100

// writeFiles writes a line for each file with what it consists of, and why adapters that are near decline what none takes. Of
// many files those that one adapter takes as a whole share a line.
func writeFiles(b *strings.Builder, found *survey.Report) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "file\trecords\tshapes\t\n")
	near := [][]survey.Near{nil} // by line of the table
	whole, records := map[string]int64{}, map[string]int64{}
	for _, f := range found.Files {
		if name := wholly(f); name != "" && len(found.Files) > mostFiles {
			whole[name]++
			records[name] += f.Records
			continue
		}
		parts := []string{}
		for _, s := range found.Shapes {
			if n := f.Shapes[s.Adapter]; n > 0 {
				parts = append(parts, s.Adapter+" "+plural.Count(n))
			}
		}
		if f.Unknown > 0 {
			parts = append(parts, "unknown "+plural.Count(f.Unknown))
		}
		if len(f.Rejected) > 0 {
			parts = append(parts, "rejected: "+strings.Join(Breakdown(f.Rejected), ", "))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", cell(f.Name), plural.Count(f.Records), strings.Join(parts, ", "))
		near = append(near, f.Nearest[:min(mostNear, len(f.Nearest))])
	}
	for _, s := range found.Shapes {
		if n := whole[s.Adapter]; n > 0 {
			fmt.Fprintf(w, "%s\t%s\t%s\n", plural.Of(n, "file"), plural.Count(records[s.Adapter]), s.Adapter)
		}
	}
	w.Flush()
	for i, line := range slices.Collect(strings.Lines(table.String())) {
		b.WriteString(line)
		if i < len(near) {
			for _, n := range near[i] {
				fmt.Fprintf(b, "  near %s, first in line %d: %s (%s)\n", n.Adapter, n.First.Line, short(n.Lacks), plural.Of(n.Records, "record"))
			}
		}
	}
	b.WriteString("\n")
}

// mostNear is how many adapters a file names that are near.
const mostNear = 3

// short cuts a list of many strings, which --json has in full.
func short(text string) string {
	if names := strings.Split(text, ", "); len(names) > 4 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return text
}

// wholly returns the adapter that takes all records of a file, "" when there is none, or it rejects some.
func wholly(f *survey.File) string {
	for name, n := range f.Shapes {
		if n == f.Records && len(f.Rejected) == 0 {
			return name
		}
	}
	return ""
}

// Shapes writes to stdout what a corpus consists of: each file, and then all of it.
func (p *Printer) Shapes(found *survey.Report) {
	var b strings.Builder
	writeFiles(&b, found)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, s survey.Group, rest string) {
		if s.Records == 0 {
			fmt.Fprintf(w, "%s\t0\t\t\t\n", name)
			return
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s:%d\t%s\n", name, plural.Count(s.Records), percent.Share(s.Share, 1), cell(s.First.File), s.First.Line, rest)
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
