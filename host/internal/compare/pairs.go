package compare

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Step leads from a value to a member or an element of it.
type Step struct {
	Key   string
	Index int // of an element, -1 of a member
}

// A Pair is two values that differ, "" for one that is missing.
type Pair struct {
	Steps   []Step // that lead to A, or to where it would be, valid until the next pair; of an element that b alone has its index there
	StepsB  []Step // that lead to B, likewise
	A, B    jsontext.JSON
	Moved   bool // the element is elsewhere in the array of b; the two differ only in what further pairs say
	Ignored bool // they are below an ignored path
}

// InArray reports whether the values are elements of arrays.
func (p *Pair) InArray() bool { return len(p.Steps) > 0 && p.Steps[len(p.Steps)-1].Index >= 0 }

// path returns the path of a Difference.
func (p *Pair) path() string {
	return joined(len(p.Steps), func(i int) string {
		switch s := p.Steps[i]; {
		case s.Index < 0:
			return plain(s.Key)
		case s.Index == 0 && i == len(p.Steps)-1 && (p.A == "" || p.B == ""):
			return "0"
		}
		return "#"
	})
}

// At returns the path with indexes. A key that may be data is *.
func (p *Pair) At() string {
	return joined(len(p.Steps), func(i int) string {
		if s := p.Steps[i]; s.Index < 0 {
			return plain(s.Key)
		}
		return strconv.Itoa(p.Steps[i].Index)
	})
}

// Exact returns the path with indexes and all keys.
func (p *Pair) Exact() string { return exact(p.Steps) }

// ExactB returns the path of B in the same way.
func (p *Pair) ExactB() string { return exact(p.StepsB) }

func exact(steps []Step) string {
	keys := make([]string, len(steps))
	for i, s := range steps {
		if keys[i] = s.Key; s.Index >= 0 {
			keys[i] = strconv.Itoa(s.Index)
		}
	}
	return strings.Join(keys, ".")
}

// Pairs finds the smallest parts in which two valid JSON values differ, in the order of a. Elements of arrays are aligned: a
// missing one is a pair without a partner, and leaves the others their partners.
func Pairs(a, b jsontext.JSON, except ignore.Paths) iter.Seq[Pair] {
	return func(yield func(Pair) bool) { (&walk{align: true, except: except, yield: yield}).values(a, b) }
}

// PairsByIndex finds the parts as Pairs does, with elements of arrays paired by their indexes.
func PairsByIndex(a, b jsontext.JSON) iter.Seq[Pair] {
	return func(yield func(Pair) bool) { (&walk{yield: yield}).values(a, b) }
}

// Equal reports whether Values finds no difference.
func Equal(a, b jsontext.JSON) bool {
	for range PairsByIndex(a, b) {
		return false
	}
	return true
}

type walk struct {
	align  bool
	steps  []Step       // that lead to the current values
	stepsB []Step       // in b
	except ignore.Paths // below the current values
	yield  func(Pair) bool
}

// maxLevels is how deep two values are compared member by member, which recurses. Below that their bytes are compared.
const maxLevels = 1000

// maxAligned is how deep arrays are aligned. Below that elements are paired by their indexes.
const maxAligned = 32

// values returns false when the caller wants no more pairs, as the other methods do.
func (w *walk) values(a, b jsontext.JSON) bool {
	switch kind := kindOf(a); {
	case a == b:
		return true
	case kind != kindOf(b):
	case a.Kind() == '{' && len(w.steps) < maxLevels:
		return w.objects(a.Unique(), b.Unique())
	case a.Kind() == '[' && len(w.steps) < maxLevels:
		return w.arrays(a.List(), b.List())
	case sameScalar(a, b):
		return true
	}
	return w.yield(w.pair(a, b))
}

func (w *walk) pair(a, b jsontext.JSON) Pair {
	return Pair{Steps: w.steps, StepsB: w.stepsB, A: a, B: b}
}

// sameScalar reports whether two values of one kind are the same string or number, in whatever spelling.
func sameScalar(a, b jsontext.JSON) bool {
	switch a.Kind() {
	case '"':
		return a.Body().Is(b.Body())
	case '{', '[', 't', 'f', 'n':
		return false
	}
	return sameNumber(string(a), string(b))
}

// inside compares the values at a step of a and one of b; "" is a missing value.
func (w *walk) inside(s, sb Step, a, b jsontext.JSON) bool {
	return w.at(s, sb, func(ignored bool) bool {
		if !ignored {
			return w.values(a, b)
		}
		if a == b || a != "" && b != "" && Equal(a, b) {
			return true
		}
		p := w.pair(a, b)
		p.Ignored = true
		return w.yield(p)
	})
}

// at calls do with the steps taken.
func (w *walk) at(s, sb Step, do func(ignored bool) bool) bool {
	outer := w.except
	below, ignored := outer.Below(s.Key, s.Index)
	w.steps, w.stepsB, w.except = append(w.steps, s), append(w.stepsB, sb), below
	more := do(ignored)
	w.steps, w.stepsB, w.except = w.steps[:len(w.steps)-1], w.stepsB[:len(w.stepsB)-1], outer
	return more
}

func (w *walk) member(key string, a, b jsontext.JSON) bool {
	return w.inside(Step{key, -1}, Step{key, -1}, a, b)
}

func (w *walk) objects(a, b []jsontext.Member) bool {
	// Most objects that are compared have the same keys in the same order.
	if slices.EqualFunc(a, b, func(x, y jsontext.Member) bool { return x.Key == y.Key }) {
		for i := range a {
			if !w.member(a[i].Key, a[i].Value, b[i].Value) {
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
		if !w.member(m.Key, m.Value, right[m.Key]) {
			return false
		}
		delete(right, m.Key)
	}
	for _, m := range b {
		if _, left := right[m.Key]; left && !w.member(m.Key, "", m.Value) {
			return false
		}
	}
	return true
}

func (w *walk) arrays(a, b []jsontext.JSON) bool {
	if w.align && len(a)+len(b) > 2 && len(w.steps) < maxAligned {
		return w.aligned(a, b)
	}
	for i := range max(len(a), len(b)) {
		var x, y jsontext.JSON
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if !w.inside(Step{Index: i}, Step{Index: i}, x, y) {
			return false
		}
	}
	return true
}

func (w *walk) aligned(a, b []jsontext.JSON) bool {
	for _, m := range alignElements(a, b, w.except) {
		var more bool
		switch at, atB := (Step{Index: m.A}), (Step{Index: m.B}); {
		case m.B < 0:
			more = w.inside(at, at, a[m.A], "")
		case m.A < 0:
			more = w.inside(atB, atB, "", b[m.B])
		case m.Moved:
			more = w.at(at, atB, func(ignored bool) bool {
				p := w.pair(a[m.A], b[m.B])
				p.Moved, p.Ignored = true, ignored
				return w.yield(p)
			}) && w.inside(at, atB, a[m.A], b[m.B])
		default:
			more = w.inside(at, atB, a[m.A], b[m.B])
		}
		if !more {
			return false
		}
	}
	return true
}
