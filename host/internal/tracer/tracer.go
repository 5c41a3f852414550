// Package tracer collects what every place of a pipeline does with a few selected records of its input.
package tracer

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
	"github.com/sluicehq/sluice/host/trace"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Tracer selects records and collects what becomes of them. Its methods may be called by several goroutines once it has its
// sources.
type Tracer struct {
	selector
	blocks map[string]block // by kind and name
	infos  map[*plan.Step]wire.Info

	mu      sync.Mutex
	records []*trace.Record
	visits  [][]visit // of each record
	final   []visit
	texts   map[uint64][]byte // of the latest record, by their hashes
	latest  uint64            // its ord
}

type block struct {
	order  int
	within []string
}

type visit struct {
	trace.Visit
	order int // of its block
}

// New returns a tracer of a pipeline. mask returns the form in which the name of a file may be shown.
func New(tree *config.Pipeline, s trace.Selection, mask func(string) string) *Tracer {
	t := &Tracer{blocks: map[string]block{}, infos: map[*plan.Step]wire.Info{}}
	t.selector = selector{Selection: s, found: t.read, left: s.Count}
	for _, in := range s.Records {
		t.targets = append(t.targets, target{Input: in, shown: mask(plan.RelativePath(in.File))})
	}
	if s.Match == nil {
		t.left = len(s.Records)
	}
	t.locate(tree.Body, nil)
	return t
}

// locate notes where the blocks are, some of them inside others.
func (t *Tracer) locate(nodes []config.Node, within []string) {
	put := func(kind, name string) { t.blocks[kind+" "+name] = block{len(t.blocks), within} }
	in := func(format string, args ...any) []string {
		return append(slices.Clip(within), fmt.Sprintf(format, args...))
	}
	for _, n := range nodes {
		switch n := n.(type) {
		case *config.Step:
			put("step", n.Type+"."+n.Name)
		case *config.First:
			t.locate(n.Members, in("first %s", n.Name))
		case *config.Shadow:
			t.locate([]config.Node{n.Candidate}, in("shadow %s, candidate", n.Name))
			t.locate([]config.Node{n.Current}, in("shadow %s, current", n.Name))
		case *config.Route:
			put("route", n.Name)
			for _, c := range n.Cases {
				t.locate(c.Body, in("route %s, case %q", n.Name, c.Value))
			}
			t.locate(n.Default, in("route %s, default", n.Name))
		case *config.Tee:
			t.locate(n.Body, in("tee %s", n.Name))
		case *config.Sink:
			put("sink", n.Type+"."+n.Name)
		}
	}
}

// Describe notes the plugin of a step, before the run.
func (t *Tracer) Describe(u *plan.Step, info wire.Info) { t.infos[u] = info }

// Sources returns sources with only the selected records of these, and one with the records that the selection holds itself.
func (t *Tracer) Sources(all []*flow.Source, arena *wire.Arena) (selected []*flow.Source) {
	for _, s := range all {
		selected = append(selected, &flow.Source{Name: s.Name, Reader: &filter{Reader: s.Reader, source: s.Name, selector: &t.selector}})
	}
	return append(selected, &flow.Source{Name: "given", Reader: &given{selector: &t.selector, arena: arena}})
}

func (t *Tracer) read(r *wire.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.records = append(t.records, &trace.Record{File: r.File, Line: r.Line, Read: trace.State{JSON: bytes.Clone(r.Data), Size: r.Size()}})
	t.visits = append(t.visits, nil)
}

// state copies a record as it is now. Equal bytes of one record are kept once.
func (t *Tracer) state(r *wire.Record) trace.State {
	s := trace.State{Size: r.Size()}
	for _, l := range r.Labels {
		if s.Labels == nil {
			s.Labels = map[string]string{}
		}
		s.Labels[l.Name] = l.Value
	}
	if o := r.Origins; o != nil {
		s.Origins, s.More = o.List, o.More // never changed
	}
	if len(r.Data) == 0 {
		return s
	}
	if t.latest != r.Ord || t.texts == nil {
		t.latest, t.texts = r.Ord, map[uint64][]byte{}
		if r.Ord < uint64(len(t.records)) { // others are made at the end
			read := t.records[r.Ord].Read.JSON
			t.texts[xxh3.Hash(read)] = read
		}
	}
	sum := xxh3.Hash(r.Data)
	if s.JSON = t.texts[sum]; !bytes.Equal(s.JSON, r.Data) {
		s.JSON = bytes.Clone(r.Data)
		t.texts[sum] = s.JSON
	}
	return s
}

func (t *Tracer) visit(kind, name string) visit {
	b := t.blocks[kind+" "+name]
	return visit{trace.Visit{Kind: kind, Name: name, Within: b.within}, b.order}
}

