package eval

import (
	"fmt"
	"slices"
	"strings"
)

// Table writes scores as a table in Markdown.
func Table(scores []Score) string {
	var b strings.Builder
	b.WriteString("| entity | labels | recall (95 %) | in part | exact | findings | precision (95 %) |\n|---|---|---|---|---|---|---|\n")
	for _, s := range scores {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %d | %s |\n", cell(s.Entity), s.Labels, s.Recall(),
			part(s.Touched, s.Labels), part(s.Exact, s.Labels), s.Findings, s.Precision())
	}
	return b.String()
}

// LocaleTable writes a row for each entity in each locale.
func LocaleTable(locales []LocaleScores) string {
	var b strings.Builder
	b.WriteString("| locale | entity | labels | recall (95 %) | findings | precision (95 %) |\n|---|---|---|---|---|---|\n")
	for _, l := range locales {
		for _, s := range l.Scores {
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %d | %s |\n", cell(l.Locale), cell(s.Entity), s.Labels, s.Recall(), s.Findings, s.Precision())
		}
	}
	return b.String()
}

// Uncovered returns the scores of the labelled entities that the filter never found.
func Uncovered(scores []Score) []Score {
	return slices.DeleteFunc(slices.Clone(scores), func(s Score) bool { return s.Labels == 0 || s.Touched > 0 })
}

func part(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", float64(n)/float64(of))
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(text)
}
