package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/attest"
	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/eval"
	"github.com/sluicehq/sluice/host/fetch"
)

func privacyCommand(out *cli.Printer) *cobra.Command {
	c := &cobra.Command{
		Use:                        "privacy",
		Short:                      "Attest and verify what a privacy step replaced, and measure its rules",
		SuggestionsMinimumDistance: 2,
		RunE:                       cli.Subcommands,
	}
	c.AddCommand(attestCommand(out), verifyCommand(out), evalCommand(out))
	return c
}

func attestCommand(out *cli.Printer) *cobra.Command {
	var o attest.Options
	c := &cobra.Command{
		Use:   "attest --receipt PATH",
		Short: "Attest what a run's privacy step replaced",
		Long: `attest writes an attestation of a run, eliza.privacy_filter_attestation.v1, with statistics beside it. It binds the hashes of
inputs, output, ledger, rules and configuration. It does not pass when the run read no record, any step rejected a record, a
record still holds a finding, a row was not JSON, the step is of profile "reference", or a file has changed since; then it says
why, and the exit code is 1. It counts as reviewed only when --reviewed-by names the reviewer of the output.

Passed says that the rules find nothing more in what the step let through. It does not say that the output holds no personal
data: rules miss values, and do not look for names of people, for example. The attestation lists what they looked for and what
not, what was switched off, and how many suspects were left; attest and verify print it.

PATH may be that of a run in a bucket, s3://bucket/folder/receipt.json, which is copied to your cache folder. The attestation is written into
the bucket, beside the output, or to --to.`,
		Example: `  sluice privacy attest --receipt out/receipt.json --output out/train.jsonl
  sluice privacy attest --receipt out/receipt.json --output out/train.jsonl --source-kind synthetic --to out/attestation.json`,
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Receipt == "" {
				return cli.Usage(c, errors.New("want --receipt PATH"))
			}
			if !slices.Contains(attest.SourceKinds, o.SourceKind) {
				return cli.Usage(c, fmt.Errorf("--source-kind: want one of %s, have %q", strings.Join(attest.SourceKinds, ", "), o.SourceKind))
			}
			if fetch.Remote(o.Receipt) {
				return attestRemote(c.Context(), out, o)
			}
			path, err := attest.Write(o)
			if path == "" {
				return err
			}
			out.Say("attestation %s", path)
			return errors.Join(err, sayAttested(out, path))
		},
	}
	c.Flags().StringVar(&o.Receipt, "receipt", "", "attest the run whose receipt is at `PATH`")
	c.Flags().StringVar(&o.Step, "step", "", "attest the privacy step `TYPE.NAME`, when the run has several")
	c.Flags().StringVar(&o.Output, "output", "", "attest the output at `PATH`, when the run has several after the step")
	c.Flags().StringVar(&o.To, "to", "", "write to `PATH`; by default attestation.json beside the output")
	c.Flags().StringVar(&o.SourceKind, "source-kind", "user_export", "the `KIND` of the inputs: public, synthetic or user_export")
	c.Flags().StringVar(&o.Reviewer, "reviewed-by", "", "the `NAME` of the person who reviewed the output")
	c.Flags().StringVar(&o.Override, "override", "", "the `REASON` why the step is not strict")
	return c
}

// attestRemote attests a run in a bucket.
func attestRemote(ctx context.Context, out *cli.Printer, o attest.Options) error {
	run, err := runNearby(ctx, out, o.Receipt)
	if err != nil {
		return err
	}
	path, err := attest.WriteRemote(ctx, run, o)
	if path == "" {
		return err
	}
	out.Say("attestation %s", run.Name(path))
	return errors.Join(err, sayAttested(out, path))
}

// sayAttested prints what an attestation says, so that its reader does not take it for more.
func sayAttested(out *cli.Printer, path string) error {
	lines, err := attest.Lines(path)
	if err == nil {
		out.SayLines(strings.Join(lines, "\n") + "\n")
	}
	return err
}

