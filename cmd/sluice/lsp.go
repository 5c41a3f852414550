package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/lsp"
	"github.com/sluicehq/sluice/cmd/sluice/internal/trust"
)

func lspCommand(out *cli.Printer) *cobra.Command {
	var flags cli.PipelineFlags
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Run a language server for pipeline files",
		Long: `lsp is a language server on standard input and output, which an editor starts. It reports mistakes as a file is edited, and has
the plugins check their attributes when it is saved. It completes blocks, attributes, values, variables and plugins, shows the
documentation of the word under the pointer, goes to the declaration of a variable or plugin, to the step that sets a label and to
files, renames variables and blocks in all files that use them, and formats.

A plugin that is not built in is started to ask for its attributes: when a step that names it is completed or pointed at, and
when the file is saved. Before you trust it, it is not started, and neither the environment nor a file outside of the folder is
read: the server says so once at the step, and offers to trust the folder. See sluice trust.`,
		Example: `  sluice lsp
  sluice lsp --var input='corpus/*.jsonl'`,
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, args []string) error {
			opts, err := flags.Options(c, out)
			if err != nil {
				return err
			}
			in, ok := c.InOrStdin().(io.ReadCloser)
			if !ok {
				in = io.NopCloser(c.InOrStdin())
			}
			opts.Stdin, opts.Stdout = nil, nil
			return lsp.Serve(c.Context(), in, out.Out(), opts, trust.Open().AcceptFolder)
		},
	}
	flags.AddLooking(c)
	return c
}
