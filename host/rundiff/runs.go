// Package diff compares what two runs have written, row by row. Rows belong together when they come of the same record,
// wherever they stand, or when they have the same value in one place.
//
// [Runs] merges what both runs have written in the order of the input, one record at a time, so it needs no memory but for
// the rows of that record. [Keyed] has nothing to go by but the values: it holds rows back until their partners come, on disk
// when they are many.
package rundiff

import (
	"context"

	"github.com/sluicehq/sluice/host/internal/output"
)

// A Place is an output that both runs have, or one of them.
type outputPair struct {
	Name   string
	A, B   *outputFile // nil where there is none
	Reject bool        // a dead letter
	stream string      // outputs of one way hold the same rows in several files, so a row may move among them; "": no row moves
}

// A File is an output of one run. What is not known of it is zero.
type outputFile struct {
	Path    string         // to open
	Whole   output.Summary // what the run says of it
	Origins string         // SHA-256 of its origins
}

// Options say what is told.
type settings struct {
	FilesA, FilesB []string           // that the runs have read, in that order; nil: as the origins name them
	RenamedB       map[string]string  // files of B, as A calls them
	Values         bool               // examples show values of rows
	Rows           func([]byte) error // takes each pair that differs, as a line of JSON; nil: nobody does
	Keep           int64              // of Keyed: how many bytes of rows are held in memory; 0: 32 MiB
	Temp           string             // of Keyed: the folder for what is held on disk; "": the system's
}

// A Result is how two runs differ.
type Result struct {
	Differ   int64   `json:"differ"`   // rows that have no equal partner
	Spelling int64   `json:"spelling"` // pairs whose bytes differ, though they are equal as JSON
	Outputs  []Count `json:"outputs"`
	Groups   []Group `json:"groups"` // the most frequent first
}

// A Count says what became of the rows of one output. What A has is Equal, Spelling, Changed, MovedOut, Rejected or OnlyA;
// what B has is Equal, Spelling, Changed, MovedIn, Accepted or OnlyB.
type Count struct {
	Name     string `json:"name"`
	A        int64  `json:"a"` // rows
	B        int64  `json:"b"`
	Equal    int64  `json:"equal"`
	Spelling int64  `json:"spelling"`
	Changed  int64  `json:"changed"`
	MovedOut int64  `json:"moved_out"`
	MovedIn  int64  `json:"moved_in"`
	Rejected int64  `json:"rejected"` // by B
	Accepted int64  `json:"accepted"` // A rejected it
	OnlyA    int64  `json:"only_a"`
	OnlyB    int64  `json:"only_b"`
}

// Runs compares places by the origins of their rows. The error says so when the rows are not those that the origins are of,
// and when the two have read their files in different orders.
func compareRuns(ctx context.Context, places []outputPair, o settings) (_ *Result, err error) {
	a, b := side{}, side{renamed: o.RenamedB}
	defer func() { a.close(); b.close() }()
	for i := range places {
		if err := a.add(i, places[i].A); err != nil {
			return nil, err
		}
		if err := b.add(i, places[i].B); err != nil {
			return nil, err
		}
	}
	files, err := inOrder(&a, &b, o)
	if err != nil {
		return nil, err
	}
	if err := a.begin(files); err != nil {
		return nil, err
	}
	if err := b.begin(files); err != nil {
		return nil, err
	}
	c := newComparison(places, o)
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		at, of, ok := first(&a, &b)
		if !ok {
			break
		}
		rowsA, err := a.next(at)
		if err != nil {
			return nil, err
		}
		rowsB, err := b.next(at)
		if err != nil {
			return nil, err
		}
		if err := c.record(identity{of: of}, rowsA, rowsB); err != nil {
			return nil, err
		}
	}
	if err := a.verify(); err != nil {
		return nil, err
	}
	if err := b.verify(); err != nil {
		return nil, err
	}
	return c.result(), nil
}

// first is the record that comes next in the input.
func first(a, b *side) (at position, of output.Origin, ok bool) {
	for _, s := range []*side{a, b} {
		for _, r := range s.readers {
			if !r.ended && (!ok || r.at.before(at)) {
				at, of, ok = r.at, r.origin, true
			}
		}
	}
	of.Row = 0
	return at, of, ok
}
