package flow

import (
	"slices"
	"strings"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// line is the steps of a chain, in order.
func (s *Step) line() []*Step { return append([]*Step{s}, s.Behind...) }

// prepareLine readies what the steps of a chain have for themselves. declines is of a chain of one step.
func (s *Step) prepareLine(declines bool) {
	line := s.line()
	for _, x := range line {
		x.by = author{x.Name, x.Plugin, x.Private}
		x.declines = declines || x.First != ""
	}
	share(line, len(s.Stages), s.At)
}

// places is how many places in the tree the steps behind take: the members of a first have one.
func (s *Step) places() int {
	n, line := 0, s.line()
	for i := range s.Behind {
		if !line[i+1].follows(line[i]) {
			n++
		}
	}
	return n
}

// follows tells whether the step gets what another declines, the one before it.
func (s *Step) follows(before *Step) bool { return s.First != "" && s.First == before.First }

// section is what a chain has answered about records.
func (s *Step) section(in []wire.Record, a wire.Answer) section {
	line := s.line()
	b := bystander{line: line}
	head := b.section(0, in, &a)
	head.last, head.out = a.Last, a.Out
	for i := range a.Behind {
		head.behind = append(head.behind, b.section(i+1, a.Behind[i].In, &a.Behind[i]))
	}
	return head
}

// A bystander makes what the steps of a chain say into sections, and keeps why members of a first declined.
type bystander struct {
	line  []*Step
	place int
	why   [][]string // of the records that reach the next member
	at    []int      // which of what reached the first they are; nil: all
}

// section is what step i says of in. What all members of a first decline is rejected by all of them together.
func (b *bystander) section(i int, in []wire.Record, a *wire.Answer) section {
	s := b.line[i]
	if i > 0 && !s.follows(b.line[i-1]) {
		b.place++
		b.why, b.at = nil, nil
	}
	out := section{in: in, outcomes: a.Outcomes, sides: s.sideRows(in, a.Sides), place: b.place, at: b.at}
	if i > 0 {
		out.by = b.repeat(&s.by, len(in))
	}
	if s.First == "" {
		return out
	}
	last := i+1 == len(b.line) || !b.line[i+1].follows(s)
	var why [][]string
	at := make([]int, 0, len(a.Outcomes))
	for j := range a.Outcomes {
		o := &a.Outcomes[j]
		if o.Verdict != wire.Declined {
			continue
		}
		var before []string
		if b.why != nil {
			before = b.why[j]
		}
		reasons := append(before[:len(before):len(before)], s.Name+": "+o.Fault.Message)
		if !last {
			why = append(why, reasons)
			if b.at == nil {
				at = append(at, j)
			} else {
				at = append(at, b.at[j])
			}
			continue
		}
		all := b.all(i)
		if out.by == nil {
			out.by = b.repeat(&s.by, len(in))
		}
		record := o.Fault.Record
		*o, out.by[j] = nobodys(s.First, reasons), all
		if !all.private {
			o.Fault.Record = record
		}
	}
	b.why, b.at = why, at
	return out
}

func (b *bystander) repeat(by *author, n int) []*author {
	all := make([]*author, n)
	for i := range all {
		all[i] = by
	}
	return all
}

// all is who speaks for the members of the first that ends with step i.
func (b *bystander) all(i int) *author {
	by := b.line[i].by
	for k := i; k >= 0 && b.line[k].First == b.line[i].First; k-- {
		by.private = by.private || b.line[k].Private
	}
	return &by
}

// suspects are the steps of a chain that a crash may be the doing of, as in "a.x or b.y".
func (s *Step) suspects(crash *Crash) string {
	var names []string
	for i, x := range s.line() {
		if i == crash.Step || slices.Contains(crash.Others, i) {
			names = append(names, x.Name)
		}
	}
	return strings.Join(names, " or ")
}

// spend adds up the shares of the steps in the chain's time.
func (v *visit) spend(a *wire.Answer) {
	if len(a.Behind) == 0 {
		return
	}
	if v.spent == nil {
		v.spent = make([]uint64, len(a.Behind)+1)
	}
	v.spent[0] += a.Spent
	for i := range a.Behind {
		v.spent[i+1] += a.Behind[i].Spent
	}
}

// busy divides the time that a chain was busy among its steps.
func (s *Step) busy(d time.Duration, spent []uint64) {
	var all uint64
	for _, n := range spent {
		all += n
	}
	if all == 0 {
		s.Account.busy(d)
		return
	}
	for i, x := range s.line() {
		x.Account.busy(time.Duration(float64(d) * float64(spent[i]) / float64(all)))
	}
}
