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

// TestEarliest holds that of each reason the first records of the input are kept, in whichever order workers count them, also when they
// were counted apart and added up; and that reasons without a count of their own have none.
func TestEarliest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	counted := map[string]int64{"a": 1, "b": 1}
	note := func(order []int, base int) (e earliest) {
		for _, i := range order {
			e.add([]string{"a", "b", "c"}[i%3], &wire.Record{File: "in.jsonl", Line: int64(i + 1), Ord: uint64(i - base)}, counted)
		}
		return e
	}
	want := map[string][]receipt.Position{"a": {{File: "in.jsonl", Line: 1}, {File: "in.jsonl", Line: 4}}, "b": {{File: "in.jsonl", Line: 2}, {File: "in.jsonl", Line: 5}}}
	for range 50 {
		e := note(random.Perm(60), 0)
		if diff := cmp.Diff(want, e.places(counted)); diff != "" {
			t.Fatalf("in any order: %s", diff)
		}
		a, b := Account{}, Account{}
		a.dropped.names, b.dropped.names = counted, counted
		a.drops = note(random.Perm(3), 0)
		later := random.Perm(57)
		for i := range later {
			later[i] += 3
		}
		b.drops = note(later, 3)
		state := b.state()
		a.plus(&state, 3)
		if diff := cmp.Diff(want, a.drops.places(counted)); diff != "" {
			t.Fatalf("of two parts: %s", diff)
		}
	}
	var long earliest
	long.add("a", &wire.Record{File: strings.Repeat("x", longestPlace+1), Line: 1}, counted)
	many := map[string]int64{}
	for i := range 5 * maxReasons {
		name := fmt.Sprint(i)
		clear(many)
		many[name] = 1
		long.add(name, &wire.Record{File: "f", Line: int64(i + 1)}, many)
	}
	if len(long) > 2*maxReasons+1 || long["a"] != nil {
		t.Errorf("want bounds on names and reasons, have %d reasons", len(long))
	}
}
