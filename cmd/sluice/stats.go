package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowstats"
)

func statsCommand(out *cli.Printer) *cobra.Command {
	var args rowstats.Args
	var wish rowstats.Wish
	var inProcess, asJSON bool
	c := &cobra.Command{
		Use:   "stats INPUT...",
		Short: "Count rows, turns, calls, tokens and lengths",
		Long: `stats reads canonical and ChatML rows from files, patterns for them or folders, and sums them up with the step stats: rows, turns,
calls by action, and the lengths of rows in tokens and characters, in total and by split, source and task.

In a folder it sums up canonical and ChatML rows separately, since the latter are rendered from the former. It names the files
of other rows, such as a ledger or rejects, as left out.

Tokens are those that the rows report, unless --tokens names a vocabulary.

It shows how many rows of train each source has. Rows that name no split count as train there, and it says how many they are. With
--shares it also computes the rates at which step mix draws the shares that you name, and prints as its last line the flags that give
them to sluice run, for a pipeline with the variables rates and rate, such as prepare.hcl.`,
		Example: `  sluice stats out/train.jsonl --tokens o200k_base --limit 8192
  sluice stats out
  sluice stats out/canonical --json
  sluice stats out --shares code=0.5,chat=0.3 --rows 100000`,
		Args: cli.Some("at least one file or folder"),
		RunE: func(c *cobra.Command, inputs []string) error {
			opts := out.Options(c)
			opts.InProcess = inProcess
			if !slices.Contains(rowstats.Units, wish.Of) {
				return cli.Usage(c, fmt.Errorf("--shares-of: want rows, characters or tokens, have %q", wish.Of))
			}
			if err := cli.With(c, "shares", "shares-of", "rows"); err != nil {
				return err
			}
			if err := wish.Check(); err != nil {
				return cli.Usage(c, err)
			}
			warnOfUnfinished(out, inputs)
			sums, err := rowstats.Of(c.Context(), inputs, args, wish, opts)
			err = cli.OfFlag(c, err, func(attr string) string { return "--" + strings.ReplaceAll(attr, "_", "-") })
			return out.Answer(asJSON, sums, err, func() error { return sums.Print(out) })
		},
	}
	c.Flags().StringVar(&args.Tokens, "tokens", "usage", "count tokens by `VOCABULARY`: usage, o200k_base, cl100k_base or none")
	c.Flags().IntVar(&args.Limit, "limit", 0, "count the rows of more than `N` tokens")
	c.Flags().IntVar(&args.CharacterLimit, "character-limit", 0, "count the rows of more than `N` characters")
	c.Flags().StringSliceVar(&args.Source, "source", nil, "take a row's source from the first `PATH` or @LABEL that is there (default metadata.source_dataset, metadata.source, metadata.dataset)")
	c.Flags().StringToStringVar(&wish.Shares, "shares", nil, "compute rates for `SOURCE=SHARE,...` of train")
	c.Flags().Lookup("shares").DefValue = "" // else help shows []
	c.Flags().StringVar(&wish.Of, "shares-of", "rows", "with --shares: measure shares in `UNIT`: rows, characters or tokens")
	c.Flags().Float64Var(&wish.Rows, "rows", 0, "with --shares: make `N` rows in total, or of the unit, with copies where a source has too few")
	cli.InProcessFlag(c, &inProcess)
	cli.JSONFlag(c, &asJSON)
	return c
}
