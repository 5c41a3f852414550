package output

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/internal/places"
)

// A Rotate bounds each file of a sink, by rows or by their bytes before compression. The zero value has no bound.
type Rotate struct{ Rows, Bytes int64 }

// A numbering holds the names that a path leads to where its sink rotates: train-00001.jsonl, train-00002.jsonl and so on for
// train.jsonl.
type numbering struct {
	family
	by     *claim
	path   string  // for messages
	folder *target // where the files lie
	series *series // that has the names
}

// A family is names that differ in their number alone, as in target.key.
type family struct{ folder, prefix, suffix string }

// minDigits is how many digits a number has at least.
const minDigits = 5

// Numbered returns the path of the nth file where a sink rotates, with letters in place of the number when n is 0.
func Numbered(path string, n int) string {
	stem, ext := cutExt(path)
	if n == 0 {
		return stem + "-" + strings.Repeat("N", minDigits) + ext
	}
	return fmt.Sprintf("%s-%0*d%s", stem, minDigits, n, ext)
}

// Unnumbered returns the path of a sink that rotates, from the path of one of its files.
func Unnumbered(path string) string {
	if _, number := familyOf(path); number == 0 {
		return path
	}
	stem, ext := cutExt(path)
	return stem[:strings.LastIndexByte(stem, '-')] + ext
}

// nth returns the path of the nth file for a path of the claim.
func (c *claim) nth(path string, n int) string {
	if c.Rotate == (Rotate{}) {
		return path
	}
	return Numbered(path, n)
}

// familyOf returns the family of a name and its number, 0 when it has none.
func familyOf(key string) (of family, number int) {
	folder, name := filepath.Split(key)
	stem, ext := cutExt(name)
	i := strings.LastIndexByte(stem, '-')
	digits := stem[i+1:]
	if i < 0 || len(digits) < minDigits || digits[0] == '0' && len(digits) > minDigits {
		return of, 0
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return of, 0
	}
	return family{filepath.Clean(folder), stem[:i+1], ext}, int(n)
}

// number returns the number of the file with a key, 0 when it has none of the names.
func (n *numbering) number(key string) int {
	if of, number := familyOf(key); of == n.family {
		return number
	}
	return 0
}

// claimNumbers returns the numbering of a path whose labels are filled in, or nil when the claim does not rotate. When another claim
// owns one of the numbered names, it returns that owner in with. The caller claims the names: it adds the numbering to s.numbers.
func (s *Set) claimNumbers(by *claim, path string) (own *numbering, with ownership, err error) {
	if by.Rotate == (Rotate{}) {
		return nil, with, nil
	}
	folder, name := filepath.Split(path)
	at, err := s.locate(places.Clean(folder))
	if err != nil {
		return nil, with, err
	}
	stem, ext := cutExt(name)
	own = &numbering{
		by: by, path: Numbered(path, 0), folder: at, family: family{at.key, s.fold(at.real, stem+"-"), s.fold(at.real, ext)},
	}
	for _, h := range s.counted[own.family] {
		if h.by != by && (with.by == nil || h.target.key < with.target.key) {
			with = h
		}
	}
	if with.by != nil {
		return nil, with, nil
	}
	if other := s.families[own.family]; other != nil {
		return nil, other.ownership(), nil
	}
	return own, with, nil
}

func (s *Set) addNumbers(n *numbering) {
	s.numbers = append(s.numbers, n)
	s.families[n.family] = n
}

func (n *numbering) ownership() ownership { return ownership{n.by, &target{path: n.path}} }

// numbered returns another claim's numbering that has a target, if there is one.
func (s *Set) numbered(t *target, by *claim) (h ownership, taken bool) {
	of, number := familyOf(t.key)
	if n := s.families[of]; number > 0 && n != nil && n.by != by {
		return n.ownership(), true
	}
	return h, false
}

// cutExt cuts the ending off a path, with that of a compressed file.
func cutExt(path string) (stem, ext string) {
	ext = filepath.Ext(path)
	if slices.Contains([]string{".gz", ".zst"}, ext) {
		ext = filepath.Ext(strings.TrimSuffix(path, ext)) + ext
	}
	if stem = strings.TrimSuffix(path, ext); stem == "" || os.IsPathSeparator(stem[len(stem)-1]) {
		return path, "" // a hidden file without an ending
	}
	return stem, ext
}
