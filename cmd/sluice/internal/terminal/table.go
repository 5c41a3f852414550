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
			if steps[j].In == 0 && steps[j].Name != held.step {
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
		if steps[i].Name == held.step {
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
		if s.Name == held.step {
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

// A step holds the run that was silent for so long, or at one batch for so long while nothing is read, or busy for this share of
// the time while batches waited for that share.
const (
	silence  = 2 * time.Second
	busyFrom = 0.5
	waitFrom = 0.3
)

// A hold is what a run waits for, the zero value when no step holds it.
type hold struct{ step, why string }

func (h hold) String() string { return fmt.Sprintf("step %s holds the run: %s", h.step, h.why) }

// holds finds the step that holds the run. Steps that share a queue are weighed together, and the busiest of them is named.
func holds(p host.Progress, x pace) hold {
	if p.Held >= silence {
		return hold{p.Step, "no answer for " + clock(p.Held)}
	}
	var found hold
	steps, most := x.steps, busyFrom
	for i := 0; i < len(steps); {
		together := 1
		for i+together < len(steps) && steps[i+together].Behind {
			together++
		}
		all, busiest := 0.0, i
		for j := i; j < i+together; j++ {
			all += steps[j].busy
			if steps[j].busy > steps[busiest].busy {
				busiest = j
			}
		}
		if all >= most && steps[i].waits >= waitFrom {
			most = all
			found = hold{steps[busiest].Name, percent(steps[busiest].busy) + " busy, and batches wait"}
		}
		i += together
	}
	if found.step != "" || x.bytes > 0 {
		return found
	}
	longest := silence // without input a batch that is under way is all that is left
	for _, s := range steps {
		if s.Batch >= longest {
			longest = s.Batch
			found = hold{s.Name, "one batch for " + clock(s.Batch)}
		}
	}
	return found
}
