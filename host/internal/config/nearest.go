package config

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the known word that was probably meant, or "" when none is near: fewer than three edits (the rule of
// HCL) and at most half of the word. Two neighbouring letters swapped are one edit.
func Nearest(word string, known []string) string {
	best, nearest := 3, ""
	for _, k := range known {
		d := edits(strings.ToLower(word), strings.ToLower(k))
		if d < best && 2*d <= max(len(word), len(k)) && word != "" && word != k {
			best, nearest = d, k
		}
	}
	return nearest
}

func edits(a, b string) int {
	if swapped(a, b) {
		return 1
	}
	return levenshtein.Distance(a, b, nil)
}

// swapped reports whether a is b with two neighbouring letters in each other's place.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
