package parquet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A path of a column is the name of a member, and behind it any of a dot with the name of a member and of [] for the elements of an array. A
// backslash is before a dot, a bracket or a backslash in a name.
var (
	escapes   = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `[`, `\[`)
	unescapes = strings.NewReplacer(`\\`, `\`, `\.`, `.`, `\[`, `[`)
)

func escapeName(name string) string   { return escapes.Replace(name) }
func unescapeName(name string) string { return unescapes.Replace(name) }

// firstName returns the first name of a path, as it is spelt there.
func firstName(path string) string {
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '\\':
			i++
		case '.', '[':
			return path[:i]
		}
	}
	return path
}

// CheckColumns returns the mistake in types that are given to columns by their paths, or nil: a path that leads to no column, or two that ask for
// different types in one place, such as a and a.b.
func CheckColumns(given map[string]Type) error {
	type want struct {
		typ  Type
		path string // that wants it
	}
	wanted := map[string]want{} // by the paths of columns and of what they lie in
	for _, path := range slices.Sorted(maps.Keys(given)) {
		around, err := containers(path)
		if err != nil {
			return err
		}
		around = append(around, container{path, given[path]})
		for _, c := range around {
			before, known := wanted[c.path]
			if known && before.typ != c.typ {
				return fmt.Errorf("want one type for column %q, have %s, which %q needs, and %s, which %q needs", c.path, before.typ, before.path, c.typ, path)
			}
			if !known {
				wanted[c.path] = want{c.typ, path}
			}
		}
	}
	return nil
}

// A container is an object or an array that a column lies in.
type container struct {
	path string
	typ  Type
}

// containers returns what a column lies in below its row, from the outside.
func containers(path string) (around []container, err error) {
	for at := 0; ; {
		name := firstName(path[at:])
		if name == "" || escapeName(unescapeName(name)) != name {
			return nil, fmt.Errorf(`want a path such as messages[].content, with \ before a dot, [ or \ of a name, have %q`, path)
		}
		at += len(name)
		for strings.HasPrefix(path[at:], "[]") {
			around = append(around, container{path[:at], listType})
			at += len("[]")
		}
		switch {
		case len(around) >= maxLevels:
			return nil, fmt.Errorf("want at most %d objects and arrays around a column in its row, have %d for %q", maxLevels-1, len(around), path)
		case at == len(path):
			return around, nil
		case path[at] != '.':
			return nil, fmt.Errorf(`want a dot or [] behind a name, have %q in %q`, path[at:], path)
		}
		around = append(around, container{path[:at], groupType})
		at++
	}
}
