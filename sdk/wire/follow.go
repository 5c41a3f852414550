package wire

import (
	"fmt"
	"slices"
)

// follow admits the answers of the later steps to what came of the records that a answers.
func (val *Validator) follow(a *Answer, in []Record, r *Reply) error {
	a.Behind = make([]Answer, len(val.Behind))
	g, inside := newGroup(in, a), false
	for i, s := range val.Behind {
		came := g.declined()
		if !s.Or {
			came, inside = g.out(), true
		}
		p := part{Validator: val, Reply: &r.Behind[i], name: s.Plugin, in: came, last: val.lastGroup(i + 1), inside: inside}
		b, err := Answer{}, error(nil)
		if have := len(p.Verdicts); have != len(came) {
			err = fmt.Errorf("want answers to the %d records that reached it in the chain, have %d", len(came), have)
		} else {
			b, err = p.admit()
		}
		if err != nil {
			if err = val.broken(s.Plugin, err); err != ErrUnfit {
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
			return val.broken(val.Name, fmt.Errorf("want the bytes of what leaves the chain, have a record whose bytes stayed in the process"))
		}
	}
	return nil
}

// lastGroup reports whether what goes on from step k leaves the chain.
func (val *Validator) lastGroup(k int) bool {
	return !slices.ContainsFunc(val.Behind[k:], func(s Step) bool { return !s.Or })
}

// A group is one step, or several of which each gets the records that the one before declines, with the outcome of each record.
type group struct {
	in       []Record
	outcomes []Outcome
	open     []int    // declined so far
	goOn     []Record // what goes on, if a single step answered; nil: as outcomes say
}

func newGroup(in []Record, a *Answer) *group {
	g := &group{in: in, outcomes: a.Outcomes, goOn: a.Out, open: make([]int, 0, a.declined)}
	for i := 0; i < len(a.Outcomes) && len(g.open) < a.declined; i++ {
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

// fill replaces the outcomes of the declined records with those of the next step.
func (g *group) fill(a *Answer) {
	switch len(a.Outcomes) {
	case 0:
		return
	case a.declined: // nothing is decided
		return
	case len(g.in):
		*g = *newGroup(g.in, a)
		return
	}
	all, open := slices.Clone(g.outcomes), make([]int, 0, a.declined)
	for k, i := range g.open {
		all[i] = a.Outcomes[k]
		if a.Outcomes[k].Verdict == Declined {
			open = append(open, i)
		}
	}
	g.outcomes, g.open, g.goOn = all, open, nil
}

func (g *group) out() []Record {
	if g.goOn != nil {
		return g.goOn
	}
	return GoOn(g.in, g.outcomes)
}

// checkAway checks that a traced chain shows bytes of the right length for the records that stayed inside.
func (r *Reply) checkAway() error {
	if len(r.Away) == 0 {
		return nil
	}
	shown := r.Away
	for k, n := range r.Lengths {
		if r.bytes(k) != AwayBytes {
			continue
		}
		if len(shown) == 0 {
			return fmt.Errorf("want the bytes of every record that stayed in the process, have those of %d", len(r.Away))
		}
		if have := uint64(len(shown[0])); have != 0 && have != n {
			return fmt.Errorf("want the %d bytes of a record that stayed in the process, or an empty text, have %d", n, have)
		}
		shown = shown[1:]
	}
	if len(shown) > 0 {
		return fmt.Errorf("want the bytes of records that stayed in the process, have %d more", len(shown))
	}
	return nil
}
