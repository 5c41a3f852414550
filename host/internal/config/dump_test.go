package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// dump writes a pipeline for a golden file: one line for each block, in the order of the tree.
func dump(p *Pipeline) string {
	d := &dumper{}
	for _, v := range p.Vars {
		d.line(0, "variable %s %s = %s %q", v.Name, v.Type, v.Value, v.Description)
		if v.Sensitive {
			d.line(1, "sensitive")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Plugins)) {
		pin := p.Plugins[name]
		d.line(0, "plugin %s calls=%q path=%q sha256=%q env=%q", pin.Name, pin.Calls, pin.Path, pin.SHA256, pin.Env)
	}
	for _, s := range p.Sources {
		d.line(0, "source %s %s %s", s.Type, s.Name, s.Args.JSON)
	}
	for _, r := range p.Reads {
		d.line(0, "read %s %s %.8s", r.Kind, r.Name, r.SHA256)
	}
	d.nodes(0, p.Body)
	if p.DeadLetter != nil {
		d.line(0, "dead_letter limit=%v", p.DeadLetter.Limit)
		if p.DeadLetter.Sink != nil {
			d.node(1, p.DeadLetter.Sink)
		}
	}
	return d.String()
}

type dumper struct{ strings.Builder }

func (d *dumper) line(depth int, format string, args ...any) {
	fmt.Fprintf(d, strings.Repeat("  ", depth)+format+"\n", args...)
}

func (d *dumper) nodes(depth int, nodes []Node) {
	for _, n := range nodes {
		d.node(depth, n)
	}
}

func (d *dumper) node(depth int, n Node) {
	switch n := n.(type) {
	case *Step:
		d.step(depth, n)
	case *First:
		d.line(depth, "first %s", n.Name)
		if n.Report != "" {
			d.line(depth+1, "report %q", n.Report)
		}
		d.nodes(depth+1, n.Members)
	case *Route:
		d.line(depth, "route %s on %q", n.Name, n.On)
		for _, c := range n.Cases {
			d.line(depth+1, "case %q", c.Value)
			d.nodes(depth+2, c.Body)
		}
		if n.HasDefault {
			d.line(depth+1, "default")
			d.nodes(depth+2, n.Default)
		}
	case *Tee:
		d.line(depth, "tee %s", n.Name)
		d.nodes(depth+1, n.Body)
	case *Shadow:
		d.line(depth, "shadow %s limit=%v ignore=%q report=%q values=%t", n.Name, n.Limit, n.Ignore.Texts(), n.Report, n.Values)
		d.step(depth+1, n.Current)
		d.step(depth+1, n.Candidate)
		if n.Sink != nil {
			d.node(depth+1, n.Sink)
		}
	case *Sink:
		d.line(depth, "sink %s %s %s", n.Type, n.Name, n.Args.JSON)
	}
}

func (d *dumper) step(depth int, s *Step) {
	d.line(depth, "step %s %s %s", s.Type, s.Name, s.Args.JSON)
	if h := s.Host; h.Workers != 0 || h.Timeout != DefaultTimeout || h.Memory != DefaultMemory || h.OnCrash != CrashIsolates || h.Restarts != DefaultRestarts || h.Env != nil {
		d.line(depth+1, "host workers=%d timeout=%s memory=%d on_crash=%s restarts=%d env=%q", h.Workers, h.Timeout, h.Memory, h.OnCrash, h.Restarts, h.Env)
	}
	if s.Host.Batch != (BatchSize{}) {
		d.line(depth+1, "batch records=%d bytes=%d", s.Host.Batch.Records, s.Host.Batch.Bytes)
	}
	if s.Host.Process == ProcessOwn {
		d.line(depth+1, "process of its own")
	}
	if s.Deprecated != "" {
		d.line(depth+1, "deprecated %q", s.Deprecated)
	}
	for _, o := range s.Outputs {
		d.line(depth+1, "output %s", o.Name)
		d.node(depth+2, o.Sink)
	}
}
