package compare

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Match pairs an element of one list with one of another, by their indexes. One without a partner has -1 for it.
type Match struct {
	A, B  int
	Moved bool // it is the same element, out of order
	same  bool // their tokens are equal
}

// Align pairs the values of two lists, all of which are matched once. What is equal, or has the same id, belongs together first,
// then what is alike. Matches are in the order of a, each value of b alone behind those of b before it. Time is linear in the
// length of long lists, which are then aligned by what occurs once in both.
func Align(a, b []jsontext.JSON) []Match { return alignElements(a, b, nil) }

func alignElements(a, b []jsontext.JSON, except ignore.Paths) []Match {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	tail := 0
	for tail < min(len(a), len(b))-start && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	l := lists{matches: make([]Match, 0, max(len(a), len(b)))}
	for i := range start {
		l.add(i, i, true)
	}
	if endA, endB := len(a)-tail, len(b)-tail; endA > start && endB > start {
		l.offset = start
		l.a, l.b = nodesOf(a, start, endA, except, 0), nodesOf(b, start, endB, except, 0)
		l.setTokens()
		l.align(0, len(l.a), 0, len(l.b))
		l.findMoves()
		l.offset = 0
	} else {
		l.inOrder(start, endA, start, endB)
	}
	for i := range tail {
		l.add(len(a)-tail+i, len(b)-tail+i, true)
	}
	return l.matches
}

// lists are two lists of which the common ends were cut off.
type lists struct {
	a, b    []*node
	offset  int // of their first elements in the whole lists, which matches are of
	matches []Match
}

// add adds a match; -1 is no partner.
func (l *lists) add(i, j int, same bool) {
	m := Match{A: -1, B: -1, same: same}
	if i >= 0 {
		m.A = i + l.offset
	}
	if j >= 0 {
		m.B = j + l.offset
	}
	l.matches = append(l.matches, m)
}

// setTokens sets what equal elements share: their contents, or an id that is unique in both lists.
func (l *lists) setTokens() {
	var ids [2]map[uint64]int
	for k, list := range [][]*node{l.a, l.b} {
		ids[k] = map[uint64]int{}
		for _, n := range list {
			if n.token = n.sum; n.id != 0 {
				ids[k][n.id]++
			}
		}
	}
	for _, list := range [][]*node{l.a, l.b} {
		for _, n := range list {
			if n.id != 0 && ids[0][n.id] == 1 && ids[1][n.id] == 1 {
				n.token = n.id
			}
		}
	}
}

// maxCells bounds the table that finds the best alignment of two parts of lists.
const maxCells = 1 << 14

// align matches the elements of a from a0 to a1 with those of b from b0 to b1.
func (l *lists) align(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && l.a[a0].token == l.b[b0].token {
		l.add(a0, b0, true)
		a0, b0 = a0+1, b0+1
	}
	endA, endB := a1, b1
	for endA > a0 && endB > b0 && l.a[endA-1].token == l.b[endB-1].token {
		endA, endB = endA-1, endB-1
	}
	switch {
	case a0 == endA || b0 == endB:
		l.inOrder(a0, endA, b0, endB)
	case (endA-a0)*(endB-b0) <= maxCells:
		l.best(a0, endA, b0, endB)
	default:
		l.between(a0, endA, b0, endB)
	}
	for i := endA; i < a1; i++ {
		l.add(i, endB+i-endA, true)
	}
}

// inOrder pairs elements by their place.
func (l *lists) inOrder(a0, a1, b0, b1 int) {
	for ; a0 < a1 || b0 < b1; a0, b0 = a0+1, b0+1 {
		i, j := a0, b0
		if i >= a1 {
			i = -1
		}
		if j >= b1 {
			j = -1
		}
		l.add(i, j, false)
	}
}

// between aligns what lies between tokens that occur once in both parts, as many of them as have one order.
func (l *lists) between(a0, a1, b0, b1 int) {
	anchors := increasing(l.unique(a0, a1, b0, b1))
	if len(anchors) == 0 {
		l.inOrder(a0, a1, b0, b1)
		return
	}
	for _, m := range anchors {
		l.align(a0, m.A, b0, m.B)
		l.add(m.A, m.B, true)
		a0, b0 = m.A+1, m.B+1
	}
	l.align(a0, a1, b0, b1)
}

