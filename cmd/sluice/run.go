package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/metrics"
	"github.com/sluicehq/sluice/cmd/sluice/internal/page"
	"github.com/sluicehq/sluice/cmd/sluice/internal/scheduling"
	"github.com/sluicehq/sluice/cmd/sluice/internal/traces"
	"github.com/sluicehq/sluice/cmd/sluice/internal/trust"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

type runOptions struct {
	flags                            cli.PipelineFlags
	receipt, page, progress, metrics string
	verbose                          bool
	poison                           bool
	limit, sample                    int64
	seed                             uint64
	resume                           bool
	checkpoint, part                 string
	store, storeSize                 string
	fresh, replace                   bool
}

func runCommand(out *cli.Printer) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a pipeline",
		Long: `run sends every record of the pipeline's sources through its steps to its sinks.

Outputs are written under temporary names and get their own when the run is complete. The folder of the last sink with a path also
gets receipt.json, the account of the run; report.html, a page about it; rejects.jsonl, unless the file has a dead_letter block; and
a hidden folder .sluice, from which sluice diff learns which record each row was made of. When no sink has a path, these go to the
current folder, without the page.

A run that replaces one of the same pipeline says in summary, receipt and page what has changed. It removes the files that the earlier
run wrote for labels that no longer come; other files that it does not write stay, with a warning. Without --replace, run refuses to
replace the run of another pipeline when files of that run would be left without a receipt, and to overwrite a file that another receipt
lists.

A run that fails or is interrupted leaves the outputs of an earlier run as they are. Its own receipt.failed.json and
report.failed.html say what ended it, at which record and step, how far it came, and the command to go on. When too many rejects or
differences end a run, they stay as NAME.failed.jsonl. The next run removes such files, and no command takes them for a finished
run.

To run a pipeline is to trust it: its plugins are programs that run with your rights. Before the first record, run names the
variables of the environment and the files outside of its folder that the pipeline reads. Read a file from somebody else first; see
sluice trust.

--resume goes on with an interrupted run from its last checkpoint; a run makes one every ten seconds. The outputs are the same, byte
for byte, as if it had never been interrupted. Program, pipeline, variables, plugins, inputs and current folder must be as they were.
Without --resume the run begins anew and removes what the interrupted one has left.

--part I/N runs one of N parts of the inputs, counted from 0, so that several machines share a corpus; sluice merge makes them one
run. The files of all parts, one behind the other, are those of the whole run, byte for byte.

--store DIR keeps what the run makes of each file of its inputs, in a folder or in s3://bucket/prefix. The next run with the same store
runs only files that are new or have changed, and all files after a change of the pipeline or a plugin; the outputs are those of a run
of all files, byte for byte. The store does not know what else a plugin of your own depends on: --fresh runs everything and replaces
what the store has. The store holds all rows, those of the dead letter too.

--report=PATH writes the page to PATH, --report alone always writes it beside the receipt, and --report=false writes none.

--poison finds plugins that keep a view of a record after their call has returned, when its memory may hold other records. Each step
runs in two processes, and in one of them the plugin overwrites every record after its call. The first record that the two answer
differently ends the run with the name of the step. A run that passes shows this for its own records only, and for plugins that
overwrite when they are asked to, as those of the SDK do. A plugin that calls a service calls it twice.

Files may be objects, s3://bucket/key, and inputs https:// URLs as well. The run, its batches and their steps are OpenTelemetry spans
when the standard variables ask for them, such as OTEL_EXPORTER_OTLP_ENDPOINT.

The details are in the documentation: pipelines/README.md has interrupted runs, pipelines/places.md buckets and their credentials,
and cmd/sluice/README.md parts, stores and traces.`,
		Example: `  sluice run pipelines/eliza-sft.hcl
  sluice run pipelines/eliza-sft.hcl --var input='big/*.jsonl' --var out=/data/sft
  sluice run pipelines/eliza-sft.hcl --var input='big/*.jsonl' --var out=/data/sft --resume
  sluice run pipelines/eliza-sft.hcl --var input='big/*.jsonl' --sample 100
  sluice run pipelines/eliza-sft.hcl --var input='big/*.jsonl' --var out=/data/sft --part 3/16
  sluice run pipelines/eliza-sft.hcl --var input='big/*.jsonl' --var out=/data/sft --store ~/.cache/sluice
  sluice run pipelines/eliza-sft.hcl --var input='s3://corpus/big/*.jsonl' --var out=s3://corpus/sft --store s3://corpus/.sluice-store
  OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 sluice run pipelines/eliza-sft.hcl --log-format json`,
		Args: cli.OneFile,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, out, args[0]) },
	}
	o.addFlags(c)
	return c
}

