package host

import (
	"fmt"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
)

// LoadGraph reads a pipeline file to be drawn, with the counts of a run of that file unless run is nil. It starts nothing, and
// leaves out what needs variables without a value.
func LoadGraph(path string, run *receipt.Receipt, opts Options) (*receipt.Graph, error) {
	opts = opts.WithDefaults()
	given := opts.Given(path)
	given.Draft = true
	tree, diags := config.Load(path, given)
	switch {
	case diags.HasErrors():
		return nil, diags
	case run == nil:
		return plan.Draw(tree, opts.shown(hiding(tree.Secrets()).Replace)), nil
	case run.Pipeline.SHA256 != tree.SHA256:
		return nil, fmt.Errorf("want the receipt of a run of %s as it is now, have one of another file or of an earlier version", path)
	case run.Graph == nil:
		return nil, fmt.Errorf("want a receipt with the records at each place of %s, have one of sluice %s, which did not count them", path, run.Sluice)
	}
	return run.Graph, nil
}

// shown returns how names and texts of the file are shown, since some are secret.
func (o Options) shown(hide func(string) string) plan.Masks {
	return plan.Masks{Name: func(name string) string { return o.MaskName(hide(name)) }, Text: hide}
}
