// Command sluice streams JSON records through plugins that run in their own processes, as an HCL file says.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1   // the run failed
	exitUsage       = 2   // wrong use, or a pipeline with mistakes
	exitInterrupted = 130 // Ctrl-C, SIGTERM, SIGHUP, or nobody reads stdout any more
)

func main() { os.Exit(run()) }

// run is the whole program; tests run it too.
func run() int {
	if len(os.Args) == 2 && os.Args[1] == host.ServeArg {
		sdk.Main(plugins.All...)
	}
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(400) // what lives longer than a batch is small; plugin processes have the same
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)   // a second Ctrl-C ends the program at once
	signal.Ignore(syscall.SIGPIPE) // whoever reads stdout may leave; the run then ends like one that is interrupted
	out := &report{out: stdout(), err: os.Stderr}
	root := command(out)
	root.SetArgs(twoDashes(root, os.Args[1:]))
	logFormat{out}.ahead(os.Args[1:])
	err := root.ExecuteContext(ctx)
	if err != nil && (ctx.Err() != nil || errors.Is(err, syscall.EPIPE)) {
		err = errInterrupted
	}
	return out.failure(err)
}

// command is the command line.
func command(out *report) *cobra.Command {
	root := &cobra.Command{
		Use:   "sluice",
		Short: "stream JSON records through plugins, as an HCL file says",
		Long: `sluice streams JSON records through plugins that run in their own processes.
A pipeline is one HCL file: sources, steps and sinks, from top to bottom.

  sluice run pipelines/eliza-sft.hcl --var input='corpus/*.jsonl' --var out=out

Exit codes: 0 done, 1 the run failed, 2 wrong use or a pipeline with mistakes, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return c.Help()
		},
	}
	root.SetOut(out.out)
	root.SetErr(out.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return &usageError{command: c, err: err} })
	root.AddCommand(
		runCommand(out), reportCommand(out), viewCommand(out), validateCommand(out), testCommand(out), explainCommand(out), fmtCommand(out),
		graphCommand(out), docsCommand(out), lspCommand(out), shapesCommand(out), checkCommand(out), diffCommand(out), previewCommand(out),
		publishCommand(out), statsCommand(out),
		pluginCommand(out), privacyCommand(out), benchCommand(out), versionCommand(out),
	)
	addLogFormat(root, out)
	addCompletion(root)
	return root
}

// twoDashes lets long flags have one dash, as those of the Go tools do: -check is --check. What begins with one dash and is
// no such name stays as it is.
func twoDashes(root *cobra.Command, args []string) []string {
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

// hasFlag tells whether the command, or one below it, has a flag of that name.
func hasFlag(c *cobra.Command, name string) bool {
	return name == "help" || c.Flags().Lookup(name) != nil ||
		slices.ContainsFunc(c.Commands(), func(below *cobra.Command) bool { return hasFlag(below, name) })
}

// A usageError is a wrong use of the command line.
type usageError struct {
	command *cobra.Command
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

var errInterrupted = errors.New("interrupted: no output was written")

func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{command: c, err: fmt.Errorf("want no arguments, have %d", len(args))}
	}
	return nil
}

// oneFile checks that there is one argument, a pipeline file.
func oneFile(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return &usageError{command: c, err: wantOne(len(args))}
	}
	return nil
}
