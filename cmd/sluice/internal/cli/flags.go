package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sluicehq/sluice/cmd/sluice/internal/attest"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/trust"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/survey"
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
			return Usage(c, fmt.Errorf("want %s, have %s", what, plural.Of(n, "argument")))
		}
		return nil
	}
}

// Some returns a check that there are arguments, described by what.
func Some(what string) cobra.PositionalArgs { return Arguments(1, math.MaxInt, what) }

// With returns an error when a flag was given without the one that it only works with.
func With(c *cobra.Command, flag string, others ...string) error {
	for _, name := range others {
		if c.Flags().Changed(name) && !c.Flags().Changed(flag) {
			return Usage(c, fmt.Errorf("want --%s with --%s, have --%s without it", name, flag, name))
		}
	}
	return nil
}

// Either returns an error when a flag was given together with one that excludes it.
func Either(c *cobra.Command, flag string, others ...string) error {
	for _, name := range others {
		if c.Flags().Changed(name) && c.Flags().Changed(flag) {
			return Usage(c, fmt.Errorf("want either --%s or --%s, have --%s and --%s", flag, name, flag, name))
		}
	}
	return nil
}

// OfFlag names the flag that sets an attribute in an error of a plugin that a command has started with what its flags say.
func OfFlag(c *cobra.Command, err error, flag func(attr string) string) error {
	problem, ok := errors.AsType[*survey.Problem](err)
	if !ok || problem.Attr == "" {
		return err
	}
	return Usage(c, fmt.Errorf("%s: %s", flag(problem.Attr), problem.Message))
}

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
		BuiltIns: plugins.All, Version: p.Version, Stdin: c.InOrStdin(), Log: p.Log, MaskName: mask.Name, MaskText: mask.Message, Code: p.Code, Facts: attest.StepFacts, Training: plugins.Training,
		Programs: plugins.Programs, Drawn: plugins.Drawn,
	}
}

// TrustFlag adds --trust, for a command that only looks at what may be somebody else's.
func TrustFlag(c *cobra.Command, trust *bool) {
	c.Flags().BoolVar(trust, "trust", false, "trust the pipeline and the programs that it names, this time; see sluice trust")
}

// Looking returns the options for a command that only looks: it starts and reads what the user trusts, and all with --trust.
func Looking(opts host.Options, trusted bool) host.Options {
	if !trusted {
		opts.Trusted = trust.Open().Knows
	}
	return opts
}

// PipelineFlags are the flags of every command that reads a pipeline.
type PipelineFlags struct {
	Vars      []string
	InProcess bool
	Strict    bool
	JSON      bool
	Trust     bool
	looks     bool // at the pipeline, and does not run it
}

// AddVars adds --var alone.
func (f *PipelineFlags) AddVars(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Vars, "var", nil, "set a variable of the pipeline, as `name=value`; may be repeated")
}

// Add adds --var, --json and --strict.
func (f *PipelineFlags) Add(c *cobra.Command) {
	f.AddVars(c)
	f.addStrict(c)
}

func (f *PipelineFlags) addStrict(c *cobra.Command) {
	JSONFlag(c, &f.JSON)
	c.Flags().BoolVar(&f.Strict, "strict", false, "treat warnings as errors")
}

// AddLooking adds --var and --trust, for a command that looks at a pipeline and does not run it.
func (f *PipelineFlags) AddLooking(c *cobra.Command) {
	f.AddVars(c)
	f.looks = true
	TrustFlag(c, &f.Trust)
}

// AddChecking adds --var, --trust, --json and --strict, for a command that checks a pipeline and does not run it.
func (f *PipelineFlags) AddChecking(c *cobra.Command) {
	f.AddLooking(c)
	f.addStrict(c)
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
	if f.looks {
		opts = Looking(opts, f.Trust)
	}
	return opts, nil
}

// Again returns the command line that runs a command again, with a further flag.
func Again(c *cobra.Command, flag string) []string {
	words := append(strings.Fields(c.CommandPath()), c.Flags().Args()...)
	c.Flags().Visit(func(f *pflag.Flag) {
		many, ok := f.Value.(pflag.SliceValue)
		switch {
		case f.Name == flag:
		case ok:
			for _, value := range many.GetSlice() {
				words = append(words, "--"+f.Name, value)
			}
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+f.Value.String())
		}
	})
	return append(words, "--"+flag)
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
