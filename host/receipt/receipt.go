// Package receipt holds the account of a run: what it read, what became of each record, what it wrote, and whether that adds up.
package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/plural"
)

// Receipt is what receipt.json holds. Hashes are in hex. Those of the files that a run reads and writes are by the algorithm that its
// pipeline names, each under the name of its algorithm: the fields of an embedded filehash.Sum. All others are SHA-256.
type Receipt struct {
	Run          string            `json:"run"` // id
	Started      time.Time         `json:"started"`
	Finished     time.Time         `json:"finished,omitzero"` // zero with a Failure
	Failure      *Failure          `json:"failure,omitempty"` // nil when the run has finished
	Sluice       string            `json:"sluice"`            // version
	Pipeline     Pipeline          `json:"pipeline"`
	Variables    map[string]string `json:"variables,omitempty"`
	Defaults     []string          `json:"defaults,omitempty"` // variables that nobody set; receipts of older versions have none
	Dependencies []Dependency      `json:"readings,omitempty"`
	Inputs       []Input           `json:"inputs"`
	Partial      *Partial          `json:"partial,omitempty"` // nil when the run read everything
	Part         *PartAccount      `json:"part,omitempty"`    // nil when the run is whole
	Merged       []MergedPart      `json:"merged,omitempty"`  // the parts that were merged into this receipt, in order
	Reused       *Reused           `json:"reused,omitempty"`  // what was not run again; nil when the run has no store
	Poison       bool              `json:"poison,omitempty"`  // records were overwritten, and no step answered otherwise for that
	Plugins      []Plugin          `json:"plugins"`           // in the order of their steps
	Steps        []StepAccount     `json:"steps"`             // in the order of the file
	Totals       Totals            `json:"totals"`
	Outputs      []Output          `json:"outputs"`
	Graph        *Graph            `json:"graph,omitempty"`    // the pipeline as it ran
	Timeline     *Sidecar          `json:"timeline,omitempty"` // the file that holds the Timeline
	Reports      []Report          `json:"reports,omitempty"`
	Firsts       []FirstReport     `json:"firsts,omitempty"`
	Routes       []RouteReport     `json:"routes,omitempty"`
	Shadows      []ShadowReport    `json:"shadows,omitempty"`
	Warnings     []Warning         `json:"warnings,omitempty"`
	Before       *Before           `json:"before,omitempty"` // of the run that this one replaces; nil when there was none
	Balanced     bool              `json:"balanced"`
	Unbalanced   []string          `json:"unbalanced,omitempty"` // what does not add up
}

// Reused says of how many of the files there are to read a run has taken from a store what an earlier run made of them, and what these
// hold. They are among the Inputs, and all else of the receipt counts them as if they had been run.
type Reused struct {
	Files   int   `json:"files"`
	Of      int   `json:"of"`
	Records int64 `json:"records"`
	Bytes   int64 `json:"bytes"`

	Behind []ReusedBehind `json:"behind,omitempty"` // other files, in the order of the steps
}

// ReusedBehind says of how many files a run has taken from a store the records that left a step, and run what comes behind it.
type ReusedBehind struct {
	Step    string `json:"step"`
	Files   int    `json:"files"`
	Records int64  `json:"records"` // of the files
	Bytes   int64  `json:"bytes"`
}

// Pipeline is the file that was run.
type Pipeline struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Dependency is an environment variable or a file that the pipeline file reads.
type Dependency struct {
	Kind   string `json:"kind"` // env or file
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of the value, which may be secret, or of the file
}

// Warning is something that a person should know about a run that succeeded.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Place   string `json:"place,omitempty"` // FILE:LINE:COLUMN of the pipeline
}

// Input is a file that was read to its end, with its size on disk. When it was changed, replaced or removed after it was found, it
// is unknown what was read.
type Input struct {
	Name    string `json:"name"`
	Source  string `json:"source,omitempty"` // TYPE.NAME
	Bytes   int64  `json:"bytes"`
	Records int64  `json:"records"`
	filehash.Sum
	Changed bool  `json:"changed,omitempty"` // after it was found
	Unread  int64 `json:"unread,omitempty"`  // members of a document that are no records
	Padding int64 `json:"padding,omitempty"` // zeros behind the gzip data, which are no records either

	Share *Share `json:"share,omitempty"` // what a part read, whose bytes Bytes counts and whose hash the Sum is
}

