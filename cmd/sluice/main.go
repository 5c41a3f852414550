// Command sluice streams JSON records through plugins that run in their own processes, as an HCL file says.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/pipetest"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk"
)

func main() { os.Exit(run()) }

// run is the whole program; tests run it too.
func run() int {
	if len(os.Args) == 2 && os.Args[1] == host.ServeArg {
		sdk.Main(append(slices.Clone(plugins.All), pipetest.Mock)...)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)   // a second Ctrl-C ends the program at once
	signal.Ignore(syscall.SIGPIPE) // the reader of stdout may leave; the run then ends like one that is interrupted
	out := cli.New(os.Stdout, os.Stderr, version())
	if cleanSources() {
		out.Code = plugins.Code
	}
	root := command(out)
	root.SetArgs(cli.TwoDashes(root, os.Args[1:]))
	out.PresetLogFormat(os.Args[1:])
	err := root.ExecuteContext(ctx)
	if err != nil && (ctx.Err() != nil || errors.Is(err, syscall.EPIPE) && out.ReaderLeft()) {
		err = out.Interrupted(err)
	}
	return out.Exit(err)
}

// groups order the commands by what a person wants to do.
var groups = []*cobra.Group{
	{ID: "run", Title: "Run a pipeline:"},
	{ID: "inspect", Title: "Inspect runs and rows:"},
	{ID: "develop", Title: "Develop pipelines:"},
	{ID: "plugins", Title: "Work with plugins:"},
}

// command returns the command line.
func command(out *cli.Printer) *cobra.Command {
	root := &cobra.Command{
		Use:   "sluice",
		Short: "Stream JSON records through plugins, as an HCL file says",
		Long: `sluice streams JSON records through plugins that run in their own processes.
A pipeline is one HCL file: sources, steps and sinks, from top to bottom.

  sluice run pipelines/eliza-sft.hcl --var input='corpus/*.jsonl' --var out=out

Exit codes: 0 done, 1 the run failed, 2 wrong use or a pipeline that has mistakes or is missing, 130 interrupted.
Another file that is missing, such as one of rows or a receipt, is 1.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          cli.Subcommands,
	}
	root.SetOut(out.Out())
	root.SetErr(os.Stderr)
	root.SetFlagErrorFunc(cli.WrongFlag)
	root.Version = buildOf(out.Version).String()
	root.SetVersionTemplate("{{.Version}}")
	root.Flags().Bool("version", false, "print the version and the commit") // else it has -v, too
	root.AddGroup(groups...)
	for id, commands := range map[string][]*cobra.Command{
		"run":     {runCommand(out), mergeCommand(out), streamCommand(out), publishCommand(out), unpackCommand(out), privacyCommand(out), benchCommand(out)},
		"inspect": {reportCommand(out), viewCommand(out), queryCommand(out), explainCommand(out), diffCommand(out), checkCommand(out), verifyRunCommand(out), statsCommand(out), shapesCommand(out), previewCommand(out)},
		"develop": {validateCommand(out), testCommand(out), fmtCommand(out), graphCommand(out), lspCommand(out)},
		"plugins": {pluginCommand(out), docsCommand(out), trustCommand(out)},
	} {
		for _, c := range commands {
			c.GroupID = id
			root.AddCommand(c)
		}
	}
	root.AddCommand(versionCommand(out))
	out.AddLogFormat(root)
	cli.AddCompletion(root)
	cli.AddHelp(root)
	return root
}
