package flow

import (
	"slices"
	"strings"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// line is the steps of a chain, in order.
func (s *Step) chain() []*Step { return append([]*Step{s}, s.Behind...) }

// prepareLine readies what the steps of a chain have for themselves. declines is of a chain of one step.
func (s *Step) prepareChain(declines bool) {
	line := s.chain()
	for _, x := range line {
		x.by = rejecter{x.Name, x.Plugin, x.Private}
		x.declines = declines || x.First != ""
	}
	shareCallTimes(line, len(s.Stages), s.CurrentStep)
}

// places is how many places in the tree the steps behind take: the members of a first have one.
func (s *Step) places() int {
	n, line := 0, s.chain()
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
	t := sectionBuilder{chain: s.chain()}
	head := t.section(0, in, &a)
	head.last, head.out = a.Last, a.Out
	for i := range a.Behind {
		head.behind = append(head.behind, t.section(i+1, a.Behind[i].In, &a.Behind[i]))
	}
	return head
}

// A teller makes what the steps of a chain say into sections, one step after the other.
type sectionBuilder struct {
	chain []*Step
	place int              // of the step at hand, behind the first's
	open  []declinedRecord // what reaches the next member of a first
}

// A denied record is one that members of a first have declined.
type declinedRecord struct {
	at  int // which of the records that reached the first
	why *reason
}

// A reason is why a step declined a record, with those of the steps before it. Records of a batch share it.
type reason struct {
	step, message string
	before        *reason
}

func (r *reason) all() []string {
	if r == nil {
		return nil
	}
	return append(r.before.all(), r.step+": "+r.message)
}

// section is what step i says of in.
func (t *sectionBuilder) section(i int, in []wire.Record, a *wire.Answer) section {
	s := t.chain[i]
	if i > 0 && !s.follows(t.chain[i-1]) {
		t.place++
		t.open = nil
	}
	out := section{in: in, outcomes: a.Outcomes, sides: s.sideRows(in, a.Sides), place: t.place}
	if i > 0 {
		out.step = &s.by
	}
	if t.open != nil {
		out.at = make([]int, len(t.open))
	}
	for j := range t.open {
		out.at[j] = t.open[j].at
	}
	if s.First != "" {
		t.passDeclined(i, &out)
	}
	return out
}

// declined keeps what step i of a first has declined for the next member. What all members decline is rejected by all of
// them together.
func (t *sectionBuilder) passDeclined(i int, s *section) {
	before := t.open
	t.open = nil
	var why *reason
	last := i+1 == len(t.chain) || !t.chain[i+1].follows(t.chain[i])
	for j := range s.outcomes {
		o := &s.outcomes[j]
		if o.Verdict != wire.Declined {
			continue
		}
		d := declinedRecord{at: j}
		if before != nil {
			d = before[j]
		}
		if why == nil || why.before != d.why || why.message != o.Fault.Message {
			why = &reason{t.chain[i].Name, o.Fault.Message, d.why}
		}
		d.why = why
		if !last {
			if t.open == nil {
				t.open = make([]declinedRecord, 0, len(s.outcomes)-j)
			}
			t.open = append(t.open, d)
			continue
		}
		if s.by == nil {
			s.by = make([]*rejecter, len(s.in))
			for k := range s.by {
				s.by[k] = &t.chain[i].by
			}
		}
		record := o.Fault.Record
		*o, s.by[j] = allDeclined(t.chain[i].First, d.why.all()), t.firstRejecter(i)
		if !s.by[j].private {
			o.Fault.Record = record
		}
	}
}

// members is who speaks for all members of the first that ends with step i.
func (t *sectionBuilder) firstRejecter(i int) *rejecter {
	by := t.chain[i].by
	for k := i; k >= 0 && t.chain[k].First == t.chain[i].First; k-- {
		by.private = by.private || t.chain[k].Private
	}
	return &by
}

// suspects are the steps of a chain that a crash may be the doing of, as in "a.x or b.y".
func (s *Step) suspects(crash *Crash) string {
	var names []string
	for i, x := range s.chain() {
		if i == crash.Step || slices.Contains(crash.Others, i) {
			names = append(names, x.Name)
		}
	}
	return strings.Join(names, " or ")
}

// spend adds up the shares of the steps in the chain's time.
func (v *call) addShares(a *wire.Answer) {
	if len(a.Behind) == 0 {
		return
	}
	if v.shares == nil {
		v.shares = make([]uint64, len(a.Behind)+1)
	}
	v.shares[0] += a.Spent
	for i := range a.Behind {
		v.shares[i+1] += a.Behind[i].Spent
	}
}

// busy divides the time that a chain was busy among its steps.
func (v *call) addBusy(d time.Duration) {
	var all uint64
	for _, n := range v.shares {
		all += n
	}
	if all == 0 { // nothing was answered, or there is one step
		v.addStepBusy(0, v.step, d)
		return
	}
	for i, s := range v.step.chain() {
		v.addStepBusy(i, s, time.Duration(float64(d)*float64(v.shares[i])/float64(all)))
	}
}

// charge enters that step i of the chain was busy.
func (v *call) addStepBusy(i int, s *Step, d time.Duration) {
	s.Account.busy(d)
	if v.spans != nil {
		v.spans.steps[i].busy(d)
	}
}
