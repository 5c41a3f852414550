package recognise

import "github.com/sluicehq/sluice/plugins/privacy/ascii"

// A cluster is a number as people write it, in groups of digits with a separator between each two.
type cluster struct {
	start int
	ng    int     // groups
	ends  [8]int  // of the groups
	seps  [8]byte // the separators, in order
	signs uint64  // a bit for each byte that is a separator, the first byte lowest
}

// Separators of groups of digits: any, and those of a card.
var betweenGroups, inCard = ascii.Set(" -./:"), ascii.Set(" -.")

// mostDigits is how many digits a cluster may have.
const mostDigits = 40

// clusterAt reads up to 8 groups of digits from at on, as many as have 40 digits in all. They are valid until the next call, and it does not
// read again what the last call read. It is not ok when the first group has more.
func (s *Scan) clusterAt(at int) (c *cluster, ok bool) {
	c = &s.cluster
	if c.passTo(at); c.start != at || c.ng == 0 {
		*c = cluster{start: at}
		if !s.readGroup(c, at) {
			return nil, false
		}
	}
	for c.ng < len(c.ends) {
		end := c.end()
		if !s.groupFollows(end) || !s.readGroup(c, end+1) {
			break
		}
		c.seps[c.ng-2] = s.s[end]
		c.signs |= 1 << (end - c.start)
	}
	return c, true
}

// passTo leaves out the groups of a cluster before at, but for the last one.
func (c *cluster) passTo(at int) {
	passed, start := 0, c.start
	for passed+1 < c.ng && start < at {
		start = c.ends[passed] + 1
		passed++
	}
	if passed > 0 {
		c.signs >>= start - c.start
		c.start, c.ng = start, c.ng-passed
		copy(c.ends[:c.ng], c.ends[passed:])
		copy(c.seps[:c.ng], c.seps[passed:])
	}
}

// readGroup adds the digits from at on to a cluster, and reports whether they are not too many for anything.
func (s *Scan) readGroup(c *cluster, at int) bool {
	end := s.m.DigitsEnd(at)
	if end-c.start-c.ng > mostDigits {
		return false
	}
	c.ends[c.ng] = end
	c.ng++
	return true
}

func (c *cluster) end() int { return c.ends[c.ng-1] }

// size returns how many digits the first groups have.
func (c *cluster) size(groups int) int { return c.ends[groups-1] - c.start - (groups - 1) }

// digits returns the digits of the first groups of a cluster of a text.
func (c *cluster) digits(text string, groups int) string {
	if groups == 1 {
		return text[c.start:c.ends[0]]
	}
	var all [mostDigits]byte
	n := 0
	for _, b := range []byte(text[c.start:c.ends[groups-1]]) {
		if ascii.IsDigit(b) {
			all[n] = b
			n++
		}
	}
	return string(all[:n])
}

// within returns how many groups there are before a separator that is none of these.
func (c *cluster) within(separators *[256]bool) int {
	for k := range c.ng - 1 {
		if !separators[c.seps[k]] {
			return k + 1
		}
	}
	return c.ng
}

// groupFollows reports whether another group of digits follows at at, behind a sign.
func (s *Scan) groupFollows(at int) bool {
	return ascii.IsDigit(s.after(at+1)) && betweenGroups[s.s[at]]
}

// A layout says which bytes of a number are digits and which are signs: a bit for each, the first byte lowest.
type layout struct {
	size          int
	open          bool // more may follow
	digits, signs uint64
}

// layoutsOf returns those of the forms of a number.
func layoutsOf(b beginnings) (all []layout) {
	for _, form := range b {
		l := layout{size: len(form.bytes), open: form.ends}
		for i, set := range form.bytes {
			switch digits := set[0] >> '0' & (1<<10 - 1); {
			case digits == 0:
				l.signs |= 1 << i
			case set == [4]uint64{digits << '0'}:
				l.digits |= 1 << i
			}
		}
		all = append(all, l)
	}
	return all
}

// isLaid reports whether a number of so many bytes, with these signs among them, has one of the layouts of the format.
func (f *format) isLaid(size int, signs uint64) bool {
	for i := range f.layouts {
		if l := &f.layouts[i]; (size == l.size || l.open && size > l.size) && signs&l.digits == 0 && l.signs&^signs == 0 {
			return true
		}
	}
	return false
}
