// Package pick finds the records that a person asked to have explained.
package pick

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
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

// In returns the records to pick in a pipeline.
func (o *Options) In(p *host.Pipeline) (trace.Selection, error) {
	switch {
	case o.Match != "":
		want := rows.ParsePathIs(o.Match)
		return trace.Selection{Match: func(row []byte) bool { return has(gjson.GetBytes(row, want.Path), want.Value) }, Count: o.Count}, nil
	case o.Rejects != "":
		wanted, err := o.rejected(p)
		return trace.Selection{Records: wanted}, err
	}
	return trace.Selection{Records: []trace.Input{o.place()}}, nil
}

// has reports whether a value is the one that was asked for: a string by its text, all else as it is written.
func has(v gjson.Result, want string) bool {
	if v.IsArray() && slices.ContainsFunc(v.Array(), func(x gjson.Result) bool { return has(x, want) }) { // of a path with '#'
		return true
	}
	return v.Exists() && (v.String() == want || v.Raw == want)
}

// rejected returns the first records of a dead letter with a code.
func (o *Options) rejected(p *host.Pipeline) (wanted []trace.Input, err error) {
	path := o.DeadLetter
	if path == "" {
		if path, err = p.DeadLetter(); err != nil {
			return nil, err
		}
	}
	in, err := rowfile.Open(path, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("want the dead letter of a run at %s, have no such file: run the pipeline first, or say --dead-letter PATH", path)
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	codes, taken := map[string]int64{}, 0
	for row, err := range in.Lines() {
		if err != nil {
			return nil, err
		}
		if x := gjson.ParseBytes(row); x.IsObject() {
			code := x.Get("code").Str
			if codes[code]++; code == o.Rejects {
				of, err := explain.Rejected(x)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
				before := len(wanted)
				for _, w := range of {
					if !slices.ContainsFunc(wanted, func(other trace.Input) bool { return other.File == w.File && other.Line == w.Line }) {
						wanted = append(wanted, w)
					}
				}
				if len(wanted) > before {
					taken++
				}
			}
		}
		if taken == o.Count {
			break
		}
	}
	if len(wanted) == 0 {
		have := "no reject"
		if len(codes) > 0 {
			have = cli.Breakdown(codes)[0]
		}
		return nil, fmt.Errorf("%s: want a reject with code %q, have %s", path, o.Rejects, have)
	}
	return wanted, nil
}
