package build

import (
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A set holds strings. A few are compared one by one.
type set[T ~string] struct {
	list  []T
	known map[T]bool // once there are many
}

const few = 32

func (s *set[T]) has(v T) bool {
	if len(s.list) < few {
		return slices.Contains(s.list, v)
	}
	return s.known[v]
}

// add adds a string that the set does not have.
func (s *set[T]) add(v T) {
	s.list = append(s.list, v)
	switch n := len(s.list); {
	case n == few:
		if s.known == nil {
			s.known = map[T]bool{}
		}
		for _, v := range s.list {
			s.known[v] = true
		}
	case n > few:
		s.known[v] = true
	}
}

// empty empties the set, and releases memory that few records need.
func (s *set[T]) empty() {
	if len(s.list) >= few {
		s.known = nil
	}
	s.list = jsontext.Reuse(s.list)
}
