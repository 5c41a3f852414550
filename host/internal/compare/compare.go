// Package compare finds the differences between two JSON values.
package compare

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Difference says how two values differ at one place. Path is a gjson path with # for every array index, and * for a key
// that looks like data rather than a name. A and B describe what each value has there: "a string", "an object", "true",
// "nothing", or "another string" when both have one.
type Difference struct{ Path, A, B string }

// Compare sorts differences by path.
func (d Difference) Compare(other Difference) int {
	return cmp.Or(cmp.Compare(d.Path, other.Path), cmp.Compare(d.A, other.A), cmp.Compare(d.B, other.B))
}

// An Occurrence is a difference with the texts where it was found first, which are views of the two values.
type Occurrence struct {
	Difference
	TextA, TextB jsontext.JSON
}

// Values returns the differences between two valid JSON values, each once, sorted. The order of keys, spacing, and the
// spelling of numbers and strings make no difference. Of a key that an object has twice the last counts.
func Values(a, b jsontext.JSON) (found []Occurrence) {
	known := map[Difference]bool{}
	for p := range Pairs(a, b, false) {
		d := Difference{Path(p.Keys), kindOf(p.A), kindOf(p.B)}
		if d.A == d.B {
			_, noun, _ := strings.Cut(d.A, " ")
			d.B = "another " + noun
		}
		if !known[d] {
			known[d] = true
			found = append(found, Occurrence{d, p.A, p.B})
		}
	}
	slices.SortFunc(found, func(x, y Occurrence) int { return x.Compare(y.Difference) })
	return found
}

// Equal reports whether Values finds no difference.
func Equal(a, b jsontext.JSON) bool {
	for range Pairs(a, b, false) {
		return false
	}
	return true
}

// A Pair is two values that differ, "" for one that is missing.
type Pair struct {
	Keys    []string // that lead to both, valid until the next pair
	InArray bool     // the last of Keys is an index
	A, B    jsontext.JSON
}

// Pairs finds the smallest parts in which two valid JSON values differ, in the order of a. Elements of arrays are paired by their
// indexes, and their keys are #. An exact search has the indexes as keys, and leaves out elements that are equal at both ends.
func Pairs(a, b jsontext.JSON, exact bool) iter.Seq[Pair] {
	return func(yield func(Pair) bool) { (&walk{exact: exact, yield: yield}).values(a, b, false) }
}

type walk struct {
	exact bool
	keys  []string // that lead to the current values
	yield func(Pair) bool
}

// maxLevels is how deep two values are compared member by member, which recurses. Below that their bytes are compared.
const maxLevels = 1000

// values returns false when the caller wants no more pairs, as the other methods do.
func (w *walk) values(a, b jsontext.JSON, inArray bool) bool {
	switch kind := kindOf(a); {
	case a == b:
		return true
	case kind != kindOf(b):
	case a.Kind() == '{' && len(w.keys) < maxLevels:
		return w.objects(a.Unique(), b.Unique())
	case a.Kind() == '[' && len(w.keys) < maxLevels:
		return w.arrays(elements(a), elements(b))
	case a.Kind() == '"' && a.Body().Is(b.Body()), kind == "a number" && sameNumber(string(a), string(b)):
		return true
	}
	return w.yield(Pair{w.keys, inArray, a, b})
}

// member compares the members of two values at a key; "" is a missing value.
func (w *walk) member(key string, a, b jsontext.JSON, inArray bool) bool {
	w.keys = append(w.keys, key)
	more := w.values(a, b, inArray)
	w.keys = w.keys[:len(w.keys)-1]
	return more
}

func (w *walk) objects(a, b []jsontext.Member) bool {
	// Most objects that are compared have the same keys in the same order.
	if slices.EqualFunc(a, b, func(x, y jsontext.Member) bool { return x.Key == y.Key }) {
		for i := range a {
			if !w.member(a[i].Key, a[i].Value, b[i].Value, false) {
				return false
			}
		}
		return true
	}
	right := make(map[string]jsontext.JSON, len(b))
	for _, m := range b {
		right[m.Key] = m.Value
	}
	for _, m := range a {
		if !w.member(m.Key, m.Value, right[m.Key], false) {
			return false
		}
		delete(right, m.Key)
	}
	for _, m := range b {
		if _, left := right[m.Key]; left && !w.member(m.Key, "", m.Value, false) {
			return false
		}
	}
	return true
}

func (w *walk) arrays(a, b []jsontext.JSON) bool {
	start, tail, key := 0, 0, "#"
	if w.exact {
		start, tail = CommonEnds(len(a), len(b), func(i, j int) bool { return Equal(a[i], b[j]) })
	}
	for i := start; i < max(len(a), len(b))-tail; i++ {
		var x, y jsontext.JSON
		if i < len(a)-tail {
			x = a[i]
		}
		if i < len(b)-tail {
			y = b[i]
		}
		if w.exact {
			key = strconv.Itoa(i)
		}
		if !w.member(key, x, y, true) {
			return false
		}
	}
	return true
}

func elements(v jsontext.JSON) (all []jsontext.JSON) {
	cursor := v.Cursor()
	for range cursor.Elements() {
		all = append(all, cursor.Value())
	}
	return all
}

// CommonEnds returns how many elements two lists have in common at the beginning, and how many of the rest at the end.
func CommonEnds(a, b int, equal func(i, j int) bool) (start, tail int) {
	for start < min(a, b) && equal(start, start) {
		start++
	}
	for tail < min(a, b)-start && equal(a-1-tail, b-1-tail) {
		tail++
	}
	return start, tail
}

func kindOf(v jsontext.JSON) string {
	switch v.Kind() {
	case 't':
		return "true"
	case 'f':
		return "false"
	default:
		return jsontext.KindName(v.Kind())
	}
}

// maxPath is about how long paths grow.
const maxPath = 1000

// Path joins keys. Each that is not a plain name may be data, and becomes *.
func Path(keys []string) string {
	const name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-#"
	var b strings.Builder
	for i, key := range keys {
		if key == "" || len(key) > 40 || strings.Trim(key, name) != "" {
			key = "*"
		}
		if i > 0 {
			b.WriteByte('.')
		}
		if b.WriteString(key); b.Len() >= maxPath {
			break
		}
	}
	return b.String()
}

// maxShown is how many bytes an excerpt has at most.
const maxShown = 200

// Excerpt returns a copy of a text, or of its beginning when it is long.
func Excerpt[T ~string](text T) string {
	if len(text) <= maxShown {
		return strings.Clone(string(text))
	}
	const more = "…"
	end := maxShown - len(more)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + more
}

// ExcerptDiff returns excerpts of two texts that differ: their beginnings, or else the parts around the first difference.
func ExcerptDiff[T ~string](a, b T) (excerptA, excerptB string) {
	const before, more = 40, "…"
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	if same < maxShown/2 {
		return Excerpt(a), Excerpt(b)
	}
	from := same - before
	for !utf8.RuneStart(a[from]) {
		from--
	}
	return Excerpt(more + a[from:]), Excerpt(more + b[from:])
}
