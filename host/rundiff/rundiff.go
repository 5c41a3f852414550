// Package rundiff compares what two runs have written, row by row. Rows belong together when they come from the same record,
// in whatever order they were written, or when they have the same value at one path.
//
// Runs are compared in the order of the input, one record at a time, so that needs only the memory for the rows of that record.
package rundiff

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Origin says which record a row comes from: file and line, record of the line, row of the record, and all records of a row that was made
// of several.
type Origin = output.Origin

// Options say how two outputs or runs are compared.
type Options struct {
	Ignore []string            // paths of values that may differ; nil: Provenance()
	Key    string              // gjson path of a value that files are aligned by; empty: by the origins of their rows
	Values bool                // show values of rows in examples
	Rows   string              // path of a file that gets the pairs that differ; empty: none
	Mask   func(string) string // returns the form in which the name of a file is shown; nil: as it is

	// Fates gets what became of each record in either of two runs, in the order of the input, with its file as A calls it. Records that
	// neither run has a row or a reject of, and those of rows that were made of several, are left out. It may be nil.
	Fates func(of Origin, a, b Fate) error
}

// Differences says how two outputs or runs differ.
type Differences struct {
	A    Subject              `json:"a"`
	B    Subject              `json:"b"`
	Runs []receipt.Difference `json:"runs,omitempty"` // differences of the runs other than in rows
	Left []string             `json:"left,omitempty"` // outputs that could not be compared, and why

	Ignore []string `json:"ignore"` // paths of values that may differ
	Result
}

// Subject is a file or a run that is compared.
type Subject struct {
	Path     string `json:"path"` // of the file or the receipt
	Run      string `json:"run,omitempty"`
	Pipeline string `json:"pipeline,omitempty"`
}

// Provenance returns the paths that say which adapter made a row, and from which shape.
func Provenance() []string { return ignore.Provenance().Texts() }

// Errors of Compare about its arguments.
var (
	ErrPath      = ignore.ErrPath
	ErrMixed     = errors.New("want two files or two runs, have one of each")
	ErrKeyOfRuns = errors.New("want two files to align by a key, have runs, which are aligned by the origins of their rows")
)

// Compare compares two files, or two runs by their receipts or folders. The error is host.ErrNoOrigins when no run has noted where
// the rows of a file come from.
func Compare(ctx context.Context, a, b string, o Options) (_ *Differences, err error) {
	if o.Mask == nil {
		o.Mask = func(name string) string { return name }
	}
	except := ignore.Provenance()
	if o.Ignore != nil {
		if except, err = ignore.Parse(o.Ignore); err != nil {
			return nil, err
		}
	}
	subjects := make([]*subject, 2)
	for i, path := range []string{a, b} {
		if subjects[i], err = openSubject(path); err != nil {
			return nil, err
		}
	}
	left, right := subjects[0], subjects[1]
	if (left.receipt == nil) != (right.receipt == nil) {
		return nil, ErrMixed
	}
	if left.receipt != nil && o.Key != "" {
		return nil, ErrKeyOfRuns
	}
	found := &Differences{A: left.describe(o.Mask), B: right.describe(o.Mask)}
	pairs, opts := []outputPair(nil), settings{Values: o.Values, Ignore: except}
	found.Ignore = slices.Concat([]string{}, except.Texts())
	if left.receipt == nil {
		pairs = []outputPair{{Name: o.Mask(filepath.Base(a)), A: []*outputFile{{Path: a}}, B: []*outputFile{{Path: b}}}}
	} else {
		found.Runs = receipt.Differences(left.receipt, right.receipt)
		opts.FilesA, opts.FilesB, opts.RenamedB = receipt.Reads(left.receipt, right.receipt)
		opts.Fates, opts.Fate = o.Fates, [2]fates{newFates(0, left.receipt, opts.FilesA), newFates(1, right.receipt, opts.FilesB)}
		if pairs, found.Left, err = pairOutputs(left, right); err != nil {
			return nil, err
		}
	}
	if found.Result, err = compareRows(ctx, subjects, pairs, o, opts); err != nil || left.receipt == nil {
		return found, err
	}
	changed := receipt.ChangedSteps(left.receipt, right.receipt)
	for i := range found.Outputs {
		if c := &found.Outputs[i]; c.differ() {
			notThrough := func(step string) bool { return !pairs[i].Reject && !slices.Contains(pairs[i].after, step) }
			c.ChangedSteps = slices.DeleteFunc(slices.Clone(changed), notThrough)
		}
	}
	return found, nil
}

// compareRows compares outputs, and writes the rows that differ to o.Rows.
func compareRows(ctx context.Context, subjects []*subject, pairs []outputPair, o Options, opts settings) (_ Result, err error) {
	set := output.New(output.Options{Run: rand.Text(), Listed: receipt.Listed, Apart: true})
	defer func() { err = errors.Join(err, set.Abort()) }()
	if o.Rows != "" {
		sink, err := rowsSink(ctx, set, subjects, pairs, o.Rows)
		if err != nil {
			return Result{}, err
		}
		opts.Rows = func(row []byte) error { return sink.Write([]wire.Record{{Data: row}}) }
	}
	var result *Result
	if o.Key != "" {
		result, err = compareKeyed(ctx, pairs[0], o.Key, opts)
	} else {
		result, err = compareRuns(ctx, pairs, opts)
	}
	if err != nil {
		return Result{}, err
	}
	if o.Rows != "" {
		if _, err := set.Finish(); err != nil {
			return Result{}, err
		}
		if err := set.Commit(); err != nil {
			return Result{}, err
		}
	}
	return *result, nil
}

// rowsSink returns a sink for the rows that differ, whose path is none of the compared files.
func rowsSink(ctx context.Context, set *output.Set, subjects []*subject, pairs []outputPair, path string) (*output.Sink, error) {
	const what = "the rows that differ"
	var read []string
	for _, s := range subjects {
		read = append(read, s.path)
	}
	for _, p := range pairs {
		for _, f := range slices.Concat(p.A, p.B) {
			read = append(read, f.Path)
		}
	}
	for _, path := range read {
		if err := set.Reads(output.Claim{What: "the comparison", Path: path}); err != nil {
			return nil, err
		}
	}
	sink, err := set.Sink("jsonl", output.Claim{What: what, Path: path, Fixed: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return sink, set.Prepare(ctx)
}

type subject struct {
	path    string // of the file or the receipt
	dir     string // of the run
	receipt *receipt.Receipt
}

// openSubject reads the receipt of a run, when the path is a folder or ends in .json.
func openSubject(path string) (*subject, error) {
	info, err := places.Stat(path)
	if err != nil {
		return nil, oserr.AtPath(err)
	}
	s := &subject{path: path, dir: places.Dir(path)}
	if !info.IsDir() && filepath.Ext(path) != ".json" {
		return s, nil
	}
	s.receipt, s.path, err = receipt.Open(path)
	s.dir = places.Dir(s.path)
	return s, err
}

func (s *subject) describe(mask func(string) string) Subject {
	c := Subject{Path: mask(s.path)}
	if s.receipt != nil {
		c.Run, c.Pipeline = s.receipt.Run, s.receipt.Pipeline.Path
	}
	return c
}
