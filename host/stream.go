package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
)

// Stream moves every record from Options.Stdin, JSON lines, through the pipeline, as if a source had read them, and writes the rows of all sinks and
// the dead letter to Options.Stdout, each as soon as it is there, on a line {"sink":NAME,"line":LINE,"record":ROW}, of the dead letter with
// "reject". The rows of each sink are in the order of the records. No file is written. The pipeline was loaded with Inputs. source is NAME or
// TYPE.NAME, and may be empty when the pipeline has one source; the others read nothing.
func (p *Pipeline) Stream(ctx context.Context, source string) (*Result, error) {
	name, diags := plan.StreamSource(p.tree, source)
	if diags != nil && !p.tree.Mistaken {
		return nil, diags
	}
	into := *p
	into.opts.Inputs = map[string][]string{name: {"-"}}
	r := into.newRun(nil)
	into.opts.Root, into.opts.NoReceipt = filepath.Join(os.TempDir(), "sluice-stream-"+r.id), true // nothing is made there
	o := into.planOptions(r.id)
	o.Stream = true
	r.plan, diags = plan.New(p.tree, o)
	result, err := r.stream(ctx, diags)
	return result, p.hide(errors.Join(err, r.plan.Abort()))
}

func (r *run) stream(ctx context.Context, diags Diagnostics) (_ *Result, err error) {
	if err := r.mayStart(); err != nil {
		return nil, err
	}
	if len(diags) == 0 && !r.tree.Mistaken {
		if err := r.plan.OpenSources(); err != nil {
			return nil, err
		}
	}
	if r.fleet, r.warnings, err = r.start(ctx, r.plan, diags, false); err != nil {
		return nil, err
	}
	defer r.fleet.Abort()
	if err := flow.Run(ctx, r.plan.Flow(r.fleet)); err != nil {
		return nil, err
	}
	if err := r.fleet.Close(ctx); err != nil {
		return nil, err
	}
	x, err := r.sums()
	if err != nil {
		return nil, err
	}
	r.draw(x)
	if err := r.close(x, r.streamed(x)); err != nil {
		return nil, err
	}
	return &Result{Receipt: x, FirstOut: r.plan.Totals.FirstWritten(), Progress: r.progress()}, nil
}

// streamed adds what went to standard output to the receipt, by sink, and returns how many records the run passed to each.
func (r *run) streamed(x *receipt.Receipt) map[string]int64 {
	handed := map[string]int64{}
	for _, sink := range r.plan.Sinks {
		n := sink.Written.Load()
		handed[sink.Name] = n
		x.Outputs = append(x.Outputs, receipt.Output{Path: "-", Records: n, Bytes: sink.Bytes(), After: sink.After, Side: sink.Side, Sink: sink.Name})
		x.Totals.BytesWritten += sink.Bytes()
	}
	return handed
}
