package rundiff

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/receipt"
)

// declined is the code of a record that no step took.
const declined = "declined"

// Kinds of fates, besides Rejected.
const (
	Kept    = "kept"     // it has a row in an output of the stream, copies of a tee apart
	Dropped = "dropped"  // it has none, and no reject
	Unread  = "not read" // the run has not read its file
)

// OfUnread is what Difference.A says of rows that only one run has, since the other has not read the file of their record.
const OfUnread = "its file was not read by the other"

// A Fate is what became of a record in a run.
type Fate struct {
	Kind string `json:"kind"`           // Kept, Rejected, Dropped or Unread
	Step string `json:"step,omitempty"` // that rejected or dropped it; of a drop empty when several steps may have
	Code string `json:"code,omitempty"` // of a reject
}

// String returns the fate in words.
func (f Fate) String() string {
	text := f.Kind
	if f.Step != "" {
		text += " by " + f.Step
	}
	if f.Code != "" {
		text += ": " + f.Code
	}
	return text
}

// fates say what became of records in one of two runs.
type fates struct {
	run   int      // 0 or 1
	keeps []string // sinks; nil: all of the stream
	read  []string // its files; nil: all
	drops []string // the steps that dropped records
}

func newFates(run int, r *receipt.Receipt, read []string) fates {
	f := fates{run: run, keeps: r.Keepers(), read: read}
	if r.Partial != nil {
		f.read = nil // it lists only the files that it read to their ends
	}
	for _, s := range r.Steps {
		if s.Dropped.Total > 0 && !s.Candidate {
			f.drops = append(f.drops, s.Name)
		}
	}
	return f
}

// of returns what became of a record with these rows.
func (f *fates) of(record output.Origin, rows []row, pairs []outputPair) Fate {
	var reject *row
	dropper := ""
	for i := range rows {
		p := &pairs[rows[i].output]
		switch {
		case p.stream != "" && (f.keeps == nil || slices.Contains(f.keeps, p.sinks[f.run])):
			return Fate{Kind: Kept}
		case p.Reject && reject == nil:
			reject = &rows[i]
		case p.side != "" && slices.Contains(f.drops, p.side):
			dropper = p.side
		}
	}
	switch {
	case reject != nil:
		x := rejectOf(reject.data)
		if x.code == declined { // by all steps of a first; earlier builds named the last of them
			x.step = ""
		}
		return Fate{Kind: Rejected, Step: x.step, Code: x.code}
	case len(rows) == 0 && f.read != nil && !slices.Contains(f.read, record.File):
		return Fate{Kind: Unread}
	case dropper == "" && len(f.drops) == 1:
		dropper = f.drops[0]
	}
	return Fate{Kind: Dropped, Step: dropper}
}

// sideOf returns the step of a side output, "" of any other output.
func sideOf(o *receipt.Output) string {
	step, _, cut := strings.Cut(o.Side, "/")
	if !cut {
		return ""
	}
	return step
}
