package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// sequence gives the nodes of b in file order.
func (r *reader) sequence(b *block) []Node {
	var nodes []Node
	for _, c := range b.all(stream...) {
		nodes = append(nodes, r.node(c))
	}
	return nodes
}

func (r *reader) node(b *block) Node {
	switch b.kind {
	case "step":
		return r.step(b)
	case "first":
		return &First{Name: b.name(), Steps: r.steps(b), Range: b.at}
	case "route":
		return r.route(b)
	case "tee":
		return &Tee{Name: b.name(), Body: r.sequence(b), Range: b.at}
	case "shadow":
		return r.shadow(b)
	}
	return r.sink(b)
}

func (r *reader) steps(b *block) []*Step {
	var steps []*Step
	for _, c := range b.all("step") {
		steps = append(steps, r.step(c))
	}
	return steps
}

func (r *reader) step(b *block) *Step {
	s := &Step{
		Type: b.labels[0], Name: b.name(), Args: r.args(b), Range: b.at,
		Host: HostOptions{Workers: 1, OnCrash: CrashFails},
	}
	if host := b.one("host"); host != nil {
		s.Host, s.Deprecated = r.hostOptions(host)
	}
	for _, o := range b.all("output") {
		out := Output{Name: o.name(), Range: o.at}
		if sink := o.one("sink"); sink != nil {
			out.Sink = r.sink(sink)
		}
		s.Outputs = append(s.Outputs, out)
	}
	return s
}

func (r *reader) hostOptions(b *block) (h HostOptions, deprecated string) {
	h.Workers = int(r.whole(b, "workers", 1, 1))
	h.Timeout = r.duration(b, "timeout")
	h.Memory = r.size(b, "memory")
	h.OnCrash = r.choice(b, "on_crash", CrashFails, CrashRejects)
	h.Env = r.envNames(b, "env")
	return h, r.filled(b, "deprecated", "the reason, and what to use instead")
}

func (r *reader) sink(b *block) *Sink {
	return &Sink{Type: b.labels[0], Name: b.name(), Args: r.args(b), Range: b.at}
}

func (r *reader) route(b *block) *Route {
	route := &Route{Name: b.name(), On: r.filled(b, "on", "a path into the record, or @label"), Range: b.at}
	for _, c := range b.blocks {
		switch c.kind {
		case "case":
			route.Cases = append(route.Cases, Case{Value: c.name(), Body: r.sequence(c), Range: c.at})
		case "default":
			route.Default, route.HasDefault = r.sequence(c), true
		}
	}
	return route
}

func (r *reader) shadow(b *block) *Shadow {
	s := &Shadow{Name: b.name(), Limit: r.whole(b, "limit", 0, -1), Report: r.text(b, "report"), Range: b.at}
	for _, c := range b.blocks {
		step := c.one("step")
		switch {
		case step == nil:
		case c.kind == "current":
			s.Current = r.step(step)
		default:
			s.Candidate = r.step(step)
		}
	}
	return s
}

func (r *reader) deadLetter(b *block) *DeadLetter {
	d := &DeadLetter{Limit: r.whole(b, "limit", 0, -1), Range: b.at}
	if sink := b.one("sink"); sink != nil {
		d.Sink = r.sink(sink)
	}
	return d
}

var hexSum = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)

func (r *reader) pin(b *block) Pin {
	pin := Pin{
		Name: b.name(), Path: r.text(b, "path"), SHA256: r.text(b, "sha256"),
		Env: r.envNames(b, "env"), Range: b.at,
	}
	if len(b.attrs) == 0 && !b.partial && !r.broken {
		r.report(b.header, b.context, b.title()+" says nothing", "want path, sha256 or env in it", "")
	}
	if pin.SHA256 != "" && !hexSum.MatchString(pin.SHA256) {
		r.unfit(b, "sha256", "64 hexadecimal digits", fmt.Sprintf("%d characters", len(pin.SHA256)), "")
	}
	pin.SHA256 = strings.ToLower(pin.SHA256)
	if pin.Path != "" && !filepath.IsAbs(pin.Path) {
		pin.Path = filepath.Join(r.dir, pin.Path)
	}
	return pin
}
