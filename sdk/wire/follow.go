package wire

import "fmt"

// follow lets in what the steps behind the first say, of what became there of the records that a is about.
func (d *Door) follow(a *Answer, in []Record, r *Reply) error {
	if len(r.Behind) != len(d.Behind) {
		return d.broken(d.Name, fmt.Errorf("want answers of %d steps behind it, have %d", len(d.Behind), len(r.Behind)))
	}
	a.Behind = make([]Answer, len(d.Behind))
	g := newGroup(in, a)
	for i, s := range d.Behind {
		came := g.declined()
		if !s.Or {
			came = g.out()
		}
		p := part{Door: d, Reply: &r.Behind[i], name: s.Plugin, in: came, last: d.lastGroup(i + 1)}
		b, err := Answer{}, error(nil)
		if have := len(p.Verdicts); have != len(came) {
			err = fmt.Errorf("want answers to the %d records that reached it in the chain, have %d", len(came), have)
		} else {
			b, err = p.admit()
		}
		if err != nil {
			if err = d.broken(s.Plugin, err); err != ErrUnfit {
				err = &StepError{Step: i + 1, Err: err}
			}
			return err
		}
		b.In = came
		a.Behind[i] = b
		if s.Or {
			g.fill(&b)
		} else {
			g = newGroup(came, &b)
		}
	}
	a.Out = g.out()
	for i := range a.Out {
		if a.Out[i].Away > 0 {
			return d.broken(d.Name, fmt.Errorf("want the bytes of what leaves the chain, have a record whose bytes stayed away"))
		}
	}
	return nil
}

// lastGroup tells whether what goes on from step k leaves the chain.
func (d *Door) lastGroup(k int) bool {
	for _, s := range d.Behind[k:] {
		if !s.Or {
			return false
		}
	}
	return true
}

// A group is one step, or those of which each gets what the one before declines, with what became of each record.
type group struct {
	in       []Record
	outcomes []Outcome
	open     []int    // declined so far
	goes     []Record // on, as the one step that took anything says; nil: as outcomes say
}

func newGroup(in []Record, a *Answer) *group {
	g := &group{in: in, outcomes: a.Outcomes, goes: a.Out}
	for i := range a.Outcomes {
		if a.Outcomes[i].Verdict == Declined {
			g.open = append(g.open, i)
		}
	}
	return g
}

func (g *group) declined() []Record {
	if len(g.open) == len(g.in) {
		return g.in
	}
	in := make([]Record, len(g.open))
	for k, i := range g.open {
		in[k] = g.in[i]
	}
	return in
}

// fill takes what the next step makes of the declined records.
func (g *group) fill(a *Answer) {
	switch len(a.Outcomes) {
	case 0:
		return
	case len(g.in):
		*g = *newGroup(g.in, a)
		return
	}
	all, open := append([]Outcome(nil), g.outcomes...), g.open[:0:0]
	for k, i := range g.open {
		all[i] = a.Outcomes[k]
		if a.Outcomes[k].Verdict == Declined {
			open = append(open, i)
		}
	}
	g.outcomes, g.open, g.goes = all, open, nil
}

func (g *group) out() []Record {
	if g.goes != nil {
		return g.goes
	}
	return GoOn(g.in, g.outcomes)
}

// formAway checks that the bytes which a traced chain tells are those of the records that stayed.
func (r *Reply) formAway() error {
	if len(r.Away) == 0 {
		return nil
	}
	told := r.Away
	for k, n := range r.Lengths {
		if r.bytes(k) != AwayBytes {
			continue
		}
		if len(told) == 0 || len(told[0]) > 0 && uint64(len(told[0])) != n {
			return fmt.Errorf("want the %d bytes of a record that stayed away or none, have others", n)
		}
		told = told[1:]
	}
	if len(told) > 0 {
		return fmt.Errorf("want the bytes of records that stayed away, have %d more", len(told))
	}
	return nil
}
