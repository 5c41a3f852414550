package prefilter

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"

	"github.com/zeebo/xxh3"
)

// A choice is the number of an anchor and, by the parity of its place, the offset of the first pair to know it by.
type choice struct {
	number int
	offs   [2]int
	cost   float64 // of the better one
}

// choose chooses the pairs of an anchor that are rarest: those whose look is seldom necessary.
func (x *Index) choose(number int) choice {
	a := &x.anchors[number]
	c, least := choice{number: number}, [2]float64{-1, -1}
	second := [2]float64{a.pairs(0).often(), a.pairs(-1).often()} // by parity, of the next offset
	for off := -1; off+2 <= max(2, len(a.Text)-1); off++ {
		parity := off & 1
		first := second[parity]
		second[parity] = a.pairs(off + 2).often()
		if cost := first * (second[parity] + lookCost); least[parity] < 0 || cost < least[parity] {
			c.offs[parity], least[parity] = off, cost
		}
	}
	c.cost = min(least[0], least[1])
	return c
}

// put joins an anchor to a group for each choice of its pairs, and returns the groups.
func (x *Index) put(c choice) (groups [2]uint8) {
	a := &x.anchors[c.number]
	for i, off := range c.offs {
		first, second := a.pairs(off), a.pairs(off+2)
		groups[i] = x.join(first, second)
		x.weigh(second, groups[i])
		x.enter(c.number, off, groups[i])
	}
	return groups
}

// enter makes an anchor one of a group, by the pairs at an offset.
func (x *Index) enter(number, off int, group uint8) {
	a := &x.anchors[number]
	first, second, at := a.pairs(off), a.pairs(off+2), x.place(number, off)
	x.puts++
	first.each(func(p uint16) {
		x.steps[p].first |= 1 << group
		x.lists[p] = x.move(x.lists[p], at)
	})
	if second.second == allBytes {
		x.wide = true
		for i := range len(second.first) {
			x.behind[second.first[i]] |= 1 << group
		}
		return
	}
	second.each(func(p uint16) { x.steps[p].second |= 1 << group })
}

// move returns the list of a pair that had another one before the anchor was placed.
func (x *Index) move(from uint16, at *Placed) uint16 {
	u := &x.uses[from]
	if u.put != x.puts {
		more := x.placed[from].with(at)
		u.put, u.next = x.puts, uint16(len(x.placed))
		if last := len(x.free) - 1; last >= 0 {
			u.next, x.free = x.free[last], x.free[:last]
			x.placed[u.next], x.uses[u.next] = more, use{}
		} else {
			x.placed, x.uses = append(x.placed, more), append(x.uses, use{})
			u = &x.uses[from]
		}
	}
	x.uses[u.next].pairs++
	if u.pairs--; u.pairs == 0 {
		x.free = append(x.free, from)
	}
	return u.next
}

// finish makes the steps what the anchors placed so far need.
func (x *Index) finish() {
	if x.wide {
		for p := range x.steps {
			x.steps[p].second |= x.behind[byte(p)]
		}
		x.wide = false
	}
}

// lookCost is the cost of a look whether the anchor follows its first pair, as a part of the cost of any second pair.
const lookCost = 1.0

// join returns the group where an anchor with these pairs makes the fewest stops, and adds them to its mass.
func (x *Index) join(first, second pairs) uint8 {
	firsts, seconds := x.addedFirst(first), x.addedSecond(second)
	best, least := 0, -1.0
	for g, m := range x.masses {
		if cost := (m.first+firsts[g])*(m.second+seconds[g]) - m.first*m.second; least < 0 || cost < least {
			best, least = g, cost
		}
	}
	x.masses[best].first += firsts[best]
	x.masses[best].second += seconds[best]
	return uint8(best)
}

// weigh notes how frequent the second pairs are that a group does not have yet.
func (x *Index) weigh(second pairs, group uint8) {
	if second.second == allBytes {
		for i := range len(second.first) {
			c := second.first[i]
			x.seconds[c][group] = frequency().first[c]
		}
		return
	}
	second.each(func(p uint16) {
		if x.isSecond(p)>>group&1 == 0 {
			x.seconds[byte(p)][group] += frequency().of(p)
		}
	})
}

// isSecond returns the groups in which a pair is the second.
func (x *Index) isSecond(p uint16) uint32 { return x.steps[p].second | x.behind[byte(p)] }

// sums are those of each group.
type sums [anchorGroups]float64

// addedFirst returns the frequency of those pairs that each group does not have yet as first ones.
func (x *Index) addedFirst(all pairs) (s sums) {
	s.add(all.often())
	all.each(func(p uint16) { s.without(x.steps[p].first, p) })
	return s
}

// addedSecond returns the frequency of those pairs that each group does not have yet as second ones.
func (x *Index) addedSecond(all pairs) (s sums) {
	s.add(all.often())
	if all.second != allBytes {
		all.each(func(p uint16) { s.without(x.isSecond(p), p) })
		return s
	}
	for i := range len(all.first) {
		for g, had := range x.seconds[all.first[i]] {
			s[g] -= had
		}
	}
	return s
}

func (s *sums) add(n float64) {
	for g := range s {
		s[g] += n
	}
}

// without takes the frequency of a pair out of the sums of the groups that have it.
func (s *sums) without(groups uint32, p uint16) {
	if groups &= single - 1; groups == 0 {
		return
	}
	for n := frequency().of(p); groups != 0; groups &= groups - 1 {
		s[bits.TrailingZeros32(groups)] -= n
	}
}

// A Placement is a choice that was made before: the number of an anchor, the offsets of its first pairs for an even and an odd place,
// and the groups of these.
type Placement [5]int16

// Place places the anchors that were added so far as a list of placements says, which takes half the time of weighing their costs. A list
// that was made for other anchors, whose sum differs, is passed over.
func (x *Index) Place(placements []Placement, sum uint64) {
	if len(placements) != len(x.anchors) || sumOf(x.anchors) != sum {
		x.placeByCost()
		return
	}
	x.isPlaced, x.listed = true, true
	for _, p := range placements {
		x.enter(int(p[0]), int(p[1]), uint8(p[3]))
		x.enter(int(p[0]), int(p[2]), uint8(p[4]))
	}
	x.finish()
}

// Placements returns the list for Place that the costs of the anchors make, and the sum of these.
func (x *Index) Placements() (list []Placement, sum uint64) {
	return x.unplaced().placeByCost(), sumOf(x.anchors)
}

// placeByCost places the anchors, the costliest first, which then have the choice of groups that are nearly empty.
func (x *Index) placeByCost() (made []Placement) {
	x.isPlaced = true
	choices := make([]choice, len(x.anchors))
	for i := range x.anchors {
		choices[i] = x.choose(i)
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.cost, a.cost) })
	for _, c := range choices {
		groups := x.put(c)
		made = append(made, Placement{int16(c.number), int16(c.offs[0]), int16(c.offs[1]), int16(groups[0]), int16(groups[1])})
	}
	x.finish()
	return made
}

// sumOf returns a hash of all of the anchors that a placement depends on.
func sumOf(anchors []Anchor) uint64 {
	var all []byte
	for i := range anchors {
		a := &anchors[i]
		for _, part := range []string{a.Text, a.Prev, a.Next} {
			all = append(binary.AppendUvarint(all, uint64(len(part))), part...)
		}
		all = strconv.AppendBool(all, a.Fold)
	}
	return xxh3.Hash(all)
}
