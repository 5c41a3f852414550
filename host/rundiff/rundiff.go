package rundiff

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// DiffOptions say how two outputs or runs are compared.
type Options struct {
	Key    string              // gjson path of a value that files are aligned by; empty: by the origins of their rows
	Values bool                // show values of rows
	Rows   string              // path of a file for the pairs that differ; empty: none
	Mask   func(string) string // the form in which names of files are shown; nil: as they are
}

// Differences are how two outputs or runs differ.
type Differences struct {
	A    Subject              `json:"a"`
	B    Subject              `json:"b"`
	Runs []receipt.Difference `json:"runs,omitempty"` // but for their rows
	Left []string             `json:"left,omitempty"` // outputs that could not be compared, and why
	Result
}

// A Compared is one of two things that are compared: a file, or a run, by its receipt.
type Subject struct {
	Path     string `json:"path"`
	Run      string `json:"run,omitempty"`
	Pipeline string `json:"pipeline,omitempty"`
}

// Errors of Diff that are wrong use.
var (
	ErrMixed     = errors.New("want two files or two runs, have one of each")
	ErrKeyOfRuns = errors.New("want two files to align by a key, have runs, which are aligned by the origins of their rows")
)

// Diff compares two files, or two runs by their receipts or folders.
func Compare(ctx context.Context, a, b string, o Options) (_ *Differences, err error) {
	if o.Mask == nil {
		o.Mask = func(name string) string { return name }
	}
	left, err := openSubject(a)
	if err != nil {
		return nil, err
	}
	right, err := openSubject(b)
	if err != nil {
		return nil, err
	}
	if (left.receipt == nil) != (right.receipt == nil) {
		return nil, ErrMixed
	}
	if left.receipt != nil && o.Key != "" {
		return nil, ErrKeyOfRuns
	}
	found := &Differences{A: left.describe(o.Mask), B: right.describe(o.Mask)}
	places, opts := []outputPair(nil), settings{Values: o.Values}
	if left.receipt == nil {
		places = []outputPair{{Name: o.Mask(filepath.Base(a)), A: &outputFile{Path: a}, B: &outputFile{Path: b}}}
	} else {
		found.Runs = receipt.Differences(left.receipt, right.receipt)
		opts.FilesA, opts.FilesB, opts.RenamedB = receipt.Reads(left.receipt, right.receipt)
		if places, found.Left, err = pairOutputs(left, right); err != nil {
			return nil, err
		}
	}
	found.Result, err = compareRows(ctx, []*subject{left, right}, places, o, opts)
	return found, err
}

// compareRows compares places, and writes the rows that differ if somebody asked for them.
func compareRows(ctx context.Context, of []*subject, places []outputPair, o Options, opts settings) (_ Result, err error) {
	set := output.New(output.Options{Run: rand.Text()})
	defer func() { err = errors.Join(err, set.Abort()) }()
	if o.Rows != "" {
		sink, err := rowsSink(ctx, set, of, places, o.Rows)
		if err != nil {
			return Result{}, err
		}
		opts.Rows = func(row []byte) error { return sink.Write([]wire.Record{{Data: row}}) }
	}
	var result *Result
	if o.Key != "" {
		result, err = compareKeyed(ctx, places[0], o.Key, opts)
	} else {
		result, err = compareRuns(ctx, places, opts)
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

// rowsSink is a sink for rows that differ, which is none of what is compared.
func rowsSink(ctx context.Context, set *output.Set, of []*subject, places []outputPair, path string) (*output.Sink, error) {
	const what = "the rows that differ"
	for _, x := range of {
		if err := set.Reads(output.Claim{What: "the comparison", Path: x.path}); err != nil {
			return nil, err
		}
	}
	for _, p := range places {
		for _, f := range []*outputFile{p.A, p.B} {
			if f == nil {
				continue
			}
			if err := set.Reads(output.Claim{What: "the comparison", Path: f.Path}); err != nil {
				return nil, err
			}
		}
	}
	sink, err := set.Sink("jsonl", output.Claim{What: what, Path: path, Fixed: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return sink, set.Prepare(ctx)
}

// A compared is a file or a run.
type subject struct {
	path    string // of the file or the receipt
	dir     string // of the run
	receipt *receipt.Receipt
}

// openCompared takes a folder and what is named .json for a run.
func openSubject(path string) (*subject, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	x := &subject{path: path, dir: filepath.Dir(path)}
	switch {
	case info.IsDir():
		x.dir = path
		if x.path, err = receipt.Find(path); err != nil {
			return nil, err
		}
	case filepath.Ext(path) != ".json":
		return x, nil
	}
	if x.receipt, err = receipt.Read(x.path); err == nil && x.receipt.Run == "" {
		err = fmt.Errorf("%s: want the receipt of a run, have something else", x.path)
	}
	return x, err
}

func (x *subject) describe(mask func(string) string) Subject {
	c := Subject{Path: mask(x.path)}
	if x.receipt != nil {
		c.Run, c.Pipeline = x.receipt.Run, x.receipt.Pipeline.Path
	}
	return c
}
