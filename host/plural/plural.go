// Package plural writes numbers with their nouns.
package plural

import "strconv"

// Of returns a number with its noun, which takes an s: "1 record", "2,000 records".
func Of[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(int64(n)) + " " + noun + "s"
}

// Count writes a number with commas: 1,234.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	first := 3
	if n < 0 {
		first = 4
	}
	for i := len(s) - 3; i > first-3; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
