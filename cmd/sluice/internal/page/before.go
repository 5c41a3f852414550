package page

import (
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/receipt"
)

// A beforeView says which run this one replaced, and in what else than its counts it was another.
type beforeView struct {
	Started string
	Same    bool // all figures are as they were
	Changed list[receipt.Difference]
}

func (m *maker) before(figures []figure) *beforeView {
	b := m.run.Before
	if b == nil {
		return nil
	}
	v := &beforeView{Started: b.Started.UTC().Format("2 January 2006, 15:04 UTC"), Same: true}
	for _, f := range figures[:len(figures)-1] { // the last is the time
		v.Same = v.Same && (f.Change == "" || f.Change == noChange)
	}
	v.Changed = list[receipt.Difference]{Rows: b.Changed, More: int64(b.More)}
	return v
}

const noChange = "as before"

// changed sets the changes of figures since the run before. The last figure is the time, which differs from run to run.
func (m *maker) changed(figures []figure) []figure {
	b := m.run.Before
	if b == nil {
		return figures
	}
	now, ok := m.run.Funnel()
	if !ok || b.Funnel == nil {
		return figures
	}
	was := b.Funnel
	by := map[string]int64{
		"Read": now.Read - was.Read, "Kept": now.Kept - was.Kept, "Dropped": now.Dropped - was.Dropped, "Copied": now.Copied - was.Copied,
		"Rejected": now.Rejected + now.Unreadable - was.Rejected - was.Unreadable,
	}
	for i := range figures {
		if n, known := by[figures[i].Label]; known {
			figures[i].Change = change(n)
		}
	}
	figures[len(figures)-1].Change = "before: " + format.Seconds(b.Totals.Seconds)
	return figures
}

func change(n int64) string {
	if n == 0 {
		return noChange
	}
	return format.Signed(n)
}

// changedCode returns the change of a code of rejects, "" when it is as it was.
func (m *maker) changedCode(code string, n int64) string {
	if m.run.Before == nil || n == m.run.Before.Totals.Rejected.By[code] {
		return ""
	}
	return format.Signed(n - m.run.Before.Totals.Rejected.By[code])
}

// changedDrop returns the change of a reason for drops, "" when it is as it was, and when n is not all that were dropped for it.
func (m *maker) changedDrop(reason string, n int64) string {
	b := m.run.Before
	if b == nil || n != m.run.Totals.Dropped.By[reason] || n == b.Totals.Dropped.By[reason] {
		return ""
	}
	return format.Signed(n - b.Totals.Dropped.By[reason])
}
