package main

import (
	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/page"
)

func reportCommand(out *cli.Printer) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "report DIR|RECEIPT",
		Short: "Write the HTML report of a run again",
		Long: `report writes report.html, the page about a run, from its receipt and the files that the receipt names: where records went, what
was rejected and why, what the privacy steps replaced, how long the rows are, and how to repeat the run. The page is one file
that loads no other. As long as no file of the run has changed, it is the same as the page that the run wrote.

Of a run that failed or was interrupted it writes report.failed.html: what ended it, at which record and step, how far it came, what is
in place, and the command to go on. When the run was killed and could leave no receipt, report says what its last checkpoint has.

The argument is the receipt, or the folder with the receipt. The page names the files that have changed since the run. Personal
data and secrets in examples are masked.

A run in a bucket, s3://bucket/folder, is copied to your cache folder, and its page is written into the bucket, or to --to.`,
		Example: `  sluice report out
  sluice report out/receipt.json --to /tmp/report.html
  sluice report s3://datasets/chat-v3 --to report.html`,
		Args: cli.Arguments(1, 1, "a receipt, or the folder that it lies in"),
		RunE: func(c *cobra.Command, args []string) error {
			path, unfinished, err := page.Write(c.Context(), args[0], to)
			if err != nil {
				return err
			}
			out.Say("report   %s", mask.Name(path))
			if unfinished != nil {
				out.Warn("%s", mask.Error(unfinished))
			}
			warnOfLater(out, args[0])
			return nil
		},
	}
	c.Flags().StringVar(&to, "to", "", "write the page to `PATH`")
	return c
}
