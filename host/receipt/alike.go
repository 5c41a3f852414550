package receipt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/plural"
)

// Misfits returns in what two receipts do not fit together as parts of one run. Merge adds up steps, firsts, routes, shadows and the graph
// by their places, and the files of one sink are the whole run's shards, so these are alike in all parts.
func Misfits(a, b *Receipt) []Difference {
	var d differences
	alike(&d, "", "step", a.Steps, b.Steps, StepAccount.describe)
	if alike(&d, "", "first", a.Firsts, b.Firsts, func(f FirstReport) string { return f.First }) {
		for i, f := range a.Firsts {
			alike(&d, "first "+f.First+": ", "member", f.Steps, b.Firsts[i].Steps, func(m FirstMember) string { return m.Step })
		}
	}
	if alike(&d, "", "route", a.Routes, b.Routes, func(r RouteReport) string { return r.Route }) {
		for i, r := range a.Routes {
			alike(&d, "route "+r.Route+": ", "way", r.Branches, b.Routes[i].Branches, Branch.describe)
		}
	}
	alike(&d, "", "shadow", a.Shadows, b.Shadows, ShadowReport.describe)
	alike(&d, "", "report", a.Reports, b.Reports, func(r Report) string { return r.What })
	g, h := a.graph(), b.graph()
	alikeNodes(&d, "graph: ", g.Body, h.Body)
	alikeNodes(&d, "graph: dead letter: ", []Node{g.DeadLetter}, []Node{h.DeadLetter})
	for _, o := range b.Outputs { // a part may have no file of a sink, or several
		if i := slices.IndexFunc(a.Outputs, func(x Output) bool { return x.Sink == o.Sink }); i >= 0 && o.Sink != "" { // older receipts do not name it
			d.add("sink "+o.Sink, a.Outputs[i].origin(), o.origin())
		}
	}
	return d
}

// alike compares what is at the same place of two lists by its description, adds the first difference, and reports whether there is none.
func alike[T any](d *differences, where, noun string, a, b []T, describe func(T) string) bool {
	if len(a) != len(b) {
		d.add(where+noun+"s", plural.Of(len(a), noun), plural.Of(len(b), noun))
		return false
	}
	for i := range a {
		if x, y := describe(a[i]), describe(b[i]); x != y {
			d.add(fmt.Sprintf("%s%s %d", where, noun, i+1), x, y)
			return false
		}
	}
	return true
}

func alikeNodes(d *differences, where string, a, b []Node) {
	if !alike(d, where, "node", a, b, Node.describe) {
		return
	}
	for i, n := range a {
		inside := where + title(&n) + ": "
		if !alike(d, inside, "way", n.Edges, b[i].Edges, Edge.describe) {
			continue
		}
		for k, e := range n.Edges {
			alikeNodes(d, inside+e.describe()+": ", e.Nodes, b[i].Edges[k].Nodes)
		}
	}
}

// together returns why receipts are not the parts of one run, each once and in order.
func together(parts []*Receipt) error {
	if len(parts) == 0 {
		return errors.New("want parts of a run, have 0")
	}
	for i, p := range parts {
		if p.Part == nil {
			return fmt.Errorf("want part %s, have a whole run", Part{i, len(parts)})
		}
		if want := (Part{i, len(parts)}); p.Part.Part != want {
			return fmt.Errorf("want part %s, have %s", want, p.Part.Part)
		}
		for _, in := range p.Inputs {
			if in.Share == nil {
				return fmt.Errorf("part %s: want the share of %s that it read, have no share", p.Part, in.Name)
			}
		}
		if d := Misfits(parts[0], p); len(d) > 0 {
			return fmt.Errorf("part %s: %s: want %s as in part %s, have %s", p.Part, d[0].What, d[0].A, parts[0].Part, d[0].B)
		}
	}
	return nil
}

// graph returns the graph of the run, an empty one when it has none.
func (r *Receipt) graph() Graph {
	if r.Graph == nil {
		return Graph{}
	}
	return *r.Graph
}

func (s StepAccount) describe() string {
	words := []string{s.Name, "of plugin " + s.Plugin}
	if s.Private {
		words = append(words, "private")
	}
	if s.Candidate {
		words = append(words, "a candidate")
	}
	return strings.Join(words, ", ")
}

func (b Branch) describe() string {
	if b.Default {
		return "default"
	}
	return fmt.Sprintf("case %q", b.Case)
}

func (s ShadowReport) describe() string {
	return fmt.Sprintf("%s of %s and %s, ignoring %q", s.Shadow, s.Current, s.Candidate, s.Ignore)
}

func (n Node) describe() string {
	if n.Counts == nil {
		return n.Kind + " " + n.Name + " without counts"
	}
	return n.Kind + " " + n.Name
}

func (e Edge) describe() string {
	if e.Name == "" {
		return e.Kind
	}
	return fmt.Sprintf("%s %q", e.Kind, e.Name)
}

// origin says where the rows of an output come from.
func (o Output) origin() string {
	if o.Side != "" {
		return "rows of " + o.Side
	}
	return fmt.Sprintf("rows that went through %q", o.After)
}
