// Package flow moves batches of records from a source through steps to sinks: in order, in bounded memory, with
// every record accounted for. It knows no configuration and no processes: a worker of a step is a [Stage].
//
// Every node of the tree runs in its own goroutines, joined by short queues. A batch leaves a node in the order in
// which it came, so the memory that it holds in an arena is only ever waited for by later batches; that is why the
// arenas cannot deadlock.
package flow

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Supply gives chunks of records in order, io.EOF at the end. Each record holds a reference on its memory.
type Reader interface {
	Next(ctx context.Context) (wire.Chunk, error)
	// Close ends what reads ahead. Nothing touches memory of an arena when it returns.
	Close() error
}

// A Drain takes records in order. It does not keep them.
type Writer interface {
	// Accepts tells why a record cannot be written, or nil.
	Accepts(*wire.Record) *wire.Fault
	Write([]wire.Record) error
}

// A Node is one part of the way of the data: *Step, *First, *Route, *Tee, *Shadow, *Output or *Poll.
type Node interface{ node() }

// A Step sends records through a plugin. With the steps behind it, it is a chain: its stages run all of them.
type Step struct {
	Name    string // TYPE.NAME
	Plugin  string
	Sides   map[string]*Sink // where side rows of an output go; rows of other outputs are counted and let go
	Account *Account
	Private bool   // a reject that brings no record of its own shows null in the dead letter
	First   string // the first that it is a member of inside the chain; the next member gets what it declines

	// Tell, if it is there, is told every answer before anything is done with it, the last word with no records. Several
	// goroutines call it, and what it is given is good until it returns.
	Observe func(in []wire.Record, a *wire.Answer)

	// Of a chain.
	Behind      []*Step              // have none of what follows
	Stages      []Stage              // one for each worker
	Timeout     time.Duration        // longest time without an answer; 0: any
	Reject      bool                 // a record that ends the plugin is rejected; otherwise it ends the run
	Ordered     bool                 // the plugin keeps state from record to record
	Finish      bool                 // it is asked for a last word
	CurrentStep func(worker int) int // which step a worker has a record in; nil: the first
	OnBatch     func(BatchSpan)      // if it is there, is told every batch that a worker has had; several goroutines call it

	declines bool // declines go on to the next member of a first
	by       rejecter
	stages   []Stage   // with the clocks that they need
	bisector *bisector // nil: a crash ends the run
}

// A First gives a record to its members in order until one does not decline. Each uses as many workers as all have.
type First struct {
	Name    string
	Members []Member

	by rejecter // of the rejects that all members declined
}

// A Member can stand in a First: a *Step or a *Shadow, which declines what its current step declines.
type Member interface {
	workerNode
	member()
}

// A Route sends each record down one of several ways. Ways that do not end meet again behind it.
type Route struct {
	Name    string
	Key     func(*wire.Record) string
	Cases   []Case
	Default *Case // nil: what matches no case is rejected

	taken []atomic.Int64 // records of each case, then of the default
	lost  atomic.Int64   // records without a case
}

// Taken is how many records went each way: those of the cases, and of the default behind them if there is one. It is for
// a Route that has run.
func (r *Route) PerBranch() []int64 {
	counts := make([]int64, len(r.taken))
	for i := range r.taken {
		counts[i] = r.taken[i].Load()
	}
	return counts
}

// Lost is how many records had no way to go.
func (r *Route) Unrouted() int64 { return r.lost.Load() }

// A Case is one way of a Route.
type Case struct {
	Value string
	Body  []Node
}

// A Tee sends a copy of the stream down its body, which ends in an Output or a Poll.
type Tee struct {
	Name string
	Body []Node

	copied atomic.Int64
}

// Copied is how many records went down the body.
func (t *Tee) Copied() int64 { return t.copied.Load() }

// An Output is a sink with its name. As a node it ends a way.
type Sink struct {
	Name   string
	Writer Writer

	written, refused atomic.Int64
}

// Written is how many records the sink has taken.
func (o *Sink) Written() int64 { return o.written.Load() }

// Refused is how many records came that cannot be written.
func (o *Sink) Refused() int64 { return o.refused.Load() }

func (o *Sink) write(records []wire.Record) error {
	if err := o.Writer.Write(records); err != nil {
		return err
	}
	o.written.Add(int64(len(records)))
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

// A Plan is a whole run.
type Plan struct {
	Sources    []*Source
	Body       []Node
	DeadLetter *Sink
	Limit      int64 // most rejects before the run fails; negative: any number
	Account    *Totals
}

// A Feed is a source with its name, TYPE.NAME.
type Source struct {
	Name   string
	Reader Reader

	read, unread atomic.Int64
}

// Read is how many records the source has given, and Unread how many of them could not be read.
func (f *Source) Read() int64   { return f.read.Load() }
func (f *Source) Unread() int64 { return f.unread.Load() }
