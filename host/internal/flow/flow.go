// Package flow moves batches of records from a source through steps to sinks: in order, in bounded memory, with
// every record accounted for. It knows no configuration and no processes: a worker of a step is a [Stage].
//
// Every node of the tree runs in its own goroutines, joined by short queues. Batches leave a node in the order in
// which they came, so only later batches ever wait for the arena memory of an earlier one. That is why the arenas
// cannot deadlock.
package flow

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Reader returns chunks of records in order, and io.EOF after the last. Each record holds a reference on its memory.
type Reader interface {
	// Next returns at most so many records, 0 for any number.
	Next(ctx context.Context, most int) (wire.Chunk, error)
	// Close stops reading ahead. Once it has returned, nothing touches the memory of an arena.
	Close() error
}

// A Writer writes records in order. It does not keep them.
type Writer interface {
	// Accepts returns why a record cannot be written, or nil.
	Accepts(*wire.Record) *wire.Fault
	// Write is for records that it accepts.
	Write([]wire.Record) error
}

// A Node is a part of the tree: *Step, *First, *Route, *Tee, *Shadow, *Keep, *Sink or *Survey.
type Node interface{ node() }

// A Step sends records through a plugin. With Rest it is a chain, whose stages run all of its steps.
type Step struct {
	Name    string // TYPE.NAME
	Plugin  string
	Sides   map[string]*Sink // sinks by side output; rows of other side outputs are only counted
	Account *Account
	Private bool   // the dead letter shows null for a rejected record, unless the plugin sent one to show
	First   string // the First that the step belongs to inside the chain; the next member gets what it declines

	// Observe, unless nil, sees every answer before anything is done with it, and the answer to Flush and Finish with no records.
	// Several goroutines call it; its arguments are valid until it returns.
	Observe func(in []wire.Record, a *wire.Answer)

	// The fields below are set on the first step of a chain, and hold for all of it.
	Rest        []*Step              // the steps after the first
	Stages      []Stage              // one for each worker
	Plain       []Stage              // of a poisoned run: for each stage one that does not overwrite records, to compare with; or nil
	Timeout     time.Duration        // longest time without an answer; 0: any
	Batch       BatchSize            // of what a worker gets at a time; zero: as it comes
	Isolate     bool                 // a record that crashes the plugin is rejected; otherwise it ends the run
	Restarts    int                  // so many crashes may come in a run that isolates them
	Ordered     bool                 // the plugin keeps state from record to record
	Concurrent  bool                 // a worker works on several records of a batch at once
	Finish      bool                 // the plugin is called once more after the last record
	CurrentStep func(worker int) int // which step of the chain a worker is in; nil: the first
	OnBatch     func(BatchSpan)      // unless nil, is called after every batch of a worker, by several goroutines

	calling  sync.Mutex // held during a call of an ordered step
	compared bool       // it is the candidate of a Shadow
	declines bool       // another member of a First takes what the step declines
	by       rejecter
	stages   []Stage   // Stages, with clocks where needed
	bisector *bisector // nil: a crash ends the run
}

// A First sends a record to its members in order until one does not decline it. It has as many workers as its members
// have in common.
type First struct {
	Name    string
	Members []Member

	by rejecter // of records that all members declined
}

// A Member is what a First may hold: a *Step, or a *Shadow, which declines what its current step declines.
type Member interface {
	workerNode
	member()
}

// A Route sends each record down one of several branches. Branches that do not end in a sink join again after it.
type Route struct {
	Name    string
	Key     func(*wire.Record) string
	Cases   []Case
	Default *Case // nil: a record that matches no case is rejected

	Taken    []atomic.Int64 // records of each case, then of the default, once the route runs
	Unrouted atomic.Int64   // records that matched no case
	Others   Others         // these and those of the default
}

// A Case is one branch of a Route.
type Case struct {
	Value string
	Body  []Node
}

// A Tee sends a copy of the stream down its body, which ends in a Sink or a Survey.
type Tee struct {
	Name string
	Body []Node

	Copied atomic.Int64 // records that went down the body
}

// A Sink is a named Writer. As a node it ends a branch.
type Sink struct {
	Name   string
	Writer Writer

	Written, Refused atomic.Int64 // records that were written, and that could not be
	Busy             Stopwatch    // writing
}

func (s *Sink) write(records []wire.Record) error {
	s.Busy.start()
	defer s.Busy.stop()
	if err := s.Writer.Write(records); err != nil {
		return err
	}
	s.Written.Add(int64(len(records)))
	return nil
}

func (*Step) node()     {}
func (*Step) member()   {}
func (*First) node()    {}
func (*Route) node()    {}
func (*Tee) node()      {}
func (*Shadow) node()   {}
func (*Shadow) member() {}
func (*Sink) node()     {}
func (*Survey) node()   {}

// A Plan is all that Run needs.
type Plan struct {
	Sources    []*Source
	Body       []Node
	DeadLetter *Sink
	Limit      limit.Limit // of rejects; a share, of the records read, is decided at the end
	Account    *Totals
	Begins     func() // called when everything stands, before the first record is read; nil: nobody asks

	Checkpoints Checkpointer    // nil: none are made
	Every       time.Duration   // least time between them
	Until       context.Context // once it is done, the run makes a last checkpoint and ends with its cause; nil: it never is
	From        *State          // of an earlier run that the sources go on from; nil: the beginning
	Store       Store           // of what earlier runs made of the inputs; nil: there is none. It goes with neither Checkpoints nor a Shadow
}

// A Source is a named Reader.
type Source struct {
	Name   string // TYPE.NAME
	Reader Reader
	Batch  BatchSize   // as the pipeline says it; zero: what suits the workers
	Arena  *wire.Arena // that Reader reads into; of a source with a Store

	Read, Unread atomic.Int64 // records that came from the source, and those of them that could not be read
	Waited       Stopwatch    // for the next records
}
