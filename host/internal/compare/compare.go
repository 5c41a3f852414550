// Package compare finds the differences between two JSON values.
package compare

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Difference is one way in which two values differ. Path is a gjson path with # for every array index, and * for a key
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
func Values(a, b jsontext.JSON) []Occurrence {
	var c comparer
	c.compare(a, b)
	slices.SortFunc(c.found, func(x, y Occurrence) int { return x.Compare(y.Difference) })
	return c.found
}

type comparer struct {
	found []Occurrence
	known map[Difference]bool
	keys  []string // that lead to the current values
}

// maxLevels is how deep two values are compared member by member, which recurses. Below that their bytes are compared.
const maxLevels = 1000

func (c *comparer) compare(a, b jsontext.JSON) {
	switch {
	case a == b:
	case kindOf(a) != kindOf(b):
		c.add(kindOf(a), kindOf(b), a, b)
	case a.Kind() == '{' && len(c.keys) < maxLevels:
		c.compareObjects(a.Unique(), b.Unique())
	case a.Kind() == '[' && len(c.keys) < maxLevels:
		c.compareArrays(a, b)
	case a.Kind() == '"' && a.Body().Is(b.Body()):
	case kindOf(a) == "a number" && sameNumber(string(a), string(b)):
	default:
		_, noun, _ := strings.Cut(kindOf(a), " ")
		c.add(kindOf(a), "another "+noun, a, b)
	}
}

// compareMember compares the members of two values at a key; "" is a missing value.
func (c *comparer) compareMember(key string, a, b jsontext.JSON) {
	c.keys = append(c.keys, key)
	c.compare(a, b)
	c.keys = c.keys[:len(c.keys)-1]
}

func (c *comparer) compareObjects(a, b []jsontext.Member) {
	// Most objects that are compared have the same keys in the same order.
	if slices.EqualFunc(a, b, func(x, y jsontext.Member) bool { return x.Key == y.Key }) {
		for i := range a {
			c.compareMember(a[i].Key, a[i].Value, b[i].Value)
		}
		return
	}
	right := make(map[string]jsontext.JSON, len(b))
	for _, m := range b {
		right[m.Key] = m.Value
	}
	for _, m := range a {
		c.compareMember(m.Key, m.Value, right[m.Key])
		delete(right, m.Key)
	}
	for _, m := range b {
		if _, left := right[m.Key]; left {
			c.compareMember(m.Key, "", m.Value)
		}
	}
}

func (c *comparer) compareArrays(a, b jsontext.JSON) {
	left, right := elements(a), elements(b)
	for i := range max(len(left), len(right)) {
		var elemA, elemB jsontext.JSON
		if i < len(left) {
			elemA = left[i]
		}
		if i < len(right) {
			elemB = right[i]
		}
		c.compareMember("#", elemA, elemB)
	}
}

func elements(v jsontext.JSON) (all []jsontext.JSON) {
	cursor := v.Cursor()
	for range cursor.Elements() {
		all = append(all, cursor.Value())
	}
	return all
}

func (c *comparer) add(kindA, kindB string, a, b jsontext.JSON) {
	diff := Difference{Path(c.keys), kindA, kindB}
	if c.known[diff] {
		return
	}
	if c.known == nil {
		c.known = map[Difference]bool{}
	}
	c.known[diff] = true
	c.found = append(c.found, Occurrence{diff, a, b})
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
