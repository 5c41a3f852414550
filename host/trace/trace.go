// Package trace holds what became of single records at every place of a pipeline.
package trace

import (
	"errors"

	"github.com/sluicehq/sluice/sdk/wire"
)

// ErrNoMatch is the error of a Selection whose Match has found no record.
var ErrNoMatch = errors.New("want a record of the sources that matches")

// ErrNoRecord is the error of an Input on whose line no record begins. The trace has the others.
var ErrNoRecord = errors.New("want a record that begins on this line")

// Selection says which records are traced: those of Records, or the first Count of the sources that Match.
type Selection struct {
	Records []Input
	Match   func(record []byte) bool
	Count   int
}

// Input is a record that begins on a line of a file, which the pipeline's source reads. Line 0 is the first record of the file
// too, and File "-" is standard input. With JSON the record is not read but is this text, as if it stood there.
type Input struct {
	File string
	Line int64
	JSON []byte
	Note string // what there is to say of it, for whoever shows the trace
}

// Trace is what became of some records at every place of a pipeline.
type Trace struct {
	Records []*Record
	Final   []Visit // of steps that wrote something after the last record
}

// Record is one record of the input.
type Record struct {
	File   string
	Line   int64
	Read   State   // as the source read it
	Visits []Visit // in the order of the pipeline file, and at each place in the order of arrival
}

// State is a record as it was at one place.
type State struct {
	JSON   []byte // nil when the record was too large to be copied
	Size   int
	Labels map[string]string

	Origins []wire.Pos // the records that it was made of, if a step said so
	More    int64      // of them, that are too many to be listed
}

// Visit is what one place of the pipeline did with one record that came there.
type Visit struct {
	Kind, Name string   // as the block in the file: "step" and "privacy.redact"; the dead letter has no name
	Within     []string // the blocks around it, as "first shape"
	Private    bool     // its plugin hides rejects, as one does that takes out personal data and secrets
	Ordered    bool     // it keeps state from record to record, of which a trace has none

	In      State   // nothing when made
	Verdict string  // unchanged, emitted, dropped, rejected or declined; made after the last record; "" for a route or a sink
	Out     []State // when emitted or made
	Code    string  // when rejected
	Meaning string  // what the plugin says about the code or the reason
	Path    string  // when rejected
	Message string  // when dropped, rejected or declined
	Rows    []SideRow
	Counts  map[string]int64 // for all records that came there together
	Branch  string           // that a route took: `case "train"`, default or none
	File    string           // that a sink writes, as the pipeline names it
}

// SideRow is a row that a step wrote to one of its side outputs.
type SideRow struct {
	Output string
	JSON   []byte
}
