package rowstats

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/percent"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/plugins/stats"
)

// Print writes the sums of each layer to stdout, and what is not in them to stderr.
func (s *Sums) Print(out *cli.Printer) error {
	for i, l := range s.Layers {
		heading, text := "", ""
		if len(s.Layers) > 1 {
			heading = l.Layer
		}
		if i > 0 {
			text = "\n"
		}
		var rates *Rates
		if i == 0 {
			rates = s.Mixture
		}
		text += l.table(heading) + l.mixture(rates)
		if err := out.Write(text); err != nil {
			return err
		}
		l.warn(out, rates)
	}
	if s.Mixture != nil {
		if err := out.Write("\n" + s.Mixture.Flags() + "\n"); err != nil {
			return err
		}
	}
	for _, l := range s.LeftOut {
		out.Say("left out: %s: %s", l.File, l.Why)
	}
	return nil
}

// table returns sums as text: a line for each group, then the actions.
func (l *Layer) table(heading string) string {
	var b strings.Builder
	tokens := "tokens"
	if l.All.Tokens != nil {
		tokens += " (" + l.TokensFrom + ")"
	}
	groups := columns{{heading, "rows", "turns", "calls", "taught", tokens, "p50", "p95", "max", "over", "characters", "p50", "p95", "max", "over"}}
	add := func(name string, g *stats.Group) {
		var turns int64
		for _, n := range g.Turns {
			turns += n
		}
		line := []string{name, plural.Count(g.Rows), plural.Count(turns), plural.Count(g.Calls), plural.Count(g.TaughtCalls)}
		line = append(line, lengths(g.Tokens, l.Limits.Tokens)...)
		groups = append(groups, append(line, lengths(g.Characters, l.Limits.Characters)...))
	}
	add("all", &l.All)
	for _, kind := range []string{"split", "source", "task"} {
		for _, name := range mostFirst(l.By[kind], func(g *stats.Group) int64 { return g.Rows }) {
			add(kind+" "+name, l.By[kind][name])
		}
	}
	groups.write(&b)
	if len(l.All.Actions) > 0 {
		actions := columns{{"action", "calls", "taught"}}
		for _, name := range mostFirst(l.All.Actions, func(a *stats.Action) int64 { return a.Calls }) {
			a := l.All.Actions[name]
			actions = append(actions, []string{name, plural.Count(a.Calls), plural.Count(a.Taught)})
		}
		fmt.Fprintln(&b)
		actions.write(&b)
	}
	return b.String()
}

// warn says which rows are not in the sums, or twice, or where they may not belong.
func (l *Layer) warn(out *cli.Printer, rates *Rates) {
	for _, x := range []struct {
		n    int64
		what string
	}{{l.Shapes.Other, "not in canonical or ChatML form"}, {l.Unreadable, "not readable"}} {
		if x.n > 0 {
			out.Warn("the lengths of %s are unknown: %s", plural.Of(x.n, "record"), x.what)
		}
	}
	if l.Shapes.Canonical > 0 && l.Shapes.Chat > 0 {
		out.Warn("%s and %s are summed up together: if the latter were rendered from the former, everything counts twice",
			plural.Of(l.Shapes.Canonical, "canonical row"), plural.Of(l.Shapes.Chat, "ChatML row"))
	}
	if t := l.All.Tokens; t != nil && t.Rows < l.All.Rows {
		out.Warn("only %s report their tokens", plural.Of(t.Rows, "row"))
	}
	switch n := l.unsplit(); {
	case n > 0 && rates != nil:
		out.Warn("the rates count %s without a split as train", plural.Of(n, "row"))
	case n > 0 && l.mixes(rates):
		out.Say("split: the sources count %s without one as train", plural.Of(n, "row"))
	}
	l.sayUnknown(out)
}

// sayUnknown says why the table has no tokens, and no splits.
func (l *Layer) sayUnknown(out *cli.Printer) {
	chat := l.Shapes.Chat > 0 && l.Shapes.Canonical == 0
	if l.All.Tokens == nil && l.All.Rows > 0 && l.TokensFrom == "usage" {
		why := "no row reports its usage"
		if chat {
			why = "ChatML rows report no usage"
		}
		out.Say("tokens: %s; --tokens o200k_base counts them", why)
	}
	if _, none := l.By["split"][stats.None]; chat && none && len(l.By["split"]) == 1 {
		out.Say("split: ChatML rows do not say theirs; give the file of one split to see that alone")
	}
}

func lengths(l *stats.Lengths, limit int) []string {
	if l == nil {
		return []string{"-", "-", "-", "-", "-"}
	}
	over := "-"
	if limit > 0 {
		over = percent.Share(l.Share, 1)
	}
	return []string{plural.Count(l.Sum), plural.Count(l.P50), plural.Count(l.P95), plural.Count(l.Max), over}
}

// columns are lines of cells, the first a name.
type columns [][]string

func (c columns) write(to io.Writer) {
	var width []int
	for i := range c {
		c[i][0] = cli.OneLine(format.Printable(c[i][0]))
		for k, cell := range c[i] {
			if k == len(width) {
				width = append(width, 0)
			}
			width[k] = max(width[k], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range c {
		fmt.Fprintf(to, "%-*s", width[0], line[0])
		for k, cell := range line[1:] {
			fmt.Fprintf(to, "  %*s", width[k+1], cell)
		}
		fmt.Fprintln(to)
	}
}

// mostFirst returns the names of values, that of the highest count first.
func mostFirst[V any](values map[string]V, count func(V) int64) []string {
	counts := map[string]int64{}
	for name, v := range values {
		counts[name] = count(v)
	}
	return format.MostFirst(counts)
}
