package launch

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// A Description is what a plugin says of itself, and where it is.
type Description struct {
	wire.Info
	Location Location
	Version  string // of the program
}

// Describe finds a plugin and asks it what it is. A program that is not built in is started for that, and ended.
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
	s := &Chain{Step: &Step{Request: Request{Name: name, Plugin: name}, Location: found, opts: &opts}}
	about, err := s.describeProgram(ctx)
	if err != nil {
		return nil, fmt.Errorf("plugin %s (%s): %w", name, found.Path, err)
	}
	info, ok := about.Plugin(found.Name)
	if !ok {
		return nil, notCalled(found, about)
	}
	d.Info, d.Version = info, about.Version
	return d, nil
}

// ask starts a process of the crew's program, without memory and workers, only to hear what it is.
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

// meet starts a process and hears what the program is.
func (p *process) connect(ctx context.Context, cmd *exec.Cmd) (*rpc.Client, *rpc.Description, error) {
	protocol, err := p.handshake(ctx, cmd)
	if err != nil {
		return nil, nil, err
	}
	client, err := rpc.Dispense(protocol)
	if err != nil {
		return nil, nil, err
	}
	describing, stop := withTimeout(p.ctx, startTimeout, fmt.Errorf("want it to describe itself within %v, have no answer", startTimeout))
	defer stop()
	about, err := client.Describe(describing)
	if err != nil {
		return nil, nil, p.callError(describing, err, wire.Spot{Record: -1})
	}
	return client, about, nil
}

// notCalled says that a program serves other plugins than was thought.
func notCalled(found Location, about *rpc.Description) error {
	var names []string
	for _, p := range about.Plugins {
		names = append(names, strconv.Quote(p.Name))
	}
	return fmt.Errorf("want plugin %q at %s, have one that calls itself %s", found.Name, found.Path, strings.Join(names, " and "))
}

// Names are those of all plugins that a pipeline could name.
func (f *Finder) Names(builtIns *wire.Provider) []string { return f.known(builtIns) }
