// Package receipt is the account of a run: what went in, what became of it, and whether that adds up and lies on disk.
package receipt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
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
	Graph      *Graph            `json:"graph,omitempty"`    // the pipeline as it ran
	Timeline   *Sidecar          `json:"timeline,omitempty"` // how the run went on, see Timeline
	Firsts     []Ranking         `json:"firsts,omitempty"`
	Routes     []Branching       `json:"routes,omitempty"`
	Shadows    []Comparison      `json:"shadows,omitempty"`
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
	Source  string `json:"source,omitempty"` // TYPE.NAME
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
	Origins *Sidecar `json:"origins,omitempty"` // which records its rows come from

	// Lengths are how many rows have a length in bytes, before compression and without the line's end, of at most the key, a
	// power of two, and of more than half of it.
	Lengths map[string]int64 `json:"lengths,omitempty"`
}

// A Sidecar is a file that tells more of another, in a hidden folder beside it.
type Sidecar struct {
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

// Ends are where the first and the last record of a span stand, nil when it has none.
func Ends(s flow.Range) (first, last *Position) {
	if s.Records == 0 {
		return nil, nil
	}
	return &Position{s.First.File, s.First.Line}, &Position{s.Last.File, s.Last.Line}
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
	Workers     int               `json:"workers"`
	Restarts    int               `json:"restarts,omitempty"` // lives of its process after the first; of a chain, told of its first step
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

// Comparable is the receipt without what differs between two runs of the same pipeline on the same input: Run, Started,
// Finished, Totals.Seconds, the timeline, and each step's BusySeconds, CPUSeconds, Workers and Restarts.
func (r Receipt) Comparable() Receipt {
	r.Run, r.Started, r.Finished, r.Totals.Seconds, r.Timeline = "", time.Time{}, time.Time{}, 0, nil
	r.Steps = slices.Clone(r.Steps)
	for i := range r.Steps {
		s := &r.Steps[i]
		s.BusySeconds, s.CPUSeconds, s.Workers, s.Restarts = 0, 0, 0, 0
	}
	return r
}

// Encode gives the receipt as JSON for people and machines. Times are in UTC; keys of maps are sorted. Values of records, which
// differences show, are left to the reports of shadows.
func (r Receipt) Encode() ([]byte, error) {
	r.Started, r.Finished = r.Started.UTC(), r.Finished.UTC()
	r.Inputs, r.Plugins, r.Steps, r.Outputs = list(r.Inputs), list(r.Plugins), list(r.Steps), list(r.Outputs)
	r.Shadows = slices.Clone(r.Shadows)
	for i := range r.Shadows {
		r.Shadows[i].Comparison = r.Shadows[i].WithoutValues()
	}
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
