// Package receipt is the account of a run: what went in, what became of it, and whether that adds up.
package receipt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/jsonl"
)

// A Receipt is written as receipt.json. Hashes are SHA-256 in hex.
type Receipt struct {
	Run        string            `json:"run"` // id
	Started    time.Time         `json:"started"`
	Finished   time.Time         `json:"finished"`
	Sluice     string            `json:"sluice"` // version
	Pipeline   Pipeline          `json:"pipeline"`
	Variables  map[string]string `json:"variables,omitempty"`
	Inputs     []jsonl.Input     `json:"inputs"`
	Plugins    []Plugin          `json:"plugins"` // in the order of their steps
	Steps      []Step            `json:"steps"`   // as they stand in the file
	Totals     Totals            `json:"totals"`
	Outputs    []jsonl.Output    `json:"outputs"`
	Balanced   bool              `json:"balanced"`
	Unbalanced []string          `json:"unbalanced,omitempty"` // what does not add up
}

// A Pipeline is the file that was run.
type Pipeline struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// BuiltIn is the Path of a plugin that comes with sluice.
const BuiltIn = "built-in"

// A Plugin is the program that did a step.
type Plugin struct {
	Step    string `json:"step"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Path    string `json:"path"`
	SHA256  string `json:"sha256,omitempty"` // of the program's file
}

// A Step counts the records of one step. In + Extra = Out + Dropped + Rejected + Declined, where Extra is what the step
// emitted beyond one record for each that it took.
type Step struct {
	Name        string            `json:"name"`
	Plugin      string            `json:"plugin"`
	In          int64             `json:"in"`
	Out         int64             `json:"out"`
	Extra       int64             `json:"emitted_extra"`
	Dropped     Tally             `json:"dropped"`  // by reason
	Rejected    Tally             `json:"rejected"` // by code
	Declined    Tally             `json:"declined"` // by reason
	BytesIn     int64             `json:"bytes_in"`
	BytesOut    int64             `json:"bytes_out"`
	BusySeconds float64           `json:"busy_seconds"` // of all its workers
	CPUSeconds  float64           `json:"cpu_seconds"`  // of its processes; 0 when it ran in the host's
	Counts      map[string]int64  `json:"counts,omitempty"`
	Deprecated  string            `json:"deprecated,omitempty"` // why the step should go
	Facts       map[string]string `json:"facts,omitempty"`      // about a built-in plugin and its arguments
	First       *flow.Position    `json:"first,omitempty"`      // record that a step of a first did not decline
	Last        *flow.Position    `json:"last,omitempty"`       // likewise
}

// Totals count the records of the run. Read + Extra + Teed = Written + Dropped + Rejected: what a step or a tee added
// has to end somewhere too. Written is what sinks took from the stream, so neither side outputs nor the dead letter,
// whose records are the rejected ones. Declines do not show: the next step has the record, or it is rejected.
type Totals struct {
	Read         int64   `json:"read"`
	Extra        int64   `json:"extra"`
	Teed         int64   `json:"teed"`
	Written      int64   `json:"written"`
	Dropped      Tally   `json:"dropped"`  // by reason
	Rejected     Tally   `json:"rejected"` // by code
	BytesRead    int64   `json:"bytes_read"`
	BytesWritten int64   `json:"bytes_written"`
	Seconds      float64 `json:"seconds"`
}

// A Tally is a count and what it is made of.
type Tally struct {
	Total int64            `json:"total"`
	By    map[string]int64 `json:"by,omitempty"`
}

// Sum makes a tally of its parts.
func Sum(by map[string]int64) Tally {
	t := Tally{By: by}
	for _, n := range by {
		t.Total += n
	}
	return t
}

// Check holds the account to its sums, notes the outcome in Balanced and Unbalanced, and returns it as an error.
func (r *Receipt) Check() error {
	r.Unbalanced = nil
	var read int64
	for _, in := range r.Inputs {
		read += in.Records
	}
	if read != r.Totals.Read {
		r.note("inputs hold %d records, the run read %d", read, r.Totals.Read)
	}
	for _, s := range r.Steps {
		what := "step " + s.Name
		came, went := s.In+s.Extra, s.Out+s.Dropped.Total+s.Rejected.Total+s.Declined.Total
		if came != went {
			r.note("%s: %d in + %d extra = %d, but %d out + %d dropped + %d rejected + %d declined = %d", what,
				s.In, s.Extra, came, s.Out, s.Dropped.Total, s.Rejected.Total, s.Declined.Total, went)
		}
		r.tally(what+": dropped", s.Dropped)
		r.tally(what+": rejected", s.Rejected)
		r.tally(what+": declined", s.Declined)
	}
	t := r.Totals
	came, went := t.Read+t.Extra+t.Teed, t.Written+t.Dropped.Total+t.Rejected.Total
	if came != went {
		r.note("run: %d read + %d extra + %d teed = %d, but %d written + %d dropped + %d rejected = %d",
			t.Read, t.Extra, t.Teed, came, t.Written, t.Dropped.Total, t.Rejected.Total, went)
	}
	r.tally("run: dropped", t.Dropped)
	r.tally("run: rejected", t.Rejected)

	r.Balanced = len(r.Unbalanced) == 0
	switch n := len(r.Unbalanced); n {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s", r.Unbalanced[0])
	default:
		return fmt.Errorf("%s (and %d more)", r.Unbalanced[0], n-1)
	}
}

func (r *Receipt) note(format string, args ...any) {
	r.Unbalanced = append(r.Unbalanced, fmt.Sprintf(format, args...))
}

func (r *Receipt) tally(what string, t Tally) {
	if sum := Sum(t.By).Total; sum != t.Total {
		r.note("%s %d, but one by one %d", what, t.Total, sum)
	}
}

// Comparable is the receipt without what differs between two runs of the same pipeline on the same input: Run,
// Started, Finished, Totals.Seconds and each step's BusySeconds and CPUSeconds.
func (r Receipt) Comparable() Receipt {
	r.Run, r.Started, r.Finished, r.Totals.Seconds = "", time.Time{}, time.Time{}, 0
	r.Steps = slices.Clone(r.Steps)
	for i := range r.Steps {
		r.Steps[i].BusySeconds, r.Steps[i].CPUSeconds = 0, 0
	}
	return r
}

// Write puts the receipt at path, whole or not at all. Times are in UTC; keys of maps are sorted.
func (r Receipt) Write(path string) error {
	r.Started, r.Finished = r.Started.UTC(), r.Finished.UTC()
	r.Inputs, r.Plugins, r.Steps, r.Outputs = list(r.Inputs), list(r.Plugins), list(r.Steps), list(r.Outputs)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	return jsonl.WriteFile(path, b.Bytes())
}

// list is s, or an empty list: null is none.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Read reads the receipt at path.
func Read(path string) (*Receipt, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	var r Receipt
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: want a receipt: %w", path, err)
	}
	return &r, nil
}
