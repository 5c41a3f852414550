// Package phone reads telephone numbers of all countries: whether one is possible, whether one is valid by the plan of its country,
// and its digits as they are dialled from anywhere.
//
// The plans are those of Google's libphonenumber (Apache License 2.0), as the module github.com/nyaruka/phonenumbers has them, and a
// number is read as that module reads it. The module itself decodes all plans before main, in every process that links it, whether it
// reads a number or not; this package decodes the plan of a region when a number of that region is read. So only the tests link the
// module.
//
// regions.txt is the table of the plans. After a new version of the module in go.mod, go test -update in this folder writes it again.
// TestTable holds the table to the module, and TestExamples, TestRandom and FuzzParse hold Parse and the methods of Number to it.
package phone

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// table has a line for each region, by country code; of the regions that share a code the first is the main one. Fields are
// separated by tabs: code, region, prefix to dial abroad, prefix to dial at home with what to put in its place, and how the numbers
// of the region begin where others share its code. Then come all its numbers, and the numbers of each kind: how many digits they
// have, and a regular expression. Before those of all numbers are the sizes of numbers that are dialled without an area code.
//
//go:embed regions.txt
var table string

// entity is the region of the codes that belong to no country, such as those of satellites.
const entity = "001"

// A region is a plan of numbers.
type region struct {
	code                   int
	id                     string
	abroad, home, homeRule string
	begins                 string
	local                  []int
	all                    kind
	kinds                  []kind
}

// A kind of numbers has their sizes, none for any, and a regular expression.
type kind struct {
	sizes   []int
	pattern string
}

// regions are the plans, each decoded by its first use.
var regions = sync.OnceValue(func() (r struct {
	byID   map[string]func() *region
	byCode map[int][]func() *region
}) {
	r.byID, r.byCode = map[string]func() *region{}, map[int][]func() *region{}
	for line := range strings.Lines(table) {
		first, rest, _ := strings.Cut(line, "\t")
		id, _, _ := strings.Cut(rest, "\t")
		code, _ := strconv.Atoi(first)
		decoded := sync.OnceValue(func() *region { return decode(strings.TrimSuffix(line, "\n")) })
		r.byCode[code] = append(r.byCode[code], decoded)
		if id != entity {
			r.byID[id] = decoded
		}
	}
	return r
})

func decode(line string) *region {
	f := strings.Split(line, "\t")
	local, all, _ := strings.Cut(f[6], " ")
	r := &region{id: f[1], abroad: f[2], home: f[3], homeRule: f[4], begins: f[5], local: sizes(local), all: kindOf(all)}
	r.code, _ = strconv.Atoi(f[0])
	for _, text := range f[7:] {
		r.kinds = append(r.kinds, kindOf(text))
	}
	return r
}

func kindOf(text string) kind {
	list, pattern, _ := strings.Cut(text, " ")
	return kind{sizes(list), pattern}
}

func sizes(text string) (all []int) {
	for size := range strings.SplitSeq(text, ",") {
		if n, err := strconv.Atoi(size); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// regionOf returns the plan of a region by its two letters, or nil.
func regionOf(id string) *region {
	if decoded := regions().byID[id]; decoded != nil {
		return decoded()
	}
	return nil
}

// mainOf returns the main region of a country code, or nil.
func mainOf(code int) *region {
	if all := regions().byCode[code]; len(all) > 0 {
		return all[0]()
	}
	return nil
}

var expressions sync.Map // *regexp.Regexp by text

// expression returns a compiled expression of the table. There are few.
func expression(text string) *regexp.Regexp {
	if known, ok := expressions.Load(text); ok {
		return known.(*regexp.Regexp)
	}
	e := regexp.MustCompile(text)
	expressions.Store(text, e)
	return e
}

// whole reports whether a number is as the expression demands, from end to end.
func (k *kind) whole(national string) bool {
	return expression("^(?:" + k.pattern + ")$").MatchString(national)
}

// has reports whether a number is of the kind.
func (k *kind) has(national string) bool {
	return (len(k.sizes) == 0 || slices.Contains(k.sizes, len(national))) && k.whole(national)
}

// has reports whether a number is one of the plan.
func (r *region) has(national string) bool {
	return r.all.has(national) && slices.ContainsFunc(r.kinds, func(k kind) bool { return k.has(national) })
}

// A fit says how the size of a number fits a plan.
type fit uint8

const (
	fits       fit = iota
	fitsAtHome     // without an area code
	tooShort
	tooLong
	fitsNot // between sizes that fit
)

func (r *region) fit(national string) fit {
	size, all := len(national), r.all.sizes
	switch {
	case len(all) == 0 || all[0] == -1:
		return fitsNot
	case slices.Contains(r.local, size):
		return fitsAtHome
	case slices.Contains(all, size):
		return fits
	case all[0] > size:
		return tooShort
	case all[len(all)-1] < size:
		return tooLong
	}
	return fitsNot
}
