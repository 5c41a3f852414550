package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A marker is what a filter wrote in the place of something, this one or the reference.
var markerForm = compiled(`^(?:<([A-Z][A-Z0-9_]*)(?::[0-9a-f]{16})?>|<REDACTED:[A-Za-z0-9_.:-]+>|\[REDACTED_[A-Z0-9_]+\])`)

const maxMarker = 80 // bytes

// marker gives the marker that byte at is of. With anyEntity the name in it need not be one that the rules know.
func (s *Scan) marker(at int, anyEntity bool) (start, end int, ok bool) {
	from := max(0, at-maxMarker)
	if near := s.s[from : at+1]; strings.IndexByte(near, '<') < 0 && strings.IndexByte(near, '[') < 0 {
		return 0, 0, false
	}
	for i := at; i >= from; i-- {
		if c := s.s[i]; c != '<' && c != '[' {
			continue
		}
		loc := markerForm().FindStringSubmatchIndex(s.s[i:min(len(s.s), i+maxMarker)])
		if loc != nil && i+loc[1] > at && (anyEntity || loc[2] < 0 || s.IsEntity(s.s[i+loc[2]:i+loc[3]])) {
			return i, i + loc[1], true
		}
	}
	return 0, 0, false
}

// isMarked tells whether byte at is of a marker.
func (s *Scan) isMarked(at int) bool {
	_, _, ok := s.marker(at, false)
	return ok
}

// withoutMarkers takes markers off both ends of s[start:end], with the blanks beside them. A marker in the midst of a
// secret stays a part of it. Where nothing else is, start is not before end.
func (s *Scan) withoutMarkers(start, end int, anyEntity bool) (int, int) {
	at, marked := start, false
	for at < end {
		if _, to, ok := s.marker(at, anyEntity); ok {
			at, marked = to, true
		} else if marked && isBlank(s.s[at]) {
			at++
		} else {
			break
		}
	}
	start, at, marked = at, end, false
	for at > start {
		if from, _, ok := s.marker(at-1, anyEntity); ok {
			at, marked = from, true
		} else if marked && isBlank(s.s[at-1]) {
			at--
		} else {
			break
		}
	}
	return start, at
}

func isBlank(c byte) bool { return strings.IndexByte(" \t\n\r", c) >= 0 }

// IsEntity tells whether a name is one of an entity, or one with a number behind it.
func (e *Engine) IsEntity(name string) bool {
	name = rules.WithoutNumber(name)
	return rules.Entities()[name] != "" || slices.ContainsFunc(e.customEntities, func(entity string) bool { return entity == name })
}
