package pipetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/receipt"
)

// Past is a way on which records of tests went past a step: to a sink, or through another branch of its route and on.
type Past struct {
	Step    string `json:"step"` // as in `step "privacy" "redact"`
	Path    string `json:"path"` // of the pipeline, or of a file that it includes
	Line    int    `json:"line"`
	Way     string `json:"way"` // as in "sink jsonl.all" or `case "val" of route "split"`
	Records int64  `json:"records"`
	Private bool   `json:"private,omitempty"` // the step replaces personal data, so the rows of the way may have it
}

// addPast counts the rows of a run that reached a sink of the stream, and the records that took a branch, without passing a step.
func (c *counter) addPast(r *host.Result) {
	for _, private := range r.Filters() {
		c.private[nameOf(private)] = true
	}
	for _, p := range c.layout.All("step") {
		if p.Above != nil && slices.Contains([]string{"first", "candidate"}, p.Above.Kind) {
			continue // others may take its records
		}
		if !slices.ContainsFunc(r.Steps, func(s receipt.StepAccount) bool { return nameOf(s.Name) == p.Name() }) {
			continue // the run was without it
		}
		for _, b := range c.besides(p, r) {
			c.past[[2]string{p.Name(), b.what}] += b.records
		}
		for _, o := range r.Outputs {
			passed := slices.ContainsFunc(o.After, func(step string) bool { return nameOf(step) == p.Name() })
			if o.Side == "" && !passed && !c.mayPass(p, o.Sink) {
				c.past[[2]string{p.Name(), "sink " + o.Sink}] += o.Records
			}
		}
	}
}

// nameOf returns the name in TYPE.NAME.
func nameOf(label string) string { return label[strings.IndexByte(label, '.')+1:] }

// mayPass reports whether records of a sink may have gone through a step in a branch that rejoins the stream before the sink.
func (c *counter) mayPass(step *config.Block, sink string) bool {
	sinks := c.layout.All("sink")
	i := slices.IndexFunc(sinks, func(p *config.Block) bool { return label(p) == sink })
	for route := step.Above; route != nil && i >= 0; route = route.Above {
		if route.Kind == "tee" || ends(route) {
			return false
		}
		if route.Kind != "route" {
			continue
		}
		around, found := c.layout.Blocks, false
		if route.Above != nil {
			around = route.Above.Blocks
		}
		for _, p := range around[slices.Index(around, route)+1:] {
			found = found || within(sinks[i], p)
		}
		if found {
			return true
		}
	}
	return false
}

func within(p, outer *config.Block) bool {
	return p != nil && (p == outer || within(p.Above, outer))
}

type besides struct {
	what    string
	records int64
}

// besides returns the branches beside that of a step from which records go on in the stream, with how many took them.
func (c *counter) besides(step *config.Block, r *host.Result) (all []besides) {
	own := step.Above
	if own == nil || own.Kind != "case" && own.Kind != "default" {
		return nil
	}
	for _, x := range r.Routes {
		for _, b := range x.Branches {
			p := c.branch(x.Route, b.Case, b.Default)
			if p != nil && p != own && p.Above == own.Above && !ends(p) && !ends(own) {
				all = append(all, besides{describe(p), b.Records})
			}
		}
	}
	return all
}

// ends reports whether no record leaves a branch, or a route.
func ends(p *config.Block) bool {
	switch p.Kind {
	case "case", "default":
		return slices.ContainsFunc(p.Blocks, func(p *config.Block) bool { return p.Kind == "sink" || ends(p) })
	case "route":
		return len(p.Blocks) > 0 && !slices.ContainsFunc(p.Blocks, func(b *config.Block) bool { return !ends(b) })
	}
	return false
}

// describe returns how a block is called in a report, as in `case "a" of route "split"`.
func describe(p *config.Block) string {
	what := p.Kind
	for _, l := range p.Labels {
		what += fmt.Sprintf(" %q", l)
	}
	if p.Kind == "case" || p.Kind == "default" {
		what += fmt.Sprintf(" of route %q", p.Above.Name())
	}
	return what
}

// allPast returns the ways past steps, those of each step in the order of the file of pipelines.
func (c *counter) allPast() (all []Past) {
	for _, p := range c.layout.All("step") {
		for _, way := range c.layout.All("case", "default", "sink") {
			what := describe(way)
			if way.Kind == "sink" {
				what = "sink " + label(way)
			}
			if n := c.past[[2]string{p.Name(), what}]; n > 0 {
				all = append(all, Past{describe(p), p.Range.Path(), p.Range.Line, what, n, c.private[p.Name()]})
			}
		}
	}
	return all
}
