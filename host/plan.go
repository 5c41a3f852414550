package host

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/sdk/batch"
)

// A plan is what one run needs: the steps, the sources and the sinks of a pipeline, in the order of the file.
type plan struct {
	tree        *config.Pipeline
	steps       []*step
	sources     []*source
	sinks       []*sink
	firsts      []*config.First
	shadows     []*shadow
	deadLetter  *sink
	limit       int64
	recordLimit int
	totals      flow.Totals

	stepOf map[*config.Step]*step
	sinkOf map[*config.Sink]*sink
}

// A step of the file with its account. Steps of a first have the same number of workers.
type step struct {
	config  *config.Step
	workers int
	ranked  bool // in a first
	account flow.Account
}

func (s *step) name() string { return s.config.Type + "." + s.config.Name }

// plan collects what the file names, and checks the arguments of sources and sinks. With mistakes it is good for
// nothing but to let the plugins tell theirs.
func (p *Pipeline) plan() (*plan, Diagnostics) {
	pl := &plan{tree: p.tree, limit: -1, stepOf: map[*config.Step]*step{}, sinkOf: map[*config.Sink]*sink{}}
	var diags Diagnostics
	for _, c := range p.tree.Sources {
		s, bad := newSource(p, c)
		diags = append(diags, bad...)
		pl.sources = append(pl.sources, s)
		pl.recordLimit = max(pl.recordLimit, s.opts.Limit)
	}
	diags = append(diags, pl.collect(p, p.tree.Body, nil)...)
	if d := p.tree.DeadLetter; d != nil {
		pl.limit = d.Limit
		if d.Sink != nil {
			var bad Diagnostics
			pl.deadLetter, bad = pl.addSink(p, d.Sink)
			pl.deadLetter.beside = deadLetter
			diags = append(diags, bad...)
		}
	}
	if len(diags) == 0 {
		diags = pl.clashes()
	}
	if pl.deadLetter == nil {
		pl.deadLetter = pl.implicitSink("rejects", filepath.Join(pl.dir(), "rejects.jsonl"))
	}
	return pl, diags
}

// deadLetter is what stands beside the stream for the rejects.
const deadLetter = "dead_letter"

// collect adds the steps and sinks of a way, which begins after some steps.
func (pl *plan) collect(p *Pipeline, nodes []config.Node, after []string) (diags Diagnostics) {
	after = slices.Clip(after)
	for _, n := range nodes {
		switch n := n.(type) {
		case *config.Step:
			diags = append(diags, pl.addStep(p, n, n.Host.Workers)...)
			after = append(after, pl.stepOf[n].name())
		case *config.First:
			pl.firsts = append(pl.firsts, n)
			workers := 1
			for _, s := range n.Steps {
				workers = max(workers, s.Host.Workers)
			}
			for _, s := range n.Steps {
				diags = append(diags, pl.addStep(p, s, workers)...)
				pl.stepOf[s].ranked = true
			}
		case *config.Shadow:
			workers := max(n.Current.Host.Workers, n.Candidate.Host.Workers)
			diags = append(diags, pl.addStep(p, n.Current, workers)...)
			diags = append(diags, pl.addStep(p, n.Candidate, workers)...)
			after = append(after, pl.stepOf[n.Current].name())
			pl.shadows = append(pl.shadows, &shadow{config: n})
		case *config.Route:
			for _, c := range n.Cases {
				diags = append(diags, pl.collect(p, c.Body, after)...)
			}
			diags = append(diags, pl.collect(p, n.Default, after)...)
		case *config.Tee:
			diags = append(diags, pl.collect(p, n.Body, after)...)
		case *config.Sink:
			s, bad := pl.addSink(p, n)
			s.after = after
			diags = append(diags, bad...)
		}
	}
	return diags
}

func (pl *plan) addStep(p *Pipeline, c *config.Step, workers int) (diags Diagnostics) {
	s := &step{config: c, workers: workers}
	pl.steps = append(pl.steps, s)
	pl.stepOf[c] = s
	for _, o := range c.Outputs {
		sink, bad := pl.addSink(p, o.Sink)
		sink.beside = s.name() + "/" + o.Name
		diags = append(diags, bad...)
	}
	return diags
}

// requests are the steps, as launch wants them.
func (pl *plan) requests() []launch.Request {
	requests := make([]launch.Request, len(pl.steps))
	for i, s := range pl.steps {
		c := s.config
		requests[i] = launch.Request{
			Step: s.name(), Plugin: c.Type, Args: c.Args.JSON, Workers: s.workers,
			Timeout: c.Host.Timeout, Memory: c.Host.Memory, Reject: c.Host.OnCrash == config.CrashRejects,
			Env: append(c.Host.Env[:len(c.Host.Env):len(c.Host.Env)], pl.tree.Plugins[c.Type].Env...),
		}
	}
	return requests
}

