// Package registry says which plugins, kinds of sources and kinds of sinks a pipeline file can name, and locks its plugins to the
// programs that they are.
package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/nearest"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Description is what a plugin says about itself, and where its program is.
type Description struct {
	wire.Info
	Path    string // of the executable; receipt.BuiltIn for a plugin of this program
	Version string // of the program
}

// Describe finds a plugin as the steps of a pipeline file do, and asks what it is. A program that is not built in is started for
// that. Without a pipeline the plugin is looked for in the working directory, and nothing is pinned.
func Describe(ctx context.Context, name, pipeline string, opts host.Options) (*Description, error) {
	opts = opts.WithDefaults()
	f, err := finder(pipeline, opts)
	if err != nil {
		return nil, err
	}
	d, err := launch.Describe(ctx, opts.Launch(f), name)
	if missing, ok := errors.AsType[*launch.NotFound](err); ok {
		if near := nearest.Word(name, missing.Known); near != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		}
	}
	if _, ok := errors.AsType[*launch.Untrusted](err); ok {
		err = fmt.Errorf("%w: look at it, then run \"sluice trust .\", which trusts all programs that the pipelines of this folder name, or pass --trust for this command only", err)
	}
	if err != nil {
		return nil, err
	}
	found := &Description{Info: d.Info, Path: d.Location.Path, Version: d.Version}
	if d.Location.BuiltIn {
		found.Path = receipt.BuiltIn
	}
	return found, nil
}

// A NotFound is the error of a plugin that does not exist.
type NotFound = launch.NotFound

// Names returns the plugins that the steps of a pipeline file can name, sorted. The pipeline may be empty, as for Describe.
func Names(pipeline string, opts host.Options) ([]string, error) {
	f, err := finder(pipeline, opts.WithDefaults())
	if err != nil {
		return nil, err
	}
	builtIns := sdk.Host(opts.BuiltIns...)
	return f.Names(&builtIns), nil
}

// finder returns what finds plugins as the steps of a pipeline file do.
func finder(pipeline string, opts host.Options) (launch.Finder, error) {
	if pipeline == "" {
		return plan.Finder(".")
	}
	given := opts.Given(pipeline)
	given.Draft = true
	tree, diags := config.Load(pipeline, given)
	if diags.HasErrors() {
		return launch.Finder{}, diags
	}
	f, err := plan.Finder(tree.Dir)
	f.Pins = plan.Pins(tree)
	return f, err
}

// Sources describes the kinds of sources, by name.
func Sources() []wire.Info { return plan.SourceKinds() }

// Sinks describes the kinds of sinks, by name.
func Sinks() []wire.Info { return plan.SinkKinds() }
