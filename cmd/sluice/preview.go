package main

import (
	"errors"
	"fmt"

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
		Long: `preview renders rows with a chat template, a Jinja file or a tokenizer_config.json. It prints the first row as the model reads
it, with the trained text between {+ and +}, and checks that each rendering holds all that its row says. The trained text is what
the template marks with {% generation %}, or without such marks what the last message adds to its prompt.

Rows {messages, tools} are rendered as they are; the steps of a pipeline first make such rows of all others. With --target they
make all rows anew, for that target of step chatml, or for the template itself with "auto". --suggest prints the targets that fit.

Templates are written for Python's Jinja2, so preview needs python3 with jinja2.

The exit code is 1 when the template refuses a row, leaves out a text, a call, a result or a tool, or encodes arguments twice,
and when there are no rows.`,
		Example: `  sluice preview out/train.jsonl --template Qwen3/tokenizer_config.json
  sluice preview corpus.jsonl --template chat_template.jinja --target auto --limit 1000
  sluice preview --template chat_template.jinja --suggest`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case o.Template == "":
				return cli.Usage(c, errors.New("want --template PATH"))
			case len(args) == 0 && !suggest:
				return cli.Usage(c, errors.New("want at least one file, have 0"))
			case o.Show < 0:
				return cli.Usage(c, fmt.Errorf("--show: want 0 or more, have %d", o.Show))
			case o.Limit < 0:
				return cli.Usage(c, fmt.Errorf("--limit: want 0 or more, have %d", o.Limit))
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
			err = cli.OfFlag(c, err, preview.FlagOf)
			return out.Judge(asJSON, found, err, found.Verdict, func() error {
				err := out.Write(found.Text())
				out.SayLines(found.Counts())
				return err
			})
		},
	}
	c.Flags().StringVar(&o.Template, "template", "", "use the chat template, or tokenizer_config.json, at `PATH`")
	c.Flags().StringVar(&o.Target, "target", "", "render all rows for `TARGET` of step chatml, or auto")
	c.Flags().StringVar(&o.Python, "python", "", "run the Python at `PATH`; by default python3")
	c.Flags().IntVar(&o.Show, "show", 1, "show the text of the first `N` rows")
	c.Flags().IntVar(&o.Limit, "limit", 0, "render the first `N` rows only")
	c.Flags().BoolVar(&suggest, "suggest", false, "say which target fits the template")
	cli.JSONFlag(c, &asJSON)
	return c
}
