package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// An Info is what a plugin says of itself: its attributes, outputs, labels, and the codes of its rejects. A kind of source
// or sink says the same in it.
type Info = wire.Info

// An Arg is one attribute that a plugin, source or sink takes.
type Arg = wire.Arg

// A Description is what a plugin says of itself, and where it is.
type Description struct {
	Info
	Path    string // of the executable; BuiltIn for a plugin of this program
	Version string // of the program
}

// Describe finds a plugin as the steps of a pipeline file would find it, and asks what it is. A program that is not built in is
// started for that. The pipeline may be empty: the plugin is looked for where the command runs then, and nothing is pinned.
func Describe(ctx context.Context, name, pipeline string, opts Options) (*Description, error) {
	opts = opts.WithDefaults()
	finder, err := opts.finder(pipeline)
	if err != nil {
		return nil, err
	}
	lo := opts.launch(finder.Dir, plan.CorpusLimit, plan.MinDepth)
	lo.Finder = finder
	d, err := launch.Describe(ctx, lo, name)
	if missing, ok := errors.AsType[*launch.NotFound](err); ok {
		if near := config.Nearest(name, missing.Known); near != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		}
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

// PluginNames are the plugins that the steps of a pipeline file could name, sorted. The pipeline may be empty, as for
// Describe.
func PluginNames(pipeline string, opts Options) ([]string, error) {
	finder, err := opts.WithDefaults().finder(pipeline)
	if err != nil {
		return nil, err
	}
	builtIns := sdk.Host(opts.BuiltIns...)
	return finder.Names(&builtIns), nil
}

// finder looks for plugins as the steps of a pipeline file do.
func (o Options) finder(pipeline string) (launch.Finder, error) {
	f := o.launch(cmp.Or(filepath.Dir(pipeline), "."), 0, 0).Finder
	if pipeline == "" {
		var err error
		f.Lock, err = locked(f.Dir)
		return f, err
	}
	tree, diags := config.Load(pipeline, config.Given{Vars: o.Vars, Env: o.Env, Draft: true})
	if diags.HasErrors() {
		return f, diags
	}
	var err error
	f.Dir, f.Pins = tree.Dir, plan.Pins(tree)
	f.Lock, err = locked(f.Dir)
	return f, err
}

// Proto is the text of the messages between host and plugins, from which code for any language is generated.
var Proto = wire.Proto

// Sources describe the kinds of sources, by name.
func Sources() []Info { return plan.Sources() }

// Sinks describe the kinds of sinks, by name.
func Sinks() []Info { return plan.Sinks() }

// docsOf is how the command docs finds a plugin as the file does.
func (p *Pipeline) docsOf(plugin string) string {
	if _, pinned := p.tree.Plugins[plugin]; pinned {
		return plugin + " --pipeline " + p.tree.Path
	}
	return plugin
}
