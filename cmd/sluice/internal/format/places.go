package format

import (
	"strconv"

	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// mostPlaces is how many places Places names.
const mostPlaces = 8

// Places names the records that one was made of, and how many there are beyond them: a.jsonl:1 + 4 + b.jsonl:2 + 7 more. A line alone
// is in the file of the place before it.
func Places(all []receipt.Position, more int64) (text string) {
	for i, p := range all[:min(len(all), mostPlaces)] {
		switch {
		case i == 0:
			text = p.String()
		case p.File == all[i-1].File:
			text += " + " + strconv.FormatInt(p.Line, 10)
		default:
			text += " + " + p.String()
		}
	}
	if more += int64(max(len(all)-mostPlaces, 0)); more > 0 {
		text += " + " + plural.Count(more) + " more"
	}
	return Printable(text)
}
