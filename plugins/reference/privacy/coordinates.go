package privacy

import (
	"strconv"

	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// coordinateLists are the keys whose list begins with a latitude and a longitude.
var coordinateLists = map[string]bool{
	"coords": true, "coordinates": true, "currentlocation": true, "geo": true, "geolocation": true, "location": true,
}

// latitudes and longitudes are in the order in which the reference looks for them.
var (
	latitudes  = []string{"lat", "latitude"}
	longitudes = []string{"lng", "lon", "long", "longitude"}
)

// coordinateList returns the first two elements of array n if they are a latitude and a longitude.
func (s *sweep) coordinateList(n int32) (lat, lng int32, ok bool) {
	lat = n + 1
	if lat >= s.tape[n].next {
		return 0, 0, false
	}
	lng = s.tape[lat].next
	if lng >= s.tape[n].next {
		return 0, 0, false
	}
	return lat, lng, s.within(lat, 90) && s.within(lng, 180)
}

// within reports whether node n is a coordinate of at most limit.
func (s *sweep) within(n int32, limit float64) bool {
	f, _, ok := s.number(n)
	return ok && f >= -limit && f <= limit
}

// siblings replaces the coordinates among the members of an object: each latitude, with the first longitude.
func (s *sweep) siblings(object int32) {
	members := map[string]int32{} // by plain key: the last one counts
	for k := object + 1; k < s.tape[object].next; k = s.tape[k+1].next {
		members[rules.PlainKey(s.decode(k).Decoded)] = k + 1
	}
	var pairs [][2]int32
	for _, name := range latitudes {
		lat, ok := members[name]
		if !ok || !s.within(lat, 90) {
			continue
		}
		for _, name := range longitudes {
			if lng, ok := members[name]; ok && s.within(lng, 180) {
				pairs = append(pairs, [2]int32{lat, lng})
				break
			}
		}
	}
	done := map[int32]bool{}
	for _, p := range pairs {
		s.notePair(object, p[0], p[1])
		for _, n := range p {
			if !done[n] {
				done[n] = true
				s.whole(n, geoMarker)
			}
		}
	}
}

// pair replaces two numbers as one finding at node n.
func (s *sweep) pair(n, lat, lng int32) {
	s.notePair(n, lat, lng)
	s.whole(lat, geoMarker)
	s.whole(lng, geoMarker)
}

func (s *sweep) notePair(n, lat, lng int32) {
	_, a, _ := s.number(lat)
	_, b, _ := s.number(lng)
	value := a + "," + b
	s.note(&structured, n, value, 0, len(value), value, geoMarker)
}

// number reads a coordinate: a JSON number, or a string that is only a number.
func (s *sweep) number(n int32) (f float64, written string, ok bool) {
	switch at := &s.tape[n]; at.kind {
	case '0':
		f, err := strconv.ParseFloat(s.doc[at.start:at.end], 64)
		return f, s.doc[at.start:at.end], err == nil
	case '"':
		written = s.decode(n).Decoded
		f, ok = redact.Decimal(written)
	}
	return f, written, ok
}
