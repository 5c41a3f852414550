package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/traces"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
)

// pipelineFlags are the flags of every command that reads a pipeline.
type pipelineFlags struct {
	vars      []string
	inProcess bool
	strict    bool
	json      bool
}

// addVars adds the flag that every command has which reads a pipeline.
func (f *pipelineFlags) addVars(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.vars, "var", nil, "set a variable of the pipeline, as `name=value`; may be given again")
}

func (f *pipelineFlags) add(c *cobra.Command) {
	f.addVars(c)
	c.Flags().BoolVar(&f.json, "json", false, "write what a machine reads to stdout")
	c.Flags().BoolVar(&f.strict, "strict", false, "take warnings for mistakes")
}

// options are what the host needs, from flags.
func (f *pipelineFlags) options(c *cobra.Command, out *report) (host.Options, error) {
	opts := host.Options{
		BuiltIns: plugins.All, Version: version(), Vars: map[string]string{}, InProcess: f.inProcess,
		Strict: f.strict, Stdin: c.InOrStdin(), Stdout: out.out, Log: out.plugin, MaskName: mask.Name, Facts: facts,
	}
	for _, v := range f.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return opts, &usageError{command: c, err: fmt.Errorf("--var: want name=value, have %q", v)}
		}
		opts.Vars[name] = value
	}
	return opts, nil
}

// A running is what run is asked to do.
type running struct {
	flags                            pipelineFlags
	receipt, page, progress, metrics string
	poison                           bool
	limit, sample                    int64
	seed                             uint64
}

func runCommand(out *report) *cobra.Command {
	var r running
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "run a pipeline",
		Long: `run sends every record of the pipeline's sources through its steps to its sinks.

Outputs are written under temporary names and get their own when everything is done. In the folder of the last sink with a path it
leaves receipt.json, the account of the run, report.html, a page about it, and rejects.jsonl unless the file has a dead_letter
block, and beside each output, in the hidden folder .sluice, which record each row comes of, for sluice diff. When no sink has a path,
that is the folder it was started in, and there is no page. A run that fails writes none of them and leaves those of an earlier
run as they are; one that fails because its file allows fewer rejects or differences keeps these as NAME.failed.jsonl.

The page lies beside a receipt in a folder of outputs. --report has it beside any receipt, --report=PATH elsewhere, with the sign in
between, and --report=false has none.

The run, its batches and their steps are OpenTelemetry spans when the usual variables ask for them: OTEL_TRACES_EXPORTER (otlp,
console or none), OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL (grpc or http/protobuf), OTEL_SERVICE_NAME,
OTEL_TRACES_SAMPLER and so on, and TRACEPARENT for the trace that they belong to.`,
		Example: `  sluice run pipelines/eliza-sft.hcl
  sluice run pipelines/eliza-sft.hcl --var input='big/*.jsonl' --var out=/data/sft
  sluice run pipelines/eliza-sft.hcl --var input='big/*.jsonl' --sample 100
  OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 sluice run pipelines/eliza-sft.hcl --log-format json`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, out, args[0]) },
	}
	r.flags.add(c)
	c.Flags().BoolVar(&r.flags.inProcess, "in-process", false, "run the built-in plugins without processes, for debugging and measuring")
	c.Flags().BoolVar(&r.poison, "poison", false, "overwrite each record once a plugin's call has returned, to find views that it keeps")
	c.Flags().StringVar(&r.receipt, "receipt", "", "write the receipt to `PATH`")
	c.Flags().StringVar(&r.page, "report", "auto", "`where` the page about the run goes, as --report=PATH; also auto, true, false")
	c.Flags().Lookup("report").NoOptDefVal = "true"
	c.Flags().Int64Var(&r.limit, "limit", 0, "take only the first `N` records, for trying")
	c.Flags().Int64Var(&r.sample, "sample", 0, "take only `N` records, drawn from all by --seed, for trying; reads the files twice")
	c.Flags().Uint64Var(&r.seed, "seed", 1, "with --sample: another seed draws another sample")
	c.Flags().StringVar(&r.metrics, "metrics", "", "serve Prometheus metrics and /healthz at `ADDR`, such as localhost:9464, while the run goes on")
	c.Flags().StringVar(&r.progress, "progress", "auto", "`auto`, plain or off: auto draws in a terminal, elsewhere and with plain there is a line every five seconds")
	return c
}

func (r *running) run(c *cobra.Command, out *report, file string) error {
	opts, err := r.options(c, out)
	if err != nil {
		return err
	}
	defer context.AfterFunc(c.Context(), out.endProgress)() // a second Ctrl-C then finds a terminal in order
	if r.metrics != "" {
		m, err := serveMetrics(r.metrics)
		if err != nil {
			return out.json(r.flags.json, err)
		}
		defer m.close()
		out.say("metrics at http://%s/metrics", m.addr)
		opts.Progress = m.watch(opts.Progress)
	}
	tracing, err := traces.Start(c.Context(), mask.Name(file), version(), out.span)
	if err != nil {
		return &usageError{command: c, err: err}
	}
	if tracing != nil {
		opts.Batch, opts.Started = tracing.Batch, tracing.Started
		out.traced(tracing.ID())
	}
	p, err := host.Load(file, opts)
	if err != nil {
		return out.json(r.flags.json, err)
	}
	result, err := p.Run(c.Context())
	out.endProgress()
	defer out.lostSpans(tracing.End(c.Context(), result, err)) // they are sent here, and told last
	return r.tell(out, result, err)
}

// options are what the host needs, from flags.
func (r *running) options(c *cobra.Command, out *report) (host.Options, error) {
	opts, err := r.flags.options(c, out)
	if err != nil {
		return opts, err
	}
	if err := portion(c, r.limit, r.sample); err != nil {
		return opts, &usageError{command: c, err: err}
	}
	if opts.Progress, err = out.progress(r.progress); err != nil {
		return opts, &usageError{command: c, err: err}
	}
	opts.Receipt, opts.Poison, opts.Limit, opts.Sample, opts.Seed = r.receipt, r.poison, r.limit, r.sample, r.seed
	opts.Page, opts.Stdout = pageOf(r.page), out.rows()
	return opts, nil
}

// tell says how a run has ended.
func (r *running) tell(out *report, result *host.Result, err error) error {
	switch {
	case err != nil:
		return out.json(r.flags.json, err)
	case !r.flags.json:
		out.summary(result)
		return nil
	}
	if result.PageTrouble != "" { // the object does not say it
		out.sayWarning("no report was written: %s", result.PageTrouble)
	}
	return out.writeJSON(result)
}

// portion tells what is wrong with the flags that take a part of the inputs.
func portion(c *cobra.Command, limit, sample int64) error {
	set := c.Flags().Changed
	switch {
	case set("limit") && set("sample"):
		return errors.New("want one of --limit and --sample, have both")
	case set("limit") && limit < 1:
		return fmt.Errorf("--limit: want 1 or more, have %d", limit)
	case set("sample") && sample < 1:
		return fmt.Errorf("--sample: want 1 or more, have %d", sample)
	case set("seed") && !set("sample"):
		return errors.New("want --seed with --sample, have it alone")
	}
	return nil
}
