package source

import (
	"math/bits"
	"sort"

	"github.com/sluicehq/sluice/host/receipt"
)

// A Cut is the place of a part in the inputs of a run. All sources are cut as if their files lay one behind the other, so that what the
// parts write, one behind the other, is what the whole run writes. Where the text of a file has records of its own on each line, and is not
// compressed, a part may begin inside of it: at the first line that begins at its place or behind it; and where it is compressed by zstd, at
// the first frame that begins with a line there. Any other file belongs to the part that its middle lies in. So the parts follow from the
// files alone.
type Cut struct {
	receipt.Part
	Before int64 // bytes of the files of the sources before this one
	Files  int   // how many these are
	Total  int64 // bytes of the files of all sources
	// Lines returns the path of a file by which parts tell each other what they know of the lines of an input; nil: none.
	Lines func(key string) string
}

// bound returns where a part begins in all files.
func (c *Cut) bound(part int) int64 {
	hi, lo := bits.Mul64(uint64(c.Total), uint64(part))
	at, _ := bits.Div64(hi, lo, uint64(c.Of))
	return int64(at)
}

// owner returns the part of a place: of several that begin there the last one, which the others leave everything to.
func (c *Cut) owner(at int64) int {
	return max(sort.Search(c.Of, func(k int) bool { return c.bound(k) > at })-1, 0)
}

// take returns the files that the part reads something of. lined looks into one, and reports whether it may be cut between its lines.
func (c *Cut) take(files []entry, lined func(*entry) (bool, error)) (mine []entry, err error) {
	at := c.Before
	for i, e := range files {
		begin, size := at, e.size()
		at += size
		e.cut = &portion{file: c.Files + i, to: size}
		first, last := c.owner(begin), c.owner(max(begin, at-1))
		if c.Index < first || c.Index > last {
			continue
		}
		cuts := false
		if first < last {
			if cuts, err = lined(&e); err != nil {
				return nil, err
			}
		}
		switch {
		case !cuts && c.owner(begin+size/2) != c.Index:
			continue
		case cuts:
			e.cut.inner = true
			e.cut.from, e.cut.to = max(c.bound(c.Index)-begin, 0), min(c.bound(c.Index+1)-begin, size)
			for k := first + 1; k <= last; k++ {
				e.cut.bounds = append(e.cut.bounds, c.bound(k)-begin)
			}
		}
		mine = append(mine, e)
	}
	return mine, nil
}

// Stamps returns the files that paths match with their sizes, in the order in which they are read, and the name of the first
// that has no size, such as a pipe, "" when there is none.
func Stamps(paths []string, optional bool) (all []Stamp, endless string, err error) {
	files, err := find(paths, optional)
	if err != nil {
		return nil, "", err
	}
	for _, e := range files {
		if !e.regular() && !e.empty() {
			return nil, e.name, nil
		}
	}
	return (&inputs{files: files}).stamps(), "", nil
}
