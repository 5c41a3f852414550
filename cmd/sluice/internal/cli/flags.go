package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sluicehq/sluice/cmd/sluice/internal/attest"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
)

// NoArguments checks that there are no arguments.
var NoArguments = Arguments(0, 0, "no arguments")

// OneFile checks that there is one argument, a pipeline file.
var OneFile = Arguments(1, 1, "one pipeline file")

// Arguments returns a check that there are low to high arguments, described by what.
func Arguments(low, high int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if n := len(args); n < low || n > high {
			return Usage(c, fmt.Errorf("want %s, have %d arguments", what, n))
		}
		return nil
	}
}

// Some returns a check that there are arguments, described by what.
func Some(what string) cobra.PositionalArgs { return Arguments(1, math.MaxInt, what) }

// JSONFlag adds --json.
func JSONFlag(c *cobra.Command, asJSON *bool) {
	c.Flags().BoolVar(asJSON, "json", false, "write JSON to stdout, for programs")
}

// OptionalFlagValue lets a flag be set without a value, to alone, and has help write it as --flag[=NAME].
func OptionalFlagValue(c *cobra.Command, flag, alone string) {
	f := c.Flags().Lookup(flag)
	f.NoOptDefVal = alone
	name, _ := pflag.UnquoteUsage(f)
	have, want := fmt.Sprintf(" %s[=%q]", name, alone), fmt.Sprintf("[=%s]", name)
	want += strings.Repeat(" ", len(have)-len(want))
	usage := c.UsageFunc()
	c.SetUsageFunc(func(c *cobra.Command) error {
		var b strings.Builder
		to := c.OutOrStderr()
		c.SetOut(&b)
		err := usage(c)
		c.SetOut(to)
		_, failed := io.WriteString(to, strings.Replace(b.String(), have, want, 1))
		return cmp.Or(err, failed)
	})
}

// InProcessFlag adds --in-process.
func InProcessFlag(c *cobra.Command, inProcess *bool) {
	c.Flags().BoolVar(inProcess, "in-process", false, "run the built-in plugins inside this process")
}

// Options returns what the host needs to start plugins for a command.
func (p *Printer) Options(c *cobra.Command) host.Options {
	return host.Options{
		BuiltIns: plugins.All, Version: p.Version, Stdin: c.InOrStdin(), Log: p.Log, MaskName: mask.Name, Code: p.Code, Facts: attest.StepFacts, Training: plugins.Training,
	}
}

// PipelineFlags are the flags of every command that reads a pipeline.
type PipelineFlags struct {
	Vars      []string
	InProcess bool
	Strict    bool
	JSON      bool
}

// AddVars adds --var alone.
func (f *PipelineFlags) AddVars(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Vars, "var", nil, "set a variable of the pipeline, as `name=value`; may be repeated")
}

// Add adds --var, --json and --strict.
func (f *PipelineFlags) Add(c *cobra.Command) {
	f.AddVars(c)
	JSONFlag(c, &f.JSON)
	c.Flags().BoolVar(&f.Strict, "strict", false, "treat warnings as errors")
}

// Options returns what the host needs, from the flags.
func (f *PipelineFlags) Options(c *cobra.Command, out *Printer) (host.Options, error) {
	opts := out.Options(c)
	opts.Vars, opts.InProcess, opts.Strict, opts.Stdout = map[string]string{}, f.InProcess, f.Strict, out.out
	for _, v := range f.Vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return opts, Usage(c, fmt.Errorf("--var: want name=value, have %q", v))
		}
		opts.Vars[name] = value
	}
	return opts, nil
}

// TwoDashes lets long flags have one dash, as in the Go tools: -check is --check. It changes nothing else.
func TwoDashes(root *cobra.Command, args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && len(name) > 1 && hasFlag(root, name) {
			args[i] = "-" + arg
		}
	}
	return args
}

func hasFlag(c *cobra.Command, name string) bool {
	return name == "help" || c.Flags().Lookup(name) != nil ||
		slices.ContainsFunc(c.Commands(), func(sub *cobra.Command) bool { return hasFlag(sub, name) })
}
