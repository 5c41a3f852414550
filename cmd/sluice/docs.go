package main

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/plugindocs"
)

func docsCommand(out *cli.Printer) *cobra.Command {
	var pipeline string
	var codes, markdown, asJSON, trusted bool
	c := &cobra.Command{
		Use:   "docs [NAME]",
		Short: "Show what plugins, sources and sinks take, and what reject codes mean",
		Long: `docs prints what a plugin, a source or a sink says about itself: its attributes with their types, defaults and examples, and
the outputs, labels and reject codes of a plugin. A plugin that is not built in is found as a pipeline finds it, and
docs starts it to ask, if you trust it; see sluice trust. Without a NAME docs lists everything that is built in.

With --codes, NAME is a reject code from a dead letter.`,
		Example: `  sluice docs privacy
  sluice docs house-style --pipeline pipeline.hcl
  sluice docs --codes no_user_turn
  sluice docs --markdown >pipelines/plugins.md`,
		Args: cli.Arguments(0, 1, "one name at most"),
		RunE: func(c *cobra.Command, args []string) error {
			name := strings.Join(args, "")
			if err := cmp.Or(cli.Either(c, "json", "markdown"), cli.Either(c, "codes", "pipeline")); err != nil {
				return err
			}
			if pipeline != "" && name == "" {
				return cli.Usage(c, errors.New("want NAME with --pipeline"))
			}
			if codes {
				all, err := plugindocs.CodesNamed(name)
				if err != nil {
					err = cli.Usage(c, err)
				}
				return out.Answer(asJSON, all, err, func() error {
					if markdown {
						return out.Write(plugindocs.CodesMarkdown(all))
					}
					return out.Write(plugindocs.CodesText(all))
				})
			}
			pages, err := plugindocs.All(c.Context(), name, pipeline, cli.Looking(out.Options(c), trusted))
			return out.Answer(asJSON, pages, err, func() error {
				switch {
				case markdown:
					return out.Write(plugindocs.Markdown(pages, name == ""))
				case name == "":
					return out.Write(plugindocs.List(pages))
				}
				return out.Write(plugindocs.Text(pages))
			})
		},
	}
	c.Flags().StringVar(&pipeline, "pipeline", "", "find the plugin as the steps of `FILE` do, which may pin it")
	c.Flags().BoolVar(&codes, "codes", false, "explain reject codes, with what to do")
	c.Flags().BoolVar(&markdown, "markdown", false, "write Markdown")
	cli.TrustFlag(c, &trusted)
	cli.JSONFlag(c, &asJSON)
	return c
}
