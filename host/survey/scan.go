package survey

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Scan sends the records of files through steps without a pipeline file, for commands that only look at them. Files are read as a
// source of type auto reads them.
type Scan struct {
	Paths []string              // files, or patterns for them
	Ready func(row []byte) bool // reports whether a row needs no step; nil: none does
	First []Step                // in order of precedence: the first that does not decline a record takes it
	Then  []Step                // behind First

	Isolate bool // a record that crashes a plugin is rejected; otherwise it ends the scan

	// These functions take the results, each in the order of the input, unless they are nil. An error of one ends the scan.
	Out    func(Row) error // rows behind all steps
	Side   func(Row) error // rows of side outputs, as JSON with file, line and step
	Reject func(Row) error // rows of a dead letter
}

// Step is a plugin with its attributes, a JSON object, and the side output that the scan takes, if any.
type Step struct{ Plugin, Args, Output string }

// Row is a record, or a row of a side output, with the position of the record in the input. Lines count from 1.
type Row struct {
	File string
	Line int64
	JSON []byte // good until the function returns
}

// ScanResult counts what a scan did.
type ScanResult struct {
	Records int64            `json:"records"`
	Written int64            `json:"-"` // rows behind all steps
	Counts  map[string]int64 `json:"-"` // of all steps
	Dropped map[string]int64 `json:"-"` // records that steps left out, by reason
	Foreign map[string]int64 `json:"-"` // records that steps rejected with a code that their plugin does not declare, by code
	Inputs  []receipt.Input  `json:"inputs"`
}

// Run runs the scan.
func (s *Scan) Run(ctx context.Context, opts host.Options) (*ScanResult, error) {
	var nodes flow.Plan
	var steps []*flow.Step
	var codes []map[string]string // that the plugin of each step declares
	inputs, err := run(ctx, s.Paths, s.requests(), opts.WithDefaults(), func(fleet *launch.Fleet) (flow.Plan, error) {
		nodes, steps = s.flow(fleet)
		for _, started := range fleet.Steps {
			codes = append(codes, started.Info.Codes)
		}
		return nodes, nil
	})
	if err != nil {
		return nil, err
	}
	totals := nodes.Account.Snapshot()
	done := &ScanResult{Records: totals.Read, Written: totals.Written, Counts: map[string]int64{}, Dropped: totals.Dropped, Foreign: map[string]int64{}, Inputs: inputs}
	for i, s := range steps {
		sums := s.Account.Snapshot()
		for name, n := range sums.Counts {
			done.Counts[name] += n
		}
		for _, code := range flow.Undeclared(sums.Rejected, codes[i]) {
			done.Foreign[code] += sums.Rejected[code]
		}
	}
	return done, nil
}

// A Problem is why a plugin cannot do what was asked of it, such as an attribute that it does not take.
type Problem struct {
	Plugin  string
	Attr    string // that is wrong; "" when the reason is not an attribute
	Message string
	cause   error
}

// Error implements error.
func (p *Problem) Error() string {
	if _, missing := errors.AsType[*launch.NotFound](p.cause); missing { // which names it
		return p.Message
	}
	return "plugin " + p.Plugin + ": " + strings.TrimPrefix(p.Attr+": "+p.Message, ": ")
}

// Unwrap returns the error of the plugin's program, if it has one.
func (p *Problem) Unwrap() error { return p.cause }

// run starts plugins and sends the records of files or patterns through the plan that build makes. It returns what was read.
func run(
	ctx context.Context, paths []string, plugins []launch.Request, opts host.Options, build func(*launch.Fleet) (flow.Plan, error),
) ([]receipt.Input, error) {
	corpus, err := plan.Corpus(paths, plan.Options{Stdin: opts.Stdin, Mask: opts.MaskName})
	for _, i := range corpus {
		defer i.Close()
	}
	if err != nil {
		return nil, err
	}
	finder, err := plan.Finder(".")
	if err != nil {
		return nil, err
	}
	fleet, problems, err := launch.Start(ctx, opts.Launch(finder), plugins)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		x := problems[0]
		return nil, &Problem{Plugin: plugins[x.Request].Plugin, Attr: x.Attr, Message: x.Message, cause: x.Cause}
	}
	defer fleet.Abort()
	p, err := build(fleet)
	if err != nil {
		return nil, err
	}
	if err := send(ctx, corpus, fleet, p); err != nil {
		return nil, err
	}
	inputs := []receipt.Input{}
	for _, i := range corpus {
		inputs = append(inputs, i.Inputs()...)
	}
	return inputs, fleet.Close(ctx)
}

