package rules

import "sync"

// Dates returns the words of dates of birth, in lower case, in the languages of the regions.
var Dates = sync.OnceValue(func() (dates struct {
	Birth       []string `hcl:"birth"`        // precede a date of birth
	BirthBehind []string `hcl:"birth_behind"` // follow a date of birth at once
	Months      []string `hcl:"months"`
}) {
	decode(read("dates.json"), &dates)
	return dates
})
