package receipt

import (
	"fmt"

	"github.com/sluicehq/sluice/host/plural"
)

// Graph is a pipeline file as it can be drawn, with the counts of a run if it has run.
type Graph struct {
	Body       []Node `json:"body"`        // the sources and what comes behind them, in the order of the file
	DeadLetter Node   `json:"dead_letter"` // a sink
}

// Node is a source, step, first, route, tee, shadow or sink of a pipeline.
type Node struct {
	Kind   string  `json:"kind"`
	Name   string  `json:"name"`             // TYPE.NAME, or NAME for a block without a type
	Note   string  `json:"note,omitempty"`   // what is read or written, what a route is on, or why a step should go
	Edges  []Edge  `json:"ways,omitempty"`   // to the blocks inside it, in the order of the file
	Counts *Counts `json:"counts,omitempty"` // nil when they are not known
}

// Counts says how many records of a run came to a node, went on, and ended there. What a step emits beyond one record for each
// counts as Out alone. A first sums up its members; its Declined are the records that no member took, which are rejected. A
// shadow has the counts of its current step. Out of a sink is what it wrote, Rejected of a source is what it could not read.
type Counts struct {
	In       int64 `json:"in"`
	Out      int64 `json:"out"`
	Dropped  int64 `json:"dropped"`
	Rejected int64 `json:"rejected"`
	Declined int64 `json:"declined"`
}

// Edge leads from a node to the nodes inside it, one behind the other.
type Edge struct {
	Kind    string `json:"kind"`           // member of a first, case, default, tee, output, current, candidate, or differs
	Name    string `json:"name,omitempty"` // of a case its value, of an output its name
	Records int64  `json:"records"`        // that took it; 0 when not known
	Nodes   []Node `json:"stops"`
}

// checkGraph compares each node's counts with its step's account or its sink's outputs, and with its neighbours.
func (r *Receipt) checkGraph() {
	if r.Graph == nil { // an old receipt
		return
	}
	c := graphCheck{Receipt: r, steps: map[string]*StepAccount{}, onDisk: map[string]int64{}}
	for i := range r.Steps {
		c.steps[r.Steps[i].Name] = &r.Steps[i]
	}
	for _, o := range r.Outputs {
		c.onDisk[o.Sink] += o.Records
	}
	sources := 0
	for sources < len(r.Graph.Body) && r.Graph.Body[sources].Kind == "source" {
		sources++
	}
	read := c.sources(r.Graph.Body[:sources])
	c.nodes("the sources", read, r.Graph.Body[sources:])
	if c.reported < len(r.Routes) {
		r.note("routes: %d reports, but %d routes in the graph", len(r.Routes), c.reported)
	}
	c.sink(&r.Graph.DeadLetter)
	if counts := r.Graph.DeadLetter.Counts; counts != nil {
		c.equal("the dead letter: in", counts.In, "rejected at all nodes", c.rejected)
	}
}

// graphCheck compares the counts of a graph's nodes with each other and with the rest of the receipt.
type graphCheck struct {
	*Receipt
	steps    map[string]*StepAccount
	onDisk   map[string]int64 // records, by sink
	rejected int64            // at the nodes so far, without candidates
	reported int              // routes so far
}

func (c *graphCheck) equal(what string, have int64, as string, want int64) {
	if have != want {
		c.note("%s %d, but %s %d", what, have, as, want)
	}
}

// same notes counts of a node that differ from what another part of the receipt says.
func (c *graphCheck) same(n *Node, have Counts, as string, want Counts) {
	if have != want {
		c.note("%s: %v, but %s %v", title(n), have, as, want)
	}
}

// counts returns those of a node, and notes when it has none.
func (c *graphCheck) counts(n *Node) Counts {
	if n.Counts == nil {
		c.note("%s: want counts", title(n))
		return Counts{}
	}
	return *n.Counts
}

func title(n *Node) string { return n.Kind + " " + n.Name }

// sources returns how many records leave all sources together.
func (c *graphCheck) sources(nodes []Node) (out int64) {
	held, named := map[string]int64{}, c.Partial == nil
	for _, in := range c.Inputs {
		held[in.Source] += in.Records
		named = named && in.Source != ""
	}
	var read int64
	for i := range nodes {
		n := &nodes[i]
		have := c.counts(n)
		records := have.In
		if named {
			records = held[n.Name]
		}
		c.same(n, have, "by its inputs", Counts{In: records, Out: records - have.Rejected, Rejected: have.Rejected})
		read += have.In
		out += have.Out
		c.rejected += have.Rejected
	}
	c.equal("the sources: in", read, "the run read", c.Totals.Read)
	return out
}

// nodes checks nodes behind each other, to the first of which so many records come, and returns how many leave the last.
func (c *graphCheck) nodes(before string, came int64, nodes []Node) int64 {
	for i := range nodes {
		n := &nodes[i]
		have := c.counts(n)
		c.equal(before+": out", came, title(n)+": in", have.In)
		c.node(n, have)
		before, came = title(n), have.Out
		if n.Kind == "sink" {
			came = 0 // nothing goes on behind one
		}
	}
	return came
}

