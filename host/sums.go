package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Sums are what one step writes beside the stream of a corpus.
type Sums struct {
	Rows       []json.RawMessage `json:"rows"`
	Rejected   map[string]int64  `json:"rejected"` // records that could not be read, or that the step rejected, by code
	Inputs     []receipt.Input   `json:"inputs"`
	Unreadable int64             `json:"unreadable"`
}

// maxSums is how many bytes of rows SumUp takes.
const maxSums = 64 << 20

// SumUp runs one step over files, or patterns for them, and gives what it writes to one of its outputs. Nothing else of what
// it does goes anywhere. args is a JSON object. Files are read as a source of type auto reads them.
func SumUp(ctx context.Context, paths []string, plugin string, args []byte, output string, opts Options) (_ *Sums, err error) {
	opts = opts.withDefaults()
	corpus, err := plan.Corpus(paths, plan.Options{Stdin: opts.Stdin, Mask: opts.MaskName})
	for _, i := range corpus {
		defer i.Close()
	}
	if err != nil {
		return nil, err
	}
	fleet, problems, err := launch.Start(ctx, opts.launch(".", plan.CorpusLimit, plan.MinDepth), []launch.Request{{
		Step: plugin, Plugin: plugin, Args: args, Timeout: config.DefaultTimeout, Memory: config.DefaultMemory,
	}})
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("step %s: %s", plugin, strings.TrimPrefix(problems[0].Attr+": "+problems[0].Message, ": "))
	}
	defer fleet.Abort()
	found := &Sums{Rejected: map[string]int64{}, Inputs: []receipt.Input{}}
	running := fleet.Members[0]
	step := &flow.Step{
		Name: plugin, Plugin: plugin, Stages: running.Crew.Stages(), Account: &flow.Account{}, Timeout: running.Timeout,
		Private: running.Info.Private, Ordered: running.Info.Ordered, Finish: running.Info.Ordered && running.Crew.Finishes,
		Sides: map[string]*flow.Output{output: {Name: output, Drain: drain(found.take)}},
	}
	p := flow.Plan{
		Body:       []flow.Node{step, &flow.Output{Name: "nowhere", Drain: drain(func([]wire.Record) error { return nil })}},
		DeadLetter: &flow.Output{Name: "rejects", Drain: drain(found.reject)}, Limit: -1, Account: &flow.Totals{},
	}
	for _, i := range corpus {
		i.Use(fleet.Source)
		p.Sources = append(p.Sources, flow.Feed{Supply: i})
	}
	if err := flow.Run(ctx, p); err != nil {
		return nil, err
	}
	for _, i := range corpus {
		for _, in := range i.Inputs() {
			found.Inputs = append(found.Inputs, receipt.Input(in))
		}
	}
	return found, fleet.Close(ctx)
}

// A drain is a function that takes records.
type drain func([]wire.Record) error

// Accepts implements flow.Drain.
func (drain) Accepts(*wire.Record) *wire.Fault { return nil }

// Write implements flow.Drain.
func (d drain) Write(records []wire.Record) error { return d(records) }

func (x *Sums) take(rows []wire.Record) error {
	size := 0
	for _, r := range x.Rows {
		size += len(r)
	}
	for i := range rows {
		if size += len(rows[i].Data); size > maxSums {
			return fmt.Errorf("want rows of at most %d bytes, have more", maxSums)
		}
		x.Rows = append(x.Rows, slices.Clone(rows[i].Data))
	}
	return nil
}

func (x *Sums) reject(rows []wire.Record) error {
	for i := range rows {
		code := gjson.GetBytes(rows[i].Data, "code").String()
		x.Rejected[code]++
		if slices.Contains(SourceFaults, code) {
			x.Unreadable++
		}
	}
	return nil
}
