package format

import (
	"cmp"
	"maps"
	"slices"
)

// MostFirst are the names of counts, those with the highest counts first, and by name where they are equal.
func MostFirst(by map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
}

// Total is the sum of counts.
func Total(by map[string]int64) (sum int64) {
	for _, n := range by {
		sum += n
	}
	return sum
}
