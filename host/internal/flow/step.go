package flow

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/sluicehq/sluice/sdk/batch"
)

// A part is an answer about records, each with the step that gave it.
type part struct {
	in       []batch.Record
	outcomes []batch.Outcome
	steps    []*Step // nil: all by the step that the node is
	sides    []sideRow
	last     bool // no part of the same flight comes after it
}

// A sideRow is a row for an output block of a step.
type sideRow struct {
	step   *Step
	output string
	row    batch.Record
}

// A job is one flight in the hands of a worker. Its parts come in order.
type job struct {
	*flight
	parts chan part
}

// answerer takes a batch through worker n of a node.
type answerer func(ctx context.Context, n int, in []batch.Record, emit func(part) error) error

// step wires a step.
func (e *engine) step(s *Step, in <-chan *flight) <-chan *flight {
	return e.work(s, len(s.Stages), in, func(ctx context.Context, n int, in []batch.Record, emit func(part) error) error {
		return s.process(ctx, n, in, func(in []batch.Record, a batch.Answer) error {
			return emit(part{in: in, outcomes: a.Outcomes, sides: s.sideRows(in, a.Sides), last: a.Last})
		})
	})
}

// work wires a node with workers. Flights are handed out in order, and what the workers say is collected in order.
func (e *engine) work(self *Step, workers int, in <-chan *flight, process answerer) <-chan *flight {
	out := make(chan *flight, queue)
	place := e.nodes
	if workers == 1 { // needs no handing over from goroutine to goroutine
		e.group.Go(func() error {
			defer close(out)
			return each(e.ctx, in, func(f *flight) error {
				if len(f.records) > 0 {
					err := process(e.ctx, 0, f.records, func(p part) error { return e.pass(self, place, f, p, out) })
					if err != nil {
						return err
					}
				}
				return e.end(f, out)
			})
		})
		return out
	}
	jobs, order := make(chan *job), make(chan *job, workers)
	e.group.Go(func() error {
		defer close(jobs)
		defer close(order)
		return each(e.ctx, in, func(f *flight) error {
			j := &job{flight: f, parts: make(chan part, 1)}
			if err := sendTo(e.ctx, order, j); err != nil {
				return err
			}
			return sendTo(e.ctx, jobs, j)
		})
	})
	for n := range workers {
		e.group.Go(func() error {
			return each(e.ctx, jobs, func(j *job) error {
				defer close(j.parts)
				if len(j.records) == 0 {
					return nil
				}
				return process(e.ctx, n, j.records, func(p part) error { return sendTo(e.ctx, j.parts, p) })
			})
		})
	}
	e.group.Go(func() error {
		defer close(out)
		return each(e.ctx, order, func(j *job) error {
			err := each(e.ctx, j.parts, func(p part) error { return e.pass(self, place, j.flight, p, out) })
			if err != nil {
				return err
			}
			if e.ctx.Err() != nil {
				return context.Cause(e.ctx)
			}
			return e.end(j.flight, out)
		})
	})
	return out
}

// pass makes a part of what became of f into a flight. None is held back to learn whether it is the last: the worker
// may be waiting for its memory.
func (e *engine) pass(self *Step, place int, f *flight, p part, out chan<- *flight) error {
	records, err := e.sort(self, place, f.origin, p)
	switch {
	case err != nil:
		return err
	case p.last:
		f.passed = true
		return sendTo(e.ctx, out, &flight{origin: f.origin, records: records, last: f.last}) // with the hold of f
	case len(records) == 0:
		return nil
	}
	f.origin.hold()
	return sendTo(e.ctx, out, &flight{origin: f.origin, records: records})
}

// end passes on that f has been answered, with an empty flight if no part said so.
func (e *engine) end(f *flight, out chan<- *flight) error {
	if f.passed {
		return nil
	}
	return sendTo(e.ctx, out, &flight{origin: f.origin, last: f.last}) // with the hold of f
}

