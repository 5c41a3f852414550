package rundiff

import (
	"context"
	"errors"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/host/internal/output"
)

type outputPair struct {
	Name   string
	A, B   []*outputFile // one behind the other; nil where there is none
	Reject bool          // a dead letter
	after  []string      // the steps that its rows went through in the run that has it, B where both have
	stream string        // a row may move among outputs of the same stream; "": rows do not move
	side   string        // of a side output: its step
	sinks  [2]string     // TYPE.NAME, of A and of B
}

// outputFile is an output of one run. What is not known about it is zero.
type outputFile struct {
	Path    string
	Whole   output.Summary // as in the receipt
	Origins filehash.Sum   // of its origins
	apart   bool           // no record has rows here and in the file before
}

// settings say what compareRuns and compareKeyed report.
type settings struct {
	FilesA, FilesB []string           // that the runs have read, in that order; nil: as the origins name them
	RenamedB       map[string]string  // files of B, as A calls them
	Ignore         ignore.Paths       // of rows; in a dead letter they are of the record
	Values         bool               // examples show values of rows
	Rows           func([]byte) error // takes each pair that differs, as a line of JSON; may be nil
	MaxHeld        int64              // how many bytes of rows that wait for partners are held in memory; 0: 32 MiB
	Temp           string             // the folder for what is held on disk; "": the system's

	Fates func(of output.Origin, a, b Fate) error // gets what became of each record, see Options.Fates; nil: nobody asks
	Fate  [2]fates
}

// Result says how two runs differ.
type Result struct {
	Compared int64   `json:"compared"` // pairs of rows, and rows without a partner
	Differ   int64   `json:"differ"`   // of them, those that have no equal partner
	Ignored  int64   `json:"ignored"`  // of them, pairs that differ at ignored paths alone
	Spelling int64   `json:"spelling"` // pairs whose bytes differ, though they are equal as JSON
	Outputs  []Count `json:"outputs"`
	Groups   []Group `json:"groups"` // the most frequent first
}

// Count says what became of the rows of one output. A row of A is Equal, Ignored, Spelling, Changed, MovedOut, Rejected or OnlyA; a row
// of B is Equal, Ignored, Spelling, Changed, MovedIn, Accepted or OnlyB.
type Count struct {
	Name     string `json:"name"`
	A        int64  `json:"a"` // rows
	B        int64  `json:"b"`
	Equal    int64  `json:"equal"`
	Ignored  int64  `json:"ignored"` // equal but for values at ignored paths
	Spelling int64  `json:"spelling"`
	Changed  int64  `json:"changed"`
	MovedOut int64  `json:"moved_out"`
	MovedIn  int64  `json:"moved_in"`
	Rejected int64  `json:"rejected"` // by B
	Accepted int64  `json:"accepted"` // A rejected it
	OnlyA    int64  `json:"only_a"`
	OnlyB    int64  `json:"only_b"`

	// ChangedSteps names, when rows differ, the steps on their way whose plugin, code or arguments differ between the runs, in their order.
	// The first of them that changes a row made it differ.
	ChangedSteps []string `json:"changed_steps,omitempty"`
}

// differ reports whether any rows differ in the output.
func (c *Count) differ() bool {
	return c.Changed+c.MovedOut+c.MovedIn+c.Rejected+c.Accepted+c.OnlyA+c.OnlyB > 0
}

// compareRuns compares outputs record by record by their origins. Both runs must have read their files in one order.
func compareRuns(ctx context.Context, pairs []outputPair, o settings) (_ *Result, err error) {
	a, b := side{}, side{from: 1, renamed: o.RenamedB}
	both := []*side{&a, &b}
	defer func() { a.close(); b.close() }()
	for i, p := range pairs {
		for n, files := range [][]*outputFile{p.A, p.B} {
			if err := both[n].add(i, files); err != nil {
				return nil, err
			}
		}
	}
	files, err := mergeOrder(&a, &b, o)
	if err != nil {
		return nil, err
	}
	c := newComparison(pairs, o)
	joined, end, err := c.joinedRows()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	for _, s := range both {
		if err := s.begin(files, joined); err != nil {
			return nil, err
		}
	}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		at, of, ok := nextRecord(both)
		if !ok {
			break
		}
		var rows [2][]row
		for i, s := range both {
			if rows[i], err = s.next(at); err != nil {
				return nil, err
			}
		}
		if o.Fates != nil {
			if err := o.Fates(of, o.Fate[0].of(of, rows[0], pairs), o.Fate[1].of(of, rows[1], pairs)); err != nil {
				return nil, err
			}
		}
		if err := c.record(identity{of: of}, rows); err != nil {
			return nil, err
		}
	}
	if err := joined.end(ctx); err != nil {
		return nil, err
	}
	return c.result(), nil
}

// nextRecord returns the first record of the input that has rows left.
func nextRecord(sides []*side) (at position, of output.Origin, ok bool) {
	for _, s := range sides {
		for _, r := range s.readers {
			if !r.ended && (!ok || r.at.before(at)) {
				at, of, ok = r.at, r.origin, true
			}
		}
	}
	of.Row = 0
	return at, of, ok
}
