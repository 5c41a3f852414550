package plan

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/source"
)

// failure returns an error of the source with its name and the place of the path in the pipeline file, as far as it is known which.
// Errors that are joined stay so, each with its place.
func (src *Source) failure(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, src.failure(one))
		}
		return errors.Join(all...)
	}
	attr := "paths"
	if len(src.opts.Paths) == 1 {
		attr = "paths.0"
	}
	if bad, ok := errors.AsType[*source.BadPath](err); ok {
		attr = fmt.Sprintf("paths.%d", bad.Index)
	}
	err = fmt.Errorf("source %s: %w", src.Label(), err)
	if src.place == nil {
		return err
	}
	return fmt.Errorf("%s%w", src.place(attr), err)
}

// checkRepeated warns of each path of a source that leads where one before it does: a source reads a file once.
func (p *Plan) checkRepeated() (diags config.Diagnostics) {
	if p.opts.Inputs != nil {
		return nil
	}
	for _, src := range p.Sources {
		named := map[string]bool{}
		for i, path := range src.opts.Paths {
			plain := plainPath(path)
			if named[plain] {
				diags = append(diags, p.tree.At(src.config.Args, fmt.Sprintf("paths.%d", i), fmt.Sprintf("source %s names %s twice", src.Label(), src.mask(path)),
					"it is read once; to have its records twice, read it with two sources").AsWarning())
			}
			named[plain] = true
		}
	}
	return diags
}

// plainPath returns the one spelling of a path that all its spellings share.
func plainPath(path string) string {
	if places.Remote(path) {
		return path
	}
	return filepath.Clean(path)
}
