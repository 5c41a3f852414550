package conformance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A manner is how records come to the plugin.
type manner struct {
	inline, poison, slow bool
	workers              int // 0: one
	batch                int // records; 0: all
}

// options are for processes of the target alone.
func (t *trial) options(m manner) launch.Options {
	o := t.launch
	o.Finder = launch.Finder{Pins: map[string]launch.Pin{t.Name: {Path: t.Path}}}
	o.Inline, o.Poison = o.Inline || m.inline, m.poison
	o.Env = t.Env
	o.Log = func(string, string) {}
	return o
}

// open starts a process with workers. What is wrong with the attributes comes as problems.
func (t *trial) open(ctx context.Context, args []byte, m manner) (*launch.Fleet, []launch.Problem, error) {
	return launch.Start(ctx, t.options(m), []launch.Request{{
		Name: t.Name, Plugin: t.Name, Args: args, Workers: max(1, m.workers), Timeout: t.Timeout, Alone: true,
	}})
}

// opened starts a process with the attributes of the target.
func (t *trial) opened(ctx context.Context, m manner) (*launch.Fleet, error) {
	fleet, problems, err := t.open(ctx, t.Args, m)
	if len(problems) > 0 {
		p := problems[0]
		err = fmt.Errorf("%s; --arg gives attributes that it opens with", strings.TrimPrefix(p.Attr+": "+p.Message, ": "))
	}
	return fleet, err
}

// ended takes in how the processes of a fleet ended, which was closed.
func (t *trial) ended(fleet *launch.Fleet) {
	for _, c := range fleet.Chains {
		t.printed += c.StdoutLines()
		t.ends++
		if how := c.Exit(); how != "exit status 0" {
			t.badEnd = how
		}
	}
}

var (
	pluginName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	snakeCase  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

func (t *trial) describe(ctx context.Context) (*launch.Description, error) {
	ctx, stop := t.within(ctx)
	defer stop()
	return launch.Describe(ctx, t.options(manner{}), t.Name)
}

func description(ctx context.Context, t *trial) error {
	d, err := t.describe(ctx)
	if err != nil {
		t.silent = notFor("it does not describe itself")
		return err
	}
	var bad []error
	if !pluginName.MatchString(d.Name) {
		bad = append(bad, fmt.Errorf("want a name of lower-case letters, digits, _ and -, have %q", d.Name))
	}
	if d.Doc == "" {
		bad = append(bad, errors.New("want a sentence in doc, have none"))
	}
	for code := range d.Codes {
		if !snakeCase.MatchString(code) {
			bad = append(bad, fmt.Errorf("want codes in snake_case, have %q", code))
		}
	}
	for _, name := range append(d.Outputs[:len(d.Outputs):len(d.Outputs)], d.Labels...) {
		if name == "" {
			bad = append(bad, errors.New("want names of outputs and labels, have an empty one"))
		}
	}
	return errors.Join(bad...)
}

// refuses holds that the plugin reports a mistake at an attribute.
func (t *trial) refuses(ctx context.Context, args, attr string) error {
	ctx, stop := t.within(ctx)
	defer stop()
	fleet, problems, err := t.open(ctx, []byte(args), manner{})
	if err != nil {
		return err
	}
	if fleet != nil {
		fleet.Abort()
		return fmt.Errorf("want a mistake at %q, have none", attr)
	}
	var have []string
	for _, p := range problems {
		if p.Attr == attr || strings.HasPrefix(p.Attr, attr+".") {
			return nil
		}
		have = append(have, strings.TrimPrefix(p.Attr+": "+p.Message, ": "))
	}
	return fmt.Errorf("want a mistake at %q, have %s", attr, strings.Join(have, "; "))
}

func unknownAttribute(ctx context.Context, t *trial) error {
	return t.refuses(ctx, `{"no_such_attribute":true}`, "no_such_attribute")
}

// attribute finds a declared attribute at the top.
func (t *trial) attribute(ctx context.Context, is func(wire.Arg) bool) (wire.Arg, error) {
	d, err := t.describe(ctx)
	if err != nil {
		return wire.Arg{}, err
	}
	for _, a := range d.Args {
		if !strings.Contains(a.Name, ".") && is(a) {
			return a, nil
		}
	}
	return wire.Arg{}, notFor("it declares no such attribute")
}

func missingAttribute(ctx context.Context, t *trial) error {
	a, err := t.attribute(ctx, func(a wire.Arg) bool { return a.Required })
	if err != nil {
		return err
	}
	return t.refuses(ctx, "{}", a.Name)
}

func wrongAttribute(ctx context.Context, t *trial) error {
	wrong := map[string]string{"a string": "[1]", "true or false": `"no"`, "a whole number": `"one"`, "a number": `"one"`}
	a, err := t.attribute(ctx, func(a wire.Arg) bool { return wrong[a.Type] != "" })
	if err != nil {
		return err
	}
	return t.refuses(ctx, fmt.Sprintf("{%q:%s}", a.Name, wrong[a.Type]), a.Name)
}

func noRecords(ctx context.Context, t *trial) error {
	_, err := t.feed(ctx, nil, manner{})
	return err
}

func cleanStdout(_ context.Context, t *trial) error {
	if t.printed > 0 {
		return fmt.Errorf("want nothing on stdout, have %d lines: messages go to stderr", t.printed)
	}
	return nil
}

func ending(_ context.Context, t *trial) error {
	switch {
	case t.ends == 0:
		return notFor("no process of it could be asked to end")
	case t.badEnd != "":
		return fmt.Errorf("want exit status 0 after plugin.GRPCController/Shutdown, have %s", t.badEnd)
	}
	return nil
}
