package launch

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// A Description is a plugin's own description, with its location.
type Description struct {
	wire.Info
	Location Location
	Version  string // of the program
}

// Describe finds a plugin and returns its description. For that it starts and stops a program that is not built in.
func Describe(ctx context.Context, opts Options, name string) (*Description, error) {
	found, err := opts.Finder.Find(name, &opts.BuiltIns)
	if err != nil {
		return nil, err
	}
	d := &Description{Location: found, Version: opts.BuiltIns.Version}
	if found.BuiltIn {
		d.Info, _ = opts.BuiltIns.Plugin(found.Name)
		return d, nil
	}
	defer found.program.file.Close()
	c := &Chain{Step: &Step{Request: Request{Name: name, Plugin: name}, Location: found, opts: &opts}}
	about, err := c.describeProgram(ctx)
	if err != nil {
		return nil, fmt.Errorf("plugin %s (%s): %w", name, found.Path, err)
	}
	d.Info, err = served(found, about)
	d.Version = about.Version
	if err != nil {
		return nil, err
	}
	return d, nil
}

// describeProgram starts the chain's program, without memory and workers, for its description.
func (c *Chain) describeProgram(ctx context.Context) (*rpc.Description, error) {
	p := c.newProcess()
	if err := c.Location.verify(); err != nil {
		return nil, err
	}
	cmd, _, err := p.command()
	if err != nil {
		return nil, err
	}
	defer p.stop(context.Canceled)
	stop := context.AfterFunc(ctx, func() { p.cancel(context.Cause(ctx)) })
	defer stop()
	_, about, err := p.connect(ctx, cmd)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return about, err
}

// served returns the description of the plugin at a location.
func served(found Location, about *rpc.Description) (wire.Info, error) {
	if info, ok := about.Plugin(found.Name); ok {
		return info, nil
	}
	var names []string
	for _, p := range about.Plugins {
		names = append(names, strconv.Quote(p.Name))
	}
	return wire.Info{}, fmt.Errorf("want plugin %q at %s, have one that calls itself %s", found.Name, found.Path, strings.Join(names, " and "))
}
