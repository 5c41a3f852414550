package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/page"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/verify"
)

func verifyRunCommand(out *cli.Printer) *cobra.Command {
	o := verify.Options{Page: page.Asked("true"), MaskName: mask.Name}
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify DIR|RECEIPT",
		Short: "Verify that a folder is what a run wrote, whole and unchanged",
		Long: `verify reads the files of a finished run again and compares them with its receipt: size, hash and rows of each output, rejects
included; the origins of their rows, the timeline, the reports and the manifest; and the inputs, as far as they are still there.
It checks that the account of the run balances, that the page is about this run, and that nothing else lies in the folders that
would be taken for its own: a further file of a numbered series, an output of another run, a hidden file or the state of a run
that has not finished. It prints everything that differs. Times and programs are not verified. Of a timeline or
manifest larger than 64 MiB only the hash is compared, and verify says so.

A file that the run wrote into the folder of its receipt, or below it, is looked for at the same place in the folder where the
receipt is now, so a folder may be moved or copied. The other files, inputs among them, are read where the receipt says. Whoever
wrote the receipt has named them, so verify lists those outside of the folder. It reads regular files only, and tells no more
of a file outside than its size, its rows and whether it has the hash. The receipt itself is taken at its word: who can change all
files of a folder can change the receipt with them, so keep its hash, or the receipt, in another place.

DIR and RECEIPT may be those of a run in a bucket, as s3://bucket/folder, which is read there.

The exit code is 0 when nothing differs, else 1, and 2 on wrong use.`,
		Example: `  sluice verify out
  sluice verify out/receipt.json --inputs=false --json`,
		Args: cli.Arguments(1, 1, "a receipt, or the folder that it lies in"),
		RunE: func(c *cobra.Command, args []string) error {
			warnOfLater(out, args[0])
			found, err := verify.Run(c.Context(), args[0], o)
			return out.Judge(asJSON, found, err, func() error { return whole(found) }, func() error {
				for _, d := range found.Differences {
					out.Print(cli.OneLine(d.String()))
				}
				sayVerified(out, found)
				return nil
			})
		},
	}
	c.Flags().BoolVar(&o.Inputs, "inputs", true, "read the inputs too, as far as they are still there")
	cli.JSONFlag(c, &asJSON)
	return c
}

func sayVerified(out *cli.Printer, found *verify.Result) {
	for _, u := range found.Unchecked {
		out.Say("not verified: %s: %s", cli.OneLine(u.Path), u.Why)
	}
	if n := len(found.Outside); n > 0 {
		const most = 5
		more := ""
		if n > most {
			more = fmt.Sprintf(" and %s more", plural.Count(int64(n-most)))
		}
		out.Say("read outside of the folder: %s%s", cli.OneLine(strings.Join(found.Outside[:min(n, most)], ", ")), more)
	}
	if found.Partial != "" {
		out.Say("the run did not read everything, only %s", found.Partial)
	}
	if found.Whole {
		out.Say("%s: whole, %s with %s and %s of outputs", cli.OneLine(found.Receipt), plural.Of(int64(found.Files), "file"), format.Size(found.Bytes), plural.Of(found.Rows, "row"))
	}
}

func whole(found *verify.Result) error {
	switch n := len(found.Differences); n {
	case 0:
		return nil
	case 1:
		return errors.New("want the files of the run as it wrote them, have 1 difference")
	default:
		return fmt.Errorf("want the files of the run as it wrote them, have %s differences", plural.Count(int64(n)))
	}
}
