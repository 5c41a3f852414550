package flow

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// What was counted of each unit alone adds up to what one account counts of all, also where there are more names than it keeps.
func TestUnitsAddUp(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		var whole, sum bounded
		var all, added reasons
		var once, others Others
		route := &Route{Name: "r"}
		limit, names := 1+random.IntN(8), 1+random.IntN(400)
		for range 1 + random.IntN(6) {
			var unit bounded
			unitOf := &tally{index: &index{route: map[*Route]int{route: 0}}, routes: make([]routeTally, 1)}
			why := reasons{most: mostApart}
			for range random.IntN(90) {
				name := fmt.Sprint("name ", random.IntN(names))
				n := int64(1 + random.IntN(3))
				whole.add(name, n, limit)
				unit.add(name, n, limit)
				kind, at := rejectKind{name, "step"}, receipt.Position{File: "a", Line: n}
				message := fmt.Sprint("byte ", random.IntN(maxSaid))
				all.add(kind, message, at)
				why.add(kind, message, at)
				if random.IntN(9) == 0 {
					name = strings.Repeat("long ", maxOtherValue)
				}
				once.add(name)
				unitOf.other(route, name)
			}
			s := unit.state()
			sum.plus(&s, limit)
			for _, r := range why.all {
				added.plus(r)
			}
			others.plus(unitOf.routes[0].values, unitOf.routes[0].more)
		}
		if diff := cmp.Diff(whole.snapshot(), sum.snapshot()); diff != "" {
			t.Errorf("seed %d: names: %s", seed, diff)
		}
		if diff := cmp.Diff(all.all, added.all); diff != "" {
			t.Errorf("seed %d: reasons: %s", seed, diff)
		}
		if diff := cmp.Diff(once, others); diff != "" {
			t.Errorf("seed %d: others: %s", seed, diff)
		}
	}
}

// The accounts of units add up to the account of a step in the whole run, with the places of records in it.
func TestAccountOfUnits(t *testing.T) {
	a, sum := &Account{}, &Account{}
	ord := uint64(0)
	for unit := range 3 {
		of := &Account{} // this unit
		base := ord
		for range 4 {
			r := wire.Record{Data: []byte("{}"), File: fmt.Sprint(unit), Line: int64(ord), Ord: ord}
			ord++
			if ord%2 == 0 {
				continue // another step has it
			}
			out := wire.Outcome{Verdict: []wire.Verdict{wire.Unchanged, wire.Rejected, wire.Dropped}[ord%3], Fault: &wire.Fault{Code: "odd", Message: "old"}}
			for _, to := range []*Account{a, of} {
				to.add([]wire.Record{r}, wire.Answer{Outcomes: []wire.Outcome{out}, Counts: []wire.Count{{Name: "beside.a", N: 2}, {Name: "n", N: 1}}})
			}
		}
		a.addUnwanted("log")
		of.addUnwanted("log")
		s := of.state()
		if r := &s.Sums.Accepted; r.Records > 0 {
			r.FirstOrd -= base
			r.LastOrd -= base
		}
		sum.plus(&s, base)
	}
	if diff := cmp.Diff(a.Snapshot(), sum.Snapshot()); diff != "" {
		t.Errorf("want the sums of the units (-whole +units): %s", diff)
	}
}
