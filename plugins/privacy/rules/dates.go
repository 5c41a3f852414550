package rules

import "sync"

// Dates are the words of dates of birth, in lower case, in the languages of the regions.
var Dates = sync.OnceValue(func() (dates struct {
	Birth       []string `hcl:"birth"`        // say that a date behind them is one of birth
	BirthBehind []string `hcl:"birth_behind"` // say it right behind a date
	Months      []string `hcl:"months"`
}) {
	decode(read("dates.json"), &dates)
	return dates
})
