// Package ignore reads paths of values whose differences do not count.
package ignore

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Provenance returns the paths that say which adapter made a row, and from which shape. Rows of two adapters always differ there.
func Provenance() Paths {
	conversion := func(key string) path {
		return path{"metadata.conversion." + key, []string{"metadata", "conversion", key}}
	}
	return Paths{conversion("adapter"), conversion("shape")}
}

// Paths are places in values. A path that ends in a value holds all that is inside.
type Paths []path

// A path leads to a value.
type path struct {
	text  string   // as it was written
	steps []string // keys, indexes, # for any index and * for any key
}

// ErrPath is the error of a path that is none.
var ErrPath = errors.New("want a path such as metadata.conversion or messages.#.id")

// Parse reads paths with dots between their steps, as in messages.#.id. A dot in a key has a backslash before it.
func Parse(texts []string) (all Paths, err error) {
	for _, text := range texts {
		p, err := parsePath(text)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func parsePath(text string) (p path, err error) {
	p.text = text
	var key strings.Builder
	end := func() error {
		if key.Len() == 0 {
			return fmt.Errorf("%w, have %q", ErrPath, text)
		}
		p.steps = append(p.steps, key.String())
		key.Reset()
		return nil
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			key.WriteByte(text[i])
		case c == '.':
			if err := end(); err != nil {
				return path{}, err
			}
		default:
			key.WriteByte(c)
		}
	}
	return p, end()
}

// Texts returns the paths as they were written.
func (all Paths) Texts() (texts []string) {
	for _, p := range all {
		texts = append(texts, p.text)
	}
	return texts
}

// Under returns the paths below a key.
func (all Paths) Under(key string) Paths {
	below := make(Paths, len(all))
	for i, p := range all {
		below[i] = path{key + "." + p.text, append([]string{key}, p.steps...)}
	}
	return below
}

// Below returns the paths inside the value under a key, or at an index that is not negative, and whether one of them ends there.
func (all Paths) Below(key string, index int) (inside Paths, ends bool) {
	for _, p := range all {
		switch {
		case !p.takes(key, index):
		case len(p.steps) == 1:
			return nil, true
		default:
			inside = append(inside, path{p.text, p.steps[1:]})
		}
	}
	return inside, false
}

// Beside is Below for what a record carries beside its members, by its name alone: a label, as in @split, or a side output, as in /ledger.
func (all Paths) Beside(name string) (inside Paths, ends bool) {
	return slices.DeleteFunc(slices.Clone(all), func(p path) bool { return p.steps[0] != name }).Below(name, -1)
}

// takes reports whether the first step of a path is a key, or an index that is not negative.
func (p path) takes(key string, index int) bool {
	if index < 0 {
		return p.steps[0] == "*" || p.steps[0] == key
	}
	return p.steps[0] == "#" || p.steps[0] == strconv.Itoa(index)
}
