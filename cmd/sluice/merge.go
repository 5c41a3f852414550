package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/page"
	"github.com/sluicehq/sluice/host/merge"
	"github.com/sluicehq/sluice/host/plural"
)

func mergeCommand(out *cli.Printer) *cobra.Command {
	o := merge.Options{Page: page.Asked("true"), MaskName: mask.Name}
	var asJSON bool
	c := &cobra.Command{
		Use:   "merge DIR|RECEIPT",
		Short: "Make the parts of a run one run",
		Long: `merge reads the receipts that sluice run --part has left in a folder, such as receipt-00003-of-00016.json. It checks that they are of one
pipeline, with the same variables, plugins and inputs, and that together they are the whole run: each part is there once, each byte and
line of each input was read by one of them, and every file is as large as the part wrote it. When a part is missing, has not finished, is
there twice or differs, merge says so and writes nothing, and the exit code is 1.

Otherwise it writes receipt.json, the account of the whole run, which is the sum of the parts' and lists their shares and files, and
report.html, the page about it; a manifest and the reports of firsts and shadows too, when the pipeline has them. sluice verify and all
other commands take that receipt for one of a run. A limit of rejects or differences holds for the whole run, too: merge fails when it
has more. The reports of shadows have no examples of differences; those of the parts do.

--join also writes the files of the whole run, under the names that one run gives them, from the files of the parts: the same rows, bytes,
numbered files and origins as in one run. The rows of Parquet files get one schema. A column whose type differs from part to part is
JSON there, in which the order of members and the spelling of numbers may differ from those of one run. The receipt then names the
joined files instead of the parts' files, which stay; a command that reads all files of a folder finds each row twice. A merge
without --join removes what an earlier merge has joined. A file that no merge has written is never replaced.

The argument is the folder, or the path that the receipt of the whole run gets when the parts were run with --receipt.`,
		Example: `  sluice merge /data/sft
  sluice merge /data/sft --join --json`,
		Args: cli.Arguments(1, 1, "the folder with the receipts of the parts"),
		RunE: func(c *cobra.Command, args []string) error {
			found, err := merge.Run(c.Context(), args[0], o)
			if err == nil && found.Receipt != "" {
				if _, _, bad := page.Write(c.Context(), found.Path, ""); bad != nil {
					out.Warn("no report: %s", mask.Error(bad))
				}
			}
			return out.Judge(asJSON, found, err, func() error { return complete(found) }, func() error {
				showMerged(out, found)
				return nil
			})
		},
	}
	c.Flags().BoolVar(&o.Join, "join", false, "write the files of the whole run too, from those of the parts")
	c.Flags().BoolVar(&asJSON, "json", false, "write the result to stdout as JSON")
	return c
}

// complete returns what is wrong with the parts in a sentence, nil when they are a whole run.
func complete(x *merge.Result) error {
	var wrong []string
	add := func(n int, what string) {
		if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(len(x.Missing), "missing")
	add(len(x.Failed), "not finished")
	add(len(x.Doubled), "there twice")
	if n := len(x.Differing); n > 0 {
		wrong = append(wrong, plural.Of(n, "difference"))
	}
	if len(wrong) == 0 {
		return nil
	}
	return errors.New("want all " + plural.Of(x.Parts, "part") + " of a run, have " + strings.Join(wrong, ", "))
}

func showMerged(out *cli.Printer, x *merge.Result) {
	if len(x.Missing) > 0 {
		out.Print(fmt.Sprintf("missing: part %s of %d", ranges(x.Missing), x.Parts))
	}
	for _, f := range x.Failed {
		out.Print(cli.OneLine(fmt.Sprintf("part %d of %d: %s", f.Part, x.Parts, f.Why)))
	}
	for _, d := range x.Doubled {
		out.Print(cli.OneLine(fmt.Sprintf("part %d of %d has several receipts: %s", d.Part, x.Parts, strings.Join(d.Receipts, ", "))))
	}
	for _, d := range x.Differing {
		out.Print(cli.OneLine(d.String()))
	}
	if !x.Complete {
		return
	}
	for _, path := range x.Joined {
		out.Say("joined   %s", path)
	}
	t := x.Totals
	out.Say("merged   %s: %s read, %s written, %s dropped, %s rejected", plural.Of(x.Parts, "part"), plural.Of(t.Read, "record"),
		plural.Count(t.Written), plural.Count(t.Dropped.Total), plural.Count(t.Rejected.Total))
	for _, w := range x.Merged.Warnings {
		out.Warn("%s", w.Message)
	}
	out.Say("receipt  %s", x.Receipt)
}

// ranges writes numbers in order as in 1, 4-7, 9.
func ranges(numbers []int) string {
	var all []string
	for i := 0; i < len(numbers); {
		k := i
		for k+1 < len(numbers) && numbers[k+1] == numbers[k]+1 {
			k++
		}
		text := fmt.Sprint(numbers[i])
		if k > i {
			text += fmt.Sprintf("-%d", numbers[k])
		}
		all, i = append(all, text), k+1
	}
	return strings.Join(all, ", ")
}
