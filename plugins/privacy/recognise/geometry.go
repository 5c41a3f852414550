package recognise

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var (
	ruleMap      = &Label{"map-coordinates", rules.GeoCoordinates}
	ruleGeometry = &Label{"geometry-coordinates", rules.GeoCoordinates}
)

// leastPrecise is the fewest digits behind the point of coordinates whose syntax says what they are, and mostPrecise makes them some
// wherever they are: small numbers with fewer digits may be a part of a drawing.
const leastPrecise, mostPrecise = 2, 4

// pairSigns are what is between the coordinates of a map's URL, by what is right before the first one.
var pairSigns = []struct{ before, between string }{
	{"/@", ","},                    // google.com/maps/@48.8584,2.2945,17z
	{"!3d", "!4d"}, {"!2d", "!3d"}, // in the data of such a URL
	{"?cp=", "~"}, {"&cp=", "~"}, // bing.com/maps?cp=47.6778~-122.1220
}

// mapped finds the coordinates of a map's URL of which the first begins at start, and reports whether there are some.
func (s *Scan) mapped(start int) bool {
	between := ""
	switch s.before(start) {
	case '@', 'd', '=':
		for _, p := range pairSigns {
			if strings.HasSuffix(s.s[:start], p.before) {
				between = p.between
			}
		}
	case '/': // openstreetmap.org/#map=17/48.8584/2.2945
		if zoom := ascii.Back(s.s, start-1, 5, tokenSet); strings.HasSuffix(s.s[:zoom], "map=") {
			between = "/"
		}
	}
	if between == "" {
		return false
	}
	first := decimalEnd(s.s, start)
	if first < 0 || !strings.HasPrefix(s.s[first:], between) {
		return false
	}
	return s.pair(ruleMap, start, first, first+len(between))
}

// pair adds two coordinates, s.s[first:end] and the one that begins at second, and reports whether they can be some.
func (s *Scan) pair(label *Label, first, end, second int) bool {
	last := decimalEnd(s.s, second)
	if last < 0 {
		return false
	}
	digits := min(precision(s.s[first:end]), precision(s.s[second:last]))
	a, _ := strconv.ParseFloat(s.s[first:end], 64)
	b, _ := strconv.ParseFloat(s.s[second:last], 64)
	if a, b = math.Abs(a), math.Abs(b); digits < leastPrecise || digits < mostPrecise && max(a, b) < 10 || max(a, b) > 180 || min(a, b) > 90 {
		return false
	}
	s.add(label, rankFormat, first, last)
	return true
}

// geometries are the shapes of well-known text, such as POINT(2.2945 48.8584).
var geometries = []string{"point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon"}

// geometry finds the coordinates of a shape in well-known text of which the first begins at start, and reports whether there are some.
func (s *Scan) geometry(start int) bool {
	open := ascii.Back(s.s, start, 8, ringSet)
	if strings.IndexByte(s.s[open:start], '(') < 0 {
		return false
	}
	from := ascii.Back(s.s, open, 20, letterSet)
	word := strings.ToLower(s.s[from:open])
	if word == "z" || word == "m" || word == "zm" {
		open = ascii.Back(s.s, from, 2, ringSet)
		from = ascii.Back(s.s, open, 20, letterSet)
		word = strings.ToLower(s.s[from:open])
	} else {
		word = strings.TrimRight(word, "zm")
	}
	if !slices.Contains(geometries, word) {
		return false
	}
	found := false
	for at := start; ; found = true {
		end := decimalEnd(s.s, at)
		if end < 0 || s.after(end) != ' ' || !s.pair(ruleGeometry, at, end, s.spaces(end)) {
			return found
		}
		at = ascii.Forward(s.s, decimalEnd(s.s, s.spaces(end)), 80, numberSet) // a height may follow
		next := ascii.Forward(s.s, at, 16, ringSet)
		if next == at || !strings.ContainsAny(s.s[at:next], ",") {
			return true
		}
		at = next
	}
}

// ringSet are the bytes between the points of a shape, and numberSet those of the numbers of a point.
var ringSet, numberSet = ascii.Set(" (),\n\t"), ascii.Set(ascii.DigitBytes + " .-+")