// Output is a file that was written, as it lies on disk. An output of the stream names the steps that its records went through
// in After; a side output or a dead letter says in Side where its rows come from.
type Output struct {
	Path    string `json:"path"`
	Records int64  `json:"records"`
	Bytes   int64  `json:"bytes"`
	filehash.Sum
	After   []string `json:"after,omitempty"`   // steps
	Side    string   `json:"beside,omitempty"`  // STEP/OUTPUT, or DeadLetter
	Sink    string   `json:"sink,omitempty"`    // TYPE.NAME
	Partial bool     `json:"partial,omitempty"` // the run did not read everything
	Origins *Sidecar `json:"origins,omitempty"` // which records its rows come from

	// Lengths is a histogram of the rows' lengths in bytes, before compression and without line ends. Keys are the longest lengths of
	// buckets: each length below 16 has its own, and above that every power of two has eight. Receipts of older versions have powers
	// of two, each the end of a bucket that begins behind half of it.
	Lengths map[string]int64 `json:"lengths,omitempty"`
}

// Sidecar is a file about another one, in the hidden folder .sluice next to it.
type Sidecar struct {
	Path string `json:"path"`
	filehash.Sum
}

// Report is a file about the run: the manifest, or the report of a first or a shadow.
type Report struct {
	What string `json:"what"` // ManifestReport, or "first NAME" and "shadow NAME"
	Sidecar
}

// ManifestReport is the What of the manifest.
const ManifestReport = "manifest"

// DeadLetter is the Side of the output that holds the rejects.
const DeadLetter = "dead_letter"

// Position is where a record begins in the input. Lines count from 1.
type Position struct {
	File string `json:"file"`
	Line int64  `json:"line"`
}

// String returns FILE:LINE.
func (p Position) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// BuiltIn is the Path of a plugin that is part of sluice.
const BuiltIn = "built-in"

