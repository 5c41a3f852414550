package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/lsp"
)

func lspCommand(out *cli.Printer) *cobra.Command {
	var flags cli.PipelineFlags
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor that writes pipelines",
		Long: `lsp is a language server on standard input and output: an editor starts it. It reports mistakes while a file is written, and
when it is saved has the plugins check their arguments; it completes blocks, attributes, values, variables and plugins,
shows what a word means, goes to where a variable or plugin is declared, and formats.

A plugin that is not built in is started to ask what it takes, when a step that names it is completed or pointed at,
and when the file is saved.`,
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
			return lsp.Serve(c.Context(), in, out.Out(), opts)
		},
	}
	flags.AddVars(c)
	return c
}
