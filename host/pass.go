package host

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Pass sends the records of files through steps without a pipeline file, for commands that only look at them. Files are
// read as a source of type auto reads them.
type Pass struct {
	Paths []string              // files, or patterns for them
	Ready func(row []byte) bool // of rows that need no step; nil: none
	First []Ask                 // ranked: the first that does not decline a record takes it
	Then  []Ask                 // what it gives goes through these

	// What comes of the records, in the order of the input each. A function that returns an error ends the pass with it,
	// and one that is nil lets rows go. None keeps a row.
	Out    func(Row) error // rows that have come through
	Beside func(Row) error // rows of side outputs, as JSON with file, line and step
	Reject func(Row) error // rows of a dead letter
}

// An Ask is a plugin with its arguments, a JSON object, and the side output that is wanted of it, if any.
type Ask struct{ Plugin, Args, Output string }

// A Row is a record, or a row of a side output, with where the record stands in the input. Lines count from 1.
type Row struct {
	File string
	Line int64
	JSON []byte // good until the function returns
}

// A Passed is the account of a pass.
type Passed struct {
	Records int64            `json:"records"`
	Written int64            `json:"-"` // rows that have come through
	Counts  map[string]int64 `json:"-"` // of all steps
	Dropped map[string]int64 `json:"-"` // records that steps left out, by reason
	Inputs  []receipt.Input  `json:"inputs"`
}

// Run makes the pass.
func (p *Pass) Run(ctx context.Context, opts Options) (*Passed, error) {
	var way flow.Plan
	var steps []*flow.Step
	inputs, err := through(ctx, p.Paths, p.requests(), opts, func(fleet *launch.Fleet) flow.Plan {
		way, steps = p.way(fleet)
		return way
	})
	if err != nil {
		return nil, err
	}
	totals := way.Account.Snapshot()
	done := &Passed{Records: totals.Read, Written: totals.Written, Counts: map[string]int64{}, Dropped: totals.Dropped, Inputs: inputs}
	for _, s := range steps {
		for name, n := range s.Account.Snapshot().Counts {
			done.Counts[name] += n
		}
	}
	return done, nil
}

// through starts plugins and runs the records of files, or of patterns for them, through what way makes of them, a flow
// without sources. It gives what was read.
func through(
	ctx context.Context, paths []string, plugins []launch.Request, opts Options, way func(*launch.Fleet) flow.Plan,
) ([]receipt.Input, error) {
	opts = opts.WithDefaults()
	corpus, err := plan.Corpus(paths, plan.Options{Stdin: opts.Stdin, Mask: opts.MaskName})
	for _, i := range corpus {
		defer i.Close()
	}
	if err != nil {
		return nil, err
	}
	starting := opts.launch(".", plan.CorpusLimit, plan.MinDepth)
	if starting.Finder, err = opts.finder(""); err != nil {
		return nil, err
	}
	fleet, problems, err := launch.Start(ctx, starting, plugins)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		x := problems[0]
		return nil, fmt.Errorf("step %s: %s", plugins[x.Request].Name, strings.TrimPrefix(x.Attr+": "+x.Message, ": "))
	}
	defer fleet.Abort()
	p := way(fleet)
	for _, i := range corpus {
		i.Use(fleet.Source)
		p.Sources = append(p.Sources, &flow.Source{Reader: i})
	}
	if err := flow.Run(ctx, p); err != nil {
		return nil, err
	}
	inputs := []receipt.Input{}
	for _, i := range corpus {
		inputs = append(inputs, i.Inputs()...)
	}
	return inputs, fleet.Close(ctx)
}

// asks are the plugins in the order in which they are started.
func (p *Pass) asks() []Ask { return append(p.First[:len(p.First):len(p.First)], p.Then...) }

func (p *Pass) requests() (all []launch.Request) {
	for i, a := range p.asks() {
		ranked := i < len(p.First)
		all = append(all, launch.Request{
			Name: a.Plugin, Plugin: a.Plugin, Args: []byte(a.Args), Or: ranked && i > 0, Follows: !ranked && i > 0,
			Timeout: config.DefaultTimeout, Memory: config.DefaultMemory,
		})
	}
	return all
}

// way makes the pass into a flow without sources.
func (p *Pass) way(fleet *launch.Fleet) (flow.Plan, []*flow.Step) {
	var mu sync.Mutex // what comes of the records arrives from several goroutines
	steps := make([]*flow.Step, len(fleet.Steps))
	for i, a := range p.asks() {
		m := fleet.Steps[i]
		steps[i] = &flow.Step{Name: a.Plugin, Plugin: a.Plugin, Account: &flow.Account{}, Private: m.Info.Private, Sides: map[string]*flow.Sink{}}
		if a.Output != "" {
			steps[i].Sides[a.Output] = &flow.Sink{Name: a.Output, Writer: &hand{&mu, p.Beside}}
		}
		if m.Index == 0 {
			steps[i].Stages, steps[i].CurrentStep, steps[i].Timeout, steps[i].Ordered = m.Chain.Stages(), m.Chain.CurrentStep, m.Timeout, m.Info.Ordered
			steps[i].Finish = m.Info.Ordered && m.Chain.Finishes
		}
	}
	body := p.body(fleet, steps)
	if p.Ready != nil {
		body = []flow.Node{&flow.Route{
			Name: "ready", Key: func(r *wire.Record) string { return strconv.FormatBool(p.Ready(r.Data)) },
			Cases: []flow.Case{{Value: "true"}}, Default: &flow.Case{Body: body},
		}}
	}
	return flow.Plan{
		Body: append(body, &flow.Sink{Name: "out", Writer: &hand{&mu, p.Out}}), Limit: -1, Account: &flow.Totals{},
		DeadLetter: &flow.Sink{Name: "rejects", Writer: &hand{&mu, p.Reject}},
	}, steps
}

// body puts the steps behind each other, those of one crew as a chain.
func (p *Pass) body(fleet *launch.Fleet, steps []*flow.Step) (body []flow.Node) {
	then := steps[len(p.First):]
	if ranked := steps[:len(p.First)]; len(ranked) > 1 {
		apart := slices.ContainsFunc(fleet.Steps[:len(ranked)], func(m *launch.Step) bool { return m.Chain != fleet.Steps[0].Chain })
		if apart {
			first := &flow.First{Name: "rows"}
			for _, s := range ranked {
				first.Members = append(first.Members, s)
			}
			body = append(body, first)
		} else {
			for _, s := range ranked {
				s.First = "rows"
			}
			ranked[0].Rest = slices.Clone(ranked[1:])
			body = append(body, ranked[0])
		}
	} else {
		then = steps
	}
	for i, s := range then {
		if fleet.Steps[len(steps)-len(then)+i].Index == 0 {
			body = append(body, s)
			continue
		}
		head := body[len(body)-1].(*flow.Step)
		head.Rest = append(head.Rest, s)
	}
	return body
}

// A hand gives rows to a function, one at a time.
type hand struct {
	mu   *sync.Mutex
	take func(Row) error
}

// Accepts implements flow.Writer.
func (*hand) Accepts(*wire.Record) *wire.Fault { return nil }

// Write implements flow.Writer.
func (h *hand) Write(rows []wire.Record) error {
	if h.take == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range rows {
		if err := h.take(Row{rows[i].File, rows[i].Line, rows[i].Data}); err != nil {
			return err
		}
	}
	return nil
}
