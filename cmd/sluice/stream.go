package main

import (
	"errors"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/trust"
	"github.com/sluicehq/sluice/host"
)

type streamOptions struct {
	flags  cli.PipelineFlags
	source string
}

func streamCommand(out *cli.Printer) *cobra.Command {
	var o streamOptions
	c := &cobra.Command{
		Use:   "stream FILE",
		Short: "Run a pipeline from standard input to standard output",
		Long: `stream sends JSON lines from standard input through a pipeline and writes to standard output what becomes of them, as soon as it is
there. It reads and writes no file of the pipeline: standard input takes the place of the source, and each row of a sink, a side output or
the dead letter is a line that names the sink and the line of standard input that the row comes from:

  {"sink":"train","line":1,"record":{"messages":[]}}
  {"sink":"rejects","line":2,"reject":{"code":"no_target",...}}

The rows of each sink are in the order of the records that they come from. Rejects come a little after the rows around them, and there is
no order between sinks. Where there are several sources, --source names the one that standard input takes the place of; the others
read nothing. A limit of the dead letter holds. There is no receipt, report, manifest or checkpoint; with --json the receipt, or what
went wrong, is the last line.

To run a pipeline is to trust it, as with sluice run.`,
		Example: `  sluice stream pipelines/eliza-sft.hcl <rows.jsonl
  tail -f log.jsonl | sluice stream p.hcl | jq -c 'select(.sink == "train") | .record'`,
		Args: cli.OneFile,
		RunE: func(c *cobra.Command, args []string) error {
			out.LineJSON()
			result, err := o.run(c, out, args[0])
			switch {
			case err != nil && (c.Context().Err() != nil || errors.Is(err, syscall.EPIPE) && out.ReaderLeft()):
				return out.Fail(o.flags.JSON, cli.ErrStreamInterrupted)
			case err != nil:
				return out.Fail(o.flags.JSON, err)
			case o.flags.JSON:
				return out.JSON(result)
			}
			out.Summary(result, false)
			return nil
		},
	}
	o.flags.Add(c)
	cli.InProcessFlag(c, &o.flags.InProcess)
	c.Flags().StringVar(&o.source, "source", "", "the records are those of source `NAME`, where the pipeline has several")
	return c
}

func (o *streamOptions) run(c *cobra.Command, out *cli.Printer, file string) (*host.Result, error) {
	opts, err := o.flags.Options(c, out)
	if err != nil {
		return nil, err
	}
	opts.Stdout, opts.Inputs = out.Rows(), map[string][]string{}
	p, err := host.Load(file, opts)
	if p == nil {
		return nil, err
	}
	claims := p.Claims()
	if len(claims.Reads) > 0 {
		out.Say("reads %s", strings.Join(claims.Reads, ", "))
	}
	result, err := p.Stream(c.Context(), o.source)
	if err == nil {
		_ = trust.Open().Accept(claims) // where that is not possible, the next command asks
	}
	return result, err
}
