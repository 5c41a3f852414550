package receipt

import (
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
)

// Listed returns the outputs and reports that the receipt at a path lists, at their Places; none when there is no receipt of a finished run.
func Listed(path string) (all []output.Listed) {
	if info, err := places.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	r, err := Read(path)
	if err != nil {
		return nil
	}
	for _, o := range r.Outputs {
		l := output.Listed{Sink: o.Sink, Bytes: o.Bytes, Sum: o.Sum}
		l.Path, _ = r.Place(places.Dir(path), o.Path)
		if o.Origins != nil {
			l.Origins = o.Origins.Sum
		}
		all = append(all, l)
	}
	for _, x := range r.Reports {
		at, _ := r.Place(places.Dir(path), x.Path)
		all = append(all, output.Listed{Path: at, Sum: x.Sum})
	}
	return all
}

// WarnFurther warns of the files that stay behind the last one of a sink that rotates, and of those that no receipt will list. show returns
// the form in which a path is shown.
func WarnFurther(files []output.Further, show func(string) string) (all []Warning) {
	for len(files) > 0 {
		what, replaced := files[0].Claim.What, files[0].Replaced
		more := slices.IndexFunc(files, func(f output.Further) bool { return f.Claim.What != what || f.Replaced != replaced })
		if more < 0 {
			more = len(files)
		}
		stay := "stays"
		if more > 1 {
			stay = fmt.Sprintf("and others, %d in all, stay", more)
		}
		code, text := "further_files", fmt.Sprintf("%s: %s %s behind its last file, since the receipt that this run replaces lists no such bytes: whoever reads all files with these names takes it for this run's", what, show(files[0].Path), stay)
		if replaced {
			code, text = "no_receipt", fmt.Sprintf("%s: %s %s without a receipt, since this run takes the place of the one that wrote it: move it away, or run with --replace", what, show(files[0].Path), stay)
		}
		all = append(all, Warning{Code: code, Message: text})
		files = files[more:]
	}
	return all
}
