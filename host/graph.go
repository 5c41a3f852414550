package host

import (
	"fmt"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
)

// LoadGraph reads a pipeline file to be drawn. With the receipt of a run of that file it is the pipeline as it ran; nil draws it
// without counts. It starts nothing. Variables need no values; what needs them is left out then.
func LoadGraph(path string, of *receipt.Receipt, opts Options) (*receipt.Graph, error) {
	opts = opts.WithDefaults()
	tree, diags := config.Load(path, config.Given{Vars: opts.Vars, Env: opts.Env, Draft: true})
	switch {
	case diags.HasErrors():
		return nil, diags
	case of == nil:
		return plan.Draw(tree, opts.shown(hiding(tree.Secrets()).Replace)), nil
	case of.Pipeline.SHA256 != tree.SHA256:
		return nil, fmt.Errorf("want the receipt of a run of %s as it is now, have that of another file, or of this one before it was changed", path)
	case of.Graph == nil:
		return nil, fmt.Errorf("want a receipt that counts the records at each place of %s, have one of sluice %s, which did not", path, of.Sluice)
	}
	return of.Graph, nil
}

// shown are the forms in which a person may see what stands in a file, some of it secret.
func (o Options) shown(hide func(string) string) plan.Masks {
	return plan.Masks{Name: func(name string) string { return o.MaskName(hide(name)) }, Text: hide}
}
