// Package choice reads attributes of a step that name one of a few things, and says what there is when they do not.
package choice

import (
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// Of wants the value of an attribute to be one of a few words.
func Of(a sdk.Args, attribute, have string, want ...string) error {
	if slices.Contains(want, have) {
		return nil
	}
	return a.Errorf(attribute, "want %s, have %q", list(want), have)
}

// Named gives what a name stands for. Hyphens and underscores are the same, and names are written with hyphens here. ""
// need not be among the names; it stands for the zero value.
func Named[T any](a sdk.Args, attribute, have string, names map[string]T) (named T, err error) {
	named, ok := names[strings.ReplaceAll(have, "_", "-")]
	if ok || have == "" {
		return named, nil
	}
	sorted := slices.Sorted(maps.Keys(names))
	return named, a.Errorf(attribute, "want %s, have %q", list(slices.DeleteFunc(sorted, func(n string) bool { return n == "" })), have)
}

// list writes "a, b or c".
func list(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
