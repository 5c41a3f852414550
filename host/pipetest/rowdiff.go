package pipetest

import (
	"github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Change is one path at which a row differs from the expected one. A missing value is "".
type Change struct {
	Path string `json:"path"` // as in "messages.0.content", "" for the whole row
	Want string `json:"want"` // JSON, shortened
	Have string `json:"have"`
	To   string `json:"to,omitempty"` // where the row has an element that is only at another index, as it is wanted
}

// newChange returns the change of texts, shortened to the parts where they differ.
func newChange(path, want, have string) Change {
	want, have = compare.ExcerptDiff(want, have)
	return Change{Path: path, Want: want, Have: have}
}

func equalRows(want, have string) bool {
	return compare.Equal(jsontext.JSON(want), jsontext.JSON(have))
}

// diffRows returns how have differs from want, in the order of want. Both are JSON.
func diffRows(want, have string) (changes []Change) {
	for p := range compare.Pairs(jsontext.JSON(want), jsontext.JSON(have), nil) {
		c := newChange(p.Exact(), string(p.A), string(p.B))
		if p.Moved {
			c.To = p.ExactB()
		}
		changes = append(changes, c)
	}
	return changes
}

// hasAll reports whether a value has all members that part has, at any depth; lists have to be of the same length.
func hasAll(part, whole string) bool {
	for p := range compare.PairsByIndex(jsontext.JSON(part), jsontext.JSON(whole)) {
		if p.A != "" || p.InArray() { // not only a member that part does not have
			return false
		}
	}
	return true
}
