package conformance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A mode is how records are sent to the plugin.
type mode struct {
	inline, poison, slow bool
	workers              int // 0: one
	batch                int // records; 0: all
}

func (s *subject) options(m mode) launch.Options {
	o := s.launch
	o.Finder = launch.Finder{Pins: map[string]launch.Pin{s.Name: {Path: s.Path}}}
	o.Inline, o.Poison, o.Plain = o.Inline || m.inline, m.poison, false
	o.Env = s.Env
	o.Log = func(string, string) {}
	return o
}

// open starts a process with workers. It returns mistakes in the attributes as problems.
func (s *subject) open(ctx context.Context, args []byte, m mode) (*launch.Fleet, []launch.Problem, error) {
	fleet, problems, err := launch.Start(ctx, s.options(m), []launch.Request{{
		Name: s.Name, Plugin: s.Name, Args: args, Workers: max(1, m.workers), Timeout: s.Timeout, Alone: true,
	}})
	if len(problems) > 0 {
		return nil, problems, err
	}
	return fleet, nil, err
}

func (s *subject) openTarget(ctx context.Context, m mode) (*launch.Fleet, error) {
	fleet, problems, err := s.open(ctx, s.Args, m)
	if len(problems) > 0 {
		p := problems[0]
		err = errors.New(strings.TrimPrefix(p.Attr+": "+p.Message, ": "))
		if p.Attr != "" && !gjson.GetBytes(s.Args, gjson.Escape(p.Attr)).Exists() {
			err = fmt.Errorf("%w; set the attributes that it needs with --arg", err)
		}
	}
	return fleet, err
}

// recordExits records how the processes of a closed fleet exited.
func (s *subject) recordExits(fleet *launch.Fleet) {
	for _, c := range fleet.Chains {
		ended := c.Ended()
		s.stdoutLines += ended.StdoutLines
		s.exits++
		if ended.Exit != "exit status 0" {
			s.badExit = ended.Exit
		}
	}
}

var (
	pluginName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	snakeCase  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

func (s *subject) describe(ctx context.Context) (*launch.Description, error) {
	ctx, stop := s.withTimeout(ctx)
	defer stop()
	var printed []string
	opts := s.options(mode{})
	opts.Log = func(_, line string) { printed = append(printed, line) }
	d, err := launch.Describe(ctx, opts, s.Name)
	if err != nil && s.launch.Log != nil { // of the last line the error has the text
		for _, line := range printed {
			s.launch.Log(s.Name, line)
		}
	}
	return d, err
}

func description(ctx context.Context, s *subject) error {
	d, err := s.describe(ctx)
	if err != nil {
		s.blocked = notTried("it does not describe itself")
		return err
	}
	var bad []error
	if !pluginName.MatchString(d.Name) {
		bad = append(bad, fmt.Errorf("want a name of lower-case letters, digits, _ and -, have %q", d.Name))
	}
	if d.Doc == "" {
		bad = append(bad, errors.New("want a sentence in doc, have an empty text"))
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

// wantMistake checks that the plugin reports a mistake at an attribute.
func (s *subject) wantMistake(ctx context.Context, args, attr string) error {
	ctx, stop := s.withTimeout(ctx)
	defer stop()
	fleet, problems, err := s.open(ctx, []byte(args), mode{})
	if err != nil {
		return err
	}
	if fleet != nil {
		fleet.Abort()
		return fmt.Errorf("want a mistake at %q, have it accepted", attr)
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

// findAttribute returns the first declared top-level attribute that matches.
func (s *subject) findAttribute(ctx context.Context, what string, is func(wire.Arg) bool) (wire.Arg, error) {
	d, err := s.describe(ctx)
	if err != nil {
		return wire.Arg{}, err
	}
	for _, a := range d.Args {
		if !strings.Contains(a.Name, ".") && is(a) {
			return a, nil
		}
	}
	return wire.Arg{}, notApplicable("it declares no attribute that is " + what)
}

func missingAttribute(ctx context.Context, s *subject) error {
	a, err := s.findAttribute(ctx, "required", func(a wire.Arg) bool { return a.Required })
	if err != nil {
		return err
	}
	return s.wantMistake(ctx, "{}", a.Name)
}

func wrongAttribute(ctx context.Context, s *subject) error {
	wrong := map[string]string{"a string": "[1]", "true or false": `"no"`, "a whole number": `"one"`, "a number": `"one"`}
	a, err := s.findAttribute(ctx, "a string, a number, true or false", func(a wire.Arg) bool { return wrong[a.Type] != "" })
	if err != nil {
		return err
	}
	return s.wantMistake(ctx, fmt.Sprintf("{%q:%s}", a.Name, wrong[a.Type]), a.Name)
}

func cleanStdout(_ context.Context, s *subject) error {
	if s.stdoutLines > 0 {
		return fmt.Errorf("want nothing on stdout, have %s: messages go to stderr", plural.Of(s.stdoutLines, "line"))
	}
	return nil
}

func ending(_ context.Context, s *subject) error {
	switch {
	case s.exits == 0:
		return notTried("no process of it could be asked to end")
	case s.badExit != "":
		return fmt.Errorf("want exit status 0 after plugin.GRPCController/Shutdown, have %s", s.badExit)
	}
	return nil
}
