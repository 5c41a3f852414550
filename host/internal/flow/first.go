package flow

import (
	"context"
	"strings"

	"github.com/sluicehq/sluice/sdk/batch"
)

// first wires a First: a batch goes through its first step, what that declines through the next, and so on.
func (e *engine) first(f *First, in <-chan *flight) <-chan *flight {
	for _, s := range f.Steps {
		s.inFirst = true
	}
	last := f.Steps[len(f.Steps)-1]
	return e.work(last, len(last.Stages), in, func(ctx context.Context, n int, in []batch.Record, emit func(part) error) error {
		return f.process(ctx, n, 0, in, make([][]string, len(in)), emit)
	})
}

// process sends records through step i and what it declines through the steps behind it. Every part is emitted as
// soon as it is known, in the order of in, since a step may wait for the memory that its last answer lies in.
// reasons are why the steps before declined each record.
func (f *First) process(ctx context.Context, n, i int, in []batch.Record, reasons [][]string, emit func(part) error) error {
	s, at := f.Steps[i], 0
	return s.process(ctx, n, in, func(answered []batch.Record, a batch.Answer) error {
		m := &merge{part: part{in: answered, outcomes: a.Outcomes, sides: s.sideRows(answered, a.Sides), last: a.Last && i == 0}, step: s, emit: emit}
		var declined []batch.Record
		var why [][]string
		for j, o := range a.Outcomes {
			if o.Verdict == batch.Declined {
				m.open = append(m.open, j)
				declined = append(declined, answered[j])
				why = append(why, append(reasons[at+j], s.Name+": "+o.Fault.Message))
			}
		}
		at += len(answered)
		switch {
		case len(declined) == 0:
		case i+1 < len(f.Steps):
			if err := f.process(ctx, n, i+1, declined, why, m.fill); err != nil {
				return err
			}
		default:
			for k, j := range m.open {
				m.outcomes[j] = batch.Outcome{Verdict: batch.Rejected, Fault: &batch.Fault{
					Code: "declined", Message: "no step of first " + f.Name + " took it: " + strings.Join(why[k], "; "),
				}}
			}
		}
		return m.rest()
	})
}

// A merge puts answers of later steps in place of declines, and passes parts on in the order of its records.
type merge struct {
	part
	step *Step
	emit func(part) error
	open []int // declined records that no answer has been filled in for
	done int   // records passed on
}

// fill takes the answer of a later step to the next open records.
func (m *merge) fill(p part) error {
	out := part{sides: p.sides}
	for k := range p.in {
		j := m.open[k]
		m.take(&out, j)
		by := m.step
		if p.steps != nil {
			by = p.steps[k]
		}
		out.in, out.outcomes, out.steps = append(out.in, p.in[k]), append(out.outcomes, p.outcomes[k]), append(out.steps, by)
		m.done = j + 1
	}
	m.open = m.open[len(p.in):]
	return m.emit(out)
}

// take moves the step's own outcomes before record j to out.
func (m *merge) take(out *part, j int) {
	for ; m.done < j; m.done++ {
		out.in, out.outcomes = append(out.in, m.in[m.done]), append(out.outcomes, m.outcomes[m.done])
		out.steps = append(out.steps, m.step)
	}
}

// rest passes on what is left, with the step's own side rows.
func (m *merge) rest() error {
	if m.done == 0 {
		m.steps = make([]*Step, len(m.in))
		for i := range m.steps {
			m.steps[i] = m.step
		}
		return m.emit(m.part)
	}
	out := part{sides: m.sides, last: m.last}
	m.take(&out, len(m.in))
	return m.emit(out)
}
