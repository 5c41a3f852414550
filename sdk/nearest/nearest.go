// Package nearest says which word a misspelt one was probably meant to be. Host and SDK ask it, so that a mistake gets the same hint
// whoever reports it.
package nearest

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Word returns the known word that was probably meant, or "" when none is near: fewer than three edits (the rule of
// HCL) and at most half of the word. Case does not count.
func Word(word string, known []string) string {
	best, nearest := 3, ""
	for _, k := range known {
		d := Edits(strings.ToLower(word), strings.ToLower(k))
		if d < best && 2*d <= max(len(word), len(k)) && word != "" && word != k {
			best, nearest = d, k
		}
	}
	return nearest
}

// Edits returns how many letters have to be inserted, deleted or replaced to turn one word into the other. Two neighbouring letters in
// each other's place are one edit if nothing else differs.
func Edits(a, b string) int {
	if swapped(a, b) {
		return 1
	}
	return levenshtein.Distance(a, b, nil)
}

// swapped reports whether two words differ by two neighbouring letters in each other's place alone.
func swapped(a, b string) bool {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