func verifyCommand(out *cli.Printer) *cobra.Command {
	var dir string
	var inputs []string
	c := &cobra.Command{
		Use:   "verify ATTESTATION",
		Short: "Verify an attestation against its files",
		Long: `verify checks that an attestation has passed; that output, ledger, statistics and rejects are the files that it names; that the
ledger has the rows and fields that it attests, of entities that were looked for; and that no record was rejected. It looks for
the files beside the attestation, or in --dir. With --input it also checks that the run read these files and no others. The
attestation and the inputs may lie in a bucket, as s3://bucket/folder/attestation.json.`,
		Example: `  sluice privacy verify out/attestation.json
  sluice privacy verify out/attestation.json --input corpus/a.jsonl --input corpus/b.jsonl`,
		Args: cli.Arguments(1, 1, "one attestation"),
		RunE: func(c *cobra.Command, args []string) error {
			path := args[0]
			var copied *fetch.Copy
			if fetch.Remote(path) {
				var err error
				if copied, err = attest.Nearby(c.Context(), path, dir); err != nil {
					return err
				}
				path, dir = copied.Paths[0], filepath.Dir(copied.Paths[1])
			}
			read, _, err := nearby(c.Context(), out, inputs...)
			if err != nil {
				return err
			}
			if err := attest.Verify(path, dir, read); err != nil {
				return copied.Named(err)
			}
			out.Say("%s holds", args[0])
			return sayAttested(out, path)
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "look for the files in `DIR`")
	c.Flags().StringArrayVar(&inputs, "input", nil, "check that `FILE` was read; may be repeated")
	return c
}

func evalCommand(out *cli.Printer) *cobra.Command {
	var o eval.Options
	var page string
	var asJSON bool
	c := &cobra.Command{
		Use:   "eval [SET...]",
		Short: "Measure a privacy step on labelled texts",
		Long: `eval runs the privacy step on labelled texts and prints recall and precision of each entity, and of each locale that the texts
name, with 95 % confidence intervals. A set is JSONL, with one document per line; offsets are code points, half open:

  {"text": "call Ann", "spans": [{"start": 5, "end": 8, "entity": "PERSON"}], "locale": "en_US"}

A label is found when every letter and digit of it was replaced, whatever entity the finding has; a finding is right when it
overlaps a label. A document that the step rejects is reported and not counted. --page writes a page for a browser, with examples
of missed labels and of findings without a label, masked. --attributes names a file with the attributes of the step, as a
pipeline has them between the braces.

Without a set eval generates documents that resemble chats and tool logs, the same every time, with nothing to find in a third of
them, and the step replaces every entity.`,
		Example: `  sluice privacy eval labelled.jsonl --page misses.html
  sluice privacy eval labelled.jsonl --attributes step.hcl --json
  sluice privacy eval --documents 5000`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Files = args
			if o.Documents < 1 {
				return cli.Usage(c, fmt.Errorf("--documents: want 1 or more, have %d", o.Documents))
			}
			if len(args) > 0 && c.Flags().Changed("documents") {
				return cli.Usage(c, fmt.Errorf("want either sets or --documents, have --documents %d with %s", o.Documents, strings.Join(args, ", ")))
			}
			scores, err := eval.Measure(c.Context(), o)
			if err == nil && page != "" {
				if err = eval.WritePage(c.Context(), page, scores); err == nil {
					out.Say("page %s", page)
				}
			}
			return out.Answer(asJSON, eval.JSON(scores), err, func() error { return out.Write(eval.Text(scores)) })
		},
	}
	c.Flags().IntVar(&o.Documents, "documents", 2400, "generate `N` documents")
	c.Flags().StringVar(&o.Attributes, "attributes", "", "read the step's attributes from the file at `PATH`")
	c.Flags().StringVar(&page, "page", "", "write an HTML page to `PATH`")
	cli.JSONFlag(c, &asJSON)
	return c
}
