package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/trace"
)

// An explaining is what explain is asked to do.
type explaining struct {
	flags                              pipelineFlags
	record, match, rejects, deadLetter string
	count                              int
	showValues                         bool
}

func explainCommand(out *report) *cobra.Command {
	var e explaining
	c := &cobra.Command{
		Use:   "explain FILE --record INPUT:LINE",
		Short: "show what every step of a pipeline makes of one record",
		Long: `explain sends a record through the pipeline, by the same plugins in processes of their own as run does, and shows what each
step made of it: what was added (+), removed (-), changed (~) and moved (>) by path, labels (@), counts (#), rows beside the
stream, why a step declined, dropped or rejected it, which way a route sent it, and where it ended. Last comes what is in the
end as it was read, byte for byte. Nothing is written.

--record names a record by its file and the line on which it begins; "-" is the first record on stdin. --match takes the first
record of the sources that has a value at a gjson path. --rejects takes the first record with a code from the dead letter of
the last run: as it stands in its file, or else, when that cannot be read, as the dead letter has it.

What privacy finds, in the pipeline or by its default rules, stands as (EMAIL_ADDRESS 1) everywhere; --show-values shows it.
Steps that keep state from record to record see this record alone. --json writes patches as in RFC 6902.`,
		Example: `  sluice explain pipelines/eliza-sft.hcl --record examples/corpus/native.jsonl:1
  sluice explain pipelines/eliza-sft.hcl --match trajectoryId=t-17
  sluice explain pipelines/eliza-sft.hcl --rejects no_user_turn
  tail -n 1 corpus.jsonl | sluice explain pipelines/eliza-sft.hcl --record -`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			err := e.run(c, out, args[0])
			if err != nil && !out.printed {
				return out.json(e.flags.json, err)
			}
			return err
		},
	}
	e.flags.add(c)
	c.Flags().StringVar(&e.record, "record", "", "the record at `INPUT:LINE`, or - for the first on stdin")
	c.Flags().StringVar(&e.match, "match", "", "the first record with a value at a gjson path, as `PATH=VALUE`")
	c.Flags().StringVar(&e.rejects, "rejects", "", "the first record that was rejected with `CODE`")
	c.Flags().StringVar(&e.deadLetter, "dead-letter", "", "with --rejects: the dead letter at `PATH`; the pipeline's by default")
	c.Flags().IntVar(&e.count, "count", 1, "with --match and --rejects: the first `N` records")
	c.Flags().BoolVar(&e.showValues, "show-values", false, "show personal values too")
	return c
}

func (e *explaining) run(c *cobra.Command, out *report, file string) error {
	if err := e.check(); err != nil {
		return &usageError{command: c, err: err}
	}
	opts, err := e.flags.options(c, out)
	if err != nil {
		return err
	}
	p, err := host.Load(file, opts)
	if err != nil {
		return err
	}
	pick, err := e.pick(p)
	if err != nil {
		return err
	}
	x, err := p.Explain(c.Context(), pick)
	if x == nil || len(x.Records) == 0 {
		return err
	}
	var v *mask.Values
	if !e.showValues {
		v = mask.NewValues(x)
	}
	shown := explain.New(x, v, pick)
	if !e.flags.json {
		out.explained(shown, v.Hidden())
		return err
	}
	if err != nil {
		shown.Error = v.Text(err.Error())
		out.printed = true
	}
	return errors.Join(out.writeJSON(shown), err)
}

// check tells what is wrong with the flags.
func (e *explaining) check() error {
	given := 0
	for _, text := range []string{e.record, e.match, e.rejects} {
		if text != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return fmt.Errorf("want one of --record, --match and --rejects, have %d", given)
	case e.count < 1:
		return fmt.Errorf("--count: want 1 or more, have %d", e.count)
	case e.record != "" && e.count != 1:
		return errors.New("want --count with --match or --rejects, have it with --record")
	case e.deadLetter != "" && e.rejects == "":
		return errors.New("want --dead-letter with --rejects, have it alone")
	}
	return nil
}

// pick says which records are explained.
func (e *explaining) pick(p *host.Pipeline) (trace.Selection, error) {
	switch {
	case e.match != "":
		want := rows.ParsePathIs(e.match)
		if want.Any {
			return trace.Selection{}, fmt.Errorf("--match: want PATH=VALUE, have %q", e.match)
		}
		return trace.Selection{Match: func(row []byte) bool { return has(gjson.GetBytes(row, want.Path), want.Value) }, Count: e.count}, nil
	case e.rejects != "":
		wanted, err := e.rejected(p)
		return trace.Selection{Records: wanted}, err
	}
	w := trace.Input{File: e.record}
	if i := strings.LastIndexByte(e.record, ':'); i > 0 {
		if line, err := strconv.ParseInt(e.record[i+1:], 10, 64); err == nil {
			w = trace.Input{File: e.record[:i], Line: line}
			if line < 1 {
				return trace.Selection{}, fmt.Errorf("--record: want a line of 1 or more, have %d", line)
			}
		}
	}
	return trace.Selection{Records: []trace.Input{w}}, nil
}

// has tells whether a value is the one that was asked for: a string by its text, all else as it is written.
func has(v gjson.Result, want string) bool {
	if v.IsArray() { // of a path with '#'
		for _, x := range v.Array() {
			if has(x, want) {
				return true
			}
		}
	}
	return v.Exists() && (v.String() == want || v.Raw == want)
}