// unique returns the tokens that occur once in both parts, in the order of a.
func (l *lists) unique(a0, a1, b0, b1 int) (all []Match) {
	type places struct{ inA, inB, at int }
	known := make(map[uint64]places, a1-a0)
	for i := a0; i < a1; i++ {
		p := known[l.a[i].token]
		p.inA++
		known[l.a[i].token] = p
	}
	for j := b0; j < b1; j++ {
		p := known[l.b[j].token]
		p.inB, p.at = p.inB+1, j
		known[l.b[j].token] = p
	}
	for i := a0; i < a1; i++ {
		if p := known[l.a[i].token]; p.inA == 1 && p.inB == 1 {
			all = append(all, Match{A: i, B: p.at})
		}
	}
	return all
}

// increasing returns the longest subsequence whose B increases.
func increasing(all []Match) []Match {
	ends := []int{} // ends[n]: the index in all where the sequence of n+1 matches with the least B ends
	before := make([]int, len(all))
	for i, m := range all {
		n, _ := slices.BinarySearchFunc(ends, m.B, func(end, b int) int { return cmp.Compare(all[end].B, b) })
		if before[i] = -1; n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	found := make([]Match, len(ends))
	for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n, i = n-1, before[i] {
		found[n] = all[i]
	}
	return found
}

// anchored is what two equal tokens are worth: more than all likenesses of a table.
const anchored = maxCells * (alike + 1)

// best matches two parts so that most tokens are equal, and the others are as much alike as can be.
func (l *lists) best(a0, a1, b0, b1 int) {
	n, m := a1-a0, b1-b0
	worth, gain := make([]int64, (n+1)*(m+1)), make([]int64, n*m) // worth of the rest from (i, j)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			x, y := l.a[a0+i], l.b[b0+j]
			g := int64(anchored)
			if x.token != y.token {
				g = int64(1 + likeness(x, y, 0))
			}
			gain[i*m+j] = g
			worth[i*(m+1)+j] = max(g+worth[(i+1)*(m+1)+j+1], worth[(i+1)*(m+1)+j], worth[i*(m+1)+j+1])
		}
	}
	i, j := 0, 0
	for i < n && j < m {
		switch rest := worth[i*(m+1)+j]; rest {
		case gain[i*m+j] + worth[(i+1)*(m+1)+j+1]:
			l.add(a0+i, b0+j, gain[i*m+j] == anchored)
			i, j = i+1, j+1
		case worth[(i+1)*(m+1)+j]:
			l.add(a0+i, -1, false)
			i++
		default:
			l.add(-1, b0+j, false)
			j++
		}
	}
	l.inOrder(a0+i, a1, b0+j, b1)
}

// findMoves matches elements that are the same and out of order. Their partners until now are alone then.
func (l *lists) findMoves() {
	free := map[uint64][]int{} // tokens of b without an equal partner
	for _, m := range l.matches {
		if m.B >= 0 && !m.same {
			if n := l.b[m.B-l.offset]; n.moves() {
				free[n.token] = append(free[n.token], m.B)
			}
		}
	}
	if len(free) == 0 {
		return
	}
	to, taken := map[int]int{}, map[int]bool{}
	for _, m := range l.matches {
		if m.A < 0 || m.same {
			continue
		}
		token := l.a[m.A-l.offset].token
		if places := free[token]; len(places) > 0 {
			to[m.A], taken[places[0]] = places[0], true
			free[token] = places[1:]
		}
	}
	if len(to) == 0 {
		return
	}
	var all []Match
	for _, m := range l.matches {
		b, moved := to[m.A]
		switch keep := m.B >= 0 && !taken[m.B]; {
		case m.A < 0 && !keep:
		case moved:
			all = append(all, Match{A: m.A, B: b, Moved: true, same: true})
			if keep {
				all = append(all, Match{A: -1, B: m.B})
			}
		case m.B >= 0 && !keep:
			all = append(all, Match{A: m.A, B: -1})
		default:
			all = append(all, m)
		}
	}
	l.matches = all
}
