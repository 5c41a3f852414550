package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
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

func (c *canvas) table(steps []stepPace, held hold, space int) []string {
	if len(steps) == 0 || space < 2 {
		return nil
	}
	more := ""
	if len(steps)+1 > space {
		rows := max(space-2, 1)
		more = fmt.Sprintf("and %s that are less busy", format.Plural(len(steps)-rows, "step"))
		steps = busiest(steps, held, rows)
	}
	columns := fit(c.columns(steps, held), c.width-1, func(c column) (int, int) { return c.width(), c.rank })
	lines := make([]string, len(steps)+1)
	for i, shown := range columns {
		between := strings.Repeat(" ", gap*min(i, 1))
		lines[0] += between + c.paint.with(faint, shown.pad(shown.head))
		for j, cell := range shown.cells {
			cell = shown.pad(cell)
			if steps[j].In == 0 && steps[j].Name != held.by {
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

func busiest(steps []stepPace, held hold, n int) []stepPace {
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	weight := func(i int) float64 {
		if steps[i].Name == held.by {
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
func (c *canvas) columns(steps []stepPace, held hold) []column {
	names := min(c.width/3, 32)
	all := []column{
		{rank: 1, head: "step", left: true}, {rank: 8, left: true}, {rank: 2, head: "busy"}, {rank: 3, head: "records/s"},
		{rank: 6, head: "MB/s", least: 6}, {rank: 5, head: "queue"}, {rank: 4, head: "rejects"}, {rank: 7, head: "restarts"},
	}
	restarts := &all[len(all)-1]
	for _, s := range steps {
		label := ansi.Truncate(flat(s.Name), names, "…")
		share, rejected, restarted := percent(s.busy), format.Count(format.Total(s.Rejected)), format.Count(int64(s.Restarts))
		if s.Name == held.by {
			label, share = c.paint.Notice(label), c.paint.Notice(share)
		}
		if format.Total(s.Rejected) > 0 {
			rejected = c.paint.Notice(rejected)
		}
		if s.Restarts > 0 {
			restarted, restarts.rank = c.paint.Bad(restarted), 2
		}
		waiting := format.Count(int64(s.Queue))
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
	return format.Count(int64(records + 0.5))
}

// A run is held by the step that gave no answer for so long, or else by what was busy for the largest share of the time, if that is
// at least this much. A source that waits longer than anything behind it works, by this much, holds it too: while memory is full of
// records that others are at, each source waits as long as they work.
const (
	silence  = 2 * time.Second
	busyFrom = 0.5
	alone    = 0.2
)

// Held says what held a run that has ended, such as "step privacy.redact, 80% busy"; nothing if nothing did.
func Held(p host.Progress) string {
	past := history{}
	past.samples = []host.Progress{{}, p}
	p.Held = 0 // it has answered
	h := holds(p, past.pace())
	if h.by == "" {
		return ""
	}
	return fmt.Sprintf("%s %s, %s", h.kind, flat(h.by), h.why)
}

// A hold is what a run waits for, the zero value when nothing holds it.
type hold struct{ kind, by, why string }

func (h hold) String() string { return fmt.Sprintf("%s %s holds the run: %s", h.kind, h.by, h.why) }

// holds finds what holds the run. Steps of one chain share its workers: they are weighed together, and the busiest is named.
func holds(p host.Progress, x pace) (found hold) {
	if p.Held >= silence {
		return hold{"step", p.Step, "no answer for " + clock(p.Held)}
	}
	most := busyFrom
	steps := x.steps
	for i := 0; i < len(steps); {
		all, busiest, next := steps[i].busy, i, i+1
		for ; next < len(steps) && steps[next].Behind; next++ {
			all += steps[next].busy
			if steps[next].busy > steps[busiest].busy {
				busiest = next
			}
		}
		if all >= most {
			most, found = all, hold{"step", steps[busiest].Name, percent(steps[busiest].busy) + " busy"}
		}
		i = next
	}
	for _, e := range x.sinks {
		if e.busy > most {
			most, found = e.busy, hold{"sink", e.name, "writing " + percent(e.busy) + " of the time"}
		}
	}
	if found.by != "" {
		most += alone
	}
	for _, e := range x.sources {
		if e.busy > most {
			most, found = e.busy, hold{"source", e.name, "waited for " + percent(e.busy) + " of the time"}
		}
	}
	return found
}
