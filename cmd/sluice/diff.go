package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/rundiff"
)

func diffCommand(out *cli.Printer) *cobra.Command {
	o := rundiff.Options{Mask: mask.Name}
	var bytes, asJSON bool
	var most rundiff.Limit
	var ignore []string
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two outputs, or two runs",
		Long: `diff compares two runs, each named by its folder or its receipt, or two files of rows. Two rows belong together when they were
made of the same record of the input, in whatever files they are; a run notes this in the folder .sluice beside its outputs.
diff reports by path and kind what has changed, with counts and the places of three examples each. Of two runs it also reports
the records that moved to another output, the records that only one run wrote, with the step and the code that rejected them in
the other, and how the runs themselves differ: programs, variables, arguments, inputs, counts. Of a built-in plugin it reports whether
its code, its rules or the SDK below it have changed, if both programs were built from a release or from a commit without changes.
Where the rows of an output differ, diff names those of their steps whose code or arguments changed, in their order. When the code of
both programs is known and the inputs are the same, one of these steps made the rows differ. The files of the parts of a merged run,
and the numbered files of a sink that rotates, are compared as one output, one behind the other.

Rows are compared as JSON; with --bytes the order of keys and the spelling of numbers and strings count too. The order of rows
never counts. Files that sluice did not write are aligned by --key, a value in their rows; rows with equal values are paired in
the order of the files. Values are printed with --show-values only; --to writes the whole rows.

Elements of arrays are aligned: a message that one row lacks is one difference, at messages.0 when it is the first and at messages.#
otherwise, and a message at another place counts as moved. Elements with the same id belong together.

Values at --ignore PATH may differ, with # for any index and * for any key; rows that differ there alone are counted apart. Without
--ignore, diff ignores ` + strings.Join(rundiff.Provenance(), " and ") + `, which say which adapter made a row; --ignore ''
compares all, as --bytes does.

The exit code is 0 when no row differs, or no more than --limit, else 1, and 2 on wrong use. A limit such as 1% is of the rows
compared in all outputs: pairs of rows, and rows without a partner.`,
		Example: `  sluice diff out-old out-new
  sluice diff old/train.jsonl.zst new/train.jsonl --show-values
  sluice diff theirs.jsonl out/train.jsonl --key metadata.id --to differ.jsonl
  sluice diff out-old out-new --ignore metadata.conversion --ignore 'messages.#.tool_calls.#.id' --limit 0.5%`,
		Args: cli.Arguments(2, 2, "two files or two runs"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case c.Flags().Changed("ignore"):
				o.Ignore = slices.DeleteFunc(append([]string{}, ignore...), func(path string) bool { return path == "" })
			case bytes:
				o.Ignore = []string{}
			}
			found, err := compare(c.Context(), args[0], args[1], o)
			switch {
			case errors.Is(err, rundiff.ErrPath) || errors.Is(err, rundiff.ErrMixed) || errors.Is(err, rundiff.ErrKeyOfRuns):
				return cli.Usage(c, err)
			case err != nil:
				return out.Fail(asJSON, err)
			}
			verdict := func() error { return differ(found, bytes, &most) }
			return out.Judge(asJSON, found, nil, verdict, func() error { out.Differences(found); return nil })
		},
	}
	c.Flags().StringArrayVar(&ignore, "ignore", nil, "let values at a `PATH` differ; may be repeated")
	c.Flags().Var(&most, "limit", "let at most `N` rows differ, or a share such as 1%")
	c.Flags().StringVar(&o.Key, "key", "", "align two files by the value at a gjson `PATH` of their rows")
	c.Flags().BoolVar(&bytes, "bytes", false, "compare bytes, too, of rows that are equal as JSON")
	c.Flags().StringVar(&o.Rows, "to", "", "write each pair of rows that differs, whole, to `FILE`")
	c.Flags().BoolVar(&o.Values, "show-values", false, "show values of rows, which may be personal data")
	cli.JSONFlag(c, &asJSON)
	return c
}

// compare compares two runs or files, and masks the messages of rejects in the examples.
func compare(ctx context.Context, a, b string, o rundiff.Options) (*rundiff.Differences, error) {
	found, err := rundiff.Compare(ctx, a, b, o)
	if errors.Is(err, host.ErrNoOrigins) && o.Key == "" {
		return nil, fmt.Errorf("%w; --key aligns two files by a value in their rows", err)
	}
	if err != nil {
		return nil, err
	}
	for i := range found.Groups {
		for k := range found.Groups[i].Examples {
			e := &found.Groups[i].Examples[k]
			e.Message = mask.Text(e.Message)
		}
	}
	return found, nil
}

// differ returns an error when more rows differ than may.
func differ(found *rundiff.Differences, bytes bool, most *rundiff.Limit) error {
	n := found.Differ
	if bytes {
		n += found.Spelling
	}
	switch verb := "differ"; {
	case most.String() != "":
		return most.Judge(n, found.Compared)
	case n == 0:
		return nil
	case n == 1:
		verb = "differs"
		fallthrough
	default:
		return fmt.Errorf("%s of %s %s", plural.Count(n), plural.Of(found.Compared, "row"), verb)
	}
}
