package plan

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Requests returns the steps, as launch wants them.
func (p *Plan) Requests() []launch.Request {
	requests := make([]launch.Request, len(p.Steps))
	for i, step := range p.Steps {
		workers, asked := step.Workers, step.Host.Workers
		if p.Traced() { // records come one at a time
			workers, asked = 1, 1
		}
		requests[i] = launch.Request{
			Name: step.Label(), Plugin: step.Type, Args: step.Args.JSON, Shared: step.Shared.JSON, Follows: step.Follows, Or: step.Or, Alone: step.Alone, Workers: workers, Asked: asked,
			Timeout: step.Host.Timeout, Memory: step.Host.Memory, Restart: step.restarts(), Restarts: step.Host.Restarts, Candidate: step.Candidate,
			Batch: step.Host.Batch, Env: append(step.Host.Env[:len(step.Host.Env):len(step.Host.Env)], p.tree.Plugins[step.Type].Env...),
			Untrusted: ProgramAttr(p.tree, step.Step, p.opts.Barred),
		}
	}
	return requests
}

// ProgramAttr returns the attribute of a step that names a program, "" for none, by those that built-in plugins have.
func ProgramAttr(tree *config.Pipeline, s *config.Step, programs map[string][]string) string {
	for _, plugin := range []string{s.Type, tree.Plugins[s.Type].Calls} {
		for _, attr := range programs[plugin] {
			if gjson.GetBytes(s.Args.JSON, attr).Exists() || gjson.GetBytes(s.Shared.JSON, attr).Exists() {
				return attr
			}
		}
	}
	return ""
}

// restarts reports whether another process may follow after a crash. A candidate never ends a run.
func (step *Step) restarts() bool { return step.Candidate || step.Host.OnCrash == config.CrashIsolates }

// Pins returns the plugin blocks of a file, as launch wants them.
func Pins(tree *config.Pipeline) map[string]launch.Pin {
	pins := map[string]launch.Pin{}
	for name, pin := range tree.Plugins {
		pins[name] = launch.Pin{Path: pin.Path, SHA256: pin.SHA256, Name: pin.Calls, Env: strings.Join(pin.Env, " ")}
	}
	return pins
}

// Flow makes the plan into a tree of nodes around running steps.
func (p *Plan) Flow(fleet *launch.Fleet) flow.Plan {
	if p.Traced() {
		for _, sink := range p.Sinks {
			sink.Writer = &tracedWriter{sink.Writer, sink, p.opts.Trace.Written}
		}
	}
	if p.opts.Stream {
		p.envelop()
	}
	t := &tree{Plan: p, running: map[*Step]*launch.Step{}}
	for i, step := range p.Steps {
		t.running[step] = fleet.Steps[i]
	}
	out := flow.Plan{DeadLetter: &p.deadLetter.Sink, Limit: p.limit, Account: &p.Totals, Body: t.nodes(p.tree.Body)}
	for _, src := range p.Sources {
		src.SetArena(fleet.Source)
		src.feed = &flow.Source{Name: src.Label(), Reader: src, Batch: src.batch, Arena: fleet.Source}
		out.Sources = append(out.Sources, src.feed)
	}
	return out
}

// A tree is a plan whose steps run.
type tree struct {
	*Plan
	running map[*Step]*launch.Step
}