// wire makes the plan into a tree of nodes around running steps.
func (pl *plan) wire(fleet *launch.Fleet, mask func(string) string) flow.Plan {
	running := map[*step]*launch.Step{}
	for i, s := range pl.steps {
		running[s] = fleet.Steps[i]
	}
	out := flow.Plan{DeadLetter: pl.deadLetter, Limit: pl.limit, Account: &pl.totals, Body: pl.nodes(pl.tree.Body, running)}
	for _, s := range pl.sources {
		out.Sources = append(out.Sources, flow.Origin{Name: s.name(), Source: &reader{input: s.reader, arena: fleet.Source, mask: mask}})
	}
	return out
}

func (pl *plan) nodes(nodes []config.Node, running map[*step]*launch.Step) []flow.Node {
	var out []flow.Node
	for _, n := range nodes {
		switch n := n.(type) {
		case *config.Step:
			out = append(out, pl.node(n, running))
		case *config.First:
			f := &flow.First{Name: n.Name}
			for _, s := range n.Steps {
				f.Steps = append(f.Steps, pl.node(s, running))
			}
			out = append(out, f)
		case *config.Route:
			r := &flow.Route{Name: n.Name, Key: routeKey(n.On)}
			for _, c := range n.Cases {
				r.Cases = append(r.Cases, flow.Case{Value: c.Value, Body: pl.nodes(c.Body, running)})
			}
			if n.HasDefault {
				r.Default = &flow.Case{Body: pl.nodes(n.Default, running)}
			}
			out = append(out, r)
		case *config.Shadow:
			out = append(out, &flow.Shadow{
				Name: n.Name, Limit: n.Limit, Report: pl.reportOf(n), Differences: pl.differences(n),
				Current: pl.node(n.Current, running), Candidate: pl.node(n.Candidate, running),
			})
		case *config.Tee:
			out = append(out, &flow.Tee{Name: n.Name, Body: pl.nodes(n.Body, running)})
		case *config.Sink:
			s := pl.sinkOf[n]
			out = append(out, &flow.Output{Name: s.name, Sink: s})
		}
	}
	return out
}

func (pl *plan) node(c *config.Step, running map[*step]*launch.Step) *flow.Step {
	s := pl.stepOf[c]
	n := &flow.Step{Name: s.name(), Plugin: c.Type, Sides: map[string]flow.Sink{}, Account: &s.account}
	for _, w := range running[s].Stages() {
		n.Stages = append(n.Stages, w)
	}
	for _, o := range c.Outputs {
		n.Sides[o.Name] = pl.sinkOf[o.Sink]
	}
	return n
}

// routeKey reads what a route is on: a label after '@', or a gjson path. A value that is missing or null is "".
func routeKey(on string) func(*batch.Record) string {
	if name, ok := strings.CutPrefix(on, "@"); ok {
		return func(r *batch.Record) string {
			for _, l := range r.Labels {
				if l.Name == name {
					return l.Value
				}
			}
			return ""
		}
	}
	return func(r *batch.Record) string {
		return gjson.Get(unsafe.String(unsafe.SliceData(r.Data), len(r.Data)), on).String()
	}
}

// report tells how far the run is until ctx is done.
func (pl *plan) report(ctx context.Context, tell func(Progress)) {
	began := time.Now()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			x := Progress{Elapsed: time.Since(began), Records: pl.totals.Snapshot().Read}
			known := true
			for _, s := range pl.sources {
				read, total := s.reader.Progress()
				x.Bytes, x.Total, known = x.Bytes+read, x.Total+total, known && total > 0
			}
			if !known {
				x.Total = 0
			}
			tell(x)
		}
	}
}

// open opens sources and prepares sinks, so that what is wrong with them is found before anything runs.
func (pl *plan) open(p *Pipeline) error {
	var err error
	for _, s := range pl.sources {
		err = errors.Join(err, s.open(p))
	}
	if err != nil {
		return err
	}
	return pl.prepare(p)
}

// close drops what has not been committed.
func (pl *plan) close() {
	for _, s := range pl.sources {
		if s.reader != nil {
			s.reader.Close()
		}
	}
	for _, s := range pl.sinks {
		if s.writer != nil {
			_ = s.writer.Abort()
		}
	}
}
