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

// Part is a value in which two JSON texts differ.
type Part struct {
	PathA, PathB []Step // that lead to it in each text; of a member that is missing there, to where it would be
	A, B         string // JSON; empty where it is missing
	Moved        bool   // B has the element elsewhere in the array; how the two differ further parts say
}

// Element reports whether the value is an element of an array.
func (p *Part) Element() bool { return len(p.PathA) > 0 && p.PathA[len(p.PathA)-1].Index >= 0 }

// Values returns the smallest parts in which two JSON texts differ, in the order of a. Elements of arrays are aligned as in Compare.
func Values(a, b []byte) (parts []Part, err error) {
	var texts [2]jsontext.JSON
	for i, text := range [][]byte{a, b} {
		text = bytes.TrimSpace(text)
		if bad := jsontext.Check(text, maxDepth); bad != nil {
			return nil, fmt.Errorf("want JSON: %w", bad)
		}
		texts[i] = jsontext.Of(text)
	}
	for p := range compare.Pairs(texts[0], texts[1], nil) {
		parts = append(parts, Part{PathA: slices.Clone(p.Steps), PathB: slices.Clone(p.StepsB), A: string(p.A), B: string(p.B), Moved: p.Moved})
	}
	return parts, nil
}
