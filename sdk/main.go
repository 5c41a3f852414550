package sdk

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// Main serves plugins to the host that started this process, and does not return. Output to stdout and stderr appears
// in the host's messages under the step's name. A plugin that Validate refuses ends the process with code 2.
func Main(plugins ...Plugin) {
	if err := validate(plugins); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	rpc.Serve(Host(plugins...))
	os.Exit(0)
}

func validate(plugins []Plugin) error {
	var bad []error
	if len(plugins) == 0 {
		bad = append(bad, errors.New("want a plugin to serve, have none"))
	}
	for i, p := range plugins {
		bad = append(bad, p.Validate())
		if slices.ContainsFunc(plugins[:i], func(q Plugin) bool { return q.Name == p.Name }) {
			bad = append(bad, fmt.Errorf("plugin %q: want one of that name, have two", p.Name))
		}
	}
	return errors.Join(bad...)
}

// Host gives what a host needs of plugins that are to run in its own process. It is for hosts and test kits.
func Host(plugins ...Plugin) wire.Provider {
	provider := wire.Provider{Version: version()}
	for _, p := range plugins {
		provider.Plugins = append(provider.Plugins, p.info())
	}
	provider.Open = func(req wire.OpenRequest) (wire.Worker, []wire.ArgError) {
		i := slices.IndexFunc(plugins, func(p Plugin) bool { return p.Name == req.Plugin })
		if i < 0 {
			return nil, []wire.ArgError{{Message: fmt.Sprintf("want a plugin of this program, have %q", req.Plugin)}}
		}
		return plugins[i].open(req)
	}
	return provider
}

func (p Plugin) info() wire.Info {
	return wire.Info{
		Name: p.Name, Doc: p.Doc, Ordered: p.Ordered, Private: p.Private,
		Outputs: p.Outputs, Labels: p.Labels, Args: describe(p.Args),
	}
}

func (p Plugin) open(req wire.OpenRequest) (wire.Worker, []wire.ArgError) {
	args := Args{json: string(req.Args), declared: p.Args, Worker: req.Worker}
	if p.Args == nil {
		if err := args.Decode(&struct{}{}); err != nil {
			return nil, ArgErrors(err)
		}
	}
	proc, err := p.New(args)
	if err != nil {
		return nil, ArgErrors(err)
	}
	if proc == nil {
		return nil, []wire.ArgError{{Message: "want a processor from New, have nil"}}
	}
	return &worker{plugin: p, proc: proc, poison: req.Poison, readings: &readings{}}, nil
}

// version is the main module's, as the Go tool stamped it into the binary.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
