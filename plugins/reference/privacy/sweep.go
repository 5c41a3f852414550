package privacy

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A sweep is the pass through one JSON text.
type sweep struct {
	doc      string
	tape     tape
	findings []redact.Finding
	edits    []redact.Edit
	sorted   int // the number of edits that are in order
	counted  redact.RuneCounter
}

func (s *sweep) decode(n int32) redact.Text {
	return redact.Decode(s.doc[s.tape[n].start:s.tape[n].end], s.tape[n].start)
}

func (s *sweep) change(start, end int, text string) {
	s.edits = append(s.edits, redact.Edit{Start: start, End: end, Text: text})
}

func (s *sweep) sortEdits() {
	if s.sorted != len(s.edits) {
		slices.SortStableFunc(s.edits, func(a, b redact.Edit) int { return a.Start - b.Start })
		s.sorted = len(s.edits)
	}
}

// path returns the path of node n, which for a key is the path of its value.
func (s *sweep) path(n int32) redact.Path {
	if s.tape[n].kind == 'k' {
		n++
	}
	var path redact.Path
	for ; s.tape[n].parent >= 0; n = s.tape[n].parent {
		if s.tape[s.tape[n].parent].kind == '[' {
			path = append(path, redact.Step{Index: int(s.tape[n].index)})
			continue
		}
		path = append(path, redact.Step{Key: s.decode(n - 1).Decoded, Index: -1, Personal: s.tape[n-1].personal})
	}
	slices.Reverse(path)
	return path
}

// note adds a finding in decoded[start:end] of string or key n.
func (s *sweep) note(label *recognise.Label, n int32, decoded string, start, end int, value, out string) {
	isKey := s.tape[n].kind == 'k'
	if isKey {
		s.tape[n].personal = true
	}
	from := s.counted.Before(decoded, start)
	s.findings = append(s.findings, redact.Finding{
		Label: label, Path: s.path(n), InKey: isKey, Value: value, Out: out,
		Start: from, End: from + utf8.RuneCountInString(decoded[start:end]),
	})
}

// whole replaces a scalar by a marker in a string.
func (s *sweep) whole(n int32, marker string) {
	start, end := s.extent(n)
	s.change(start, end, `"`+marker+`"`)
}

// A node is a value of a JSON text, or the key of a member, which precedes the value of the member.
type node struct {
	start, end int   // in the text; of strings and keys, without the quotes
	parent     int32 // index of the object or array around it, -1 for the root
	next       int32 // index of the first node after this one and what it holds
	kind       byte  // of redact.Token
	index      int32 // among the elements of its array
	elements   int32 // of an array so far
	personal   bool  // a key that holds a finding
	renamed    bool  // an object with a key that has an edit
	paired     bool  // an object with a latitude
}

// A tape lists the nodes of a JSON text in the order of the text.
type tape []node

// read returns the tape of a valid JSON text, in the memory of t.
func (t tape) read(doc string) tape {
	t = t[:0]
	parent := int32(-1)
	for kind, start, end, at := redact.Token(doc, 0); kind != 0; kind, start, end, at = redact.Token(doc, at) {
		if kind == '}' || kind == ']' {
			open := &t[parent]
			open.end, open.next, parent = end, int32(len(t)), open.parent
			continue
		}
		n := node{start: start, end: end, parent: parent, next: int32(len(t) + 1), kind: kind}
		if parent >= 0 && t[parent].kind == '[' {
			n.index = t[parent].elements
			t[parent].elements++
		}
		t = append(t, n)
		if kind == '{' || kind == '[' {
			parent = int32(len(t) - 1)
		}
	}
	return t
}

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

// rename adds the suffixes of the Python tooling to keys of an object that became equal. That does not look at a suffixed key again,
// which can so replace a key with the same name.
func (s *sweep) rename(object int32) {
	finals := map[string]string{} // by raw key
	holders := map[string]int32{} // key node by final key
	suffixes := map[string]int{}  // by filtered key
	var added []redact.Edit
	values := map[int32]int32{} // key node to the key node whose value it gets
	for k := object + 1; k < s.tape[object].next; k = s.tape[k+1].next {
		raw := s.decode(k).Decoded
		if final, again := finals[raw]; again { // the first one has its place, and the last one its value
			if suffix, ok := strings.CutPrefix(final, s.rendered(k)); ok && suffix != "" {
				added = append(added, redact.Edit{Start: s.tape[k].end, End: s.tape[k].end, Text: suffix})
			}
			continue
		}
		filtered := s.rendered(k)
		final := filtered
		if _, taken := holders[filtered]; taken {
			suffixes[filtered]++
			final += "__" + strconv.Itoa(suffixes[filtered])
			added = append(added, redact.Edit{Start: s.tape[k].end, End: s.tape[k].end, Text: final[len(filtered):]})
		}
		finals[raw] = final
		if holder, taken := holders[final]; taken {
			values[holder] = k
			continue
		}
		holders[final] = k
	}
	s.edits = append(s.edits, added...)
	for holder, k := range values {
		s.move(holder, k)
	}
}

// rendered returns key n with its edits, decoded.
func (s *sweep) rendered(n int32) string {
	k := s.tape[n]
	if !s.tape[n].personal {
		return s.decode(n).Decoded
	}
	out := string(redact.Apply(s.doc[k.start:k.end], s.cutOut(k.start, k.end, false)))
	return redact.Decode(out, 0).Decoded
}

// cutOut returns the edits within doc[start:end], relative to start, and removes them when drop is set.
func (s *sweep) cutOut(start, end int, drop bool) []redact.Edit {
	s.sortEdits()
	from, _ := slices.BinarySearchFunc(s.edits, start, func(e redact.Edit, at int) int { return e.Start - at })
	to := from
	var within []redact.Edit
	for ; to < len(s.edits) && s.edits[to].End <= end; to++ {
		e := s.edits[to]
		within = append(within, redact.Edit{Start: e.Start - start, End: e.End - start, Text: e.Text})
	}
	if drop {
		s.edits = slices.Delete(s.edits, from, to)
		s.sorted = len(s.edits)
	}
	return within
}

// move replaces the value of the member to by that of the member from, and removes from.
func (s *sweep) move(to, from int32) {
	start, end := s.extent(from + 1)
	value := string(redact.Apply(s.doc[start:end], s.cutOut(start, end, true)))
	memberStart := strings.LastIndexByte(s.doc[:s.tape[from].start-1], ',')
	s.cutOut(memberStart, end, true)
	s.change(memberStart, end, "")
	start, end = s.extent(to + 1)
	s.cutOut(start, end, true)
	s.change(start, end, value)
}

// extent returns where value n is in the document, with its quotes.
func (s *sweep) extent(n int32) (start, end int) {
	if at := &s.tape[n]; at.kind != '"' {
		return at.start, at.end
	}
	return s.tape[n].start - 1, s.tape[n].end + 1
}
