package output

import (
	"path/filepath"
	"slices"
	"strings"
)

// Spares reports whether there is a file at a path that this run leaves as it is, since no claim writes it.
func (s *Set) Spares(path string) bool {
	t, err := s.locate(path)
	return err == nil && !t.inPlace() && s.hasFinal(t.real) && !s.writes(t)
}

// writes reports whether a claim of the run writes the file at a target, for some labels and with some number.
func (s *Set) writes(t *target) bool {
	if h, owned := s.owned[t.key]; owned && h.by.writes {
		return true
	}
	if _, numbered := s.numbered(t, nil); numbered {
		return true
	}
	return slices.ContainsFunc(s.claims, func(c *claim) bool { return c.folder != nil && c.labelled(t.real) })
}

// labelled reports whether the path of the claim, which names labels, leads to a file for some of them.
func (c *claim) labelled(real string) bool {
	if c.Rotate != (Rotate{}) {
		of, n := unnumbered(real)
		if n == 0 {
			return false
		}
		real = of
	}
	const sep = string(filepath.Separator)
	_, base := filepath.Split(c.pattern.fixed[0])
	fixed := []string{strings.TrimSuffix(c.folder.real, sep) + sep + base}
	for _, f := range c.pattern.fixed[1:] {
		fixed = append(fixed, filepath.FromSlash(f))
	}
	return matches(real, fixed)
}
