// Package compare finds the differences between two JSON values.
package compare

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Difference says how two values differ at one place. Path is a gjson path with # for array indexes, and * for a key that
// looks like data rather than a name. Only of an element that is alone and the first of its array it has the index 0. A and B
// describe what each value has there: "a string", "an object", "true", "nothing", "another string" when both have one, or "moved"
// when B has the same at another index.
type Difference struct{ Path, A, B string }

// Compare sorts differences by path.
func (d Difference) Compare(other Difference) int {
	return cmp.Or(cmp.Compare(d.Path, other.Path), cmp.Compare(d.A, other.A), cmp.Compare(d.B, other.B))
}

// An Occurrence is a difference where it was found first: its path with indexes, and the texts, which are views of the two values.
type Occurrence struct {
	Difference
	At           string
	TextA, TextB jsontext.JSON
}

// What A or B is for a value that is missing, and B for an element that is at another index in the same array.
const (
	Nothing = "nothing"
	Moved   = "moved"
)

// Values returns the differences between two valid JSON values, each once, sorted. The order of keys, spacing, and the
// spelling of numbers and strings make no difference. Of a key that an object has twice the last counts. Elements of arrays are
// aligned. ignored reports whether the values differ below one of the ignored paths too.
func Values(a, b jsontext.JSON, except ignore.Paths) (found []Occurrence, ignored bool) {
	known := map[Difference]bool{}
	for p := range Pairs(a, b, except) {
		if p.Ignored {
			ignored = true
			continue
		}
		d := Difference{p.path(), kindOf(p.A), kindOf(p.B)}
		switch {
		case p.Moved:
			d.B = Moved
		case d.A == d.B:
			_, noun, _ := strings.Cut(d.A, " ")
			d.B = "another " + noun
		}
		if !known[d] {
			known[d] = true
			found = append(found, Occurrence{d, p.At(), p.A, p.B})
		}
	}
	slices.SortFunc(found, func(x, y Occurrence) int { return x.Compare(y.Difference) })
	return found, ignored
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
	return joined(len(keys), func(i int) string { return plain(keys[i]) })
}

// plain returns a key that is a plain name, else *.
func plain(key string) string {
	const name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-#"
	if key == "" || len(key) > 40 || strings.Trim(key, name) != "" {
		return "*"
	}
	return key
}

func joined(n int, step func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte('.')
		}
		if b.WriteString(step(i)); b.Len() >= maxPath {
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
