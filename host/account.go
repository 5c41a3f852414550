package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
)

// account returns the receipt of a run that has ended, checked against its sums and the files under their hidden names.
func (r *run) account() (*receipt.Receipt, error) {
	x, err := r.sums()
	if err != nil {
		return nil, err
	}
	if err := r.report(x); err != nil {
		return nil, err
	}
	files, err := r.plan.Set.Finish()
	if err != nil {
		return nil, err
	}
	x.Totals.Seconds = time.Since(r.began).Seconds() // with what Finish has written
	if err := r.close(x, r.outputs(x, files)); err != nil {
		return nil, err
	}
	return x, nil
}

// sums returns the receipt of a run that has ended, as far as it is not about files that were written.
func (r *run) sums() (*receipt.Receipt, error) {
	x := &receipt.Receipt{
		Run: r.id, Started: r.started, Sluice: r.opts.Version, Poison: r.opts.Poison,
		Pipeline:  receipt.Pipeline{Path: r.opts.MaskName(r.tree.Path), SHA256: r.tree.SHA256},
		Variables: r.variables(), Defaults: r.defaults(),
	}
	for _, read := range r.tree.Reads {
		x.Dependencies = append(x.Dependencies, receipt.Dependency{Kind: read.Kind, Name: r.opts.MaskName(read.Name), SHA256: read.SHA256})
	}
	x.Inputs, x.Part = r.inputs(), r.plan.Part
	if r.store != nil {
		x.Reused = r.store.account()
	}
	for _, in := range x.Inputs {
		x.Totals.BytesRead += in.Bytes
	}
	if r.subset != nil {
		x.Partial, x.Totals.BytesRead = &r.subset.Partial, r.subset.Bytes
	}
	if err := r.steps(x); err != nil {
		return nil, err
	}
	sums := r.plan.Totals.Snapshot()
	x.Totals = receipt.Totals{
		Read: sums.Read, Extra: sums.Extra, Teed: sums.Teed, Written: sums.Written,
		Dropped: receipt.Sum(sums.Dropped), Rejected: receipt.Sum(sums.Rejected),
		BytesRead: x.Totals.BytesRead, Seconds: time.Since(r.began).Seconds(),
	}
	r.reword(x)
	return x, nil
}

// before returns the sums of the run that has its receipt where this one will have it, nil when there is none to compare with.
func (r *run) before(x *receipt.Receipt) *receipt.Before {
	old, _ := r.earlier()
	if old == nil {
		return nil
	}
	b := x.Over(old)
	if b != nil { // an older version may have written words as they came
		b.Totals.Dropped = b.Totals.Dropped.Reword(r.opts.MaskText)
	}
	return b
}

// close checks a receipt against the records that were handed to each sink, and adds what a person should know.
func (r *run) close(x *receipt.Receipt, handed map[string]int64) error {
	if err := x.Check(handed); err != nil {
		return fmt.Errorf("the account of the run does not balance: %w", err)
	}
	x.Warnings = r.warn(x)
	if n := len(x.Warnings); r.opts.Strict && n == 1 {
		return finalError{fmt.Errorf("want no warning, since --strict is given, have one: %s", x.Warnings[0].Message)}
	} else if r.opts.Strict && n > 1 {
		return finalError{fmt.Errorf("want no warning, since --strict is given, have %d, the first: %s", n, x.Warnings[0].Message)}
	}
	x.Finished = time.Now()
	return nil
}

// report writes the reports of firsts and shadows and the timeline, and adds them and the graph to the receipt.
func (r *run) report(x *receipt.Receipt) (err error) {
	if x.Shadows, x.Firsts, err = r.plan.WriteReports(); err != nil {
		return err
	}
	for i := range x.Firsts {
		x.Firsts[i].Path = r.opts.MaskName(x.Firsts[i].Path)
	}
	for i := range x.Shadows {
		x.Shadows[i].Path = r.opts.MaskName(x.Shadows[i].Path)
	}
	if x.Timeline, err = r.plan.WriteTimeline(r.sampler.ended(r.heldBy())); err != nil {
		return err
	}
	if x.Timeline != nil {
		x.Timeline.Path = r.opts.MaskName(x.Timeline.Path)
	}
	r.draw(x)
	return nil
}

// draw adds the routes and the graph to the receipt.
func (r *run) draw(x *receipt.Receipt) {
	x.Routes, x.Graph = r.plan.RouteReports(), r.plan.Graph(r.opts.shown(r.secrets.Replace))
	for i := range x.Routes {
		x.Routes[i].Reword(r.opts.MaskText)
	}
}

func (r *run) inputs() (all []receipt.Input) {
	if r.subset != nil && r.subset.Inputs() != nil {
		return r.subset.Inputs()
	}
	for _, src := range r.plan.Sources {
		all = append(all, src.Inputs()...)
	}
	return all
}

// variables returns the values of the variables that have one, as a person would write them.
func (r *run) variables() map[string]string {
	all := map[string]string{}
	for _, v := range r.tree.Vars {
		if string(v.Value) == "null" {
			continue // has no text: an empty text is another value
		}
		text := string(v.Value)
		_ = json.Unmarshal(v.Value, &text) // a string goes without quotes
		all[v.Name] = r.opts.MaskName(text)
		if v.Sensitive {
			all[v.Name] = Sensitive
		}
	}
	return all
}

