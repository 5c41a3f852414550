package rules

import "sync"

// Region holds how people of a country write its telephone numbers, and the words that they write around them.
type Region struct {
	Region string   `hcl:"region"`          // of two letters, as the phonenumbers library has it
	Begins string   `hcl:"begins,optional"` // the first digits of a national number without spaces; "" for any
	Phone  []string `hcl:"phone"`           // words, in lower case, that precede a number
	Behind []string `hcl:"behind"`          // words right after a number
	Shapes []string `hcl:"shapes,optional"` // of national numbers that need no word; d is any digit, 0 a zero
}

// Regions returns the countries of regions.json, by their two letters.
var Regions = sync.OnceValue(func() map[string]Region {
	var file struct {
		Regions []Region `hcl:"regions"`
	}
	decode(`{"regions":`+read("regions.json")+`}`, &file)
	all := map[string]Region{}
	for _, r := range file.Regions {
		all[r.Region] = r
	}
	return all
})
