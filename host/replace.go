package host

import (
	"fmt"

	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// mayReplace returns why a run must not take the place of the one whose receipt lies where its own goes: that one is of another pipeline, and
// has written files that would stay without a receipt. Of the same pipeline it is a warning at the end, so only a strict run is refused.
// No record has been read.
func (r *run) mayReplace() error {
	old, path := r.earlier()
	if old == nil || r.opts.Replace {
		return nil
	}
	same := old.Pipeline.Is(receipt.Pipeline{Path: r.opts.MaskName(r.tree.Path), SHA256: r.tree.SHA256})
	if same && !r.opts.Strict {
		return nil
	}
	var paths []string
	for _, o := range old.Outputs {
		paths = append(paths, o.Path)
	}
	for _, x := range old.Reports {
		paths = append(paths, x.Path)
	}
	for _, of := range paths {
		at, _ := old.Place(places.Dir(path), of)
		if !r.plan.Set.Spares(at) {
			continue
		}
		if same {
			return fmt.Errorf("%s: want the receipt of a run that wrote no other files than this one, since --strict is given, have one whose %s would stay "+
				"without a receipt: move it away, write into another folder, or run with --replace", r.opts.MaskName(path), r.opts.MaskName(at))
		}
		return fmt.Errorf("%s: want the receipt of a run of %s, have one of %s, whose %s would stay without a receipt: "+
			"write into another folder, or run with --replace", r.opts.MaskName(path), r.opts.MaskName(r.tree.Path), old.Pipeline.Path, r.opts.MaskName(at))
	}
	return nil
}

// earlier returns the receipt of the run whose place this one takes, and where it lies; nil when there is none that can be read.
func (r *run) earlier() (old *receipt.Receipt, path string) {
	path = r.plan.ReceiptPath()
	if path == "" {
		return nil, ""
	}
	if info, err := places.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, ""
	}
	old, err := receipt.Read(path)
	if err != nil || old.Run == "" {
		return nil, ""
	}
	return old, path
}
