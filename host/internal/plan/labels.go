package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/sdk/nearest"
	"github.com/sluicehq/sluice/sdk/wire"
)

// labels maps each label that a record may have at one place of the file to the values that it may have there.
type labels map[string]values

// values says which values a label may have. A label may always be absent.
type values struct {
	any   bool              // plugins set it that list no values
	known []string          // values that plugins list
	gone  []string          // of known, those whose records a route has led elsewhere
	unset map[string]string // of known, those that a step sets with other attributes only, with the step

	byArgs bool // with other attributes there may be values that no plugin lists
}

// may reports whether the label may have a value.
func (v values) may(value string) bool { return v.any || slices.Contains(v.left(), value) }

// left returns the known values that records here may have.
func (v values) left() []string {
	return slices.DeleteFunc(slices.Clone(v.known), func(value string) bool { return slices.Contains(v.gone, value) || v.unset[value] != "" })
}

// without returns the values after a route has led records with some of them elsewhere.
func (v values) without(some []string) values {
	v.gone = slices.Concat(v.gone, some)
	return v
}

// only returns the values of records of which all have one value.
func (v values) only(value string) values {
	if v.any {
		return values{known: []string{value}}
	}
	return v.without(slices.DeleteFunc(v.left(), func(other string) bool { return other == value }))
}

// or returns the values of records that come from two places.
func (v values) or(w values) values {
	sum := values{any: v.any || w.any, known: slices.Clone(v.known), unset: map[string]string{}, byArgs: v.byArgs || w.byArgs}
	for _, value := range w.known {
		if !slices.Contains(sum.known, value) {
			sum.known = append(sum.known, value)
		}
	}
	for _, value := range sum.known {
		switch unset := cmp.Or(v.unset[value], w.unset[value]); {
		case slices.Contains(v.left(), value), slices.Contains(w.left(), value):
		case slices.Contains(v.gone, value), slices.Contains(w.gone, value), unset == "":
			sum.gone = append(sum.gone, value)
		default:
			sum.unset[value] = unset
		}
	}
	return sum
}

// merge adds the labels of records that come from another place.
func (l labels) merge(more labels) {
	for name, v := range more {
		l[name] = l[name].or(v)
	}
}

// of returns the values of a label. ok is false when it may have any.
func (l labels) of(name string) (v values, ok bool) {
	v, ok = l[name]
	_, wild := l["*"]
	return v, ok && !v.any && !wild
}

// A labelCheck follows the labels that the steps of a file can set, and their values.
type labelCheck struct {
	*Plan
	infos map[*config.Step]wire.Info
	sets  map[*config.Step]map[string][]string // values of labels with the step's attributes, where these decide
	diags config.Diagnostics
}

// sequence checks one sequence of nodes, whose records have some labels to begin with, and returns those behind it: nil when no
// record gets there.
func (l *labelCheck) sequence(nodes []config.Node, have labels) labels {
	have = maps.Clone(have)
	for _, n := range nodes {
		switch n := n.(type) {
		case *config.Step:
			l.step(n, have)
		case *config.Shadow:
			l.step(n.Current, have)
		case *config.First:
			before := maps.Clone(have)
			for _, m := range n.Members {
				have.merge(l.sequence([]config.Node{m}, before))
			}
		case *config.Tee:
			l.sequence(n.Body, have)
		case *config.Route:
			if have = l.route(n, have); have == nil {
				return nil
			}
		case *config.Sink:
			l.sink(n, have)
			return nil
		}
	}
	return have
}

// step adds the labels that a step may set. It need not set them, so values from before stay.
func (l *labelCheck) step(s *config.Step, have labels) {
	info := l.infos[s]
	for _, name := range info.Labels {
		known := info.LabelValues[name]
		own := values{any: len(known) == 0, known: known, unset: map[string]string{}}
		if sets, decided := l.sets[s][name]; decided {
			if own.any {
				own.any, own.known, own.byArgs = false, sets, true
			}
			for _, value := range known {
				if !slices.Contains(sets, value) {
					own.unset[value] = s.Type + "." + s.Name
				}
			}
		}
		have[name] = have[name].or(own)
	}
}

