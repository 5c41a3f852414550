package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/rundiff"
)

// A diffing is what diff is asked to do.
type diffing struct {
	rundiff.Options
	bytes, json bool
}

func diffCommand(out *report) *cobra.Command {
	d := diffing{Options: rundiff.Options{Mask: mask.Name}}
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "tell how two outputs, or two runs, differ",
		Long: `diff compares two runs, each named by its folder or its receipt, or two files of rows. Rows belong together when they
come of the same record of the input, wherever they stand: a run notes that in .sluice beside its outputs. It tells by path
and kind what has changed, with counts and the places of three examples each; of two runs also which records moved to
another output, which one has written and the other rejected, by which step and with which code, and how the runs
themselves differ: programs, variables, arguments, inputs, counts.

Rows are compared as JSON: the order of keys and how numbers and strings are spelled count only with --bytes. The order of
rows is not compared. Files that no sluice has written are aligned by a value that --key names; rows with the same value
belong together in their order. Values of rows are shown with --show-values only; --rows writes the whole rows.

The exit code is 0 when no row differs, 1 when one does, 2 on wrong use.`,
		Example: `  sluice diff out-old out-new
  sluice diff old/train.jsonl.zst new/train.jsonl --show-values
  sluice diff theirs.jsonl out/train.jsonl --key metadata.id --rows differ.jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &usageError{command: c, err: fmt.Errorf("want two files or two runs, have %d arguments", len(args))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, err := rundiff.Compare(c.Context(), args[0], args[1], d.Options)
			switch {
			case errors.Is(err, rundiff.ErrMixed) || errors.Is(err, rundiff.ErrKeyOfRuns):
				return &usageError{command: c, err: err}
			case errors.Is(err, host.ErrNoOrigins) && d.Key == "":
				err = fmt.Errorf("%w; --key aligns two files by a value in their rows", err)
			}
			if err != nil {
				return out.json(d.json, err)
			}
			for i := range found.Groups {
				for k := range found.Groups[i].Examples {
					e := &found.Groups[i].Examples[k]
					e.Message = mask.Text(e.Message)
				}
			}
			if d.json {
				out.printed = true
				return errors.Join(out.writeJSON(found), d.verdict(found))
			}
			out.differences(found)
			return d.verdict(found)
		},
	}
	c.Flags().StringVar(&d.Key, "key", "", "align two files by the value at a gjson `PATH` of their rows")
	c.Flags().BoolVar(&d.bytes, "bytes", false, "rows that are equal as JSON differ when their bytes do")
	c.Flags().StringVar(&d.Rows, "rows", "", "write each pair of rows that differs, whole, to `FILE`")
	c.Flags().BoolVar(&d.Values, "show-values", false, "show what stands in the rows, which may be personal data")
	c.Flags().BoolVar(&d.json, "json", false, "write what a machine reads to stdout")
	return c
}

// verdict is the error of a comparison that has found a difference.
func (d *diffing) verdict(found *rundiff.Differences) error {
	n := found.Differ
	if d.bytes {
		n += found.Spelling
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%s", format.Plural(n, "row")+map[bool]string{true: " differs", false: " differ"}[n == 1])
}
