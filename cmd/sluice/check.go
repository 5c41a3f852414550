package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowcheck"
	"github.com/sluicehq/sluice/plugins/check"
	"github.com/sluicehq/sluice/sdk/schema"
)

func checkCommand(out *cli.Printer) *cobra.Command {
	var o rowcheck.Options
	var inProcess, asJSON bool
	var schemaOf string
	shapes := rowcheck.Shapes()
	c := &cobra.Command{
		Use:   "check INPUT...",
		Short: "Check rows against their schemas and rules",
		Long: `check reads files, patterns for them or folders, and checks each row against its JSON Schema and against rules that a schema cannot
express: each result answers a call, each call names a tool on offer, roles come in order. It prints the file, line, code and
path of each finding, what was wanted and what was found. Of the row it prints at most the word of a role or type, never a text.
It recognises the shape of each row: canonical, ChatML, trajectory, preference, stepwise, or a thread of the Modular Model
Spec. --as sets the shape of all rows. In a folder it names the files without rows of these shapes, such as a ledger, as left out.

It also compares rows: no two trajectory records may have one id, and a record has to be of the split that its file is named after.
The same in canonical rows is a warning.

A finding is an error, a warning (a call of a tool that the row does not offer) or a note (a format whose name is not in
snake_case). Only errors make a row wrong; with --strict, warnings and notes do too.

The exit code is 0 when every row is right, 1 when a row is wrong or there are no rows, 2 on wrong use.`,
		Example: `  sluice check out/train.jsonl
  sluice check out
  sluice check 'out/canonical/*.jsonl' --as canonical --json
  sluice check --schema chatml > chatml.schema.json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && schemaOf == "" {
				return cli.Usage(c, errors.New("want at least one file or folder"))
			}
			if o.As != check.Auto && !slices.Contains(shapes, o.As) {
				return cli.Usage(c, fmt.Errorf("--as: want auto, %s, have %q", strings.Join(shapes, ", "), o.As))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if schemaOf != "" {
				text, err := schema.Text(schemaOf)
				if err != nil {
					return cli.Usage(c, fmt.Errorf("--schema: %w", err))
				}
				return out.Write(string(text))
			}
			if !asJSON {
				o.Report = func(f rowcheck.Finding) { _ = out.Write(f.String() + "\n") }
			}
			opts := out.Options(c)
			opts.InProcess = inProcess
			found, err := rowcheck.Rows(c.Context(), args, o, opts)
			return out.Judge(asJSON, found, err, found.Verdict, func() error {
				out.SayLines(found.Text())
				for _, file := range found.LeftOut {
					out.Say("left out: %s", file)
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&o.As, "as", check.Auto, "the `SHAPE` of all rows: "+strings.Join(shapes, ", "))
	c.Flags().IntVar(&o.Show, "show", 100, "print the first `N` findings and count the rest; 0 prints all")
	c.Flags().BoolVar(&o.Strict, "strict", false, "treat warnings and notes as errors")
	c.Flags().StringVar(&schemaOf, "schema", "", "write the JSON Schema of `SHAPE` to stdout instead")
	cli.InProcessFlag(c, &inProcess)
	cli.JSONFlag(c, &asJSON)
	return c
}
