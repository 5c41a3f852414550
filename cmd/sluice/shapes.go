package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/plugins"
)

func shapesCommand(out *cli.Printer) *cobra.Command {
	var adapters []string
	var inProcess, asJSON bool
	c := &cobra.Command{
		Use:   "shapes INPUT...",
		Short: "Count the shapes of records in a corpus",
		Long: `shapes reads files, or patterns for them, and offers each record to every adapter. It prints what each file consists of
and, for records that none takes, what the nearest adapters miss in them. Then it prints how many records each adapter takes
and where the first is, how many of them it rejects, which records several adapters would take, and which none takes. A file is
read as a source of type auto reads it: as lines, as documents, or as records under members of a document, such as rows.

Adapters are ranked; a record that several take counts for the first of them. They are, from the first:
` + strings.Join(plugins.Adapters, ", ") + ".",
		Example: `  sluice shapes 'corpus/*.jsonl'
  sluice shapes old.json new.jsonl --json
  sluice shapes tickets.jsonl --adapters desk,messages`,
		Args: cli.Some("at least one file"),
		RunE: func(c *cobra.Command, args []string) error {
			opts := out.Options(c)
			opts.InProcess = inProcess
			for i, name := range adapters {
				if slices.Contains(adapters[:i], name) {
					return cli.Usage(c, fmt.Errorf("--adapters: want each adapter once, have %s twice", name))
				}
			}
			found, err := survey.Shapes(c.Context(), args, adapters, opts)
			return out.Answer(asJSON, found, err, func() error { out.Shapes(found); return nil })
		},
	}
	c.Flags().StringSliceVar(&adapters, "adapters", plugins.Adapters, "ask these `PLUGINS`, the first ranked highest; by default all adapters")
	c.Flags().Lookup("adapters").DefValue = "[]" // help names them above
	cli.InProcessFlag(c, &inProcess)
	cli.JSONFlag(c, &asJSON)
	return c
}
