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
		if n := r.node(c); n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// node gives a part of the way, nil for a step that is not enabled.
func (r *reader) node(b *block) Node {
	switch b.kind {
	case "step":
		if s, enabled := r.step(b); enabled {
			return s
		}
		return nil
	case "first":
		return r.firstOf(b)
	case "route":
		return r.route(b)
	case "tee":
		return &Tee{Name: b.name(), Body: r.sequence(b), Range: b.at}
	case "shadow":
		return r.shadow(b)
	}
	return r.sink(b)
}

func (r *reader) firstOf(b *block) *First {
	f := &First{Name: b.name(), Report: r.filled(b, "report", "the path of a file"), Range: b.at}
	all := b.all("step")
	for _, c := range all {
		if s, enabled := r.step(c); enabled {
			f.Steps = append(f.Steps, s)
		}
	}
	if len(f.Steps) == 0 && len(all) > 0 {
		r.report(b.header, b.context, b.title()+" has no enabled step", "want at least one, to take the records", "")
	}
	return f
}

// step gives a step, and whether it is enabled.
func (r *reader) step(b *block) (s *Step, enabled bool) {
	s = &Step{
		Type: b.labels[0], Name: b.name(), Args: r.args(b), Range: b.at,
		Host: HostOptions{Workers: 1, OnCrash: CrashFails},
	}
	enabled = true
	if host := b.one("host"); host != nil {
		s.Host, s.Deprecated = r.hostOptions(host)
		enabled = r.truth(host, "enabled", true)
	}
	for _, o := range b.all("output") {
		out := Output{Name: o.name(), Range: o.at}
		if sink := o.one("sink"); sink != nil {
			out.Sink = r.sink(sink)
		}
		s.Outputs = append(s.Outputs, out)
	}
	return s, enabled
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

// shadow gives a shadow, or only its current step when the candidate is not enabled.
func (r *reader) shadow(b *block) Node {
	s := &Shadow{Name: b.name(), Limit: r.whole(b, "limit", 0, -1), Report: r.text(b, "report"), Range: b.at}
	compares := true
	for _, c := range b.blocks {
		step := c.one("step")
		if step == nil {
			continue
		}
		read, enabled := r.step(step)
		switch {
		case c.kind == "candidate":
			s.Candidate, compares = read, enabled
		case enabled:
			s.Current = read
		default:
			r.report(step.header, step.context, "the current step of "+b.title()+" is not enabled", "want it to run, since its records go on", "")
		}
	}
	if !compares {
		return s.Current
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
