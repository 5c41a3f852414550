package receipt

import (
	"fmt"
	"strings"
	"testing"
)

func step(name string, c Counts, edges ...Edge) Node {
	return Node{Kind: "step", Name: name, Counts: &c, Edges: edges}
}

func sink(name string, in, rejected int64) Node {
	return Node{Kind: "sink", Name: name, Counts: &Counts{In: in, Out: in - rejected, Rejected: rejected}}
}

// drawn is the receipt of a run through every kind of node.
func drawn() Receipt {
	g := &Graph{DeadLetter: sink("jsonl.rejects", 6, 0), Body: []Node{
		{Kind: "source", Name: "jsonl.in", Counts: &Counts{In: 12, Out: 10, Rejected: 2}},
		{Kind: "first", Name: "shape", Counts: &Counts{10, 7, 1, 1, 1}, Edges: []Edge{
			{Kind: "member", Records: 10, Nodes: []Node{step("a.x", Counts{10, 4, 0, 0, 6})}},
			{Kind: "member", Records: 6, Nodes: []Node{step("b.y", Counts{6, 3, 1, 1, 1})}},
		}},
		{Kind: "shadow", Name: "s", Counts: &Counts{In: 7, Out: 7}, Edges: []Edge{
			{Kind: "current", Records: 7, Nodes: []Node{step("c.now", Counts{In: 7, Out: 7})}},
			{Kind: "candidate", Records: 5, Nodes: []Node{step("c.next", Counts{In: 5, Out: 3, Dropped: 1, Rejected: 1})}},
			{Kind: "differs", Records: 2, Nodes: []Node{sink("jsonl.differs", 2, 0)}},
		}},
		{Kind: "tee", Name: "t", Counts: &Counts{In: 7, Out: 7}, Edges: []Edge{{Kind: "tee", Records: 7, Nodes: []Node{sink("jsonl.copy", 7, 0)}}}},
		step("d.z", Counts{In: 7, Out: 8}, Edge{Kind: "output", Name: "ledger", Records: 2, Nodes: []Node{sink("jsonl.ledger", 2, 0)}}),
		{Kind: "route", Name: "r", Counts: &Counts{In: 8, Out: 5, Rejected: 1}, Edges: []Edge{
			{Kind: "case", Name: "a", Records: 2, Nodes: []Node{sink("jsonl.a", 2, 1)}},
			{Kind: "case", Name: "b", Records: 3, Nodes: []Node{step("e.w", Counts{In: 3, Out: 3})}},
			{Kind: "default", Records: 2},
		}},
		sink("jsonl.all", 5, 0),
	}}
	r := Receipt{
		Graph: g, Inputs: []Input{{Name: "in.jsonl", Source: "jsonl.in", Records: 12}},
		Totals: Totals{
			Read: 12, Extra: 1, Teed: 7, Written: 13, Dropped: Sum(map[string]int64{"no": 1}), Rejected: Sum(map[string]int64{"bad": 6}),
		},
		Outputs: []Output{
			{Records: 2, Sink: "jsonl.differs", Side: "shadow s"}, {Records: 7, Sink: "jsonl.copy"}, {Records: 2, Sink: "jsonl.ledger", Side: "d.z/ledger"},
			{Records: 1, Sink: "jsonl.a"}, {Records: 5, Sink: "jsonl.all"}, {Records: 6, Sink: "jsonl.rejects", Side: DeadLetter},
		},
		Routes: []RouteReport{{
			Route: "r", Branches: []Branch{{Case: "a", Records: 2}, {Case: "b", Records: 3}, {Default: true, Records: 2}},
			Rejected: 1, Others: map[string]int64{"c": 3},
		}},
	}
	walk(g, func(n *Node, _ []Edge) {
		if n.Kind == "step" {
			c := n.Counts
			r.Steps = append(r.Steps, StepAccount{
				Name: n.Name, In: c.In, Out: c.Out, Extra: c.Out + c.Dropped + c.Rejected + c.Declined - c.In, Candidate: n.Name == "c.next",
				Dropped: some(c.Dropped), Rejected: some(c.Rejected), Declined: some(c.Declined),
			})
		}
	})
	return r
}

func some(n int64) Breakdown { return Sum(map[string]int64{"x": n}) }

