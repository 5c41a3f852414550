package rundiff

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/host/receipt"
)

// Kinds of differences.
const (
	Changed  = "changed"  // another value at a path
	Spelling = "spelling" // equal as JSON, in other bytes
	Ignored  = "ignored"  // values at ignored paths alone
	Moved    = "moved"    // to another output
	Rejected = "rejected" // by B; A has written it
	Accepted = "accepted" // by B; A has rejected it
	OnlyA    = "only_a"
	OnlyB    = "only_b"
)

// Nothing is what a row has where it lacks a value.
const Nothing = compare.Nothing

// Difference says how rows differ at one place. Path is a gjson path with # for array indexes, for a reject the one that its step
// names. An element that one row lacks at the beginning of an array has the index 0.
type Difference struct {
	Kind   string `json:"kind"`
	Output string `json:"output,omitempty"` // where A has the row, or B when A does not have it
	To     string `json:"to,omitempty"`     // where B has a row that moved
	Path   string `json:"path,omitempty"`
	A      string `json:"a,omitempty"` // what A has there
	B      string `json:"b,omitempty"` // or "moved" for an element that B has at another index
}

// Group counts the rows with one difference.
type Group struct {
	Difference
	Rows     int64     `json:"rows"`
	Examples []Example `json:"examples"` // the first few
}

// Example is one row of a group. File, Line and Record are those of the record that it comes from, where Record is 0 for the first
// one on its line and counts from 2 behind it; they are of the first of several. Rows that were aligned by a key have Key instead.
// LineA and LineB are its lines in the two outputs. Path has indexes where that of the group has #. ValueA and ValueB hold what is
// there, when values are shown. Message is that of a reject.
type Example struct {
	File   string `json:"file,omitempty"`
	Line   int64  `json:"line,omitempty"`
	Record uint32 `json:"record,omitempty"`
	MadeOf
	Key     string `json:"key,omitempty"`
	LineA   int64  `json:"line_a,omitempty"`
	LineB   int64  `json:"line_b,omitempty"`
	Path    string `json:"path,omitempty"`
	ValueA  string `json:"value_a,omitempty"`
	ValueB  string `json:"value_b,omitempty"`
	Message string `json:"said,omitempty"`
}

// MadeOf lists the records that a row was made of, if it was of several, and how many there are beyond the first of them.
type MadeOf struct {
	Origins     []receipt.Position `json:"origins,omitempty"`
	MoreOrigins int64              `json:"more_origins,omitempty"`
}

const (
	maxExamples = 3
	maxGroups   = 1000 // further differences share one group for each kind
)

// Other is the path of the groups that stand for all differences beyond the first 1,000.
const Other = "(other)"

type groups map[Difference]*Group

// add counts a difference, and returns an example to fill in, nil when its group has enough.
func (all groups) add(d Difference) *Example {
	g := all[d]
	if g == nil && len(all) >= maxGroups {
		d = Difference{Kind: d.Kind, Path: Other}
		g = all[d]
	}
	if g == nil {
		g = &Group{Difference: d}
		all[d] = g
	}
	g.Rows++
	if len(g.Examples) == maxExamples {
		return nil
	}
	g.Examples = append(g.Examples, Example{})
	return &g.Examples[len(g.Examples)-1]
}

func (all groups) sorted() []Group {
	list := make([]Group, 0, len(all))
	for _, g := range all {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Output, b.Output), cmp.Compare(a.To, b.To),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return list
}
