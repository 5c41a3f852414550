// Package batch is records on their way between processes: where their bytes lie, and what a step answered about them.
package batch

import (
	"context"
	"errors"
)

// A Record is one JSON value with its origin. Data lies in Mem and is never changed in place.
// Who holds a Record holds one reference on Mem; ReleaseAll gives them back.
type Record struct {
	Data   []byte
	Mem    *Region // nil when Data lies on the heap
	File   string  // origin, as the source named it
	Line   int64   // origin, counted from 1
	Ord    uint64  // place in the run's input, counted from 0
	Labels []Label // sorted by name; shared, so never changed in place
	Place  uint32  // for the host: which record of a batch it was when a route split it
}

// A Label is a small string on a record that is not part of its JSON.
type Label struct{ Name, Value string }

// A Verdict is what a step decided about one record.
type Verdict uint8

const (
	Unchanged Verdict = iota // goes on as it came
	Emitted                  // replaced by Outcome.Emitted, one or more records
	Dropped                  // left out on purpose, for Fault.Message
	Rejected                 // could not be accepted: Fault says why
	Declined                 // "not mine": the next step of a first gets it
)

// An Outcome is the answer to one record.
type Outcome struct {
	Verdict Verdict
	Emitted []Record // only with verdict Emitted
	Fault   *Fault   // only with Dropped, Rejected and Declined
}

// A Fault says why a record did not go on. Path is a gjson path or empty. Record, when there is one, stands in the
// dead letter in place of the record, which must not be written as it is.
type Fault struct {
	Code, Path, Message string
	Record              []byte
}

// A Side is one row that a step wrote beside the stream about input record Index of the batch.
type Side struct {
	Index  int
	Output string
	JSON   []byte
}

// An Answer is what a step says about the next len(Outcomes) records of a batch.
type Answer struct {
	Outcomes []Outcome
	Sides    []Side
	Counts   []Count
	Last     bool // no answer about the batch comes after this one; a worker may leave it unsaid
}

// A Count is a named figure that a step adds to the receipt, such as a rule that hit or a loss.
type Count struct {
	Name string
	N    int64
}

// A Worker runs one processor. One goroutine at a time calls it.
type Worker interface {
	// Process answers all records of in, in order, through one or more calls of emit.
	// New records are written to space. An error ends the worker.
	Process(ctx context.Context, in []Record, space Space, emit func(Answer) error) error
	Close() error
}

// A Space is the memory a worker writes new records to.
type Space interface {
	// Take gives the next n bytes, or nil when the memory at hand does not hold so many.
	Take(n int) []byte
	// Grow waits until Take can give n bytes. What was answered before must have been emitted, since the
	// wait may be for its memory. It returns ErrTooLarge when n can never be had.
	Grow(ctx context.Context, n int) error
}

// ErrTooLarge says that one record's output is larger than a step's memory.
var ErrTooLarge = errors.New("output is larger than the memory of a step")

// RetainAll takes one more reference on the memory of every record.
func RetainAll(records []Record) { addAll(records, 1) }

// ReleaseAll gives back one reference on the memory of every record.
func ReleaseAll(records []Record) { addAll(records, -1) }

// addAll counts runs of records in one region together, since most of a batch lies in one.
func addAll(records []Record, sign int) {
	for i := 0; i < len(records); {
		mem, n := records[i].Mem, 0
		for ; i < len(records) && records[i].Mem == mem; i++ {
			n++
		}
		if mem != nil {
			mem.add(n * sign)
		}
	}
}
