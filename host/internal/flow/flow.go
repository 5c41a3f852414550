// Package flow moves batches of records from a source through steps to sinks: in order, in bounded memory, with
// every record accounted for. It knows no configuration and no processes: a step is a [Stage].
//
// Every node of the tree runs in its own goroutines, joined by short queues. A batch leaves a node in the order in
// which it came, so the memory that it holds in an arena is only ever waited for by later batches; that is why the
// arenas cannot deadlock.
package flow

import (
	"context"

	"github.com/sluicehq/sluice/sdk/batch"
)

// A Stage is one worker of a step. One goroutine at a time calls it.
type Stage interface {
	// Process answers every record of in, in order, through one or more calls of emit. Records that it emits hold
	// a reference on their memory. An error ends the run.
	Process(ctx context.Context, in []batch.Record, emit func(batch.Answer) error) error
	Close() error
}

// A Source gives chunks of records in order, io.EOF at the end. Each record holds a reference on its memory.
type Source interface {
	Next(ctx context.Context) (batch.Chunk, error)
}

// A Sink takes records in order. It does not keep them.
type Sink interface {
	// Accepts tells why a record cannot be written, or nil.
	Accepts(*batch.Record) *batch.Fault
	Write([]batch.Record) error
}

// A Node is one part of the way of the data: *Step, *First, *Route, *Tee, *Shadow or *Output.
type Node interface{ node() }

// A Step sends records through a plugin.
type Step struct {
	Name    string // TYPE.NAME
	Plugin  string
	Stages  []Stage         // one for each worker
	Sides   map[string]Sink // where side rows of an output go; rows of other outputs are let go
	Account *Account
	inFirst bool
}

// A First gives a record to its steps in order until one does not decline. All steps have the same number of stages.
type First struct {
	Name  string
	Steps []*Step
}

// A Route sends each record down one of several ways. Ways that do not end in an Output meet again behind it.
type Route struct {
	Name    string
	Key     func(*batch.Record) string
	Cases   []Case
	Default *Case // nil: what matches no case is rejected
}

// A Case is one way of a Route.
type Case struct {
	Value string
	Body  []Node
}

// A Tee sends a copy of the stream down its body, which ends in an Output.
type Tee struct {
	Name string
	Body []Node
}

// An Output ends a way in a sink.
type Output struct {
	Name string
	Sink Sink
}

func (*Step) node()   {}
func (*First) node()  {}
func (*Route) node()  {}
func (*Tee) node()    {}
func (*Output) node() {}

// A Plan is a whole run.
type Plan struct {
	Sources    []Origin
	Body       []Node
	DeadLetter Sink
	Limit      int64 // most rejects before the run fails; negative: any number
	Account    *Totals
}

// An Origin is a source with its name, TYPE.NAME.
type Origin struct {
	Name   string
	Source Source
}
