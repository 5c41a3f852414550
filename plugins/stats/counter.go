package stats

import (
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Counter counts turns and calls of rows one after the other, as the step does.
type Counter struct {
	row   canonical.Row
	asked []byte
}

// Count returns how many turns a row has, its answer included, and how many calls they hold; 0 for a row that is neither
// canonical nor ChatML, or not JSON.
func (c *Counter) Count(row []byte) (turns, calls int64, ok bool) {
	if jsontext.Check(row, jsontext.EmbeddedDepth) != nil {
		return 0, 0, false
	}
	c.row.Read(jsontext.Of(row))
	turns = int64(len(c.row.Turns)) + 1
	if c.row.Format != canonical.Format {
		c.asked = asked(c.asked, row)
		c.row.Read(jsontext.Of(c.asked))
		turns = int64(len(c.row.Turns))
	}
	for i := range c.row.Parts {
		if c.row.Parts[i].Kind == canonical.CallPart {
			calls++
		}
	}
	return turns, calls, turns > 0
}

// asked makes a ChatML row the request of a canonical row, which it is.
func asked(buf, row []byte) []byte {
	return append(append(append(jsontext.Reuse(buf), `{"request":`...), row...), '}')
}
