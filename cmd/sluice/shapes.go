package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
)

func shapesCommand(out *report) *cobra.Command {
	var adapters []string
	var inProcess, asJSON bool
	c := &cobra.Command{
		Use:   "shapes INPUT...",
		Short: "tell what a corpus consists of",
		Long: `shapes reads files, or patterns for them, and asks every adapter about every record: how many records each takes
and where the first stands, how many of them it rejects, which several adapters would take, and which none knows.
A file is read as a source of type auto reads it: lines, documents, or records under one member of a document.

Adapters are ranked; a record that several take counts for the first of them. They are, from the first:
` + strings.Join(plugins.Adapters, ", ") + ".",
		Example: `  sluice shapes 'corpus/*.jsonl'
  sluice shapes old.json new.jsonl --json
  sluice shapes tickets.jsonl --adapters desk,messages`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{command: c, err: errors.New("want at least one file, have none")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, err := host.SurveyShapes(c.Context(), args, adapters, host.Options{
				BuiltIns: plugins.All, Version: version(), InProcess: inProcess, Stdin: c.InOrStdin(), Log: out.plugin, MaskName: mask.Name,
			})
			if err != nil {
				return out.json(asJSON, err)
			}
			if asJSON {
				return out.writeJSON(found)
			}
			out.shapes(found)
			return nil
		},
	}
	c.Flags().StringSliceVar(&adapters, "adapters", plugins.Adapters, "ask these plugins, the first ranked highest")
	c.Flags().BoolVar(&inProcess, "in-process", false, "run the built-in plugins without processes")
	c.Flags().BoolVar(&asJSON, "json", false, "write what a machine reads to stdout")
	return c
}