// walk visits every node of a graph.
func walk(g *Graph, visit func(n *Node, edges []Edge)) {
	var all func([]Node)
	all = func(nodes []Node) {
		for i := range nodes {
			visit(&nodes[i], nodes[i].Edges)
			for _, e := range nodes[i].Edges {
				all(e.Nodes)
			}
		}
	}
	all(g.Body)
	visit(&g.DeadLetter, nil)
}

// TestGraph holds that a graph whose counts fit is fine, and that no count of it can change without an error.
func TestGraph(t *testing.T) {
	r := drawn()
	if err := r.Recheck(); err != nil {
		t.Fatalf("%v: %q", err, r.Unbalanced)
	}
	wrong := func(what string, change func() (back func())) {
		back := change()
		if r.Recheck() == nil {
			t.Errorf("%s: want an error when it is one more, have none", what)
		}
		back()
	}
	one := func(n *int64) func() func() {
		return func() func() { *n++; return func() { *n-- } }
	}
	walk(r.Graph, func(n *Node, edges []Edge) {
		c := n.Counts
		for name, count := range map[string]*int64{"in": &c.In, "out": &c.Out, "dropped": &c.Dropped, "rejected": &c.Rejected, "declined": &c.Declined} {
			wrong(title(n)+": "+name, one(count))
		}
		for i := range edges {
			wrong(fmt.Sprintf("%s: edge %d", title(n), i), one(&edges[i].Records))
		}
		wrong(title(n)+": no counts", func() func() { n.Counts = nil; return func() { n.Counts = c } })
	})
	route := &r.Routes[0]
	for i := range route.Branches {
		wrong(fmt.Sprintf("routes: branch %d", i), one(&route.Branches[i].Records))
	}
	wrong("routes: rejected", one(&route.Rejected))
	wrong("routes: others", func() func() { route.Others["c"]++; return func() { route.Others["c"]-- } })
	wrong("routes: a report of no route", func() func() {
		r.Routes = append(r.Routes, RouteReport{Route: "q"})
		return func() { r.Routes = r.Routes[:1] }
	})
	route = &r.Routes[0]
	wrong("routes: another name", func() func() { route.Route = "q"; return func() { route.Route = "r" } })
	if err := r.Recheck(); err != nil {
		t.Errorf("want all as it was, have %v", err)
	}
}

// TestGraphMessages holds the message about an edge that does not add up, and that a partial run is not compared with whole inputs.
func TestGraphMessages(t *testing.T) {
	tests := []struct {
		reason string
		change func(*Receipt)
		want   string
	}{
		{"a record is lost between two nodes", func(r *Receipt) { r.Graph.Body[0].Counts.Out++ },
			"source jsonl.in: 12 in, 11 out, 0 dropped, 2 rejected, 0 declined, but by its inputs 12 in, 10 out, 0 dropped, 2 rejected, 0 declined; " +
				"the sources: out 11, but first shape: in 10"},
		{"a step without an account", func(r *Receipt) { r.Graph.Body[4].Name = "d.y" }, "step d.y: want an account among the steps"},
		{"a file of a sink is missing", func(r *Receipt) { r.Outputs[0].Records = 0 },
			"sink jsonl.differs: 2 in, 2 out, 0 dropped, 0 rejected, 0 declined, but by its files 0 in, 0 out, 0 dropped, 0 rejected, 0 declined"},
		{"a part of an input", func(r *Receipt) {
			r.Inputs, r.Partial = nil, &Partial{Taken: []PartialInput{{"in.jsonl", 12}}}
		}, ""},
		{"inputs of an older receipt, which name no source", func(r *Receipt) { r.Inputs[0].Source = "" }, ""},
		{"a case that the report of its route counts otherwise", func(r *Receipt) { r.Routes[0].Branches[1].Records = 2 },
			"route r: in 8, but the report of route r: in all 7; route r: case b 3, but the report of route r: there 2"},
		{"an older receipt, without reports of routes", func(r *Receipt) { r.Routes = nil }, ""},
		{"a receipt without a graph", func(r *Receipt) { r.Graph = nil }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r := drawn()
			tt.change(&r)
			if err := r.Recheck(); (err != nil) != (tt.want != "") {
				t.Errorf("want an error only with a message, have %v", err)
			}
			if have := strings.Join(r.Unbalanced, "; "); have != tt.want {
				t.Errorf("want %q, have %q", tt.want, have)
			}
		})
	}
}
