package plan

import (
	"fmt"
	"os"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/receipt"
)

// named returns the path that this run has for one of the whole run. Standard output, pipes and devices have no other name.
func (p *Plan) named(path string) string {
	if p.opts.Part == nil || path == "" || path == "-" {
		return path
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return path
	}
	return p.opts.Part.PathOf(path)
}

// partName names a part for its outputs, "" when the run is whole.
func partName(p *receipt.Part) string {
	if p == nil {
		return ""
	}
	return p.String()
}

// cut has the sources read the share of the part alone.
func (p *Plan) cut() error {
	if p.opts.Part == nil {
		return nil
	}
	var total int64
	var inputs []receipt.Input
	var cuts []*source.Cut
	var diags config.Diagnostics
	for _, src := range p.Sources {
		if src.silent {
			continue
		}
		files, endless, err := source.Stamps(src.opts.Paths, src.opts.Optional)
		if err != nil {
			return src.failure(err)
		}
		if endless != "" {
			diags = append(diags, p.tree.At(src.config.Args, "paths", "source "+src.Label()+" cannot be read in parts",
				fmt.Sprintf("want files, whose sizes say where a part begins, have %s", src.mask(endless))))
		}
		c := &source.Cut{Part: *p.opts.Part, Before: total, Files: len(inputs)}
		if p.receipt != nil {
			c.Lines = func(key string) string { return output.LinesPath(p.receiptPath(), key) }
		}
		src.opts.Cut, cuts = c, append(cuts, c)
		for _, f := range files {
			total += f.Size
			share := &receipt.Share{Size: f.Size, Modified: f.Modified}
			inputs = append(inputs, receipt.Input{Name: src.mask(f.Name), Source: src.name(), Share: share})
		}
	}
	for _, c := range cuts {
		c.Total = total
	}
	if len(diags) > 0 {
		return diags
	}
	p.Part = &receipt.PartAccount{
		Part: *p.opts.Part, Files: len(inputs), Bytes: total, SHA256: receipt.HashInputs(inputs), Limits: p.limits(), Rotates: map[string]receipt.Rotation{}, Tables: map[string]receipt.Table{},
	}
	for _, sink := range p.Sinks {
		if sink.rotates != (output.Rotate{}) {
			p.Part.Rotates[sink.Name] = receipt.Rotation(sink.rotates)
		}
		if t := sink.table; t.Columns != nil || t.Groups != (parquet.Limits{}) {
			told := receipt.Table{Columns: map[string]string{}, RowGroup: receipt.Rotation(t.Groups)}
			for path, typ := range t.Columns {
				told.Columns[path] = string(typ)
			}
			p.Part.Tables[sink.Name] = told
		}
	}
	return nil
}

// limits returns the limits of the file, which merging the parts holds the whole run to.
func (p *Plan) limits() (all []receipt.Limit) {
	add := func(what string, l limit.Limit) {
		if l.String() != "" {
			all = append(all, receipt.Limit{What: what, Most: l.String()})
		}
	}
	if d := p.tree.DeadLetter; d != nil {
		add(receipt.DeadLetter, d.Limit)
	}
	for _, c := range p.Shadows {
		add(c.Name, c.Limit)
	}
	return all
}

// checkPart reports the steps that a part cannot run.
func (p *Plan) checkPart(fleet *launch.Fleet) (diags config.Diagnostics) {
	for i, step := range p.Steps {
		what := "step " + step.Label() + " cannot run in parts"
		switch {
		case p.opts.Part == nil:
		case p.draws(step) != "":
			diags = append(diags, p.tree.AtArg(step.Step, p.draws(step), what, "each part draws another "+p.draws(step)+"; set a key of your own, or run the pipeline without --part"))
		case fleet.Steps[i].Info.Ordered:
			diags = append(diags, p.tree.AtRange(step.Range, what,
				"plugin "+step.Type+" keeps state from record to record, so it needs all records in order; "+
					"run the pipeline without --part, or this step in a pipeline of its own on what the parts have written"))
		}
	}
	return diags
}