func (o *runOptions) addFlags(c *cobra.Command) {
	o.flags.Add(c)
	c.Flags().BoolVar(&o.flags.InProcess, "in-process", false, "run the built-in plugins inside this process, for debugging and measuring")
	c.Flags().BoolVar(&o.poison, "poison", false, "run each step twice, once overwriting records after their calls, and fail where it answers differently")
	c.Flags().StringVar(&o.receipt, "receipt", "", "write the receipt to `PATH`")
	c.Flags().BoolVar(&o.replace, "replace", false, "write files of other runs, whose receipts then no longer describe them, and leave files of the run before without a receipt")
	c.Flags().StringVar(&o.page, "report", "auto", "write the page about the run to `PATH`; false writes none")
	cli.OptionalFlagValue(c, "report", "true")
	c.Flags().Int64Var(&o.limit, "limit", 0, "run the first `N` records only, to try a pipeline")
	c.Flags().Int64Var(&o.sample, "sample", 0, "run `N` records only, drawn at random from all, to try a pipeline; reads the files twice")
	c.Flags().Uint64Var(&o.seed, "seed", 1, "with --sample: draw the sample of seed `N`")
	c.Flags().StringVar(&o.part, "part", "", "run part `I/N` of the inputs only, counted from 0")
	c.Flags().StringVar(&o.store, "store", "", "keep the results of each input file in `DIR`, a folder or s3://bucket/prefix, and run only files without results there")
	c.Flags().StringVar(&o.storeSize, "store-size", "10GiB", "with --store: let the store grow to `SIZE`, then remove what has not been used for longest")
	c.Flags().BoolVar(&o.fresh, "fresh", false, "with --store: run every file, and replace what the store has of it")
	c.Flags().BoolVar(&o.resume, "resume", false, "go on with an interrupted run that has the same receipt, or begin when there is none")
	c.Flags().StringVar(&o.checkpoint, "checkpoint", "10s", "make a checkpoint after `TIME` at the earliest; off makes none")
	c.Flags().StringVar(&o.metrics, "metrics", "", "serve Prometheus metrics and /healthz at `ADDR`, such as localhost:9464, during the run")
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "tell at the end what each step and file has, and all codes, reasons and warnings")
	c.Flags().StringVar(&o.progress, "progress", "auto", "show progress as `MODE`: auto redraws it in a terminal and is plain elsewhere; plain writes a line every five seconds; off")
}

func (o *runOptions) run(c *cobra.Command, out *cli.Printer, file string) error {
	opts, err := o.options(c, out)
	if err != nil {
		return err
	}
	if o.metrics != "" {
		if err := metrics.Check(o.metrics); err != nil {
			return cli.Usage(c, err)
		}
	}
	scheduling.AsBatch()
	defer context.AfterFunc(c.Context(), out.EndProgress)() // a second Ctrl-C then finds a terminal in order
	if o.metrics != "" {
		m, err := metrics.Serve(o.metrics, out.Version)
		if err != nil {
			return out.Fail(o.flags.JSON, err)
		}
		defer m.Close()
		out.Say("metrics at http://%s/metrics", m.Addr())
		if m.IsPublic() {
			out.Warn("--metrics listens beyond this machine: whoever reaches %s reads the counts of the run, and the names of its steps", m.Addr())
		}
		opts.Progress = m.Watch(opts.Progress)
	}
	tracing, err := traces.Start(c.Context(), file, out.Version, out.Span)
	if err != nil {
		return cli.Usage(c, err)
	}
	if tracing != nil {
		opts.Batch, opts.Started, opts.Ended = tracing.Batch, tracing.Started, tracing.Ended
		out.Trace(tracing.ID())
	}
	p, err := host.Load(file, opts)
	if p == nil {
		return out.Fail(o.flags.JSON, err)
	}
	claims := p.Claims()
	if len(claims.Reads) > 0 {
		out.Say("reads %s", strings.Join(claims.Reads, ", "))
	}
	result, err := p.Run(c.Context())
	if err == nil {
		_ = trust.Open().Accept(claims) // where that is not possible, the next command asks
	}
	out.EndProgress()
	if err != nil && c.Context().Err() != nil {
		err = out.Interrupted(err)
	}
	lost := tracing.End(c.Context(), result, err)
	err = o.report(out, result, err)
	if lost != nil {
		out.Warn("%s", mask.Error(lost))
	}
	return err
}

