package flow

import (
	"context"
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

func (f *First) prepare(bool) error {
	if len(f.Members) == 0 {
		return fmt.Errorf("first %s: want at least one step, have 0", f.Name)
	}
	private := false
	for _, m := range f.Members {
		if err := m.prepare(true); err != nil {
			return fmt.Errorf("first %s: %w", f.Name, err)
		}
		private = private || m.rejecter().private
	}
	f.by = firstRejecter(f.Name, private)
	return nil
}

// workers returns how many every member has.
func (f *First) workers() int {
	n := f.Members[0].workers()
	for _, m := range f.Members {
		n = min(n, m.workers())
	}
	return n
}

func (f *First) rejecter() *rejecter { return &f.by }

// call sends a batch through the first member, what that declines through the next, and so on.
func (f *First) call(ctx context.Context, at slot, in []wire.Record, emit func(section) error) error {
	return f.callFrom(ctx, at, 0, in, make([]*declineReason, len(in)), &declineReasons{}, emit)
}

// callFrom sends records through member i and what it declines through the later members. before are why the members
// before declined each record. Every section is emitted as soon as it is known, in the order of in, since a step may
// wait for the memory of its last answer.
func (f *First) callFrom(ctx context.Context, at slot, i int, in []wire.Record, before []*declineReason, reasons *declineReasons, emit func(section) error) error {
	member, next := f.Members[i], 0
	return member.call(ctx, at, in, func(s section) error {
		s.by = slices.Repeat([]*rejecter{member.rejecter()}, len(s.in))
		m := &merge{section: s, emit: emit}
		m.last = s.last && i == 0
		var declined []wire.Record
		var why []*declineReason
		for j, o := range s.outcomes {
			if o.Verdict == wire.Declined {
				m.open = append(m.open, j)
				declined = append(declined, s.in[j])
				why = append(why, reasons.add(member.rejecter().step, o.Fault.Message, before[next+j]))
			}
		}
		next += len(s.in)
		switch {
		case len(declined) == 0:
		case i+1 < len(f.Members):
			if err := f.callFrom(ctx, at, i+1, declined, why, reasons, m.fill); err != nil {
				return err
			}
		default:
			for k, j := range m.open {
				m.by[j] = &f.by
				m.outcomes[j] = reasons.outcome(f.Name, why[k], f.by.shown(&declined[k], m.outcomes[j].Fault))
			}
		}
		return m.flush()
	})
}

// A merge puts the answers of later members in the place of declines, and emits sections in the order of its records.
type merge struct {
	section
	emit func(section) error
	open []int // declined records without an answer yet
	done int   // records emitted
}

// fill takes the answer of a later member about the next open records.
func (m *merge) fill(s section) error {
	out := section{sides: s.sides, comparisons: s.comparisons}
	for k := range s.in {
		j := m.open[k]
		m.moveUntil(j, &out)
		out.in, out.outcomes, out.by = append(out.in, s.in[k]), append(out.outcomes, s.outcomes[k]), append(out.by, s.by[k])
		m.done = j + 1
	}
	m.open = m.open[len(s.in):]
	return m.emit(out)
}

// moveUntil moves the member's own outcomes before record j to out.
func (m *merge) moveUntil(j int, out *section) {
	out.in = append(out.in, m.in[m.done:j]...)
	out.outcomes = append(out.outcomes, m.outcomes[m.done:j]...)
	out.by = append(out.by, m.by[m.done:j]...)
	m.done = j
}

// flush emits the remaining records, with the rest of the member's section.
func (m *merge) flush() error {
	if m.done == 0 {
		return m.emit(m.section)
	}
	out := section{sides: m.sides, comparisons: m.comparisons, last: m.last}
	m.moveUntil(len(m.in), &out)
	return m.emit(out)
}
