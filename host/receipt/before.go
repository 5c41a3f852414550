package receipt

import (
	"path"
	"path/filepath"
	"time"
)

// Before holds the sums of the run that a run takes the place of: the one whose receipt lay at the same path. It says nothing of the runs
// before that one.
type Before struct {
	Run     string       `json:"run"`
	Started time.Time    `json:"started"`
	Totals  Totals       `json:"totals"`
	Funnel  *Funnel      `json:"funnel,omitempty"`  // nil of an old receipt
	Changed []Difference `json:"changed,omitempty"` // the first of what else differs, counts of records apart
	More    int          `json:"more,omitempty"`    // others
}

// mostChanged is how many differences to the run before a receipt lists.
const mostChanged = 20

// Over returns what the receipt of a run has of the one that it replaces. It is nil when their figures do not compare: the runs are of
// different pipelines, one is a part, or did not read everything.
func (r *Receipt) Over(old *Receipt) *Before {
	if old.Failure != nil || !old.Pipeline.Is(r.Pipeline) || old.Partial != nil || r.Partial != nil || !samePart(old.Part, r.Part) {
		return nil
	}
	b := &Before{Run: old.Run, Started: old.Started, Totals: old.Totals}
	if f, ok := old.Funnel(); ok {
		b.Funnel = &f
	}
	b.Changed = settings(old, r)
	if n := len(b.Changed) - mostChanged; n > 0 {
		b.Changed, b.More = b.Changed[:mostChanged], n
	}
	return b
}

// Is reports whether two runs are of one pipeline, though it may have been edited, renamed or moved between them.
func (p Pipeline) Is(other Pipeline) bool {
	return p.SHA256 == other.SHA256 || path.Base(filepath.ToSlash(p.Path)) == path.Base(filepath.ToSlash(other.Path))
}

func samePart(a, b *PartAccount) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Part == b.Part
}
