package receipt

import (
	"os"

	"github.com/sluicehq/sluice/host/internal/places"
)

// A File is a file that a run wrote, by its path in the receipt.
type File struct {
	Path string
	What string // as in "an output"
}

// Files returns all files that the run wrote besides the receipt and the page.
func (r *Receipt) Files() (all []File) {
	for _, o := range r.Outputs {
		all = append(all, File{o.Path, "an output"})
		if o.Origins != nil {
			all = append(all, File{o.Origins.Path, "the origins of an output's rows"})
		}
	}
	if r.Timeline != nil {
		all = append(all, File{r.Timeline.Path, "the timeline"})
	}
	for _, x := range r.Reports {
		what := "the manifest"
		if x.What != ManifestReport {
			what = "the report of " + x.What
		}
		all = append(all, File{x.Path, what})
	}
	return all
}

// Uses returns what a path is to the run whose receipt is at another: a file that it wrote or read, as in "an output"; "" when it is none.
func (r *Receipt) Uses(at, path string) string {
	all := append([]File{{at, "the receipt"}, {r.Pipeline.Path, "the pipeline"}}, r.Files()...)
	for _, in := range r.Inputs {
		all = append(all, File{in.Name, "an input"})
	}
	if places.Remote(path) {
		for _, f := range all {
			if near, _ := r.Place(places.Dir(at), f.Path); path == f.Path || path == near {
				return f.What
			}
		}
	}
	target, err := os.Stat(path)
	if err != nil {
		return "" // a path that cannot be written fails later
	}
	for _, f := range all {
		near, _ := r.Locate(places.Dir(at), f.Path) // empty when it is nowhere
		for _, name := range []string{f.Path, near} {
			if info, err := os.Stat(name); err == nil && !info.IsDir() && os.SameFile(info, target) {
				return f.What
			}
		}
	}
	return ""
}
