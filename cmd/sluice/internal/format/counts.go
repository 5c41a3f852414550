package format

import (
	"cmp"
	"maps"
	"slices"
)

// MostFirst returns the names of counts, the highest count first, and by name where counts are equal.
func MostFirst(by map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
}

// Total returns the sum of counts.
func Total(by map[string]int64) (sum int64) {
	for _, n := range by {
		sum += n
	}
	return sum
}
