package receipt

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/plural"
)

// Failure says how a run ended that did not finish. The receipt of such a run lies beside the place of a finished run's, under the name
// receipt.failed.json, and balances never. Its counts are those at the end: Totals.Written counts rows of which none has a name, and Outputs
// and Reports are the files of rejects and differences that were kept, under the names NAME.failed.EXT.
type Failure struct {
	Ended       time.Time `json:"ended"`
	Interrupted bool      `json:"interrupted,omitempty"` // by a person or the system; otherwise it failed
	Error       string    `json:"error"`                 // with personal data and secrets masked
	Step        string    `json:"step,omitempty"`        // that ended the run, TYPE.NAME
	Record      *Position `json:"record,omitempty"`      // the first that may have ended it
	Bytes       int64     `json:"bytes"`                 // read
	DoneBytes   int64     `json:"bytes_done,omitempty"`  // of these, of the records that had left the run
	DoneRecords int64     `json:"records_done,omitempty"`
	TotalBytes  int64     `json:"bytes_in_all"`       // of the inputs; 0 when not known
	Named       []string  `json:"in_place,omitempty"` // outputs that got their names before the commit failed
	Unnamed     []string  `json:"not_in_place,omitempty"`
	Lost        []string  `json:"lost,omitempty"`   // outputs whose bytes somebody has removed before they got their names
	Resume      *Resume   `json:"resume,omitempty"` // nil: nothing is kept to go on with
}

// Resume says how a run goes on that has not finished.
type Resume struct {
	Records    int64  `json:"records"`              // read by the last checkpoint
	Committing bool   `json:"committing,omitempty"` // all records are done, and outputs have not got their names
	Command    string `json:"command"`
}

// Unfinished is the error for a run that has not finished: it failed, was interrupted, was killed, or still goes on.
type Unfinished struct {
	Path    string   // of the run's receipt if it has left one, otherwise of its folder
	Receipt *Receipt // with its Failure; nil when the run has left none
	Resume  *Resume  // nil: nothing is kept to go on with
}

// Error implements error.
func (u *Unfinished) Error() string {
	text := "this run has not finished: it still goes on, or was killed"
	if u.Receipt != nil {
		text = "this run " + u.Receipt.Failure.String()
	}
	switch r := u.Resume; {
	case r == nil && u.Receipt == nil:
		text += " before it kept anything"
	case r == nil:
	case r.Committing:
		text += "; all records are done, and outputs wait for their names"
	case r.Records == 1:
		text += "; the first record is kept"
	default:
		text += "; the first " + plural.Of(r.Records, "record") + " are kept"
	}
	if u.Resume != nil && u.Resume.Command != "" {
		text += "; to go on: " + u.Resume.Command
	} else if u.Resume != nil {
		text += "; to go on, run it again with --resume"
	}
	return u.Path + ": " + text
}

// Is reports that there is no receipt of a finished run.
func (u *Unfinished) Is(target error) bool { return target == fs.ErrNotExist }

// String says in one line whether the run failed or was interrupted, and why.
func (f *Failure) String() string {
	if f.Interrupted {
		return "was interrupted"
	}
	first, _, _ := strings.Cut(f.Error, "\n")
	return "failed: " + first
}

// FailedPath returns where a run that has its receipt at a path leaves one when it does not finish.
func FailedPath(path string) string { return output.FailedPath(path) }

// Since returns what is known of a run that came after that of a receipt, would replace it, and has not finished; nil when there is none.
func (r *Receipt) Since(path string) *Unfinished {
	u := unfinished(path)
	if u == nil || u.Receipt != nil && (u.Receipt.Run == r.Run || u.Receipt.Started.Before(r.Started)) {
		return nil
	}
	return u
}

// unfinished returns what is known of the run that would have its receipt at a path and has not finished; nil when there is none.
func unfinished(path string) *Unfinished {
	if text, err := places.ReadFile(FailedPath(path)); err == nil {
		var r Receipt
		if json.Unmarshal(text, &r) == nil && r.Failure != nil {
			return &Unfinished{FailedPath(path), &r, r.Failure.Resume}
		}
	}
	text, committing, found := output.InterruptedAt(path)
	if !found {
		return nil
	}
	u := &Unfinished{Path: places.Dir(path), Resume: &Resume{Committing: committing}}
	var state struct{ Resume *Resume }
	if json.Unmarshal(text, &state) == nil && state.Resume != nil {
		u.Resume = state.Resume
	}
	return u
}

// unfinishedIn returns what is known of a run that has not finished in a folder, or in a folder below it; nil when there is none.
func unfinishedIn(dir string) *Unfinished {
	folders, _ := filepath.Glob(places.Join(dir, "*"))
	for _, folder := range folders {
		if u := unfinished(places.Join(folder, Name)); u != nil {
			return u
		}
	}
	if len(output.Unfinished(dir)) > 0 {
		return &Unfinished{Path: dir}
	}
	return nil
}
