package receipt

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFunnel holds that a record is counted once, whatever copies and branches there are.
func TestFunnel(t *testing.T) {
	node := func(kind string, c Counts, edges ...Edge) Node {
		return Node{Kind: kind, Name: "x.y", Counts: &c, Edges: edges}
	}
	source := node("source", Counts{In: 100, Out: 98, Rejected: 2})
	sink := func(n, refused int64) Node { return node("sink", Counts{In: n + refused, Out: n, Rejected: refused}) }
	for _, c := range []struct {
		reason string
		body   []Node
		want   Funnel
	}{
		{"a straight line", []Node{source, node("step", Counts{In: 98, Out: 90, Dropped: 5, Rejected: 3}), sink(89, 1)},
			Funnel{Read: 100, Unreadable: 2, Rejected: 4, Dropped: 5, Kept: 89}},
		{"what no member of a first takes is rejected", []Node{source, node("first", Counts{In: 98, Out: 90, Rejected: 3, Declined: 5},
			Edge{Kind: "member", Nodes: []Node{node("step", Counts{In: 98, Out: 90, Rejected: 3, Declined: 5})}}), sink(90, 0)},
			Funnel{Read: 100, Unreadable: 2, Rejected: 8, Kept: 90}},
		{"copies count nowhere else", []Node{source, node("tee", Counts{In: 98, Out: 98},
			Edge{Kind: "tee", Records: 98, Nodes: []Node{node("step", Counts{In: 98, Out: 50, Rejected: 48}), sink(50, 0)}}), sink(98, 0)},
			Funnel{Read: 100, Unreadable: 2, Kept: 98, Copied: 98}},
		{"branches are parts of the whole", []Node{source, node("route", Counts{In: 98, Rejected: 8},
			Edge{Kind: "case", Records: 60, Nodes: []Node{node("step", Counts{In: 60, Out: 55, Dropped: 5}), sink(55, 0)}},
			Edge{Kind: "default", Records: 30, Nodes: []Node{sink(30, 0)}})},
			Funnel{Read: 100, Unreadable: 2, Rejected: 8, Dropped: 5, Kept: 85}},
		{"a step that makes several of one", []Node{source, node("step", Counts{In: 98, Out: 300}), sink(300, 0)},
			Funnel{Read: 100, Unreadable: 2, Made: 202, Kept: 300}},
		{"the candidate of a shadow changes nothing", []Node{source, node("shadow", Counts{In: 98, Out: 98},
			Edge{Kind: "candidate", Nodes: []Node{node("step", Counts{In: 98, Rejected: 98})}}), sink(98, 0)},
			Funnel{Read: 100, Unreadable: 2, Kept: 98}},
	} {
		r := Receipt{Graph: &Graph{Body: c.body}}
		have, ok := r.Funnel()
		if diff := cmp.Diff(c.want, have); diff != "" || !ok {
			t.Errorf("%s: %t, (-want +have):\n%s", c.reason, ok, diff)
		}
	}
	if _, ok := (&Receipt{Graph: &Graph{Body: []Node{{Kind: "source"}}}}).Funnel(); ok {
		t.Error("want no funnel of a graph without counts")
	}
}

// TestKeeps holds which outputs have the records that the funnel counts as kept.
func TestKeeps(t *testing.T) {
	sink := func(name string) Node { return Node{Kind: "sink", Name: name} }
	r := Receipt{Graph: &Graph{Body: []Node{
		{Kind: "tee", Edges: []Edge{{Kind: "tee", Nodes: []Node{sink("copy")}}}},
		{Kind: "route", Edges: []Edge{{Kind: "case", Nodes: []Node{sink("branch")}}}},
		sink("rows"),
	}}}
	for name, want := range map[string]bool{"copy": false, "branch": true, "rows": true} {
		if have := r.Keeps(Output{Sink: name}); have != want {
			t.Errorf("%s: want %t, have %t", name, want, have)
		}
	}
	if r.Keeps(Output{Sink: "rows", Side: DeadLetter}) || !(&Receipt{}).Keeps(Output{Sink: "copy"}) {
		t.Error("want no dead letter kept, and all of the stream without a graph")
	}
}
