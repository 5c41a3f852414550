package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/preview"
)

func previewCommand(out *cli.Printer) *cobra.Command {
	var o preview.Options
	var suggest, asJSON bool
	c := &cobra.Command{
		Use:   "preview FILE... --template PATH",
		Short: "Render rows with a chat template and find what it loses",
		Long: `preview renders rows with a chat template, a file of Jinja or a tokenizer_config.json, shows the first as the model
reads them, with what is trained on between {+ and +}, and looks in each for all that the row says. What is trained on is
what the template marks with {% generation %}, or else what the last message adds to its prompt.

Rows {messages, tools} are rendered as they are; others become such rows first, as steps of a pipeline make them. With
--target all rows do, for that target, or for the template itself with "auto". --suggest says which target fits.

Templates are written for Python's Jinja2, so preview needs python3 with jinja2.

The exit code is 1 when the template refuses a row or leaves out a text, a call, a result or a tool, when it encodes
arguments twice, and when there is no row.`,
		Example: `  sluice preview out/train.jsonl --template Qwen3/tokenizer_config.json
  sluice preview corpus.jsonl --template chat_template.jinja --target auto --rows 1000
  sluice preview --template chat_template.jinja --suggest`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case o.Template == "":
				return cli.Usage(c, errors.New("want --template PATH"))
			case len(args) == 0 && !suggest:
				return cli.Usage(c, errors.New("want at least one file, have none"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if suggest {
				text, err := preview.Suggest(o)
				if err == nil {
					err = out.Write(text)
				}
				if err != nil || len(args) == 0 {
					return out.Fail(asJSON, err)
				}
			}
			found, err := preview.Rows(c.Context(), args, o, out.Options(c))
			if err != nil {
				return out.Fail(asJSON, err)
			}
			if asJSON {
				return out.Result(found, found.Verdict())
			}
			err = out.Write(found.Text())
			out.SayLines(found.Counts())
			return errors.Join(err, found.Verdict())
		},
	}
	c.Flags().StringVar(&o.Template, "template", "", "use the chat template, or tokenizer_config.json, at `PATH`")
	c.Flags().StringVar(&o.Target, "target", "", "render all rows for `TARGET` of step chatml, or auto")
	c.Flags().StringVar(&o.Python, "python", "", "run the Python at `PATH`; by default python3")
	c.Flags().IntVar(&o.Show, "show", 1, "show the text of the first `N` rows")
	c.Flags().IntVar(&o.Limit, "rows", 0, "render the first `N` rows only")
	c.Flags().BoolVar(&suggest, "suggest", false, "say which target fits the template")
	cli.JSONFlag(c, &asJSON)
	return c
}
