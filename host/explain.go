package host

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/plan"
)

// A Pick says which records are explained: those of Records, or the first Count of the sources that Match.
type Pick struct {
	Records []Wanted
	Match   func(record []byte) bool
	Count   int
}

// A Wanted record stands at a line of a file, which the pipeline's source reads; the first of a file has line 0 too, and "-" is
// standard input. One with JSON is taken as it is instead, as if it stood there.
type Wanted struct {
	File string
	Line int64
	JSON []byte
}

// An Explanation is what became of some records at every place of a pipeline.
type Explanation struct {
	Records []*Explained
	Last    []Passage // what steps said after the last record
}

// An Explained is one record of the input.
type Explained struct {
	File     string
	Line     int64
	Read     State     // as the source gave it
	Passages []Passage // in the order of the file, and in each place in the order in which things came there
}

// A State is what a record is at one place.
type State struct {
	JSON   []byte // nil when nobody told it, since it is too large
	Size   int
	Labels map[string]string
}

// A Passage is what one place made of one thing that came there from a record.
type Passage struct {
	Kind, Name string   // as the block in the file: "step" and "privacy.redact"; the dead letter has no name
	Within     []string // the blocks around it, as "first shape"
	Plugin     string
	Private    bool // it takes out what is private
	Ordered    bool // it keeps state from record to record, of which there is none here

	In      State
	Verdict string  // unchanged, emitted, dropped, rejected or declined; of a route or a sink none
	Out     []State // with emitted
	Code    string  // with rejected
	Means   string  // likewise: what the plugin says of the code
	Path    string  // likewise
	Message string  // with dropped, rejected and declined
	Rows    []Beside
	Counts  map[string]int64 // of all that came there with it
	Way     string           // of a route: the case that it took, as `case "train"`, or default or none
	Lands   string           // of a sink: the file, as the pipeline names it
}

// A Beside is a row of a step for one of its outputs.
type Beside struct {
	Output string
	JSON   []byte
}

// Explain sends records through the pipeline, each by itself, and tells what every place made of them. Nothing is written but
// into a folder that is removed. With an error the explanation tells how far the records came, and may be nil.
func (p *Pipeline) Explain(ctx context.Context, pick Pick) (*Explanation, error) {
	dir, err := os.MkdirTemp("", "sluice-explain-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	t := newTracer(p.tree, pick)
	r := &run{Pipeline: p, began: time.Now()}
	var diags Diagnostics
	r.plan, diags = plan.New(p.tree, plan.Options{
		Run: "explain0", NoReceipt: true, Stdin: p.opts.Stdin, Mask: p.opts.MaskName, Root: dir, Inputs: pick.inputs(p),
		Trace: &plan.Trace{Step: t.step, Route: t.route, Written: t.written},
	})
	err = r.explain(ctx, diags, t)
	return t.explanation(), p.hide(errors.Join(err, r.plan.Abort()))
}

// explain runs the plan for what t picks.
func (r *run) explain(ctx context.Context, diags Diagnostics, t *tracer) (err error) {
	if len(diags) == 0 {
		if err := r.plan.Open(ctx); err != nil {
			return err
		}
	}
	if r.fleet, r.warnings, err = r.start(ctx, r.plan, diags); err != nil {
		return err
	}
	defer r.fleet.Abort()
	for i, u := range r.plan.Uses {
		t.about[u] = r.fleet.Steps[i].Info
	}
	way := r.plan.Flow(r.fleet)
	way.Sources = t.pickers(way.Sources, r.fleet.Source, r.opts.MaskName)
	if err := flow.Run(ctx, way); err != nil {
		return err
	}
	return errors.Join(t.missing(), r.fleet.Close(ctx))
}

// inputs are the files that hold what is wanted, by the source that reads them; nil when every source reads its own.
func (k *Pick) inputs(p *Pipeline) map[string][]string {
	if k.Match != nil {
		return nil
	}
	inputs := map[string][]string{}
	for _, w := range k.Records {
		if w.JSON != nil {
			continue
		}
		name := plan.SourceOf(p.tree, w.File)
		if !slices.Contains(inputs[name], w.File) {
			inputs[name] = append(inputs[name], w.File)
		}
	}
	return inputs
}

// DeadLetter is the path at which a run of the pipeline leaves its rejects. The error is of type Diagnostics when the file
// has mistakes.
func (p *Pipeline) DeadLetter() (string, error) {
	pl, diags := p.plan("rejects0")
	if err := pl.Abort(); err != nil {
		return "", err
	}
	if diags.HasErrors() {
		return "", diags
	}
	return pl.DeadLetter(), nil
}