// send sends the records of a corpus through a plan, whose steps the fleet has.
func send(ctx context.Context, corpus []*plan.Source, fleet *launch.Fleet, p flow.Plan) error {
	for _, i := range corpus {
		i.SetArena(fleet.Source)
		p.Sources = append(p.Sources, &flow.Source{Reader: i})
	}
	return flow.Run(ctx, p)
}

func (s *Scan) steps() []Step { return slices.Concat(s.First, s.Then) }

func (s *Scan) requests() (all []launch.Request) {
	restarts := 0
	if s.Isolate {
		restarts = config.DefaultRestarts
	}
	for i, a := range s.steps() {
		ranked := i < len(s.First)
		all = append(all, launch.Request{
			Name: a.Plugin, Plugin: a.Plugin, Args: []byte(a.Args), Or: ranked && i > 0, Follows: !ranked && i > 0, Restart: s.Isolate, Restarts: restarts,
			Timeout: config.DefaultTimeout, Memory: config.DefaultMemory,
		})
	}
	return all
}

// flow returns the scan as a plan without sources, and its steps.
func (s *Scan) flow(fleet *launch.Fleet) (flow.Plan, []*flow.Step) {
	var mu sync.Mutex // results arrive from several goroutines
	steps := make([]*flow.Step, len(fleet.Steps))
	for i, a := range s.steps() {
		steps[i] = plan.NewStep(a.Plugin, a.Plugin, fleet.Steps[i])
		if s.Isolate && fleet.Steps[i].Index == 0 {
			steps[i].Isolate, steps[i].Restarts = true, config.DefaultRestarts
		}
		if a.Output != "" {
			steps[i].Sides[a.Output] = &flow.Sink{Name: a.Output, Writer: &rowWriter{&mu, s.Side}}
		}
	}
	body := s.body(fleet, steps)
	if s.Ready != nil {
		body = []flow.Node{&flow.Route{
			Name: "ready", Key: func(r *wire.Record) string { return strconv.FormatBool(s.Ready(r.Data)) },
			Cases: []flow.Case{{Value: "true"}}, Default: &flow.Case{Body: body},
		}}
	}
	return flow.Plan{
		Body: append(body, &flow.Sink{Name: "out", Writer: &rowWriter{&mu, s.Out}}), Account: &flow.Totals{},
		DeadLetter: &flow.Sink{Name: "rejects", Writer: &rowWriter{&mu, s.Reject}},
	}, steps
}

// body puts the steps behind each other, those of one process as a chain.
func (s *Scan) body(fleet *launch.Fleet, steps []*flow.Step) (body []flow.Node) {
	then := steps
	if ranked := steps[:len(s.First)]; len(ranked) > 1 {
		if slices.ContainsFunc(fleet.Steps[:len(ranked)], func(m *launch.Step) bool { return m.Chain != fleet.Steps[0].Chain }) {
			first := &flow.First{Name: "rows"}
			for _, s := range ranked {
				first.Members = append(first.Members, s)
			}
			body, then = append(body, first), steps[len(ranked):]
		} else {
			for _, s := range ranked {
				s.First = "rows"
			}
		}
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

// rowWriter passes rows to a function, one at a time.
type rowWriter struct {
	mu   *sync.Mutex
	take func(Row) error
}

// Accepts implements flow.Writer.
func (*rowWriter) Accepts(*wire.Record) *wire.Fault { return nil }

// Write implements flow.Writer.
func (h *rowWriter) Write(rows []wire.Record) error {
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
