package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/hclfile"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
)

func fmtCommand(out *cli.Printer) *cobra.Command {
	var o hclfile.FormatOptions
	c := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Format pipeline files",
		Long: `fmt rewrites pipeline files and their tests with standard spacing, and prints the name of each file that it changes. A PATH is
a file, a folder with .hcl files, or - for standard input, which is written to stdout. The default is the current folder. A file
with a syntax error stays as it is.

With --check or --diff fmt changes no file. The exit code of --check is 1 when a file would change, otherwise 0.`,
		Example: `  sluice fmt
  sluice fmt --check --diff --recursive .
  sluice fmt - <pipeline.hcl`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			changed := 0
			var wrong host.Diagnostics
			paths, err := o.Paths(args)
			if err != nil {
				return err
			}
			for _, path := range paths {
				shown, differs, err := o.Format(path, c.InOrStdin())
				if diags, ok := errors.AsType[host.Diagnostics](err); ok {
					wrong = append(wrong, diags...)
				} else if err := errors.Join(err, out.Write(shown)); err != nil {
					return err
				}
				if differs {
					changed++
				}
			}
			switch {
			case len(wrong) > 0:
				return wrong
			case o.Check && changed > 0:
				return fmt.Errorf("want every file as sluice fmt writes it, have %s to format", plural.Of(changed, "file"))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&o.Check, "check", false, "write nothing, and fail when a file would change")
	c.Flags().BoolVar(&o.Diff, "diff", false, "write nothing, and show what would change")
	c.Flags().BoolVar(&o.Recursive, "recursive", false, "format the folders below a folder, too")
	return c
}
