package host

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/tidwall/gjson"
	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A tracer collects what becomes of the records that are explained.
type tracer struct {
	*picking
	places map[string]place
	about  map[*plan.Use]wire.Info

	mu    sync.Mutex
	all   []*Explained
	last  []placed
	came  [][]placed        // of each record
	texts map[uint64][]byte // of the record that came last, by their hashes
	of    uint64            // that record
}

// A place is where a block stands in the file.
type place struct {
	order  int
	within []string
}

// A placed passage is one with its place.
type placed struct {
	Passage
	order int
}

func newTracer(tree *config.Pipeline, pick Pick) *tracer {
	t := &tracer{picking: newPicking(pick), places: map[string]place{}, about: map[*plan.Use]wire.Info{}}
	t.given = t.read
	t.walk(tree.Body, nil)
	return t
}

// walk notes the places of the blocks of a way, inside of others.
func (t *tracer) walk(nodes []config.Node, within []string) {
	put := func(kind, name string) { t.places[kind+" "+name] = place{len(t.places), within} }
	in := func(format string, args ...any) []string {
		return append(slices.Clip(within), fmt.Sprintf(format, args...))
	}
	for _, n := range nodes {
		switch n := n.(type) {
		case *config.Step:
			put("step", n.Type+"."+n.Name)
		case *config.First:
			t.walk(n.Members, in("first %s", n.Name))
		case *config.Shadow:
			t.walk([]config.Node{n.Candidate}, in("shadow %s, candidate", n.Name))
			t.walk([]config.Node{n.Current}, in("shadow %s, current", n.Name))
		case *config.Route:
			put("route", n.Name)
			for _, c := range n.Cases {
				t.walk(c.Body, in("route %s, case %q", n.Name, c.Value))
			}
			t.walk(n.Default, in("route %s, default", n.Name))
		case *config.Tee:
			t.walk(n.Body, in("tee %s", n.Name))
		case *config.Sink:
			put("sink", n.Type+"."+n.Name)
		}
	}
}

// pickers make the sources give only what is picked.
func (t *tracer) pickers(sources []*flow.Source, arena *wire.Arena, mask func(string) string) (feeds []*flow.Source) {
	t.mask = mask
	for _, s := range sources {
		feeds = append(feeds, &flow.Source{Name: s.Name, Reader: &picker{Reader: s.Reader, source: s.Name, picking: t.picking}})
	}
	return append(feeds, &flow.Source{Name: "given", Reader: &handing{picking: t.picking, arena: arena}})
}

// read notes a record that a source has given.
func (t *tracer) read(r *wire.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, &Explained{File: r.File, Line: r.Line, Read: State{JSON: bytes.Clone(r.Data), Size: r.Size()}})
	t.came = append(t.came, nil)
}

// state is what a record is now. What is known of its bytes already is not kept twice.
func (t *tracer) state(r *wire.Record) State {
	s := State{Size: r.Size()}
	for _, l := range r.Labels {
		if s.Labels == nil {
			s.Labels = map[string]string{}
		}
		s.Labels[l.Name] = l.Value
	}
	if len(r.Data) == 0 {
		return s
	}
	if t.of != r.Ord || t.texts == nil {
		read := t.all[r.Ord].Read.JSON
		t.of, t.texts = r.Ord, map[uint64][]byte{xxh3.Hash(read): read}
	}
	sum := xxh3.Hash(r.Data)
	if s.JSON = t.texts[sum]; !bytes.Equal(s.JSON, r.Data) {
		s.JSON = bytes.Clone(r.Data)
		t.texts[sum] = s.JSON
	}
	return s
}

// at begins a passage.
func (t *tracer) at(kind, name string) placed {
	at := t.places[kind+" "+name]
	return placed{Passage{Kind: kind, Name: name, Within: at.within}, at.order}
}

// add takes a passage of a record.
func (t *tracer) add(r *wire.Record, p placed) { t.came[r.Ord] = append(t.came[r.Ord], p) }

var verdicts = map[wire.Verdict]string{
	wire.Unchanged: "unchanged", wire.Emitted: "emitted", wire.Dropped: "dropped", wire.Rejected: "rejected", wire.Declined: "declined",
}

// step takes what a step answers.
func (t *tracer) step(u *plan.Use, in []wire.Record, a *wire.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	begin := func() placed {
		p := t.at("step", u.Label())
		p.Plugin, p.Private, p.Ordered = u.Type, t.about[u].Private, t.about[u].Ordered
		return p
	}
	counts := map[string]int64{}
	for _, c := range a.Counts {
		counts[c.Name] += c.N
	}
	if len(in) == 0 {
		if len(a.Sides)+len(counts) > 0 {
			p := begin()
			p.Rows, p.Counts = besides(a.Sides, 0), counts
			t.last = append(t.last, p)
		}
		return
	}
	for i := range in {
		p, o := begin(), &a.Outcomes[i]
		p.In, p.Verdict, p.Rows = t.state(&in[i]), verdicts[o.Verdict], besides(a.Sides, i)
		for k := range o.Emitted {
			p.Out = append(p.Out, t.state(&o.Emitted[k]))
		}
		if o.Fault != nil {
			p.Code, p.Path, p.Message = o.Fault.Code, o.Fault.Path, o.Fault.Message
			p.Means = t.about[u].Codes[p.Code]
		}
		if i == len(in)-1 && len(counts) > 0 {
			p.Counts = counts
		}
		t.add(&in[i], p)
	}
}

// besides are the rows of record i.
func besides(sides []wire.Side, i int) (rows []Beside) {
	for _, s := range sides {
		if s.Index == i {
			rows = append(rows, Beside{s.Output, bytes.Clone(s.JSON)})
		}
	}
	return rows
}

// route takes what a route looks at.
func (t *tracer) route(n *config.Route, r *wire.Record, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.at("route", n.Name)
	p.In = t.state(r)
	switch {
	case slices.ContainsFunc(n.Cases, func(c config.Case) bool { return c.Value == key }):
		p.Way = fmt.Sprintf("case %q", key)
	case n.HasDefault:
		p.Way = "default"
	default:
		p.Way = "none"
	}
	t.add(r, p)
}

// written takes what a sink has taken. Rows beside the stream are those of a step, which has told them.
func (t *tracer) written(o *plan.Outlet, rows []wire.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range rows {
		r := &rows[i]
		var p placed
		switch o.Beside {
		case "":
			p = t.at("sink", o.Name)
			p.In = t.state(r)
		case receipt.DeadLetter:
			p = placed{Passage{Kind: "dead_letter"}, len(t.places)}
			p.In = State{JSON: bytes.Clone(r.Data), Size: len(r.Data)}
			row := gjson.ParseBytes(r.Data)
			p.Name, p.Code, p.Path, p.Message = row.Get("step").Str, row.Get("code").Str, row.Get("path").Str, row.Get("message").Str
		default:
			continue
		}
		p.Lands = o.Lands(r)
		t.add(r, p)
	}
}

// explanation is what has been collected.
func (t *tracer) explanation() *Explanation {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := &Explanation{Records: t.all}
	for i, e := range t.all {
		e.Passages = inOrder(t.came[i])
	}
	x.Last = inOrder(t.last)
	return x
}

func inOrder(came []placed) (all []Passage) {
	slices.SortStableFunc(came, func(a, b placed) int { return cmp.Compare(a.order, b.order) })
	for _, p := range came {
		all = append(all, p.Passage)
	}
	return all
}