// add notes a visit of a record: with every selected record that it was made of.
func (t *Tracer) add(r *wire.Record, v visit) {
	for _, i := range t.madeOf(r) {
		t.visits[i] = append(t.visits[i], v)
	}
}

// madeOf returns which selected records a record was made of.
func (t *Tracer) madeOf(r *wire.Record) (all []int) {
	if r.Origins == nil {
		return []int{int(r.Ord)}
	}
	for i, of := range t.records {
		if slices.Contains(r.Origins.List, wire.Pos{File: of.File, Line: of.Line}) {
			all = append(all, i)
		}
	}
	return all
}

var verdicts = map[wire.Verdict]string{
	wire.Unchanged: "unchanged", wire.Emitted: "emitted", wire.Dropped: "dropped", wire.Rejected: "rejected", wire.Declined: "declined",
}

// made is the verdict on what a step emits after the last record, which answers no single one.
const made = "made"

// Step notes what a step answers.
func (t *Tracer) Step(u *plan.Step, in []wire.Record, a *wire.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	info := t.infos[u]
	begin := func() visit {
		v := t.visit("step", u.Label())
		v.Private, v.Ordered = info.Private, info.Ordered
		return v
	}
	counts := map[string]int64{}
	for _, c := range a.Counts {
		counts[c.Name] += c.N
	}
	if len(in) == 0 {
		for i := range a.Made {
			v := begin()
			v.Verdict, v.Out = made, []trace.State{t.state(&a.Made[i])}
			t.add(&a.Made[i], v)
		}
		if len(a.Sides)+len(counts) > 0 {
			v := begin()
			v.Rows, v.Counts = sideRows(a.Sides, 0), counts
			t.final = append(t.final, v)
		}
		return
	}
	for i := range in {
		v, o := begin(), &a.Outcomes[i]
		v.In, v.Verdict, v.Rows = t.state(&in[i]), verdicts[o.Verdict], sideRows(a.Sides, i)
		for k := range o.Emitted {
			v.Out = append(v.Out, t.state(&o.Emitted[k]))
		}
		if o.Fault != nil {
			v.Code, v.Path, v.Message = o.Fault.Code, o.Fault.Path, o.Fault.Message
			v.Meaning = info.Codes[v.Code]
			if o.Verdict == wire.Dropped {
				v.Meaning = info.Drops[v.Message]
			}
		}
		if i == len(in)-1 && len(counts) > 0 {
			v.Counts = counts
		}
		t.add(&in[i], v)
	}
}

func sideRows(sides []wire.Side, i int) (rows []trace.SideRow) {
	for _, s := range sides {
		if s.Index == i {
			rows = append(rows, trace.SideRow{Output: s.Output, JSON: bytes.Clone(s.JSON)})
		}
	}
	return rows
}

// Route notes which branch a record takes.
func (t *Tracer) Route(n *config.Route, r *wire.Record, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.visit("route", n.Name)
	v.In = t.state(r)
	switch {
	case slices.ContainsFunc(n.Cases, func(c config.Case) bool { return c.Value == key }):
		v.Branch = fmt.Sprintf("case %q", key)
	case n.HasDefault:
		v.Branch = "default"
	default:
		v.Branch = "none"
	}
	t.add(r, v)
}

// Written notes the rows that a sink of the stream or the dead letter takes. Side outputs are noted with their steps.
func (t *Tracer) Written(o *plan.Sink, rows []wire.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range rows {
		r := &rows[i]
		var v visit
		switch o.Side {
		case "":
			v = t.visit("sink", o.Name)
			v.In = t.state(r)
		case receipt.DeadLetter:
			v = visit{trace.Visit{Kind: "dead_letter"}, len(t.blocks)}
			v.In = trace.State{JSON: bytes.Clone(r.Data), Size: len(r.Data)}
			row := gjson.ParseBytes(r.Data)
			v.Name, v.Code, v.Path, v.Message = row.Get("step").Str, row.Get("code").Str, row.Get("path").Str, row.Get("message").Str
		default:
			continue
		}
		v.File = o.PathOf(r)
		t.add(r, v)
	}
}

// Trace returns what has been collected.
func (t *Tracer) Trace() *trace.Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, r := range t.records {
		r.Visits = inOrder(t.visits[i])
	}
	return &trace.Trace{Records: t.records, Final: inOrder(t.final)}
}

func inOrder(visits []visit) (all []trace.Visit) {
	slices.SortStableFunc(visits, func(a, b visit) int { return cmp.Compare(a.order, b.order) })
	for _, v := range visits {
		all = append(all, v.Visit)
	}
	return all
}
