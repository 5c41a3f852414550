package cli

import (
	"fmt"
	"io"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/rundiff"
)

// mostDifferences is how many differences of a shadow the summary lists. The report has all.
const mostDifferences = 3

// summariseShadow writes how many records differ, and the most frequent differences with the place of one example each.
func summariseShadow(w io.Writer, c *receipt.ShadowReport) {
	rest := ""
	if c.Ignored > 0 {
		rest = fmt.Sprintf(", %s more at ignored paths alone", plural.Count(c.Ignored))
	}
	if c.NotCompared > 0 {
		rest += fmt.Sprintf(", %s not compared", plural.Count(c.NotCompared))
	}
	rowf(w, "shadow\t%s\t%s of %s differ%s: %s\n", c.Shadow, plural.Count(c.Differing), plural.Of(c.Records, "record"), rest, c.Path)
	for _, g := range c.Differences[:min(len(c.Differences), mostDifferences)] {
		text := became(g.Current, g.Candidate)
		switch {
		case g.Path != "" && text != "":
			text = g.Path + ": " + text
		case g.Path != "":
			text = g.Path
		}
		at := ""
		if len(g.Examples) > 0 {
			e := &g.Examples[0]
			at = " (" + e.Position.String() + ")"
			switch {
			case e.File == "":
				at = " (after the last record)"
			case len(e.Origins) > 0:
				at = " (" + format.Places(e.Origins, e.MoreOrigins) + ")"
			}
		}
		rowf(w, "\t\t%s  %s\n", plural.Count(g.Records), cell(text+at))
	}
	if n := len(c.Differences) - mostDifferences; n > 0 {
		rowf(w, "\t\tand %s\n", plural.Of(int64(n), "more difference"))
	}
}

// became describes in words what one row has and the other has instead.
func became(a, b string) string {
	switch {
	case b == rundiff.Nothing:
		return a + " removed"
	case a == rundiff.Nothing:
		return b + " added"
	case b == rundiff.Moved:
		return a + " moved"
	case a != "" && b != "":
		return a + " -> " + b
	}
	return a
}
