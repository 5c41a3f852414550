// Package compare tells how two JSON values differ.
package compare

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Difference is one way in which two values differ. Path is a gjson path with # for every array index, and a key that
// looks like data rather than a name stands as *. A and B say what is there: "a string", "an object", "true", "nothing", or
// "another string" when both have one.
type Difference struct{ Path, A, B string }

// Compare sorts differences by path.
func (d Difference) Compare(other Difference) int {
	return cmp.Or(cmp.Compare(d.Path, other.Path), cmp.Compare(d.A, other.A), cmp.Compare(d.B, other.B))
}

// A Found difference comes with the text that is there, a view of the two values, where it was found first.
type Occurrence struct {
	Difference
	TextA, TextB jsontext.JSON
}

// Values gives the differences between two values that are known to be JSON, each once, sorted. The order of keys, spacing,
// and how numbers and strings are spelled are none. Of a key that an object has twice the last counts.
func Values(a, b jsontext.JSON) []Occurrence {
	var c comparing
	c.values(a, b)
	slices.SortFunc(c.found, func(x, y Occurrence) int { return x.Compare(y.Difference) })
	return c.found
}

// comparing collects the differences of one pair of values.
type comparing struct {
	found []Occurrence
	known map[Difference]bool
	keys  []string // that lead to what is compared
}

// maxLevels is how deep two values are compared member by member; below, their bytes are. The comparison recurses.
const maxLevels = 1000

func (c *comparing) values(a, b jsontext.JSON) {
	switch {
	case a == b:
	case kindOf(a) != kindOf(b):
		c.add(kindOf(a), kindOf(b), a, b)
	case a.Kind() == '{' && len(c.keys) < maxLevels:
		c.objects(a.Unique(), b.Unique())
	case a.Kind() == '[' && len(c.keys) < maxLevels:
		c.arrays(a, b)
	case a.Kind() == '"' && a.Body().Is(b.Body()):
	case isNumber(a) && sameNumber(string(a), string(b)):
	default:
		_, noun, _ := strings.Cut(kindOf(a), " ")
		c.add(kindOf(a), "another "+noun, a, b)
	}
}

// under compares what two values have under a key; "" is what one of them does not have.
func (c *comparing) under(key string, a, b jsontext.JSON) {
	c.keys = append(c.keys, key)
	c.values(a, b)
	c.keys = c.keys[:len(c.keys)-1]
}

func (c *comparing) objects(a, b []jsontext.Member) {
	if inStep(a, b) {
		for i := range a {
			c.under(a[i].Key, a[i].Value, b[i].Value)
		}
		return
	}
	right := make(map[string]jsontext.JSON, len(b))
	for _, m := range b {
		right[m.Key] = m.Value
	}
	for _, m := range a {
		c.under(m.Key, m.Value, right[m.Key])
		delete(right, m.Key)
	}
	for _, m := range b {
		if _, left := right[m.Key]; left {
			c.under(m.Key, "", m.Value)
		}
	}
}

// inStep tells whether two objects have the same keys in the same order, as most that are compared do.
func inStep(a, b []jsontext.Member) bool {
	return slices.EqualFunc(a, b, func(x, y jsontext.Member) bool { return x.Key == y.Key })
}

func (c *comparing) arrays(a, b jsontext.JSON) {
	left, right := elements(a), elements(b)
	for i := range max(len(left), len(right)) {
		var x, y jsontext.JSON
		if i < len(left) {
			x = left[i]
		}
		if i < len(right) {
			y = right[i]
		}
		c.under("#", x, y)
	}
}

func elements(v jsontext.JSON) (all []jsontext.JSON) {
	cursor := v.Cursor()
	for range cursor.Elements() {
		all = append(all, cursor.Value())
	}
	return all
}

func (c *comparing) add(kindA, kindB string, a, b jsontext.JSON) {
	x := Difference{Path(c.keys), kindA, kindB}
	if c.known[x] {
		return
	}
	if c.known == nil {
		c.known = map[Difference]bool{}
	}
	c.known[x] = true
	c.found = append(c.found, Occurrence{x, a, b})
}

func kindOf(v jsontext.JSON) string {
	switch v.Kind() {
	case 0:
		return "nothing"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't':
		return "true"
	case 'f':
		return "false"
	case 'n':
		return "null"
	}
	return "a number"
}

// maxPath is about how long paths grow.
const maxPath = 1000

// Path joins keys. Those that are not plain names may be data, and stand as *.
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

// maxShown is how many bytes of a value are shown.
const maxShown = 200

// Shown is what is shown of a text: all of it, or its beginning. It is a copy.
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

// ShownApart is what is shown of two texts that differ: the beginnings, or else what stands around the first difference.
func ExcerptDiff[T ~string](a, b T) (shownA, shownB string) {
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
