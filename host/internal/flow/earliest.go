package flow

import (
	"slices"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// earliest holds the first records of each reason for which records were dropped. What is first depends on the input alone, however
// many workers there are.
type earliest map[string][]drop

type drop struct {
	receipt.Position
	Ord uint64 // among all records of the run
}

const (
	mostEarliest = 2
	longestPlace = 1 << 10 // bytes of a file's name; longer ones are not kept
)

// add notes a record, if it is among the first. The reasons that are not counted by name are forgotten now and then.
func (e *earliest) add(reason string, r *wire.Record, counted map[string]int64) {
	if _, ok := counted[reason]; ok && len(r.File) <= longestPlace {
		e.put(reason, drop{positionOf(r), r.Ord}, counted)
	}
}

func (e *earliest) put(reason string, p drop, counted map[string]int64) {
	all := (*e)[reason]
	if len(all) == mostEarliest && p.Ord >= all[mostEarliest-1].Ord || slices.ContainsFunc(all, func(have drop) bool { return have.Position == p.Position }) {
		return
	}
	if *e == nil {
		*e = earliest{}
	}
	at := len(all)
	for at > 0 && p.Ord < all[at-1].Ord {
		at--
	}
	all = slices.Insert(slices.Clip(all), at, p)
	(*e)[reason] = all[:min(len(all), mostEarliest)]
	if len(*e) > 2*maxReasons {
		e.keep(counted)
	}
}

func (e earliest) keep(counted map[string]int64) {
	for reason := range e {
		if _, ok := counted[reason]; !ok {
			delete(e, reason)
		}
	}
}

// places returns the places of the reasons that are counted by name, nil for none.
func (e earliest) places(counted map[string]int64) map[string][]receipt.Position {
	var all map[string][]receipt.Position
	for reason, places := range e {
		if _, ok := counted[reason]; !ok {
			continue
		}
		if all == nil {
			all = map[string][]receipt.Position{}
		}
		for _, p := range places {
			all[reason] = append(all[reason], p.Position)
		}
	}
	return all
}

// clone returns a copy that can be written down.
func (e earliest) clone() earliest {
	var all earliest
	for reason, places := range e {
		if all == nil {
			all = earliest{}
		}
		all[reason] = slices.Clone(places)
	}
	return all
}

// since counts places from the record with place base on. None of them is before it.
func (e earliest) since(base uint64) {
	for _, places := range e {
		for i := range places {
			places[i].Ord -= base
		}
	}
}
