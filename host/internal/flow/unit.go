package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Memory keeps what became of each file of a run's inputs, and knows it of some from earlier runs.
type Memory interface {
	// Next goes to the next file of a source, or returns io.EOF. The source's Reader then returns the records of this file, and io.EOF
	// behind them.
	Next(ctx context.Context, source int) (Unit, error)
}

// A Unit is a file of the inputs.
type Unit interface {
	// File is the name that its records have.
	File() string
	// Recall returns what became of the file in an earlier run, nil when that is not known.
	Recall(ctx context.Context) (*State, error)
	// Reuse calls do with the rows that the sinks got then, by their numbers in State, each of them in order. The file counts as read.
	Reuse(do func(sink int, rows []wire.Record) error) error

	// Begin says that the file is read now, and End that it was read to its end. Meanwhile and until Keep, Note gets the rows that the sinks
	// get, by several goroutines.
	Begin()
	End()
	Note(sink int, rows []wire.Record)
	// Keep keeps what became of the file, unless why says that it does not follow from the file alone. Later files may be on their way.
	Keep(s *State, why error) error
}

// units reads a source by its units.
type units struct {
	*engine
	*places
	source int
	flows  bool // records may be on their way
}

func (e *engine) memory(source int) *units {
	return &units{engine: e, places: placesOf(partsOf(&e.plan)), source: source, flows: true}
}

// read makes batches of the files that have to be read, and passes on what is known of the others, while nothing else is on its way.
func (u *units) read(src *Source, first chan<- *batch) error {
	for {
		unit, err := u.plan.Memory.Next(u.ctx, u.source)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		known, err := unit.Recall(u.ctx)
		if err != nil {
			return err
		}
		if known != nil && u.flows {
			if err := u.drain(); err != nil {
				return err
			}
			u.flows = false
		}
		if known != nil && !u.continues(unit) && u.fits(known) {
			err = u.reuse(unit, known)
		} else {
			err = u.readUnit(unit, src, first)
		}
		if err != nil {
			return err
		}
	}
}

// readUnit reads a file. When all of it is done, what became of it is kept.
func (u *units) readUnit(unit Unit, src *Source, first chan<- *batch) error {
	var apart error
	if u.continues(unit) {
		apart = errors.New("its records have the same file name as those before them")
	}
	u.flows = true
	unit.Begin()
	t := u.tally(unit, u.source, u.ord)
	u.reading = t
	err := u.readSource(src, first)
	if u.reading = nil; err != nil {
		return err
	}
	unit.End()
	t.read, t.last = int64(u.ord-t.base), Last{u.last.File, u.last.Line, u.last.OfLine}
	done := &pendingChunk{done: make(chan struct{}), after: func() error {
		s, err := t.state()
		return unit.Keep(s, errors.Join(apart, err))
	}}
	close(done.done)
	return send(u.ctx, u.chunks, done)
}

// continues reports whether the first record of a file may seem to be on the line of the last record before it.
func (u *units) continues(unit Unit) bool { return u.ord > 0 && u.last.File == unit.File() }

// fits reports whether what is known of a unit can be added to what the run has counted, so that the sums are those of a run that reads it.
func (u *units) fits(s *State) bool {
	if !slices.Equal(s.Names, u.names()) {
		return false
	}
	if l := u.plan.Limit; !l.IsShare() && l.Exceeded(u.rejected+s.Rejected, 0) { // the run ends amid its rejects
		return false
	}
	for i, sink := range u.parts.sinks {
		for _, labels := range s.Sinks[i].Labels {
			if sink.Writer.Accepts(&wire.Record{Labels: labels}) != nil {
				return false
			}
		}
	}
	return true
}

// reuse gives the sinks the rows that are known of a unit, and counts it.
func (u *units) reuse(unit Unit, s *State) error {
	if err := unit.Reuse(func(sink int, rows []wire.Record) error { return u.parts.sinks[sink].write(rows) }); err != nil {
		return fmt.Errorf("%s: what is known of it from an earlier run: %w", unit.File(), err)
	}
	base := u.ord
	if s.Ord > 0 {
		u.ord += s.Ord
		u.last = wire.Record{File: s.Last.File, Line: s.Last.Line, OfLine: s.Last.OfLine}
	}
	if u.rejected == 0 {
		u.firstReject = s.FirstReject
	}
	u.rejected += s.Rejected
	u.plan.Account.plus(&s.Totals)
	for i, src := range u.sources {
		src.Read.Add(s.Sources[i].Read)
		src.Unread.Add(s.Sources[i].Unread)
	}
	for i, step := range u.parts.steps {
		step.Account.plus(&s.Steps[i], base)
	}
	for i, r := range u.parts.routes {
		x := &s.Routes[i]
		for k, n := range x.Taken {
			r.Taken[k].Add(n)
		}
		r.Unrouted.Add(x.Unrouted)
		r.Others.plus(x.Values, x.Others.More)
	}
	for i, t := range u.parts.tees {
		t.Copied.Add(s.Tees[i])
	}
	return nil
}