func (t *tree) nodes(nodes []config.Node) []flow.Node {
	var out []flow.Node
	for _, n := range nodes {
		switch n := n.(type) {
		case *config.Step:
			if out = t.chain(out, n, ""); t.keeps(n) {
				out = append(out, &flow.Keep{Step: t.steps[n].Label()})
			}
		case *config.First:
			if t.joined(n) {
				for _, m := range n.Members {
					out = t.chain(out, m.(*config.Step), n.Name)
				}
				continue
			}
			f := &flow.First{Name: n.Name}
			for _, m := range n.Members {
				if s, ok := m.(*config.Shadow); ok {
					f.Members = append(f.Members, t.shadow(s))
				} else {
					f.Members = append(f.Members, t.step(m.(*config.Step)))
				}
			}
			out = append(out, f)
		case *config.Route:
			r := &flow.Route{Name: n.Name, Key: t.key(n)}
			t.routes[n] = r
			for _, c := range n.Cases {
				r.Cases = append(r.Cases, flow.Case{Value: c.Value, Body: t.nodes(c.Body)})
			}
			if n.HasDefault {
				r.Default = &flow.Case{Body: t.nodes(n.Default)}
			}
			out = append(out, r)
		case *config.Shadow:
			out = append(out, t.shadow(n))
		case *config.Tee:
			t.tees[n] = &flow.Tee{Name: n.Name, Body: t.nodes(n.Body)}
			out = append(out, t.tees[n])
		case *config.Sink:
			out = append(out, &t.sinks[n].Sink)
		default:
			panic(fmt.Sprintf("plan: no case for a node of type %T", n))
		}
	}
	return out
}

// chain adds a step, behind the chain that ends the nodes if it belongs to it.
func (t *tree) chain(nodes []flow.Node, n *config.Step, first string) []flow.Node {
	s := t.step(n)
	s.First = first
	if t.running[t.steps[n]].Index == 0 {
		return append(nodes, s)
	}
	head := nodes[len(nodes)-1].(*flow.Step)
	head.Rest = append(head.Rest, s)
	return nodes
}

// joined reports whether one chain has all members of a first.
func (t *tree) joined(f *config.First) bool {
	chains := map[*launch.Chain]bool{}
	for _, m := range f.Members {
		s, ok := m.(*config.Step)
		if !ok {
			return false
		}
		chains[t.running[t.steps[s]].Chain] = true
	}
	return len(chains) < 2
}

func (t *tree) shadow(n *config.Shadow) *flow.Shadow {
	c := t.shadows[n]
	s := &flow.Shadow{
		Name: n.Name, Current: t.step(n.Current), Candidate: t.step(n.Candidate),
		Limit: t.limited(n.Limit), Ignore: n.Ignore, Values: n.Values, Differences: &c.found,
	}
	if n.Sink != nil {
		s.Rows = &t.sinks[n.Sink].Sink
	}
	return s
}

func (t *tree) step(c *config.Step) *flow.Step {
	step := t.steps[c]
	running := t.running[step]
	n := NewStep(step.Label(), c.Type, running)
	n.Account = &step.Account
	if t.Traced() {
		n.Observe = func(in []wire.Record, a *wire.Answer) { t.opts.Trace.Step(step, in, a) }
	}
	if running.Index == 0 {
		n.Isolate, n.Restarts, n.OnBatch = step.restarts(), step.Host.Restarts, t.opts.Batch
		n.Batch = flow.BatchSize(c.Host.Batch)
	}
	for _, o := range c.Outputs {
		n.Sides[o.Name] = &t.sinks[o.Sink].Sink
	}
	return n
}

// NewStep returns the node of a running step of a plugin, with an account and without sinks.
func NewStep(name, plugin string, running *launch.Step) *flow.Step {
	n := &flow.Step{Name: name, Plugin: plugin, Sides: map[string]*flow.Sink{}, Account: &flow.Account{}, Private: running.Info.Private}
	if running.Index == 0 {
		n.Stages, n.Plain, n.CurrentStep, n.Timeout = running.Chain.Stages(), running.PlainStages(), running.Chain.CurrentStep, running.Timeout
		n.Ordered, n.Finish = running.Info.Ordered, running.Info.Ordered && running.Chain.Finishes
		n.Concurrent = running.Info.Concurrent
	}
	return n
}

// routeKey reads what a route is on: a label after '@', or a gjson path. A value that is missing or null is "".
func routeKey(on string) func(*wire.Record) string {
	if name, ok := strings.CutPrefix(on, "@"); ok {
		return func(r *wire.Record) string {
			value, _ := output.Label(r, name)
			return value
		}
	}
	return func(r *wire.Record) string {
		return gjson.Get(jsontext.View(r.Data), on).String()
	}
}
