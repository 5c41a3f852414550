package flow

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
)

func (s *Step) chain() []*Step { return append([]*Step{s}, s.Rest...) }

// laterNodes returns how many nodes the later steps of the chain are: the members of a First count as one.
func (s *Step) laterNodes() int {
	n, chain := 0, s.chain()
	for i := range s.Rest {
		if !chain[i+1].takesDeclined(chain[i]) {
			n++
		}
	}
	return n
}

// takesDeclined reports whether the step gets what the one before it declines.
func (s *Step) takesDeclined(before *Step) bool { return s.First != "" && s.First == before.First }

// section returns the answer of a chain about records.
func (s *Step) section(in []wire.Record, a wire.Answer) section {
	b := sectionBuilder{chain: s.chain()}
	head := b.section(0, in, &a)
	head.last, head.out = a.Last, a.Out
	for i := range a.Behind {
		head.rest = append(head.rest, b.section(i+1, a.Behind[i].In, &a.Behind[i]))
	}
	return head
}

// A sectionBuilder makes sections of the answers of a chain, one step after the other.
type sectionBuilder struct {
	chain    []*Step
	offset   int              // of the current step
	declined []declinedRecord // records that reach the next member of a First
	all      *declineReason   // why all records of the First do, in place of declined; nil: not all, or for different reasons
	reasons  declineReasons
}

// A declinedRecord is a record that members of a First have declined.
type declinedRecord struct {
	at  int // its index among those that reached the First
	why *declineReason
}

func (b *sectionBuilder) section(i int, in []wire.Record, a *wire.Answer) section {
	step := b.chain[i]
	if i > 0 && !step.takesDeclined(b.chain[i-1]) {
		b.offset++
		b.declined, b.all = nil, nil
	}
	s := section{in: in, outcomes: a.Outcomes, sides: step.sideRows(in, a.Sides), offset: b.offset}
	if i > 0 {
		s.step = &step.by
	}
	if f := a.AllDeclined(); f != nil && b.declined == nil && step.First != "" && !b.isLast(i) {
		s.declined, b.all = true, b.reasons.add(step.Name, f.Message, b.all)
		return s
	}
	b.spread(len(s.outcomes))
	if b.declined != nil && (b.isLast(i) || slices.ContainsFunc(s.outcomes, func(o wire.Outcome) bool { return o.Verdict == wire.Rejected })) {
		s.at = make([]int, len(b.declined)) // for rejects
		for j, d := range b.declined {
			s.at[j] = d.at
		}
	}
	if step.First != "" {
		b.takeDeclined(i, &s)
	}
	return s
}

// spread notes for each of n records, of which all have been declined, why it was.
func (b *sectionBuilder) spread(n int) {
	if b.all == nil {
		return
	}
	b.declined = make([]declinedRecord, n)
	for j := range b.declined {
		b.declined[j] = declinedRecord{at: j, why: b.all}
	}
	b.all = nil
}

// takeDeclined keeps what member i of a First declined for the next member. What the last member declines is rejected in
// the name of all of them.
func (b *sectionBuilder) takeDeclined(i int, s *section) {
	before := b.declined
	b.declined = before[:0] // each is read before its place is written
	var why *declineReason
	var by *rejecter // of what all members declined
	last := b.isLast(i)
	for j := range s.outcomes {
		o := &s.outcomes[j]
		if o.Verdict != wire.Declined {
			continue
		}
		r := declinedRecord{at: j}
		if before != nil {
			r = before[j]
		}
		if why == nil || why.before != r.why || why.message != o.Fault.Message {
			why = b.reasons.add(b.chain[i].Name, o.Fault.Message, r.why)
		}
		r.why = why
		if !last {
			if b.declined == nil {
				b.declined = make([]declinedRecord, 0, len(s.outcomes)-j)
			}
			b.declined = append(b.declined, r)
			continue
		}
		if s.by == nil {
			s.by, by = slices.Repeat([]*rejecter{&b.chain[i].by}, len(s.in)), b.firstRejecter(i)
		}
		fault := o.Fault
		s.by[j] = by
		*o = b.reasons.outcome(b.chain[i].First, r.why, by.shown(&s.in[j], fault))
		if !by.private {
			o.Fault.Record = fault.Record
		}
	}
}

// isLast reports whether no later step gets what step i declines.
func (b *sectionBuilder) isLast(i int) bool {
	return i+1 == len(b.chain) || !b.chain[i+1].takesDeclined(b.chain[i])
}

// firstRejecter returns the rejecter for all members of the First that ends with step i.
func (b *sectionBuilder) firstRejecter(i int) *rejecter {
	private := false
	for k := i; k >= 0 && b.chain[k].First == b.chain[i].First; k-- {
		private = private || b.chain[k].Private
	}
	by := firstRejecter(b.chain[i].First, private)
	return &by
}

// mostSuspects is how many steps are listed that may have caused a crash; of more only the first and the last are named.
const mostSuspects = 3

// suspects names the steps of a chain that may have caused a crash, as in "step a.x or b.y" or "steps a.x to d.z".
func (s *Step) suspects(crash *Crash) string {
	var names []string
	for i, step := range s.chain() {
		if i == crash.Step || slices.Contains(crash.Others, i) {
			names = append(names, step.Name)
		}
	}
	if n := len(names); n > mostSuspects {
		return "steps " + names[0] + " to " + names[n-1]
	}
	return "step " + strings.Join(names, " or ")
}

// title names all steps of a chain.
func (s *Step) title() string {
	if n := len(s.Rest); n > 0 {
		return "steps " + s.Name + " to " + s.Rest[n-1].Name
	}
	return "step " + s.Name
}
