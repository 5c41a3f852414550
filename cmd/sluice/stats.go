package main

import (
	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowstats"
)

func statsCommand(out *cli.Printer) *cobra.Command {
	var args rowstats.Args
	var inProcess, asJSON bool
	c := &cobra.Command{
		Use:   "stats INPUT...",
		Short: "Count rows, turns, calls, tokens and lengths",
		Long: `stats reads canonical and ChatML rows from files, patterns for them or folders, and sums them up with the step stats: rows, turns,
calls by action, and the lengths of rows in tokens and characters, in total and by split, source and task.

In a folder it sums up canonical and ChatML rows separately, since the latter are rendered from the former. It names the files
of other rows, such as a ledger or rejects, as left out.

Tokens are those that the rows report, unless --tokens names a vocabulary.`,
		Example: `  sluice stats out/train.jsonl --tokens o200k_base --limit 8192
  sluice stats out
  sluice stats out/canonical --json`,
		Args: cli.Some("at least one file or folder"),
		RunE: func(c *cobra.Command, inputs []string) error {
			opts := out.Options(c)
			opts.InProcess = inProcess
			sums, err := rowstats.Of(c.Context(), inputs, args, opts)
			return out.Answer(asJSON, sums, err, func() error { return sums.Print(out) })
		},
	}
	c.Flags().StringVar(&args.Tokens, "tokens", "usage", "count tokens by `VOCABULARY`: usage, o200k_base, cl100k_base or none")
	c.Flags().IntVar(&args.Limit, "limit", 0, "count the rows of more than `N` tokens")
	c.Flags().IntVar(&args.CharacterLimit, "character-limit", 0, "count the rows of more than `N` characters")
	cli.InProcessFlag(c, &inProcess)
	cli.JSONFlag(c, &asJSON)
	return c
}
