package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/publish"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/fetch"
	"github.com/sluicehq/sluice/sdk/canonical"
)

func publishCommand(out *cli.Printer) *cobra.Command {
	var o publish.Options
	var shardSize string
	c := &cobra.Command{
		Use:   "publish DIR --to DIR2",
		Short: "Publish a finished run as a Hugging Face dataset",
		Long: `publish reads the receipt of a finished run and makes a folder in the layout of the Hugging Face Hub: the rows of the outputs, those of
Parquet too, as data/[CONFIG/]SPLIT-00000-of-00001.jsonl, with a config for each shape of rows, a dataset card and SHA256SUMS. It leaves out
rejects, ledgers and other side outputs. It refuses files that have changed since the run, an attestation beside the receipt
that does not hold, and rows that no privacy step has seen; --unfiltered publishes such rows, and the card says so.

The card types every column, so that load_dataset reads files of any size; canonical rows are what it reads when no config is
named. Values whose types differ from row to row, such as tools and the requests of canonical rows, are published as JSON text.

A split is named by its file, or by a folder that not all files are in, with one of the words that plugin split knows: eval.jsonl and
dev-2.jsonl are validation, holdout.jsonl is test, and repair_eval and calibration keep their names. Where no file of a config has such a
word, all of them are train. A file without one beside others that have one is refused, and so is a name with two; --split says which
it is. The folder must not exist; it gets its name when it is complete.

DIR may be that of a run in a bucket, s3://bucket/folder, which is copied to your cache folder first. DIR2 is on this machine.`,
		Example: `  sluice publish out --to corpus-v1 --license mit
  sluice publish out --to corpus-v1 --shard-size 200MB
  sluice publish out --to corpus-v1 --split extra=train`,
		Args: func(c *cobra.Command, args []string) error {
			if err := cli.Arguments(1, 1, "one folder of a run")(c, args); err != nil || o.To != "" {
				return err
			}
			return cli.Usage(c, errors.New("want --to DIR2"))
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			if o.ShardSize, err = host.ParseSize(shardSize); err != nil || o.ShardSize < 1 {
				return cli.Usage(c, fmt.Errorf("--shard-size: want a size such as 500MB, have %q", shardSize))
			}
			o.Run = args[0]
			return publishRun(c, out, o)
		},
	}
	c.Flags().StringVar(&o.To, "to", "", "make the folder `DIR2`")
	c.Flags().StringVar(&o.Receipt, "receipt", "", "read the run's receipt from `PATH`; by default receipt.json in DIR")
	c.Flags().StringVar(&shardSize, "shard-size", "500MB", "write files of about `SIZE`")
	c.Flags().StringVar(&o.License, "license", "", "the `LICENCE` of the rows, as the Hub names it; by default that of the rows, if all have the same")
	c.Flags().StringVar(&o.Name, "name", "", "the `NAME` of the dataset on the card; by default the name of DIR2")
	c.Flags().StringToStringVar(&o.Splits, "split", nil, "the split of an output, as `NAME=SPLIT`, where its name does not say it; may be repeated")
	c.Flags().Lookup("split").DefValue = "" // else help shows []
	c.Flags().BoolVar(&o.Unfiltered, "unfiltered", false, "publish rows that no privacy step has seen, and say so on the card")
	return c
}

// publishRun publishes a run, of which it makes a copy when that lies in a bucket.
func publishRun(c *cobra.Command, out *cli.Printer, o publish.Options) (err error) {
	for name, split := range o.Splits {
		if canonical.SplitOf(split) == "" {
			return cli.Usage(c, fmt.Errorf("--split %s: want train, val, test, repair_eval or calibration, have %q", name, split))
		}
	}
	named := o.Run
	var run *fetch.Copy
	if fetch.Remote(o.Run) || fetch.Remote(o.Receipt) {
		if o.Receipt != "" {
			return cli.Usage(c, fmt.Errorf("--receipt: want the run in a bucket named by DIR alone, have %q too", mask.Name(o.Receipt)))
		}
		if run, err = runNearby(c.Context(), out, o.Run); err == nil { // an attestation must hold
			err = run.Beside(c.Context(), "attestation*.json", "*/attestation*.json", "privacy-stats.json", "*/privacy-stats.json")
		}
		if err != nil {
			return err
		}
		o.Run = filepath.Dir(run.Paths[0])
	}
	folder, err := publish.Publish(o)
	if err != nil {
		return run.Named(err)
	}
	out.SayLines(folder.String())
	warnOfLater(out, named)
	return nil
}
