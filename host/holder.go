package host

import "time"

// A Holder is what a run waits for; its zero value when nothing holds it.
type Holder struct {
	Kind, Name string        // step, source or sink, and its TYPE.NAME
	Busy       float64       // share of the time in which a step worked, a sink wrote, or the run waited for a source
	Silent     time.Duration // how long a step has given no answer; 0 when it gives some
}

// A run is held by the step that gave no answer for so long, or else by what was busy for the largest share of the time, if that is
// at least this much. A source that waits longer than anything behind it works, by this much, holds it too: while memory is full of
// records that others are at, each source waits as long as they work.
const (
	silence  = 2 * time.Second
	busyFrom = 0.5
	alone    = 0.2
)

// HeldBy finds what holds a run, by its progress now and before. Steps of one chain share its workers: they are weighed together, and
// the busiest is named.
func HeldBy(now, before Progress) (found Holder) {
	if now.Held >= silence {
		return Holder{Kind: "step", Name: now.Step, Silent: now.Held}
	}
	span := now.Elapsed - before.Elapsed
	if span <= 0 {
		return Holder{}
	}
	most := busyFrom
	for i := 0; i < len(now.Steps); {
		all, busiest, name, next := 0.0, -1.0, "", i
		for ; next == i || next < len(now.Steps) && now.Steps[next].Behind; next++ {
			s := now.Steps[next]
			busy := now.StepShare(before, next)
			if all += busy; busy > busiest {
				busiest, name = busy, s.Name
			}
		}
		if all >= most {
			most, found = all, Holder{Kind: "step", Name: name, Busy: busiest}
		}
		i = next
	}
	for i, e := range now.Sinks {
		if busy := endShare(now.Sinks, before.Sinks, i, span); busy > most {
			most, found = busy, Holder{Kind: "sink", Name: e.Name, Busy: busy}
		}
	}
	if found.Name != "" {
		most += alone
	}
	for i, e := range now.Sources {
		if busy := endShare(now.Sources, before.Sources, i, span); busy > most {
			most, found = busy, Holder{Kind: "source", Name: e.Name, Busy: busy}
		}
	}
	return found
}

// heldBy finds what held a run that has ended.
func (r *run) heldBy() Holder {
	now := r.progress()
	now.Held = 0 // it has answered
	return HeldBy(now, Progress{})
}

// StepShare returns the share of the time since before in which the workers of a step were busy.
func (p Progress) StepShare(before Progress, i int) float64 {
	s, span := p.Steps[i], p.Elapsed-before.Elapsed
	if i < len(before.Steps) {
		s.Busy -= before.Steps[i].Busy
	}
	if s.Workers == 0 || span <= 0 {
		return 0
	}
	return share(s.Busy.Seconds() / span.Seconds() / float64(s.Workers))
}

func endShare(now, before []EndProgress, i int, span time.Duration) float64 {
	busy := now[i].Busy
	if i < len(before) {
		busy -= before[i].Busy
	}
	return share(busy.Seconds() / span.Seconds())
}

// share keeps what was measured at slightly different times between 0 and 1.
func share(x float64) float64 { return min(max(x, 0), 1) }
