package flow

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestAlike holds that a chain rejects and counts the same whether a reply says of each record why it was declined, or once of all.
func TestAlike(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	short := 0
	for range 2_000 {
		in := make([]wire.Record, 1+rnd.IntN(4))
		for i := range in {
			in[i] = wire.Record{Data: []byte("{}"), Line: int64(i + 1)}
		}
		reply := &wire.Reply{Done: true, Behind: make([]wire.Reply, 3)}
		reached := len(in)
		for k := range 4 { // members a, b and c of a first, and step d behind it
			r := reply
			if k > 0 {
				r = &reply.Behind[k-1]
			}
			n, likely := 0, rnd.IntN(4)
			for range reached {
				switch {
				case k < 3 && rnd.IntN(4) <= likely:
					r.Verdicts = append(r.Verdicts, byte(wire.Declined))
					r.AddFault(&wire.Fault{Message: fmt.Sprint("not mine ", rnd.IntN(8)/7)})
					n++
				case rnd.IntN(3) == 0:
					r.Verdicts = append(r.Verdicts, byte(wire.Rejected))
					r.AddFault(&wire.Fault{Code: "bad", Message: "no"})
				default:
					r.Verdicts = append(r.Verdicts, byte(wire.Unchanged))
				}
			}
			if reached = n; k == 2 {
				reached = unchangedBefore(reply)
			}
		}
		var have [2][]string
		for i, r := range []*wire.Reply{reply, reply.Expanded()} {
			var all bool
			have[i], all = settled(t, in, r)
			if i == 0 && all {
				short++
			}
		}
		if diff := cmp.Diff(have[1], have[0]); diff != "" {
			t.Fatalf("%+v (-each +all):\n%s", reply, diff)
		}
	}
	if short < 100 {
		t.Errorf("want 100 replies or more that decline all at once, have %d", short)
	}
}

// unchangedBefore counts what leaves the members of the first.
func unchangedBefore(r *wire.Reply) (n int) {
	for _, verdicts := range [][]byte{r.Verdicts, r.Behind[0].Verdicts, r.Behind[1].Verdicts} {
		for _, v := range verdicts {
			if wire.Verdict(v) == wire.Unchanged {
				n++
			}
		}
	}
	return n
}

// settled returns the rejects and sums of a chain after a reply, and whether its first step declined all for one reason.
func settled(t *testing.T, in []wire.Record, r *wire.Reply) (lines []string, all bool) {
	var chain []*Step
	for _, name := range []string{"a", "b", "c", "d"} {
		s := &Step{Name: name, First: "f", Account: &Account{}, by: rejecter{step: name}}
		if name == "d" {
			s.First = ""
		}
		chain = append(chain, s)
	}
	chain[0].Rest = chain[1:]
	val := &wire.Validator{In: in, Depth: 100, Name: "a", Behind: []wire.Step{{Plugin: "b", Or: true}, {Plugin: "c", Or: true}, {Plugin: "d"}}}
	a, err := val.Admit(r)
	if err != nil {
		t.Fatal(err)
	}
	all = a.AllDeclined() != nil
	chain[0].Account.add(in, a)
	for i := range a.Behind {
		chain[i+1].Account.add(a.Behind[i].In, a.Behind[i])
	}
	c := &collector{by: &chain[0].by}
	s := chain[0].section(in, a)
	rejects := c.settle(nil, s, &pendingChunk{})
	for _, later := range s.rest {
		rejects = c.settle(rejects, later, &pendingChunk{})
	}
	for _, x := range rejects {
		lines = append(lines, fmt.Sprint(x.node, " ", x.nth, " ", x.text()))
	}
	for _, step := range chain {
		lines = append(lines, fmt.Sprintf("%s %+v", step.Name, step.Account.Snapshot()))
	}
	return lines, all
}
