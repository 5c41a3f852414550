package receipt

import "slices"

// Funnel says how many of the records that a run read its sinks kept, and where the others went. Copies that a tee made, and what became
// of them, are in none of its figures but Copied: Read - Unreadable - Rejected - Dropped + Made = Kept.
type Funnel struct {
	Read       int64 `json:"read"`
	Unreadable int64 `json:"unreadable"`
	Rejected   int64 `json:"rejected"` // that could be read
	Dropped    int64 `json:"dropped"`
	Made       int64 `json:"made"` // by steps, beyond one record for each; below 0 where steps make one of several
	Kept       int64 `json:"kept"`
	Copied     int64 `json:"copied"`
}

// Readable counts the records that could be read.
func (f Funnel) Readable() int64 { return f.Read - f.Unreadable }

// Accepted counts the records that no step and no sink rejected.
func (f Funnel) Accepted() int64 { return f.Readable() - f.Rejected }

// Funnel returns the funnel of a run. It reports false for a receipt without counts in its graph, such as an old one.
func (r *Receipt) Funnel() (f Funnel, ok bool) {
	if r.Graph == nil || !f.add(r.Graph.Body) {
		return Funnel{}, false
	}
	f.Made = f.Kept - (f.Accepted() - f.Dropped)
	return f, true
}

// Keepers returns the sinks whose rows the funnel counts as kept, by TYPE.NAME: those that a tee copies to are none. It returns nil for a
// receipt without a graph.
func (r *Receipt) Keepers() (sinks []string) {
	if r.Graph == nil {
		return nil
	}
	sinks = []string{}
	var walk func([]Node)
	walk = func(nodes []Node) {
		for _, n := range nodes {
			switch n.Kind {
			case "sink":
				sinks = append(sinks, n.Name)
			case "route":
				for _, e := range n.Edges {
					walk(e.Nodes)
				}
			}
		}
	}
	walk(r.Graph.Body)
	return sinks
}

// add adds the nodes of one branch, and of the branches of its routes.
func (f *Funnel) add(nodes []Node) bool {
	for i := range nodes {
		n := &nodes[i]
		c := n.Counts
		if c == nil {
			return false
		}
		switch n.Kind {
		case "source":
			f.Read += c.In
			f.Unreadable += c.Rejected
			continue
		case "tee":
			f.Copied += c.Out
			continue
		case "sink":
			f.Kept += c.Out
		case "first": // nobody took what all have declined
			f.Rejected += c.Declined
		case "route":
			for _, e := range n.Edges {
				if !f.add(e.Nodes) {
					return false
				}
			}
		}
		f.Rejected += c.Rejected
		f.Dropped += c.Dropped
	}
	return true
}

// Keeps reports whether an output of the stream holds the records that a Funnel counts as kept, and not copies of a tee. Without a graph
// every output does.
func (r *Receipt) Keeps(o Output) bool {
	return o.Side == "" && (r.Graph == nil || keeps(r.Graph.Body, o.Sink))
}

func keeps(nodes []Node, sink string) bool {
	return slices.ContainsFunc(nodes, func(n Node) bool {
		return n.Kind == "sink" && n.Name == sink || n.Kind == "route" && slices.ContainsFunc(n.Edges, func(e Edge) bool { return keeps(e.Nodes, sink) })
	})
}