func (o *runOptions) options(c *cobra.Command, out *cli.Printer) (host.Options, error) {
	opts, err := o.flags.Options(c, out)
	if err != nil {
		return opts, err
	}
	if err := checkSubset(c, o.limit, o.sample); err != nil {
		return opts, cli.Usage(c, err)
	}
	if opts.Part, err = partOf(c, o.part); err != nil {
		return opts, cli.Usage(c, err)
	}
	if opts.Progress, err = out.Progress(o.progress); err != nil {
		return opts, cli.Usage(c, err)
	}
	if opts.Checkpoint, err = interval(o.checkpoint); err != nil {
		return opts, cli.Usage(c, err)
	}
	if opts.Store, err = storeOf(c, o); err != nil {
		return opts, cli.Usage(c, err)
	}
	if opts.Store != nil {
		opts.Checkpoint = 0 // the files that are done lie in the store
	}
	opts.Command = cli.Again(c, "resume")
	opts.Resume, opts.Notice = o.resume, func(text string) { out.Say("%s", text) }
	opts.Receipt, opts.Poison, opts.Limit, opts.Sample, opts.Seed = o.receipt, o.poison, o.limit, o.sample, o.seed
	opts.Replace, opts.Page, opts.Stdout = o.replace, page.Asked(o.page), out.Rows()
	return opts, nil
}

func (o *runOptions) report(out *cli.Printer, result *host.Result, err error) error {
	switch {
	case err != nil:
		return out.Fail(o.flags.JSON, err)
	case !o.flags.JSON:
		out.Summary(result, o.verbose)
		return nil
	}
	for _, message := range cli.Unaccounted(result) { // nor does the object say it
		out.Warn("%s", message)
	}
	return out.JSON(result)
}

// interval reads the time between checkpoints, 0 for none.
func interval(text string) (time.Duration, error) {
	if text == "off" || text == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("--checkpoint: want a time such as 10s, or off, have %q", text)
	}
	return d, nil
}

// partOf reads the part to run, nil for the whole run.
func partOf(c *cobra.Command, text string) (*receipt.Part, error) {
	if !c.Flags().Changed("part") {
		return nil, nil
	}
	if err := cli.Either(c, "part", "limit", "sample"); err != nil {
		return nil, err
	}
	p, err := receipt.ParsePart(text)
	if err != nil {
		return nil, fmt.Errorf("--part: %w", err)
	}
	return &p, nil
}

// storeOf reads where the results of files are kept, nil for nowhere.
func storeOf(c *cobra.Command, o *runOptions) (*host.Store, error) {
	if !c.Flags().Changed("store") {
		return nil, cli.With(c, "store", "fresh", "store-size")
	}
	if err := cli.Either(c, "store", "limit", "sample", "poison", "resume"); err != nil {
		return nil, err
	}
	if o.store == "" {
		return nil, errors.New("--store: want a folder, have an empty name")
	}
	if strings.Contains(o.store, "://") && !strings.HasPrefix(o.store, "s3://") {
		return nil, fmt.Errorf("--store: want a folder or s3://bucket/prefix, have %q", o.store)
	}
	size, err := host.ParseSize(o.storeSize)
	if err != nil || size < 1 {
		return nil, fmt.Errorf("--store-size: want a size such as 10GiB, have %q", o.storeSize)
	}
	return &host.Store{Dir: o.store, Size: size, Fresh: o.fresh}, nil
}

// checkSubset checks the flags that take a part of the records.
func checkSubset(c *cobra.Command, limit, sample int64) error {
	if err := cmp.Or(cli.Either(c, "limit", "sample"), cli.With(c, "sample", "seed")); err != nil {
		return err
	}
	switch set := c.Flags().Changed; {
	case set("limit") && limit < 1:
		return fmt.Errorf("--limit: want 1 or more, have %d", limit)
	case set("sample") && sample < 1:
		return fmt.Errorf("--sample: want 1 or more, have %d", sample)
	}
	return nil
}
