package sdktest

import (
	"errors"
	"fmt"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

type outcome struct {
	Bad     []wire.ArgError // then there is nothing else
	Results []Result
	Counts  map[string]int64
	Last    map[string][]string // rows of Flush and Finish, by output
	Flushed Result              // what Flush emits; without a verdict when it emits nothing
	mistake error               // the first that the SDK found, even in a record rejected for something else
}

// mistakes returns the mistakes of the plugin's code, not of the records.
func (o *outcome) mistakes(p sdk.Plugin) (all []string) {
	if o.mistake != nil {
		all = append(all, o.mistake.Error())
	}
	for i, r := range o.Results {
		if r.Code == wire.InvalidOutput && o.mistake == nil {
			all = append(all, fmt.Sprintf("record %d: %s", i+1, r.Message))
		}
		if _, declared := p.Codes[r.Code]; r.Code != "" && p.Codes != nil && !declared && !wire.IsHostCode(r.Code) {
			all = append(all, fmt.Sprintf("record %d: want a code that the plugin declares, have %q", i+1, r.Code))
		}
	}
	return all
}

// A collector gathers answers into an outcome.
type collector struct {
	in      []wire.Record
	outcome outcome
	sides   map[int]map[string][]string // of each record, by output
}

func newCollector(in []wire.Record) *collector {
	return &collector{in: in, outcome: outcome{Counts: map[string]int64{}, Last: map[string][]string{}}, sides: map[int]map[string][]string{}}
}

// Waiting implements rpc.Receiver.
func (c *collector) Waiting(bool) {}

// Answer implements rpc.Receiver. It copies emitted records and releases their memory at once.
func (c *collector) Answer(a wire.Answer) error {
	for _, s := range a.Sides {
		if len(c.outcome.Results) == len(c.in) {
			c.outcome.Last[s.Output] = append(c.outcome.Last[s.Output], string(s.JSON))
			continue
		}
		i := len(c.outcome.Results) + s.Index
		rows := c.sides[i]
		if rows == nil {
			rows = map[string][]string{}
			c.sides[i] = rows
		}
		rows[s.Output] = append(rows[s.Output], string(s.JSON))
	}
	for _, n := range a.Counts {
		c.outcome.Counts[n.Name] += n.N
	}
	c.outcome.Flushed.add(nil, a.Made)
	wire.ReleaseAll(a.Made)
	for _, o := range a.Outcomes {
		i := len(c.outcome.Results)
		c.outcome.Results = append(c.outcome.Results, result(&c.in[i], o, c.sides[i]))
		wire.ReleaseAll(o.Emitted)
	}
	return nil
}

// done returns the outcome, with an error when a record has no answer.
func (c *collector) done(err error) (outcome, error) {
	if n := len(c.outcome.Results); err == nil && n != len(c.in) {
		err = fmt.Errorf("want %d answers, have %d", len(c.in), n)
	}
	return c.outcome, err
}

var verdicts = [...]string{
	wire.Unchanged: "emit", wire.Emitted: "emit", wire.Dropped: "drop", wire.Rejected: "reject", wire.Declined: "decline",
}

func result(in *wire.Record, o wire.Outcome, sides map[string][]string) Result {
	r := Result{Verdict: verdicts[o.Verdict], Sides: sides}
	emitted := o.Emitted
	if o.Verdict == wire.Unchanged {
		emitted = []wire.Record{*in}
	}
	r.add(in.Origins, emitted)
	if o.Fault != nil {
		r.Code, r.Path, r.Message, r.Shown = o.Fault.Code, o.Fault.Path, o.Fault.Message, string(o.Fault.Record)
	}
	return r
}

// add adds emitted records to the result. Those with the origins before are made of the record at hand.
func (r *Result) add(before *wire.Origins, emitted []wire.Record) {
	for _, e := range emitted {
		labels, origins := map[string]string{}, []int64(nil)
		for _, l := range e.Labels {
			labels[l.Name] = l.Value
		}
		if e.Origins != before {
			for _, p := range e.Origins.List {
				origins = append(origins, p.Line)
			}
		}
		r.Verdict = verdicts[wire.Emitted]
		r.Emitted, r.Labels, r.Origins = append(r.Emitted, string(e.Data)), append(r.Labels, labels), append(r.Origins, origins)
	}
}

func worker(p sdk.Plugin, args string, poison bool) (wire.Worker, []wire.ArgError) {
	host := sdk.Host(p)
	return host.Open(wire.OpenRequest{Plugin: p.Name, Args: []byte(args), Poison: poison, Flush: true})
}

// batches calls process with all records at once, and for an ordered plugin with none, which asks it to finish.
func batches(p sdk.Plugin, in []wire.Record, process func([]wire.Record) error) error {
	if len(in) > 0 {
		if err := process(in); err != nil {
			return err
		}
	}
	if !p.Ordered {
		return nil
	}
	return process(nil)
}

// directly runs p in this process, with memory in small grants.
func directly(p sdk.Plugin, args string, inputs []string) (outcome, error) {
	if err := p.Validate(); err != nil {
		return outcome{}, err
	}
	w, bad := worker(p, args, true)
	if len(bad) > 0 {
		return outcome{Bad: bad}, nil
	}
	in := records(inputs)
	c := newCollector(in)
	err := batches(p, in, func(in []wire.Record) error { return processDirectly(p, w, in, c) })
	return c.done(errors.Join(err, end(w, &c.outcome)))
}

func processDirectly(p sdk.Plugin, w wire.Worker, in []wire.Record, c *collector) error {
	s := &grants{validator: wire.Validator{In: in, Depth: maxDepth, Name: p.Name}}
	defer s.validator.End()
	return w.Process(noDeadline, in, s, func(r *wire.Reply) error {
		a, err := s.validator.Admit(r)
		if err != nil {
			return err
		}
		return c.Answer(a)
	})
}

func records(inputs []string) []wire.Record {
	in := make([]wire.Record, len(inputs))
	for i, s := range inputs {
		in[i] = wire.Record{Data: []byte(s), File: inName, Line: int64(i + 1), Ord: uint64(i)}
	}
	return in
}