func (c *graphCheck) node(n *Node, have Counts) {
	switch n.Kind {
	case "step":
		c.rejected += have.Rejected
		c.step(n, have)
	case "sink":
		c.rejected += have.Rejected
		c.sink(n)
	case "first":
		c.first(n, have)
	case "route":
		c.rejected += have.Rejected
		c.route(n, have)
	case "tee":
		for _, e := range n.Edges {
			c.same(n, have, "by its copies", Counts{In: e.Records, Out: e.Records})
			c.nodes(title(n), e.Records, e.Nodes)
		}
	case "shadow":
		c.shadow(n, have)
	}
}

func (c *graphCheck) step(n *Node, have Counts) {
	a := c.steps[n.Name]
	if a == nil {
		c.note("%s: want an account among the steps", title(n))
		return
	}
	c.same(n, have, "by its account", Counts{a.In, a.Out, a.Dropped.Total, a.Rejected.Total, a.Declined.Total})
	for _, e := range n.Edges {
		c.named(n, e)
	}
}

// String returns the counts for messages.
func (c Counts) String() string {
	return fmt.Sprintf("%d in, %d out, %d dropped, %d rejected, %d declined", c.In, c.Out, c.Dropped, c.Rejected, c.Declined)
}

// named checks the nodes of an edge by its own count, and returns how many records leave them.
func (c *graphCheck) named(n *Node, e Edge) int64 {
	return c.nodes(title(n)+": "+e.Kind+" "+e.Name, e.Records, e.Nodes)
}

func (c *graphCheck) sink(n *Node) {
	have, written := c.counts(n), c.onDisk[n.Name]
	c.same(n, have, "by its files", Counts{In: written + have.Rejected, Out: written, Rejected: have.Rejected})
}

// first checks that each member gets what the one before it declines.
func (c *graphCheck) first(n *Node, have Counts) {
	var sum Counts
	came, before := have.In, title(n)+": in"
	for i := range n.Edges {
		e := &n.Edges[i]
		c.equal(before, came, "the next member got", e.Records)
		c.nodes(title(n)+": member", e.Records, e.Nodes)
		for k := range e.Nodes {
			m := c.counts(&e.Nodes[k])
			sum = Counts{have.In, sum.Out + m.Out, sum.Dropped + m.Dropped, sum.Rejected + m.Rejected, m.Declined}
			came, before = m.Declined, title(&e.Nodes[k])+": declined"
		}
	}
	c.same(n, have, "by its members", sum)
	c.rejected += have.Declined
}

func (c *graphCheck) route(n *Node, have Counts) {
	c.report(n, have)
	var taken, out int64
	for _, e := range n.Edges {
		taken += e.Records
		out += c.named(n, e)
	}
	c.same(n, have, "by its branches", Counts{In: taken + have.Rejected, Out: out, Rejected: have.Rejected})
}

// report compares a route with the next report of a route, which has its branches in the same order.
func (c *graphCheck) report(n *Node, have Counts) {
	if len(c.Routes) == 0 { // an old receipt
		return
	}
	if c.reported == len(c.Routes) || c.Routes[c.reported].Route != n.Name {
		c.note("%s: want a report among the routes, in the order of the file", title(n))
		return
	}
	x := &c.Routes[c.reported]
	c.reported++
	what, others := "the report of route "+x.Route+": ", x.Rejected
	_, all := x.Taken()
	c.equal(title(n)+": in", have.In, what+"in all", all)
	c.equal(title(n)+": rejected", have.Rejected, what+"rejected", x.Rejected)
	c.equal(title(n)+": branches", int64(len(n.Edges)), what+"branches", int64(len(x.Branches)))
	for i, b := range x.Branches[:min(len(x.Branches), len(n.Edges))] {
		c.equal(title(n)+": "+n.Edges[i].Kind+" "+n.Edges[i].Name, n.Edges[i].Records, what+"there", b.Records)
		if b.Default {
			others += b.Records
		}
	}
	var valued int64
	for _, k := range x.Others {
		valued += k
	}
	if valued > others { // they are fewer when there are many values
		c.note("%s%s by the values that no case took, but %d such records", what, plural.Of(valued, "record"), others)
	}
}

// shadow compares it with its current step. The candidate may have got fewer records, when it could not go on.
func (c *graphCheck) shadow(n *Node, have Counts) {
	for _, e := range n.Edges {
		switch e.Kind {
		case "current":
			c.equal(title(n)+": in", have.In, "its current step got", e.Records)
			c.nodes(title(n), e.Records, e.Nodes)
			for i := range e.Nodes {
				c.same(n, have, "by its current step", c.counts(&e.Nodes[i]))
			}
		case "candidate":
			rejected := c.rejected
			c.nodes(title(n)+": candidate", e.Records, e.Nodes)
			c.rejected = rejected
		default:
			c.named(n, e)
		}
	}
}
