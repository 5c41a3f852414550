package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// mostOthers is how many values of records that no case took the summary names.
const mostOthers = 5

// summariseUnmet names the cases of a route that no record took, and says what became of the records that no case took.
func summariseUnmet(w io.Writer, r *receipt.RouteReport) {
	var cases []string
	for _, u := range r.Unmet {
		cases = append(cases, fmt.Sprintf("%q", mask.Word(u.Case)))
	}
	text := "no record took case " + strings.Join(cases, ", ")
	taken, all := r.Taken()
	if rest := all - taken; rest > 0 {
		what := "took the default"
		if r.Rejected > 0 {
			what = "had no case"
		}
		text += fmt.Sprintf("; %s of %s %s", plural.Count(rest), plural.Count(all), what)
		if others := otherValues(r.Others); others != "" {
			text += ": " + others
		}
	}
	rowf(w, "route\t%s\t%s\n", format.Printable(r.Route), text)
}

// otherValues names the most frequent values of records that no case took.
func otherValues(by map[string]int64) string {
	by = mask.Counts(by)
	var texts []string
	for i, value := range format.MostFirst(by) {
		if i == mostOthers {
			texts = append(texts, "and others")
			break
		}
		name := fmt.Sprintf("%q", value)
		if value == "" {
			name = "no value"
		}
		texts = append(texts, name+" "+plural.Count(by[value]))
	}
	return strings.Join(texts, ", ")
}
