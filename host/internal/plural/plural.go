// Package plural writes numbers with their nouns.
package plural

import "fmt"

// Of returns a number with its noun, which takes an s: "1 record", "2 records".
func Of[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
