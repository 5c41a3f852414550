package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Store keeps what became of each file of a run's inputs, and knows it of some from earlier runs.
type Store interface {
	// Next goes to the next file of a source, or returns io.EOF. The source's Reader then returns the records of this file, and io.EOF
	// behind them.
	Next(ctx context.Context, source int) (Unit, error)
}

// A Unit is a file of the inputs. What became of it is kept for places of the tree: for each Keep by its number, and for the end of the
// tree, whose number is that of all Keeps.
type Unit interface {
	// File is the name that its records have.
	File() string
	// Recall returns what became of the file before a place in an earlier run, nil when that is not known.
	Recall(ctx context.Context, at int) (*State, error)
	// Reuse calls do with the rows of the place that was recalled last, by the numbers that Add got, those of each number in order. They
	// are valid until it returns. The file counts as read.
	Reuse(do func(number int, rows []wire.Record) error) error

	// Begin says that the records of the file move now, behind the places before one, and End that all of it was read. Meanwhile and until
	// Keep, Add gets the rows of each place, by several goroutines: those of sinks by their numbers in State, others by numbers of Keep.
	Begin(from int)
	End()
	Add(at, number int, rows []wire.Record)
	// Keep keeps what became of the file before a place, unless why says that it does not follow from the file alone. Later files may be
	// on their way. Done says that nothing more is kept.
	Keep(at int, s *State, why error) error
	Done()
}

// units reads a source by its units.
type units struct {
	*engine
	parts  *parts
	index  *index
	source int
	open   int // the first place that records may be on their way to; that behind the end: none are
}

func (e *engine) unitsOf(source int) *units {
	all := partsOf(&e.plan)
	return &units{engine: e, parts: all, index: indexOf(all), source: source}
}

// read makes batches of the files that have to be read, and passes on what is known of the others: what became of them, while nothing else is
// on its way, or what passed a Keep, while nothing is on its way to it.
func (u *units) read(src *Source, first chan<- *batch) error {
	for {
		unit, err := u.plan.Store.Next(u.ctx, u.source)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		known, at, err := u.recall(unit)
		if err != nil {
			return err
		}
		switch {
		case known == nil:
			err = u.readUnit(unit, src, first)
		case at == len(u.parts.keeps):
			err = u.reuse(unit, known)
		default:
			err = u.replay(unit, known, at)
		}
		if err != nil {
			return err
		}
	}
}

// recall returns what is known of a unit at the last place where it is known and fits, nil at none. No record is on its way to this place.
func (u *units) recall(unit Unit) (known *State, at int, err error) {
	if u.continues(unit) {
		return nil, 0, nil
	}
	for at := len(u.parts.keeps); at >= 0; at-- {
		known, err := unit.Recall(u.ctx, at)
		if err != nil {
			return nil, 0, err
		}
		if known == nil {
			continue
		}
		if u.open <= at {
			if err := u.drain(); err != nil {
				return nil, 0, err
			}
			u.open = len(u.parts.keeps) + 1
		}
		if u.fits(known, at) {
			return known, at, nil
		}
	}
	return nil, 0, nil
}

// readUnit reads a file. When all of it is done, what became of it is kept.
func (u *units) readUnit(unit Unit, src *Source, first chan<- *batch) error {
	var apart error
	if u.continues(unit) {
		apart = errors.New("its records have the same file name as those before them")
	}
	u.open = 0
	unit.Begin(0)
	t := u.tally(unit)
	u.reading = t
	err := u.readSource(src, first)
	if u.reading = nil; err != nil {
		return err
	}
	unit.End()
	return u.finish(t, apart)
}

// finish has the unit of a tally keep what became of it, once all of it is done, or why it must not: apart, unless nil.
func (u *units) finish(t *tally, apart error) error {
	t.read, t.last = int64(u.ord-t.base), Last{u.last.File, u.last.Line, u.last.OfLine}
	done := &pendingChunk{done: make(chan struct{}), after: func() error {
		defer t.unit.Done()
		for at := t.from; at <= len(u.parts.keeps); at++ {
			s, err := t.stateAt(at)
			if err := t.unit.Keep(at, s, cmp.Or(apart, err)); err != nil {
				return err
			}
		}
		return nil
	}}
	close(done.done)
	return send(u.ctx, u.chunks, done)
}

// continues reports whether the first record of a file may seem to be on the line of the last record before it.
func (u *units) continues(unit Unit) bool { return u.ord > 0 && u.last.File == unit.File() }

// fits reports whether what is known of a unit at a place can be added to what the run has counted, so that the sums are those of a run that
// reads it.
func (u *units) fits(s *State, at int) bool {
	before := u.parts.before(at)
	if !slices.Equal(s.Names, before.names()) {
		return false
	}
	if l := u.plan.Limit; at == len(u.parts.keeps) && !l.IsShare() && l.Exceeded(u.rejected+s.Rejected, 0) { // the run ends amid its rejects
		return false
	}
	for i, sink := range before.sinks {
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
		return recalled(unit, err)
	}
	if u.rejected == 0 {
		u.firstReject = s.FirstReject
	}
	u.rejected += s.Rejected
	u.add(s)
	return nil
}

// replay sends on the records that passed a Keep, gives the sinks before it their rows, and counts what became of the unit by then.
func (u *units) replay(unit Unit, s *State, at int) error {
	t := u.tally(unit)
	t.add(s, at)
	u.add(s)
	u.open = min(u.open, at+1)
	unit.Begin(t.from)
	r := &replay{units: u, tally: t, at: at}
	if err := unit.Reuse(r.take); err != nil {
		return recalled(unit, err)
	}
	return u.finish(t, nil)
}

func recalled(unit Unit, err error) error {
	return fmt.Errorf("%s: what is known of it from an earlier run: %w", unit.File(), err)
}

// add counts what is known of a unit, all of it or what was counted before a Keep.
func (u *units) add(s *State) {
	base := u.ord
	if s.Ord > 0 {
		u.ord += s.Ord
		u.last = wire.Record{File: s.Last.File, Line: s.Last.Line, OfLine: s.Last.OfLine}
	}
	u.plan.Account.plus(&s.Totals)
	for i, src := range u.parts.sources {
		src.Read.Add(s.Sources[i].Read)
		src.Unread.Add(s.Sources[i].Unread)
	}
	for i := range s.Steps {
		u.parts.steps[i].Account.plus(&s.Steps[i], base)
	}
	for i := range s.Routes {
		r, x := u.parts.routes[i], &s.Routes[i]
		for k, n := range x.Taken {
			r.Taken[k].Add(n)
		}
		r.Unrouted.Add(x.Unrouted)
		r.Others.plus(x.Values, x.Others.More)
	}
	for i, n := range s.Tees {
		u.parts.tees[i].Copied.Add(n)
	}
}
