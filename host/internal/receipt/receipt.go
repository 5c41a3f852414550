// Package receipt is the account of a run: what went in, what became of it, and whether that adds up and lies on disk.
package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"
)

// A Receipt is written as receipt.json. Hashes are SHA-256 in hex.
type Receipt struct {
	Run        string            `json:"run"` // id
	Started    time.Time         `json:"started"`
	Finished   time.Time         `json:"finished"`
	Sluice     string            `json:"sluice"` // version
	Pipeline   Pipeline          `json:"pipeline"`
	Variables  map[string]string `json:"variables,omitempty"`
	Readings   []Reading         `json:"readings,omitempty"`
	Inputs     []Input           `json:"inputs"`
	Partial    *Partial          `json:"partial,omitempty"` // the run was not whole
	Plugins    []Plugin          `json:"plugins"`           // in the order of their steps
	Steps      []StepAccount     `json:"steps"`             // as they stand in the file
	Totals     Totals            `json:"totals"`
	Outputs    []Output          `json:"outputs"`
	Warnings   []Warning         `json:"warnings,omitempty"`
	Balanced   bool              `json:"balanced"`
	Unbalanced []string          `json:"unbalanced,omitempty"` // what does not add up
}

// A Pipeline is the file that was run.
type Pipeline struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// A Reading is what the pipeline file took from outside itself, beside variables.
type Reading struct {
	Kind   string `json:"kind"` // env or file
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of the value, which may be secret, or of the file
}

// A Warning is what a person should know about a run that went well.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Place   string `json:"place,omitempty"` // FILE:LINE:COLUMN of the pipeline
}

// An Input is a file that was read.
type Input struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	Records int64  `json:"records"`
	SHA256  string `json:"sha256"`
	Changed bool   `json:"changed,omitempty"` // while it was read
	Unread  int64  `json:"unread,omitempty"`  // members of a document beside its records
}

// An Output is a file that was written, as it lies on disk. Of the stream it holds what every step in After has let
// through; what stands beside the stream names its place in Beside instead.
type Output struct {
	Path    string   `json:"path"`
	Records int64    `json:"records"`
	Bytes   int64    `json:"bytes"`
	SHA256  string   `json:"sha256"`
	After   []string `json:"after,omitempty"`   // steps
	Beside  string   `json:"beside,omitempty"`  // STEP/OUTPUT, or DeadLetter
	Sink    string   `json:"sink,omitempty"`    // TYPE.NAME
	Partial bool     `json:"partial,omitempty"` // the run was not whole
	Origins *Origins `json:"origins,omitempty"`
}

// Origins are a file that says which records the rows of an output come from.
type Origins struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// DeadLetter is the Beside of rejects.
const DeadLetter = "dead_letter"

// A Position is where a record stands in the input. Lines count from 1.
type Position struct {
	File string `json:"file"`
	Line int64  `json:"line"`
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

	Arguments string `json:"arguments_sha256,omitempty"` // of the step's arguments as JSON, without secrets
}

// A StepAccount counts the records of one step. In + Extra = Out + Dropped + Rejected + Declined, where Extra is what the step
// emitted beyond one record for each that it took.
type StepAccount struct {
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
	Unwanted    map[string]int64  `json:"unwanted,omitempty"`   // side rows without a block to take them, by output
	Candidate   bool              `json:"candidate,omitempty"`  // of a shadow: its records do not go on, so Totals leave it out
	Deprecated  string            `json:"deprecated,omitempty"` // why the step should go
	Facts       map[string]string `json:"facts,omitempty"`      // about a built-in plugin and its arguments
	First       *Position         `json:"first,omitempty"`      // record that a step of a first did not decline
	Last        *Position         `json:"last,omitempty"`       // likewise
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

// Check holds the account to its sums and to the files, notes the outcome in Balanced and Unbalanced, and returns it as an
// error. handed is how many records the run has handed to each sink, by the name that Outputs have in Sink.
func (r *Receipt) Check(handed map[string]int64) error {
	r.checkSums()
	r.checkHanded(handed)
	r.checkWritten()
	return r.outcome()
}

// Recheck does the same for a receipt that was read: what was handed to whom nobody knows any more.
func (r *Receipt) Recheck() error {
	r.checkSums()
	r.checkWritten()
	return r.outcome()
}

func (r *Receipt) outcome() error {
	r.Balanced = len(r.Unbalanced) == 0
	switch n := len(r.Unbalanced); n {
	case 0:
		return nil
	case 1:
		return errors.New(r.Unbalanced[0])
	default:
		return fmt.Errorf("%s (and %d more)", r.Unbalanced[0], n-1)
	}
}

func (r *Receipt) checkSums() {
	r.Unbalanced = nil
	r.checkRead()
	for _, s := range r.Steps {
		r.checkStep(s)
	}
	r.checkTotals()
}

func (r *Receipt) checkRead() {
	var read int64
	for _, in := range r.Inputs {
		read += in.Records
	}
	if r.Partial != nil {
		read = r.Partial.records()
	}
	if read != r.Totals.Read {
		r.note("inputs hold %d records, the run read %d", read, r.Totals.Read)
	}
}

func (r *Receipt) checkStep(s StepAccount) {
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

func (r *Receipt) checkTotals() {
	t := r.Totals
	came, went := t.Read+t.Extra+t.Teed, t.Written+t.Dropped.Total+t.Rejected.Total
	if came != went {
		r.note("run: %d read + %d extra + %d teed = %d, but %d written + %d dropped + %d rejected = %d",
			t.Read, t.Extra, t.Teed, came, t.Written, t.Dropped.Total, t.Rejected.Total, went)
	}
	r.tally("run: dropped", t.Dropped)
	r.tally("run: rejected", t.Rejected)
}

// checkHanded compares what was counted on the way with what lies on disk, sink by sink.
func (r *Receipt) checkHanded(handed map[string]int64) {
	onDisk := map[string]int64{}
	for _, o := range r.Outputs {
		onDisk[o.Sink] += o.Records
	}
	for name := range handed {
		onDisk[name] += 0
	}
	for _, name := range slices.Sorted(maps.Keys(onDisk)) {
		if handed[name] != onDisk[name] {
			r.note("sink %s: the run handed it %d records, on disk are %d", name, handed[name], onDisk[name])
		}
	}
}

// checkWritten compares the totals with what lies on disk.
func (r *Receipt) checkWritten() {
	var written, rejected int64
	for _, o := range r.Outputs {
		switch o.Beside {
		case "":
			written += o.Records
		case DeadLetter:
			rejected += o.Records
		}
	}
	if written != r.Totals.Written {
		r.note("run: %d written, but %d in the outputs of the stream", r.Totals.Written, written)
	}
	if rejected != r.Totals.Rejected.Total {
		r.note("run: %d rejected, but %d in the dead letter", r.Totals.Rejected.Total, rejected)
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

// Encode gives the receipt as JSON for people and machines. Times are in UTC; keys of maps are sorted.
func (r Receipt) Encode() ([]byte, error) {
	r.Started, r.Finished = r.Started.UTC(), r.Finished.UTC()
	r.Inputs, r.Plugins, r.Steps, r.Outputs = list(r.Inputs), list(r.Plugins), list(r.Steps), list(r.Outputs)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	return b.Bytes(), nil
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
