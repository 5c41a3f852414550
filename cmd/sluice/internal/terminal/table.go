package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
)

// A column holds one figure of every step. When columns do not fit, those of the highest rank go first.
type column struct {
	rank  int
	head  string
	cells []string
	left  bool
	least int // columns of the terminal, so that the table does not jump with every figure
}

func (c *column) width() int {
	width := max(ansi.StringWidth(c.head), c.least)
	for _, cell := range c.cells {
		width = max(width, ansi.StringWidth(cell))
	}
	return width
}

func (c *column) pad(cell string) string {
	space := strings.Repeat(" ", c.width()-ansi.StringWidth(cell))
	if c.left {
		return cell + space
	}
	return space + cell
}

func (c *canvas) table(steps []stepPace, by host.Holder, space int) []string {
	if len(steps) == 0 || space < 2 {
		return nil
	}
	more := ""
	if len(steps)+1 > space {
		rows := max(space-2, 1)
		more = fmt.Sprintf("and %s that are less busy", plural.Of(len(steps)-rows, "step"))
		steps = busiest(steps, by, rows)
	}
	columns := fit(c.columns(steps, by), c.width-1, func(c column) (int, int) { return c.width(), c.rank })
	lines := make([]string, len(steps)+1)
	for i, shown := range columns {
		between := strings.Repeat(" ", gap*min(i, 1))
		lines[0] += between + c.paint.with(faint, shown.pad(shown.head))
		for j, cell := range shown.cells {
			cell = shown.pad(cell)
			if steps[j].In == 0 && steps[j].Name != by.Name {
				cell = c.paint.with(faint, cell)
			}
			lines[j+1] += between + cell
		}
	}
	if more != "" {
		lines = append(lines, c.paint.with(faint, more))
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

func busiest(steps []stepPace, by host.Holder, n int) []stepPace {
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	weight := func(i int) float64 {
		if steps[i].Name == by.Name {
			return 2
		}
		return steps[i].busy
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	order = order[:n]
	slices.Sort(order)
	shown := make([]stepPace, 0, n)
	for _, i := range order {
		shown = append(shown, steps[i])
	}
	return shown
}

// columns returns all figures of steps. Rejects and restarts come before others when there are any.
func (c *canvas) columns(steps []stepPace, by host.Holder) []column {
	names := min(c.width/3, 32)
	all := []column{
		{rank: 1, head: "step", left: true}, {rank: 8, left: true}, {rank: 2, head: "busy"}, {rank: 3, head: "records/s"},
		{rank: 6, head: "MB/s", least: 6}, {rank: 5, head: "queue"}, {rank: 4, head: "rejects"}, {rank: 7, head: "restarts"},
	}
	restarts := &all[len(all)-1]
	for _, s := range steps {
		label := ansi.Truncate(flat(s.Name), names, "…")
		share, rejected, restarted := busy(s.busy), plural.Count(format.Total(s.Rejected)), plural.Count(int64(s.Restarts))
		if s.Name == by.Name {
			label, share = c.paint.Notice(label), c.paint.Notice(share)
		}
		if format.Total(s.Rejected) > 0 {
			rejected = c.paint.Notice(rejected)
		}
		if s.Restarts > 0 {
			restarted, restarts.rank = c.paint.Bad(restarted), 2
		}
		waiting := plural.Count(int64(s.Queue))
		if s.Behind {
			waiting = ""
		}
		for i, cell := range []string{
			label, c.bar(s.busy, 10), share, perSecond(s.records), fmt.Sprintf("%.1f", s.bytes/1e6), waiting, rejected, restarted,
		} {
			all[i].cells = append(all[i].cells, cell)
		}
	}
	return all
}

func perSecond(records float64) string {
	if 0 < records && records < 9.95 {
		return fmt.Sprintf("%.1f", records)
	}
	return plural.Count(int64(records + 0.5))
}

// Held says what held a run that has ended, such as "step privacy.redact, 80% busy"; nothing if nothing did.
func Held(p host.Progress) string {
	p.Held = 0 // it has answered
	h := host.HeldBy(p, host.Progress{})
	if h.Name == "" {
		return ""
	}
	return fmt.Sprintf("%s %s, %s", h.Kind, flat(h.Name), why(h))
}

func held(h host.Holder) string {
	return fmt.Sprintf("%s %s holds the run: %s", h.Kind, h.Name, why(h))
}

func why(h host.Holder) string {
	switch {
	case h.Silent > 0:
		return "no answer for " + clock(h.Silent)
	case h.Kind == "sink":
		return "writing " + busy(h.Busy) + " of the time"
	case h.Kind == "source":
		return "waited for " + busy(h.Busy) + " of the time"
	}
	return busy(h.Busy) + " busy"
}
