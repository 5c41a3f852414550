package canonicaltest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Vocabulary holds the keys and strings that mean something in a format. Random rows made of it are odd: members are in
// the wrong place, have another type, are empty, or come twice.
type Vocabulary struct{ Keys, Strings []string }

// Row returns an object with some of members, whose values are JSON, and random others.
func (w Vocabulary) Row(r *rand.Rand, members map[string][]string) string {
	var b strings.Builder
	b.WriteByte('{')
	for _, key := range slices.Sorted(maps.Keys(members)) { // the same rows for the same seed
		values := members[key]
		if len(values) > 0 && r.IntN(12) > 0 {
			b.WriteString(`"` + key + `":` + values[r.IntN(len(values))] + ",")
		}
	}
	b.WriteString(w.pick(r, w.Keys) + ":" + w.Value(r, 2) + "}")
	return b.String()
}

// Value returns a value that nests at most depth levels.
func (w Vocabulary) Value(r *rand.Rand, depth int) string {
	kinds := 7
	if depth == 0 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		return []string{"null", "true", "false", "0", "1.50", `""`, "[]", "{}"}[r.IntN(8)]
	case 1, 2, 3:
		return w.pick(r, w.Strings)
	case 4:
		var list []string
		for range r.IntN(4) {
			list = append(list, w.Value(r, depth-1))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	var members []string
	for range 1 + r.IntN(4) {
		members = append(members, w.pick(r, w.Keys)+":"+w.Value(r, depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (w Vocabulary) pick(r *rand.Rand, from []string) string {
	return string(jsontext.AppendString(nil, from[r.IntN(len(from))]))
}
