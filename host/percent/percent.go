// Package percent writes parts of a whole in percent. What is rounded never reads as nothing, or as all: <0.1%, >99.9%.
package percent

import (
	"math"
	"strconv"
)

// Of writes a part of a whole with so many decimals; of nothing it is 0%.
func Of(part, whole int64, decimals int) string {
	switch {
	case whole == 0 || part == 0:
		return "0%"
	case part == whole:
		return "100%"
	}
	return written(float64(part)/float64(whole), decimals, part > whole)
}

// Share writes a share, of which 1 is all.
func Share(share float64, decimals int) string {
	switch share {
	case 0:
		return "0%"
	case 1:
		return "100%"
	}
	return written(share, decimals, share > 1)
}

// written writes a share that is neither nothing nor all.
func written(share float64, decimals int, more bool) string {
	text := func(percent float64) string { return strconv.FormatFloat(percent, 'f', decimals, 64) + "%" }
	least := math.Pow10(-decimals)
	switch as := text(100 * share); {
	case share > 0 && as == text(0):
		return "<" + text(least)
	case !more && as == text(100):
		return ">" + text(100-least)
	default:
		return as
	}
}