// defaults returns the names of the variables that have a value which nobody set.
func (r *run) defaults() (names []string) {
	for _, v := range r.tree.Vars {
		_, asked := r.opts.Vars[v.Name]
		_, fromEnv := r.opts.Env("SLUICE_VAR_" + v.Name)
		if !asked && !fromEnv && string(v.Value) != "null" {
			names = append(names, v.Name)
		}
	}
	return names
}

// plugin returns which program runs a step, with which attributes.
func (r *run) plugin(i int) (p receipt.Plugin, err error) {
	running := r.fleet.Steps[i]
	sum, err := running.Location.SHA256()
	if err != nil {
		return p, fmt.Errorf("step %s: %w", r.plan.Steps[i].Label(), err)
	}
	path := running.Location.Path
	if running.Location.BuiltIn {
		path = receipt.BuiltIn
	}
	args := sha256.Sum256([]byte(r.secrets.Replace(string(running.Args)))) // without secrets, which could be guessed from a hash
	p = receipt.Plugin{
		Step: r.plan.Steps[i].Label(), Name: running.Location.Name, Version: running.Version, Path: r.opts.MaskName(path), SHA256: sum,
		Arguments: hex.EncodeToString(args[:]),
	}
	if running.Location.BuiltIn && r.opts.Code != nil {
		p.Code, p.SDK = r.opts.Code(p.Name)
	}
	return p, nil
}

// steps adds to the receipt what each step did, and which program ran it.
func (r *run) steps(x *receipt.Receipt) error {
	for i, step := range r.plan.Steps {
		running := r.fleet.Steps[i]
		p, err := r.plugin(i)
		if err != nil {
			return err
		}
		x.Plugins = append(x.Plugins, p)
		account := stepAccount(step)
		account.Private = running.Info.Private
		account.Workers = len(running.Chain.Stages())
		if running.Index == 0 {
			account.Restarts = running.Chain.Restarts()
			account.CPUSeconds = running.Chain.Ended().CPU.Seconds()
		}
		switch {
		case !running.Location.BuiltIn:
			account.Rejected.Means, account.Dropped.Means = meant(running.Info.Codes, account.Rejected), meant(running.Info.Drops, account.Dropped)
		case r.opts.Facts != nil:
			account.Facts = r.opts.Facts(running.Location.Name, running.Args)
		}
		x.Steps = append(x.Steps, account)
	}
	return nil
}

// meant returns what a plugin says of the codes or reasons that were counted.
func meant(all map[string]string, b receipt.Breakdown) map[string]string {
	var some map[string]string
	for name := range b.By {
		if text := all[name]; text != "" {
			if some == nil {
				some = map[string]string{}
			}
			some[name] = text
		}
	}
	return some
}

func stepAccount(step *plan.Step) receipt.StepAccount {
	f := step.Account.Snapshot()
	s := receipt.StepAccount{
		Name: step.Label(), Plugin: step.Type, In: f.In, Out: f.Out, Extra: f.Extra,
		Dropped: receipt.Sum(f.Dropped), Rejected: receipt.Sum(f.Rejected), Declined: receipt.Sum(f.Declined),
		BytesIn: f.BytesIn, BytesOut: f.BytesOut, BusySeconds: f.Busy.Seconds(), Counts: f.Counts,
		Drops: f.Drops, Unwanted: f.Unwanted, Deprecated: step.Deprecated, Candidate: step.Candidate,
	}
	if step.Ranked {
		s.First, s.Last = f.Accepted.Ends()
	}
	return s
}

// outputs adds the files on disk to the receipt, and returns how many records the run passed to each sink.
func (r *run) outputs(x *receipt.Receipt, files []output.File) map[string]int64 {
	handed, about := map[string]int64{}, map[string]*plan.Sink{}
	r.tables = map[string]output.File{}
	for _, sink := range r.plan.Sinks {
		handed[sink.Name] = sink.Written.Load()
		about["sink "+sink.Name] = sink
	}
	for _, f := range files {
		sink := about[f.Claim.What]
		out := receipt.Output{
			Path: r.opts.MaskName(f.Path), Records: f.Records, Bytes: f.Bytes, Sum: f.Sum,
			After: sink.After, Side: sink.Side, Sink: sink.Name, Partial: r.subset != nil, Lengths: map[string]int64{},
		}
		for bound, n := range f.Lengths {
			out.Lengths[strconv.FormatInt(bound, 10)] = n
		}
		if f.Origins != nil {
			out.Origins = &receipt.Sidecar{Path: r.opts.MaskName(f.Origins.Path), Sum: f.Origins.Sum}
		}
		if len(f.AsJSON)+len(f.Unmet) > 0 { // all files of a sink have the same columns
			r.tables[sink.Name] = f
		}
		x.Outputs = append(x.Outputs, out)
		x.Totals.BytesWritten += f.Bytes
	}
	return handed
}
