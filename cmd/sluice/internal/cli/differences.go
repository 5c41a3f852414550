package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/rundiff"
)

// mostLines is how many lines of one kind a person is shown; --json has all.
const mostLines = 40

// Differences writes to stdout how two outputs or runs differ.
func (p *Printer) Differences(x *rundiff.Differences) {
	var b strings.Builder
	fmt.Fprintf(&b, "A  %s\nB  %s\n", x.A.Path, x.B.Path)
	runsDiffer(&b, x.Runs)
	for _, left := range x.Left {
		fmt.Fprintf(&b, "\nleft out: %s\n", left)
	}
	rowsDiffer(&b, x.Outputs)
	stepsDiffer(&b, x.Outputs)
	if x.Ignored > 0 {
		verb := "differ"
		if x.Ignored == 1 {
			verb = "differs"
		}
		fmt.Fprintf(&b, "\n%s %s at ignored paths alone: %s\n", plural.Of(x.Ignored, "row"), verb, cell(strings.Join(x.Ignore, ", ")))
	}
	for _, kind := range []struct{ name, title string }{
		{rundiff.Rejected, "written in A, rejected in B"}, {rundiff.Accepted, "rejected in A, written in B"},
		{rundiff.Moved, "moved"}, {rundiff.OnlyA, "only in A"}, {rundiff.OnlyB, "only in B"},
		{rundiff.Changed, "changed"}, {rundiff.Spelling, "equal as JSON, in other bytes"},
	} {
		other := func(g rundiff.Group) bool { return g.Kind != kind.name }
		groups := slices.DeleteFunc(slices.Clone(x.Groups), other)
		if kind.name == rundiff.OnlyB && x.B.Run == "" { // two files may have two names
			for i := range groups {
				groups[i].Output = filepath.Base(x.B.Path)
			}
		}
		groupsDiffer(&b, kind.title, groups)
	}
	p.Print(b.String())
}

func runsDiffer(to io.Writer, all []receipt.Difference) {
	if len(all) == 0 {
		return
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nruns\tA\tB\n")
	var long strings.Builder
	for _, d := range all[:min(len(all), mostLines)] {
		if max(len(d.A), len(d.B)) > widestCell {
			fmt.Fprintf(&long, "%s\n  A  %s\n  B  %s\n", cell(d.What), cell(d.A), cell(d.B))
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", cell(d.What), cell(d.A), cell(d.B))
	}
	w.Flush()
	fmt.Fprint(to, long.String())
	more(to, len(all)-mostLines)
}

// widestCell is how many bytes a value in the table of two runs has. A longer one has a line below the table, since the columns are as
// wide as their longest value.
const widestCell = 60

// stepsDiffer names the steps that have changed before outputs whose rows differ, in one line for outputs with the same ones.
func stepsDiffer(to io.Writer, all []rundiff.Count) {
	outputs := map[string][]string{} // by steps
	var order []string
	for _, c := range all {
		steps := strings.Join(c.ChangedSteps, ", ")
		if steps == "" {
			continue
		}
		if outputs[steps] == nil {
			order = append(order, steps)
		}
		outputs[steps] = append(outputs[steps], cell(c.Name))
	}
	if len(order) > 0 {
		fmt.Fprintln(to)
	}
	for _, steps := range order {
		fmt.Fprintf(to, "steps with other code or arguments before %s: %s\n", strings.Join(outputs[steps], ", "), cell(steps))
	}
}

func cell(text string) string {
	if text == "" {
		return "-"
	}
	return OneLine(strings.ReplaceAll(text, "\t", `\t`))
}

// rowf writes a row of a table. No text in it, such as the name of a file, ends a cell or a row.
func rowf(w io.Writer, format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok && text != "" {
			args[i] = cell(text)
		}
	}
	fmt.Fprintf(w, format, args...)
}

func more(to io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(to, "and %s more, which --json has\n", plural.Count(int64(n)))
	}
}

func rowsDiffer(to io.Writer, all []rundiff.Count) {
	heads := []string{"rows", "A", "B", "equal", "ignored", "spelling", "changed", "moved out", "moved in", "rejected", "accepted", "only A", "only B"}
	lines := make([][]int64, len(all))
	used := make([]bool, len(heads)) // columns that say something
	for i, c := range all {
		lines[i] = []int64{0, c.A, c.B, c.Equal, c.Ignored, c.Spelling, c.Changed, c.MovedOut, c.MovedIn, c.Rejected, c.Accepted, c.OnlyA, c.OnlyB}
		for k, n := range lines[i] {
			used[k] = used[k] || n > 0 || k < 4
		}
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w)
	for k, head := range heads {
		if used[k] {
			fmt.Fprintf(w, "%s\t", head)
		}
	}
	fmt.Fprintln(w)
	for i, c := range all {
		fmt.Fprintf(w, "%s\t", cell(c.Name))
		for k, n := range lines[i] {
			if used[k] && k > 0 {
				fmt.Fprintf(w, "%s\t", plural.Count(n))
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// groupsDiffer writes the differences of one kind, with the places of examples.
func groupsDiffer(to io.Writer, title string, all []rundiff.Group) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(to, "\n%s\n", title)
	width := len(plural.Count(all[0].Rows)) // of the most frequent
	for _, g := range all[:min(len(all), mostLines)] {
		var places []string
		for i, e := range g.Examples {
			at := place(e)
			if i == 0 && e.Path != "" { // one path is enough to see what the indexes are
				at += " at " + e.Path
			}
			places = append(places, at)
		}
		fmt.Fprintf(to, "  %*s  %s  (%s)\n", width, plural.Count(g.Rows), cell(differenceText(g)), cell(strings.Join(places, ", ")))
		for _, e := range g.Examples {
			switch {
			case e.ValueA != "" || e.ValueB != "":
				fmt.Fprintf(to, "  %*s    %s: %s -> %s\n", width, "", cell(place(e)), cell(e.ValueA), cell(e.ValueB))
			case e.Message != "":
				fmt.Fprintf(to, "  %*s    %s: %s\n", width, "", cell(place(e)), cell(e.Message))
			}
		}
	}
	more(to, len(all)-mostLines)
}

func differenceText(g rundiff.Group) string {
	at := ""
	if g.Path != "" {
		at = " at " + g.Path
	}
	switch {
	case g.Path == rundiff.Other:
		return "at other paths"
	case g.Kind == rundiff.Rejected:
		return "by " + g.B + at
	case g.Kind == rundiff.Accepted:
		return "by " + g.A + at
	case g.Kind == rundiff.Moved:
		return g.Output + " to " + g.To
	case g.A != "":
		return g.Output + at + ": " + became(g.A, g.B)
	}
	return g.Output
}

// place returns where the record of a row is in the input, or else where the row is in its output.
func place(e rundiff.Example) string {
	switch {
	case len(e.Origins) > 0:
		return format.Places(e.Origins, e.MoreOrigins)
	case e.File != "" && e.Record > 0:
		return fmt.Sprintf("%s:%d record %d", e.File, e.Line, e.Record)
	case e.File != "":
		return fmt.Sprintf("%s:%d", e.File, e.Line)
	case e.LineA == 0:
		return fmt.Sprintf("line %d of B", e.LineB)
	case e.LineB == 0:
		return fmt.Sprintf("line %d of A", e.LineA)
	case e.LineA == e.LineB:
		return fmt.Sprintf("line %d", e.LineA)
	}
	return fmt.Sprintf("lines %d and %d", e.LineA, e.LineB)
}
