package rundiff

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Step leads from a JSON value to a member or an element of it.
type Step = compare.Step

// A Pair is two values in which two JSON texts differ, one of each.
type Pair struct {
	PathA, PathB []Step // that lead to the value in each text, or to where a missing member would be
	A, B         string // JSON; empty where the value is missing
	Moved        bool   // B has the element elsewhere in the array; further pairs say how the two differ
}

// Element reports whether the values are elements of arrays.
func (p *Pair) Element() bool { return len(p.PathA) > 0 && p.PathA[len(p.PathA)-1].Index >= 0 }

// Values returns the smallest values in which two JSON texts differ, in the order of a. Elements of arrays are aligned as in Compare.
func Values(a, b []byte) (pairs []Pair, err error) {
	var texts [2]jsontext.JSON
	for i, text := range [][]byte{a, b} {
		text = bytes.TrimSpace(text)
		if bad := jsontext.Check(text, maxDepth); bad != nil {
			return nil, fmt.Errorf("want JSON: %w", bad)
		}
		texts[i] = jsontext.Of(text)
	}
	for p := range compare.Pairs(texts[0], texts[1], nil) {
		pairs = append(pairs, Pair{PathA: slices.Clone(p.Steps), PathB: slices.Clone(p.StepsB), A: string(p.A), B: string(p.B), Moved: p.Moved})
	}
	return pairs, nil
}
