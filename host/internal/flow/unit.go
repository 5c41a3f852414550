package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Memory keeps what became of each file of a run's inputs, and knows it of some from earlier runs.
type Memory interface {
	// Next goes to the next file of a source, or returns io.EOF. The source's Reader then returns the records of this file, and io.EOF
	// behind them.
	Next(ctx context.Context, source int) (Unit, error)
}

// A Unit is a file of the inputs. Only Note is called while records are on their way.
type Unit interface {
	// File is the name that its records have.
	File() string
	// Recall returns what became of the file in an earlier run, nil when that is not known.
	Recall(ctx context.Context) (*State, error)
	// Reuse calls do with the rows that the sinks got then, by their numbers in State, each of them in order. The file counts as read.
	Reuse(do func(sink int, rows []wire.Record) error) error
	// Begin says that the file is read now, and that Note gets the rows that the sinks get. Several goroutines call it.
	Begin()
	Note(sink int, rows []wire.Record) error
	// Keep keeps what became of the file, unless why says that it cannot be told apart from that of other files.
	Keep(s *State, why error) error
}

// units reads a source by its units.
type units struct {
	*engine
	*parts
	source int
	labels []labelSets // of the unit at hand, by sink
}

func (e *engine) memory(source int) *units {
	return &units{engine: e, parts: partsOf(&e.plan), source: source}
}

// read makes batches of the files that have to be read, and passes on what is known of the others. Between two files nothing is on its
// way.
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

// readUnit reads a file, waits until all of it is done, and keeps what became of it.
func (u *units) readUnit(unit Unit, src *Source, first chan<- *batch) error {
	var apart error
	if u.continues(unit) {
		apart = errors.New("its records have the same file name as those before them")
	}
	before := u.state()
	unit.Begin()
	u.watch(unit)
	if err := u.readSource(src, first); err != nil {
		return err
	}
	if err := u.drain(); err != nil {
		return err
	}
	s, err := u.since(before)
	u.watch(nil)
	return unit.Keep(s, errors.Join(apart, err))
}

// continues reports whether the first record of a file may seem to be on the line of the last record before it.
func (u *units) continues(unit Unit) bool { return u.ord > 0 && u.last.File == unit.File() }

// watch has everything count a unit alone besides, and the sinks pass its rows on; nil: nothing does so any more.
func (u *units) watch(unit Unit) {
	u.unitReject = ""
	u.plan.Account.unit = nil
	if unit != nil {
		u.plan.Account.unit = &Totals{}
	}
	for _, s := range u.steps {
		if s.Account.unit = nil; unit != nil {
			s.Account.unit = &Account{}
		}
	}
	for _, r := range u.routes {
		if r.Others.unit = nil; unit != nil {
			r.Others.unit = &Others{}
		}
	}
	u.labels = make([]labelSets, len(u.sinks))
	for i, s := range u.sinks {
		if s.note = nil; unit != nil {
			s.note = func(rows []wire.Record) error { return unit.Note(i, u.labels[i].of(s.Writer, rows)) }
		}
	}
}

// labelSets are the labels that name the files of a sink, each set once.
type labelSets struct {
	all  [][]wire.Label
	seen map[string]bool
}

// of returns rows of a sink with no labels but those that it names its files by.
func (l *labelSets) of(w Writer, rows []wire.Record) []wire.Record {
	if !slices.ContainsFunc(rows, func(r wire.Record) bool { return len(r.Labels) > 0 }) {
		return rows
	}
	var names []string
	if named, ok := w.(interface{ Labels() []string }); ok {
		names = named.Labels()
	}
	rows = slices.Clone(rows)
	for i := range rows {
		var own []wire.Label
		key := ""
		for _, label := range rows[i].Labels {
			if slices.Contains(names, label.Name) {
				own, key = append(own, label), fmt.Sprintf("%s%q=%q", key, label.Name, label.Value)
			}
		}
		if rows[i].Labels = own; own != nil && !l.seen[key] {
			if l.seen == nil {
				l.seen = map[string]bool{}
			}
			l.seen[key], l.all = true, append(l.all, own)
		}
	}
	return rows
}

// since returns what was counted of the unit at hand, with the places of records among its own. The error says why that does not
// follow from the unit alone.
func (u *units) since(before *State) (*State, error) {
	s := u.state()
	var why error
	s.Ord -= before.Ord
	s.Rejected -= before.Rejected
	s.FirstReject = u.unitReject
	s.Totals = u.plan.Account.unit.state()
	if s.Totals.First = (time.Time{}); len(s.Totals.Reasons) == maxReasons {
		why = fmt.Errorf("it has more than %d different rejects", maxReasons-1)
	}
	for i := range s.Sources {
		s.Sources[i].Read -= before.Sources[i].Read
		s.Sources[i].Unread -= before.Sources[i].Unread
	}
	for i, step := range u.steps {
		crashes := s.Steps[i].Crashes
		s.Steps[i] = step.Account.unit.state()
		if r := &s.Steps[i].Sums.Accepted; r.Records > 0 {
			r.FirstOrd -= before.Ord
			r.LastOrd -= before.Ord
		}
		if crashes != nil && crashes.Crashes > before.Steps[i].Crashes.Crashes {
			why = fmt.Errorf("a process of step %s has ended over it", step.Name)
		}
	}
	for i, r := range u.routes {
		x := &s.Routes[i]
		for k := range x.Taken {
			x.Taken[k] -= before.Routes[i].Taken[k]
		}
		x.Unrouted -= before.Routes[i].Unrouted
		if x.Others = r.Others.unit.clone(); len(x.Others.By) == maxOthers {
			why = fmt.Errorf("route %s has got more than %d other values", r.Name, maxOthers-1)
		}
	}
	for i := range s.Tees {
		s.Tees[i] -= before.Tees[i]
	}
	for i, sink := range u.sinks {
		s.Sinks[i].Labels = u.labels[i].all
		s.Sinks[i].Written -= before.Sinks[i].Written
		if s.Sinks[i].Refused -= before.Sinks[i].Refused; s.Sinks[i].Refused > 0 {
			why = fmt.Errorf("sink %s has refused a record of it", sink.Name)
		}
	}
	return s, why
}

// fits reports whether what is known of a unit can be added to what the run has counted, so that the sums are those of a run that reads it.
func (u *units) fits(s *State) bool {
	if !slices.Equal(s.Names, u.names()) {
		return false
	}
	if l := u.plan.Limit; !l.IsShare() && l.Exceeded(u.rejected+s.Rejected, 0) { // the run ends amid its rejects
		return false
	}
	for i, r := range u.routes {
		more := 0
		for value := range s.Routes[i].Others.By {
			if r.Others.By[value] == nil {
				more++
			}
		}
		if room := maxOthers - len(r.Others.By); room > 0 && more > room { // the first that come have it
			return false
		}
	}
	for i, sink := range u.sinks {
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
	if err := unit.Reuse(func(sink int, rows []wire.Record) error { return u.sinks[sink].write(rows) }); err != nil {
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
	for i, step := range u.steps {
		step.Account.plus(&s.Steps[i], base)
	}
	for i, r := range u.routes {
		x := &s.Routes[i]
		for k, n := range x.Taken {
			r.Taken[k].Add(n)
		}
		r.Unrouted.Add(x.Unrouted)
		r.Others.plus(&x.Others)
	}
	for i, t := range u.tees {
		t.Copied.Add(s.Tees[i])
	}
	return nil
}