// sort gives the records that go on, and sees to the others and to the side rows.
func (e *engine) sort(self *Step, place int, o *origin, p part) ([]batch.Record, error) {
	if err := writeSides(p.sides); err != nil {
		return nil, err
	}
	records := make([]batch.Record, 0, len(p.in))
	var gone []batch.Record
	var dropped map[string]int64
	var extra int64
	for i := range p.outcomes {
		r, out := p.in[i], &p.outcomes[i]
		switch out.Verdict {
		case batch.Unchanged:
			records = append(records, r)
			continue
		case batch.Emitted:
			records = append(records, out.Emitted...)
			extra += int64(len(out.Emitted)) - 1
		case batch.Dropped:
			bump(&dropped, out.Fault.Message, 1)
		case batch.Rejected, batch.Declined:
			s := self
			if p.steps != nil {
				s = p.steps[i]
			}
			o.reject(newReject(&r, out.Fault, s.Name, s.Plugin, place, showJSON))
		}
		gone = append(gone, r)
	}
	batch.ReleaseAll(gone)
	if dropped != nil || extra != 0 {
		e.plan.Account.change(func(s *Sums) {
			s.Extra += extra
			for reason, n := range dropped {
				bump(&s.Dropped, reason, n)
			}
		})
	}
	return records, nil
}

// process sends a batch through stage n, and keeps the step's account.
func (s *Step) process(ctx context.Context, n int, in []batch.Record, emit func([]batch.Record, batch.Answer) error) error {
	begin := time.Now()
	var away time.Duration
	var passedOn error // what emit said, which is not this step's
	at := 0
	err := s.Stages[n].Process(ctx, in, func(a batch.Answer) error {
		left := time.Now()
		defer func() { away += time.Since(left) }()
		if at+len(a.Outcomes) > len(in) {
			return fmt.Errorf("want %d records answered, have %d", len(in), at+len(a.Outcomes))
		}
		answered := in[at : at+len(a.Outcomes)]
		for i := range a.Sides {
			if a.Sides[i].Index -= at; a.Sides[i].Index < 0 || a.Sides[i].Index >= len(answered) {
				return fmt.Errorf("want side rows with the answer to their record, have one of record %d", a.Sides[i].Index+at)
			}
		}
		at += len(a.Outcomes)
		if !s.inFirst {
			rejectDeclined(a.Outcomes)
		}
		s.Account.add(answered, a)
		passedOn = emit(answered, a)
		return passedOn
	})
	s.Account.busy(time.Since(begin) - away)
	if passedOn != nil {
		return passedOn
	}
	if err == nil && at != len(in) {
		err = fmt.Errorf("want %d records answered, have %d", len(in), at)
	}
	if err != nil {
		return fmt.Errorf("step %s: %w", s.Name, err)
	}
	return nil
}

// rejectDeclined makes declines into rejects: nothing comes after to take the record.
func rejectDeclined(outcomes []batch.Outcome) {
	for i := range outcomes {
		if o := &outcomes[i]; o.Verdict == batch.Declined {
			o.Verdict, o.Fault = batch.Rejected, &batch.Fault{Code: "declined", Path: o.Fault.Path, Message: o.Fault.Message}
		}
	}
}

// sideRows puts each row's origin in front: file, line and step.
func (s *Step) sideRows(in []batch.Record, sides []batch.Side) []sideRow {
	var rows []sideRow
	for _, x := range sides {
		if s.Sides[x.Output] == nil {
			continue
		}
		r := in[x.Index]
		data := appendMember([]byte{'{'}, "file", r.File)
		data = fmt.Appendf(data, `,"line":%d,`, r.Line)
		data = appendMember(data, "step", s.Name)
		body := bytes.TrimLeft(bytes.TrimLeft(x.JSON, " \t\r\n")[1:], " \t\r\n") // behind the brace
		if body[0] != '}' {
			data = append(data, ',')
		}
		data = append(data, body...)
		r.Data, r.Mem = data, nil
		rows = append(rows, sideRow{step: s, output: x.Output, row: r})
	}
	return rows
}

func writeSides(sides []sideRow) error {
	for len(sides) > 0 {
		s, output := sides[0].step, sides[0].output
		var rows []batch.Record
		for len(sides) > 0 && sides[0].step == s && sides[0].output == output {
			rows, sides = append(rows, sides[0].row), sides[1:]
		}
		if err := s.Sides[output].Write(rows); err != nil {
			return fmt.Errorf("step %s: output %s: %w", s.Name, output, err)
		}
	}
	return nil
}