func (l *labelCheck) sink(n *config.Sink, have labels) {
	sink := l.sinks[n]
	if sink.sink == nil {
		return
	}
	at := reporter(func(summary, detail string) config.Diagnostic { return l.tree.At(n.Args, "path", summary, detail) })
	for _, name := range sink.sink.Labels() {
		l.want(name, have, at, "the path of sink "+sink.Name+" names a label that nothing sets")
	}
}

// route checks a route and its branches, and returns the labels of the records that go on behind it.
func (l *labelCheck) route(n *config.Route, have labels) (behind labels) {
	name, onLabel := strings.CutPrefix(n.On, "@")
	if onLabel {
		l.want(name, have, l.atRange(n.Range), "route "+n.Name+" is on a label that nothing sets")
	}
	of, listed := have.of(name)
	listed = listed && onLabel
	l.listed[n] = listed
	branch := func(body []config.Node, of values) {
		begin := maps.Clone(have)
		if listed {
			begin[name] = of
		}
		if end := l.sequence(body, begin); end != nil && behind == nil {
			behind = end
		} else {
			behind.merge(end)
		}
	}
	var cases []string
	for _, c := range n.Cases {
		cases = append(cases, c.Value)
		if c.Value == "" {
			branch(c.Body, of)
			continue
		}
		if listed {
			l.wantCase(n, c, of)
		}
		branch(c.Body, of.only(c.Value))
	}
	if listed && !n.HasDefault && !n.RejectsOthers {
		l.wantRest(n, of.without(cases))
	}
	if n.HasDefault {
		branch(n.Default, of.without(cases))
	}
	return behind
}

// wantCase reports a case with a value that no record can have.
func (l *labelCheck) wantCase(n *config.Route, c config.Case, of values) {
	if of.may(c.Value) {
		return
	}
	label, left := strings.TrimPrefix(n.On, "@"), of.left()
	summary := fmt.Sprintf("no record takes case %q of route %s", c.Value, n.Name)
	if step := of.unset[c.Value]; step != "" {
		l.diags = append(l.diags, l.tree.AtRange(c.Range, summary,
			fmt.Sprintf("step %s sets label %s to %q with other attributes only", step, label, c.Value)).AsWarning())
		return
	}
	if slices.Contains(of.known, c.Value) {
		l.diags = append(l.diags, l.tree.AtRange(c.Range, summary,
			fmt.Sprintf("a route before it leads the records whose label %s is %q elsewhere", label, c.Value)).AsWarning())
		return
	}
	d := l.tree.AtRange(c.Range, summary, fmt.Sprintf("want a value that label %s may have (%s), have %q", label, cmp.Or(strings.Join(left, ", "), "none here"), c.Value))
	d.Suggestion = nearest.Word(c.Value, left)
	if of.byArgs {
		d = d.AsWarning()
	}
	l.diags = append(l.diags, d)
}

// wantRest warns of values that have neither a case nor a default.
func (l *labelCheck) wantRest(n *config.Route, rest values) {
	left := rest.left()
	if len(left) == 0 {
		return
	}
	const most = 5
	names := strings.Join(left[:min(most, len(left))], ", ")
	if len(left) > most {
		names += fmt.Sprintf(" and %d more", len(left)-most)
	}
	l.diags = append(l.diags, l.tree.AtRange(n.Range, fmt.Sprintf("route %s has no case for %s", n.Name, names),
		"records with such a value are rejected; add cases or a default, or rejects_others = true if that is meant").AsWarning())
}

// want reports a label that no step before can set.
func (l *labelCheck) want(name string, have labels, at reporter, summary string) {
	_, known := have[name]
	if _, wild := have["*"]; known || wild {
		return
	}
	names := slices.Sorted(maps.Keys(have))
	detail := fmt.Sprintf("want a label that a step before it sets, have %q; none does", name)
	if len(names) > 0 {
		detail = fmt.Sprintf("want %s, have %q", config.OneOf(names), name)
	}
	d := at(summary, detail)
	d.Suggestion = nearest.Word(name, names)
	l.diags = append(l.diags, d)
}
