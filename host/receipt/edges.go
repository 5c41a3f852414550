package receipt

import "fmt"

// checkGraph holds the counts of every stop to the account of its step or to the outputs of its sink, and to what stands before
// and behind it.
func (r *Receipt) checkGraph() {
	if r.Graph == nil { // of a receipt that is older than graphs
		return
	}
	e := edges{Receipt: r, steps: map[string]*StepAccount{}, onDisk: map[string]int64{}}
	for i := range r.Steps {
		e.steps[r.Steps[i].Name] = &r.Steps[i]
	}
	for _, o := range r.Outputs {
		e.onDisk[o.Sink] += o.Records
	}
	sources := 0
	for sources < len(r.Graph.Body) && r.Graph.Body[sources].Kind == "source" {
		sources++
	}
	read := e.sources(r.Graph.Body[:sources])
	e.way("the sources", read, r.Graph.Body[sources:])
	e.sink(&r.Graph.DeadLetter)
	if c := r.Graph.DeadLetter.Counts; c != nil {
		e.hold("the dead letter: in", c.In, "rejected at all stops", e.rejected)
	}
}

// edges hold what goes between the stops of a graph to the counts of both.
type edges struct {
	*Receipt
	steps    map[string]*StepAccount
	onDisk   map[string]int64 // records, by sink
	rejected int64            // at the stops so far, candidates left out
}

// hold notes when two figures that should be one are not.
func (e *edges) hold(what string, have int64, as string, want int64) {
	if have != want {
		e.note("%s %d, but %s %d", what, have, as, want)
	}
}

// same notes when what a stop counts is not what something else says of it.
func (e *edges) same(s *Stop, have Counts, as string, want Counts) {
	if have != want {
		e.note("%s: %v, but %s %v", title(s), have, as, want)
	}
}

// counts are those of a stop. It notes when there are none.
func (e *edges) counts(s *Stop) Counts {
	if s.Counts == nil {
		e.note("%s: want counts, have none", title(s))
		return Counts{}
	}
	return *s.Counts
}

func title(s *Stop) string { return s.Kind + " " + s.Name }

// sources gives how many records leave them together.
func (e *edges) sources(stops []Stop) (out int64) {
	held, named := map[string]int64{}, e.Partial == nil
	for _, in := range e.Inputs {
		held[in.Source] += in.Records
		named = named && in.Source != ""
	}
	var read int64
	for i := range stops {
		s := &stops[i]
		c := e.counts(s)
		records := c.In
		if named {
			records = held[s.Name]
		}
		e.same(s, c, "by its inputs", Counts{In: records, Out: records - c.Rejected, Rejected: c.Rejected})
		read += c.In
		out += c.Out
		e.rejected += c.Rejected
	}
	e.hold("the sources: in", read, "the run read", e.Totals.Read)
	return out
}

// way holds what goes from stop to stop, behind something that gives so many records, and gives how many leave the last.
func (e *edges) way(before string, came int64, stops []Stop) int64 {
	for i := range stops {
		s := &stops[i]
		c := e.counts(s)
		e.hold(before+": out", came, title(s)+": in", c.In)
		e.stop(s, c)
		before, came = title(s), c.Out
		if s.Kind == "sink" {
			came = 0 // nothing goes on behind one
		}
	}
	return came
}

// stop holds a stop to what it is made of.
func (e *edges) stop(s *Stop, c Counts) {
	switch s.Kind {
	case "step":
		e.rejected += c.Rejected
		e.step(s, c)
	case "sink":
		e.rejected += c.Rejected
		e.sink(s)
	case "first":
		e.first(s, c)
	case "route":
		e.rejected += c.Rejected
		e.route(s, c)
	case "tee":
		for _, w := range s.Ways {
			e.same(s, c, "by its copies", Counts{In: w.Records, Out: w.Records})
			e.way(title(s), w.Records, w.Stops)
		}
	case "shadow":
		e.shadow(s, c)
	}
}

func (e *edges) step(s *Stop, c Counts) {
	a := e.steps[s.Name]
	if a == nil {
		e.note("%s: want an account, have none", title(s))
		return
	}
	e.same(s, c, "by its account", Counts{a.In, a.Out, a.Dropped.Total, a.Rejected.Total, a.Declined.Total})
	for _, w := range s.Ways {
		e.beside(s, w)
	}
}

// String is for messages.
func (c Counts) String() string {
	return fmt.Sprintf("%d in, %d out, %d dropped, %d rejected, %d declined", c.In, c.Out, c.Dropped, c.Rejected, c.Declined)
}

// beside holds a way that takes rows and none of the stream.
func (e *edges) beside(s *Stop, w Way) { e.way(title(s)+": "+w.Kind+" "+w.Name, w.Records, w.Stops) }

func (e *edges) sink(s *Stop) {
	c := e.counts(s)
	written := e.onDisk[s.Name]
	e.same(s, c, "by its files", Counts{In: written + c.Rejected, Out: written, Rejected: c.Rejected})
}

// first holds members to each other: each gets what the one before it declines.
func (e *edges) first(s *Stop, c Counts) {
	var sum Counts
	came, before := c.In, title(s)+": in"
	for i := range s.Ways {
		w := &s.Ways[i]
		e.hold(before, came, "the next member got", w.Records)
		e.way(title(s)+": member", w.Records, w.Stops)
		for k := range w.Stops {
			m := e.counts(&w.Stops[k])
			sum = Counts{c.In, sum.Out + m.Out, sum.Dropped + m.Dropped, sum.Rejected + m.Rejected, m.Declined}
			came, before = m.Declined, title(&w.Stops[k])+": declined"
		}
	}
	e.same(s, c, "by its members", sum)
	e.rejected += c.Declined
}

func (e *edges) route(s *Stop, c Counts) {
	var taken, out int64
	for _, w := range s.Ways {
		taken += w.Records
		out += e.way(title(s)+": "+w.Kind+" "+w.Name, w.Records, w.Stops)
	}
	e.same(s, c, "by its ways", Counts{In: taken + c.Rejected, Out: out, Rejected: c.Rejected})
}

// shadow holds it to its current step. The candidate may have got less, when it could not go on.
func (e *edges) shadow(s *Stop, c Counts) {
	for _, w := range s.Ways {
		switch w.Kind {
		case "current":
			e.hold(title(s)+": in", c.In, "its current step got", w.Records)
			e.way(title(s), w.Records, w.Stops)
			for i := range w.Stops {
				e.same(s, c, "by its current step", e.counts(&w.Stops[i]))
			}
		case "candidate":
			rejected := e.rejected
			e.way(title(s)+": candidate", w.Records, w.Stops)
			e.rejected = rejected
		default:
			e.beside(s, w)
		}
	}
}
