// Package pick finds the records that a person asked to have explained.
package pick

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/trace"
)

// Options say which records are meant; one of Record, Match and Rejects is set.
type Options struct {
	Record     string // INPUT:LINE, or "-" for the first record on stdin
	Match      string // PATH=VALUE
	Rejects    string // a code
	DeadLetter string // with Rejects: its path; "": that of the pipeline
	Count      int    // with Match and Rejects: how many
}

// Check returns the first mistake in the options, with the names of the flags.
func (o *Options) Check() error {
	given := 0
	for _, text := range []string{o.Record, o.Match, o.Rejects} {
		if text != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return fmt.Errorf("want one of --record, --match and --rejects, have %d", given)
	case o.Count < 1:
		return fmt.Errorf("--count: want 1 or more, have %d", o.Count)
	case o.Record != "" && o.Count != 1:
		return errors.New("want --count with --match or --rejects, have --record")
	case o.DeadLetter != "" && o.Rejects == "":
		return errors.New("want --rejects with --dead-letter")
	case o.Match != "" && rows.ParsePathIs(o.Match).Any:
		return fmt.Errorf("--match: want PATH=VALUE, have %q", o.Match)
	}
	if at := o.place(); at.Line < 0 {
		return fmt.Errorf("--record: want a line of 1 or more, have %q", o.Record)
	}
	return nil
}

// place reads Record. Its line is -1 when no file can have it.
func (o *Options) place() trace.Input {
	i := strings.LastIndexByte(o.Record, ':')
	if i <= 0 {
		return trace.Input{File: o.Record}
	}
	line, err := strconv.ParseInt(o.Record[i+1:], 10, 64)
	switch {
	case err != nil: // it may be part of the name
		return trace.Input{File: o.Record}
	case line < 1:
		line = -1
	}
	return trace.Input{File: o.Record[:i], Line: line}
}

// Explain sends the records that are meant through a pipeline, and returns which these are. said is told where rejects were found.
func (o *Options) Explain(ctx context.Context, p *host.Pipeline, said func(string)) (*trace.Trace, trace.Selection, error) {
	if o.Rejects != "" {
		return o.explainRejects(ctx, p, said)
	}
	pick := trace.Selection{Records: []trace.Input{o.place()}}
	if o.Match != "" {
		want := rows.ParsePathIs(o.Match)
		pick = trace.Selection{Match: func(row []byte) bool { return has(gjson.GetBytes(row, want.Path), want.Value) }, Count: o.Count}
	}
	found, err := p.Explain(ctx, pick)
	if errors.Is(err, trace.ErrNoMatch) {
		err = fmt.Errorf("--match %s: %w", o.Match, err)
	}
	return found, pick, err
}

// has reports whether a value is the one that was asked for: a string by its text, all else as it is written.
func has(v gjson.Result, want string) bool {
	if v.IsArray() && slices.ContainsFunc(v.Array(), func(x gjson.Result) bool { return has(x, want) }) { // of a path with '#'
		return true
	}
	return v.Exists() && (v.String() == want || v.Raw == want)
}
