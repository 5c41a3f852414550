package host

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/receipt"
)

// started are the plugins of a fleet, for the receipt.
func (pl *plan) started(fleet *launch.Fleet) ([]receipt.Plugin, error) {
	plugins := make([]receipt.Plugin, len(pl.steps))
	for i, s := range pl.steps {
		running := fleet.Steps[i]
		path := running.Found.Path
		if running.Found.BuiltIn != nil {
			path = receipt.BuiltIn
		}
		sum, err := running.Found.SHA256()
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", s.name(), err)
		}
		plugins[i] = receipt.Plugin{
			Step: s.name(), Name: s.config.Type, Version: running.Info.Version,
			Path: path, SHA256: sum,
		}
	}
	return plugins, nil
}

// receipt makes the account of a run whose records have all arrived and whose fleet is closed.
func (pl *plan) receipt(p *Pipeline, fleet *launch.Fleet, began time.Time) (*Receipt, error) {
	plugins, err := pl.started(fleet)
	if err != nil {
		return nil, err
	}
	r := &Receipt{
		Run: rand.Text(), Started: began, Sluice: p.opts.Version,
		Pipeline:  receipt.Pipeline{Path: p.opts.MaskName(p.tree.Path), SHA256: p.tree.SHA256},
		Variables: map[string]string{}, Plugins: plugins,
	}
	for _, v := range p.tree.Vars {
		r.Variables[v.Name] = p.opts.MaskName(plain(v.Value))
		if v.Sensitive {
			r.Variables[v.Name] = "(sensitive)"
		}
	}
	for _, s := range pl.sources {
		r.Inputs = append(r.Inputs, maskInputs(s.reader, p.opts.MaskName)...)
	}
	for i, s := range pl.steps {
		step := s.receipt()
		if fleet.Steps[i].Found.BuiltIn != nil && p.opts.Facts != nil {
			step.Facts = p.opts.Facts(s.config.Type, s.config.Args.JSON)
		}
		step.CPUSeconds = fleet.Steps[i].CPU().Seconds()
		r.Steps = append(r.Steps, step)
	}
	sums := pl.totals.Snapshot()
	r.Totals = receipt.Totals{
		Read: sums.Read, Extra: sums.Extra, Teed: sums.Teed, Written: sums.Written,
		Dropped: receipt.Sum(sums.Dropped), Rejected: receipt.Sum(sums.Rejected),
		Seconds: time.Since(began).Seconds(),
	}
	for _, in := range r.Inputs {
		r.Totals.BytesRead += in.Bytes
	}
	return r, nil
}

func (s *step) receipt() receipt.Step {
	f := s.account.Snapshot()
	r := receipt.Step{
		Name: s.name(), Plugin: s.config.Type, In: f.In, Out: f.Out, Extra: f.Extra,
		Dropped: receipt.Sum(f.Dropped), Rejected: receipt.Sum(f.Rejected), Declined: receipt.Sum(f.Declined),
		BytesIn: f.BytesIn, BytesOut: f.BytesOut, BusySeconds: f.Busy.Seconds(), Counts: f.Counts,
		Deprecated: s.config.Deprecated,
	}
	if s.ranked {
		r.First, r.Last = f.Taken.Ends()
	}
	return r
}

// plain is the value of a variable as a person would write it.
func plain(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}