// Plugin is the program that ran a step.
type Plugin struct {
	Step    string `json:"step"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Path    string `json:"path"`
	SHA256  string `json:"sha256,omitempty"` // of the program's file

	// Code and SDK are hashes of what a built-in plugin is made of, its own packages and rules and those of the SDK below. They are empty
	// where the program is not known to be built of clean sources.
	Code string `json:"code_sha256,omitempty"`
	SDK  string `json:"sdk_sha256,omitempty"`

	Arguments string `json:"arguments_sha256,omitempty"` // of the step's arguments as JSON, without secrets
}

// StepAccount counts the records of one step. In + Extra = Out + Dropped + Rejected + Declined, where Extra is what the step
// emitted beyond one record for each that it took.
type StepAccount struct {
	Name        string                `json:"name"`
	Plugin      string                `json:"plugin"`
	In          int64                 `json:"in"`
	Out         int64                 `json:"out"`
	Extra       int64                 `json:"emitted_extra"`
	Dropped     Breakdown             `json:"dropped"`  // by reason
	Rejected    Breakdown             `json:"rejected"` // by code
	Declined    Breakdown             `json:"declined"` // by reason
	BytesIn     int64                 `json:"bytes_in"`
	BytesOut    int64                 `json:"bytes_out"`
	BusySeconds float64               `json:"busy_seconds"` // of all its workers
	Workers     int                   `json:"workers"`
	Restarts    int                   `json:"restarts,omitempty"` // processes after the first; a chain counts them at its first step
	CPUSeconds  float64               `json:"cpu_seconds"`        // of its processes, likewise counted; 0 when it ran in the host's
	Counts      map[string]int64      `json:"counts,omitempty"`
	Unwanted    map[string]int64      `json:"unwanted,omitempty"`   // rows of side outputs that no block takes, by output
	Private     bool                  `json:"private,omitempty"`    // rejects show what its plugin chose, or null, and not the record
	Candidate   bool                  `json:"candidate,omitempty"`  // of a shadow: its records do not go on, and Totals does not count them
	Deprecated  string                `json:"deprecated,omitempty"` // why the step should go
	Drops       map[string][]Position `json:"drops,omitempty"`      // the first records of each reason for a drop, at most two
	Facts       map[string]string     `json:"facts,omitempty"`      // about a built-in plugin and its arguments
	First       *Position             `json:"first,omitempty"`      // record that a member of a first did not decline
	Last        *Position             `json:"last,omitempty"`       // likewise
}

// Totals counts the records of the run. Read + Extra + Teed = Written + Dropped + Rejected: what a step or a tee added
// has to end somewhere too. Written is what sinks took from the stream, without side outputs and the dead letter.
// Declined records are not counted: the next step takes them, or they are rejected.
type Totals struct {
	Read         int64     `json:"read"`
	Extra        int64     `json:"extra"`
	Teed         int64     `json:"teed"`
	Written      int64     `json:"written"`
	Dropped      Breakdown `json:"dropped"`  // by reason
	Rejected     Breakdown `json:"rejected"` // by code
	BytesRead    int64     `json:"bytes_read"`
	BytesWritten int64     `json:"bytes_written"`
	Seconds      float64   `json:"seconds"`
}

// Breakdown is a count and its parts. Means has what the program of a step says of them; what built-in plugins say is in sluice docs.
type Breakdown struct {
	Total int64             `json:"total"`
	By    map[string]int64  `json:"by,omitempty"`
	Means map[string]string `json:"means,omitempty"`
}

// Sum returns the breakdown with these parts.
func Sum(by map[string]int64) Breakdown {
	t := Breakdown{By: by}
	for _, n := range by {
		t.Total += n
	}
	return t
}

// Comparable returns the receipt without what differs between two runs of the same pipeline on the same input: Run, Started,
// Finished, Totals.Seconds, the timeline, Poison, Merged, Before, Reused, and each step's BusySeconds, CPUSeconds, Workers and Restarts.
func (r Receipt) Comparable() Receipt {
	r.Run, r.Started, r.Finished, r.Totals.Seconds, r.Timeline, r.Poison = "", time.Time{}, time.Time{}, 0, nil, false
	r.Merged, r.Before, r.Reused = nil, nil, nil
	r.Steps = slices.Clone(r.Steps)
	for i := range r.Steps {
		s := &r.Steps[i]
		s.BusySeconds, s.CPUSeconds, s.Workers, s.Restarts = 0, 0, 0, 0
	}
	return r
}

// plugin returns the program that ran a step, the zero value when there is none.
func (r *Receipt) plugin(step string) Plugin {
	if i := slices.IndexFunc(r.Plugins, func(p Plugin) bool { return p.Step == step }); i >= 0 {
		return r.Plugins[i]
	}
	return Plugin{}
}

// Encode returns the receipt as JSON. Times are in UTC, and keys of maps are sorted. The values of records that differ in a
// shadow are left out: only the shadow's report has them.
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

// list returns s, or an empty list instead of nil, so that JSON has [] and not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Read reads the receipt at path. The error is an *Unfinished when the run that has its receipt there has not finished.
func Read(path string) (*Receipt, error) {
	data, err := places.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if u := unfinished(path); u != nil {
			return nil, u
		}
	}
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", oserr.AtPath(err))
	}
	var r Receipt
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: want a receipt: %w", path, err)
	}
	if r.Failure != nil {
		return nil, &Unfinished{path, &r, r.Failure.Resume}
	}
	return &r, nil
}

// Partial says which records a run took that did not read everything. The Inputs of its receipt are only those files that it
// read to their ends.
type Partial struct {
	Limit  int64          `json:"limit,omitempty"`  // the first ones, as many as this
	Sample int64          `json:"sample,omitempty"` // as many as this of all records, drawn by the seed and by their positions
	Seed   uint64         `json:"seed,omitempty"`   // of a sample
	Bytes  int64          `json:"bytes"`            // of the records that were taken
	Taken  []PartialInput `json:"taken"`            // in the order in which they were read
}

// PartialInput says how many records of a file a run took.
type PartialInput struct {
	Name    string `json:"name"`
	Records int64  `json:"records"`
}

// String returns a phrase as in "the first 5 records".
func (p *Partial) String() string {
	if p.Sample > 0 {
		return fmt.Sprintf("a sample of %s, drawn by seed %d", plural.Of(p.Sample, "record"), p.Seed)
	}
	if p.Limit == 1 {
		return "the first record"
	}
	return "the first " + plural.Of(p.Limit, "record")
}

func (p *Partial) records() (n int64) {
	for _, t := range p.Taken {
		n += t.Records
	}
	return n
}
