package sdk

import (
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// maxSides is how many bytes of rows one record may have. How many records and rows may come of it, wire says.
const maxSides = 16 << 20

// tooMuch rejects the record for what it becomes. Those that came of one record of the batch count together.
func (w *worker) tooMuch(format string, most int) {
	if w.fault == nil {
		w.fault = &verdict{kind: wire.Rejected, code: "too_large", message: fmt.Sprintf(format, most)}
	}
}

// side adds a row of the current record. All rows to one output share its declared name.
func (w *worker) side(output string, json []byte) {
	if w.rows += len(json); w.rows > maxSides {
		w.tooMuch("want at most %d bytes of rows of side outputs for one record, have more", maxSides)
		return
	}
	if most := wire.MostRows(w.chain.space.Limit()); w.rows >= 0 && len(w.sides) >= most {
		w.tooMuch("want at most %d side rows of one record, have more", most)
		return
	}
	output = w.plugin.Outputs[slices.Index(w.plugin.Outputs, output)]
	w.sides = append(w.sides, wire.Side{Index: len(w.answers), Output: output, JSON: slices.Clone(json)})
}
