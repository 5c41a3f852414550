package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/sdk/nearest"
)

// Exit codes.
const (
	ExitDone        = 0
	ExitFailed      = 1   // the run failed
	ExitUsage       = 2   // wrong use, or a pipeline with mistakes
	ExitInterrupted = 130 // Ctrl-C, SIGTERM, SIGHUP, or stdout was closed by its reader
)

// errInterrupted is the error of a program that was interrupted.
var errInterrupted = errors.New("interrupted: no output was written")

// ErrStreamInterrupted is errInterrupted for a program that has written to stdout.
var ErrStreamInterrupted error = streamInterrupted{}

type streamInterrupted struct{}

func (streamInterrupted) Error() string        { return "interrupted: what was written is not all" }
func (streamInterrupted) Is(target error) bool { return target == errInterrupted }

// Interrupted returns the error of a program that was interrupted while it ended with another.
func (p *Printer) Interrupted(err error) error {
	if errors.Is(err, errInterrupted) {
		return err
	}
	said := errInterrupted
	if p.wrote.Load() {
		said = ErrStreamInterrupted
	}
	kept, ok := errors.AsType[*host.Resumable](err)
	if !ok {
		return said
	}
	again := *kept
	again.Err = said
	return &again
}

// goOn says how to go on with a run that has failed, if that is possible.
func goOn(err error) string {
	kept, ok := errors.AsType[*host.Resumable](err)
	switch {
	case !ok:
		return ""
	case kept.Committing:
		return "all records are done, and the outputs that have not got their names are kept; to give them their names: " + kept.Command
	}
	return fmt.Sprintf("kept: the first %s; to go on: %s", plural.Of(int(kept.Records), "record"), kept.Command)
}

// A usageError is a wrong use of the command line.
type usageError struct {
	command *cobra.Command
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// Usage returns the error of a wrong use of a command.
func Usage(c *cobra.Command, err error) error { return &usageError{command: c, err: err} }

// Exit writes an error, unless it was written to stdout before, and returns the exit code.
func (p *Printer) Exit(err error) int {
	p.EndProgress()
	diags, invalid := errors.AsType[host.Diagnostics](err)
	usage, wrong := errors.AsType[*usageError](err)
	code := ExitFailed
	switch {
	case err == nil:
		code = ExitDone
	case errors.Is(err, errInterrupted):
		code = ExitInterrupted
	case invalid, wrong, unfit(err):
		code = ExitUsage
	}
	switch {
	case code == ExitDone, p.reported && !wrong && code != ExitInterrupted:
	case p.log != nil:
		p.log.failure(err, code)
	case code == ExitInterrupted:
		p.Say("sluice: %v", err)
	case invalid:
		p.Say("%s%s", diags.Snippets(), mistakes(diags))
	case wrong:
		p.Say("sluice: %v\nusage: %s\nhelp:  %s --help", usage, usage.command.UseLine(), usage.command.CommandPath())
	default:
		text := strings.TrimSuffix(mask.Error(err), "\n")
		p.Say("sluice: %s", strings.ReplaceAll(text, "\n", "\n  ")) // no line of an error can pass for another message
	}
	if more := goOn(err); more != "" {
		p.Say("sluice: %s", more)
	}
	return code
}

// unfit reports whether an error is about a plugin that a command line names: there is none, or it does not take what it should.
func unfit(err error) bool {
	_, missing := errors.AsType[*registry.NotFound](err)
	_, problem := errors.AsType[*survey.Problem](err)
	return missing || problem
}

func mistakes(diags host.Diagnostics) string {
	warnings := 0
	for _, d := range diags {
		if d.Severity != "error" {
			warnings++
		}
	}
	switch errs := len(diags) - warnings; {
	case warnings == 0:
		return plural.Of(errs, "mistake")
	case errs == 0:
		return plural.Of(warnings, "warning")
	default:
		return plural.Of(errs, "mistake") + ", " + plural.Of(warnings, "warning")
	}
}

// WrongFlag returns the error of a flag that a command cannot take, with the nearest that it has.
func WrongFlag(c *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return Usage(c, err)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	word := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()) // a long flag may have one dash
	if near := nearest.Word(word, names); near != "" {
		err = fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return Usage(c, err)
}

// Subcommands is what a command does that only has others below it: it shows its help, and refuses what it does not have.
func Subcommands(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	return c.Help()
}

// AddHelp adds the command that shows the help of another, and refuses one that does not exist.
func AddHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		c.Use, c.Short = "help [COMMAND...]", "Show the help of a command"
		c.Long = "help shows what a command does, how it is used and its flags, as --help does. Without a COMMAND it lists all commands."
		c.Example = "  sluice help run\n  sluice help plugin new"
		c.Run = nil
		c.RunE = func(c *cobra.Command, args []string) error {
			of, rest, err := root.Find(args)
			switch {
			case err != nil:
				return Usage(c, err)
			case len(rest) > 0:
				return unknownCommand(of, rest[0])
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		}
	}
}

// unknownCommand returns the error of a subcommand that does not exist, with the nearest that does.
func unknownCommand(c *cobra.Command, name string) error {
	hint := ""
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(name); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", near[0])
	}
	return Usage(c, fmt.Errorf("unknown command %q%s", name, hint))
}
