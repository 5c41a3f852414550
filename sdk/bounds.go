package sdk

import (
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// maxSides is how many bytes of rows one record may have. How many records and rows may come of it, wire says.
const maxSides = 16 << 20

// tooMuch rejects the record for what it becomes. Those that came of one record of the batch count together.
func (s *step) tooMuch(format string, most int) {
	if s.fault == nil {
		s.fault = &verdict{kind: wire.Rejected, code: "too_large", message: fmt.Sprintf(format, most)}
	}
}

// side adds a row of the current record. All rows to one output share its declared name.
func (s *step) side(output string, json []byte) {
	if s.rows += len(json); s.rows > maxSides && !s.atEnd {
		s.tooMuch("want at most %d bytes of rows of side outputs for one record, have more", maxSides)
		return
	}
	if most := wire.MostRows(s.chain.space.Limit()); len(s.sides) >= most && !s.atEnd {
		s.tooMuch("want at most %d side rows of one record, have more", most)
		return
	}
	output = s.plugin.Outputs[slices.Index(s.plugin.Outputs, output)]
	s.sides = append(s.sides, wire.Side{Index: len(s.answers), Output: output, JSON: slices.Clone(json)})
}
