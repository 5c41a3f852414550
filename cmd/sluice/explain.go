package main

import (
	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/pick"
	"github.com/sluicehq/sluice/host"
)

func explainCommand(out *cli.Printer) *cobra.Command {
	var flags cli.PipelineFlags
	var o pick.Options
	var showValues bool
	c := &cobra.Command{
		Use:   "explain FILE --record INPUT:LINE",
		Short: "Show what every step of a pipeline does to one record",
		Long: `explain sends a record through the pipeline, with the same plugins as run, in processes of their own, and shows what each step
did: what it added (+), removed (-), changed (~) and moved (>) by path, labels (@), counts (#), rows of side outputs (=), why it
declined, dropped or rejected the record, which branch a route chose, and where the record ended. Last come the values that are
still as they were read, byte for byte. No file is written.

--record selects a record by its file and the line on which it begins; "-" is the first record on stdin. --match selects the
first record of the sources that has a value at a gjson path. --rejects selects the first record that the last run rejected with
a code, also when that run failed for too many rejects; it is read from its file or, when that cannot be read or has changed and no
longer has the record, from the dead letter. What was rejected is run again by the source "rejects": see sluice docs rejects.

Personal values, which the privacy step of the pipeline or its default rules find, appear as (EMAIL_ADDRESS 1) and so on;
--show-values prints them. A step that keeps state from record to record sees this record alone. --json writes patches of RFC 6902.`,
		Example: `  sluice explain pipelines/eliza-sft.hcl --record examples/corpus/native.jsonl:1
  sluice explain pipelines/eliza-sft.hcl --match trajectoryId=t-17
  sluice explain pipelines/eliza-sft.hcl --rejects no_user_turn
  tail -n 1 corpus.jsonl | sluice explain pipelines/eliza-sft.hcl --record -`,
		Args: cli.OneFile,
		RunE: func(c *cobra.Command, args []string) error {
			return out.Fail(flags.JSON, explainRecords(c, out, args[0], &flags, &o, showValues))
		},
	}
	flags.Add(c)
	c.Flags().StringVar(&o.Record, "record", "", "explain the record at `INPUT:LINE`, or - for the first on stdin")
	c.Flags().StringVar(&o.Match, "match", "", "explain the first record with a value at a gjson path, as `PATH=VALUE`")
	c.Flags().StringVar(&o.Rejects, "rejects", "", "explain the first record that was rejected with `CODE`")
	c.Flags().StringVar(&o.DeadLetter, "dead-letter", "", "with --rejects: read the dead letter at `PATH`; by default that of the pipeline")
	c.Flags().IntVar(&o.Count, "count", 1, "with --match and --rejects: explain the first `N` records")
	c.Flags().BoolVar(&showValues, "show-values", false, "show personal values, too")
	return c
}

func explainRecords(c *cobra.Command, out *cli.Printer, file string, flags *cli.PipelineFlags, o *pick.Options, showValues bool) error {
	if err := o.Check(); err != nil {
		return cli.Usage(c, err)
	}
	opts, err := flags.Options(c, out)
	if err != nil {
		return err
	}
	p, err := host.Load(file, opts)
	if err != nil {
		return err
	}
	found, records, err := o.Explain(c.Context(), p, func(text string) { out.Say("%s", text) })
	if found == nil || len(found.Records) == 0 {
		return err
	}
	var values *mask.Values
	if !showValues {
		values = mask.NewValues(found)
	}
	shown := explain.New(found, values, records)
	if !flags.JSON {
		out.Explanation(shown, values.Hidden())
		return err
	}
	if err != nil {
		shown.Error = values.Text(err.Error())
	}
	return out.Result(shown, err)
}
