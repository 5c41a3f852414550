package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// A marker is what a filter, this one or the reference, wrote in place of a finding.
var markerForm = shape.Compiled(`^(?:<([A-Z][A-Z0-9_]*)(?::[0-9a-f]{16})?>|<REDACTED:[A-Za-z0-9_.:-]+>|\[REDACTED_[A-Z0-9_]+\])`)

const maxMarker = 80 // bytes

// marker returns the marker around byte at. With anyEntity its name need not be one that the rules know.
func (s *Scan) marker(at int, anyEntity bool) (start, end int, ok bool) {
	from := max(0, at-maxMarker)
	if near := s.s[from : at+1]; strings.IndexByte(near, '<') < 0 && strings.IndexByte(near, '[') < 0 {
		return 0, 0, false
	}
	for i := at; i >= from; i-- {
		if c := s.s[i]; c != '<' && c != '[' || !ascii.IsUpper(s.after(i+1)) {
			continue
		}
		loc := markerForm().FindStringSubmatchIndex(s.s[i:min(len(s.s), i+maxMarker)])
		if loc != nil && i+loc[1] > at && (anyEntity || loc[2] < 0 || s.IsEntity(s.s[i+loc[2]:i+loc[3]])) {
			return i, i + loc[1], true
		}
	}
	return 0, 0, false
}

func (s *Scan) isMarked(at int) bool {
	_, _, ok := s.marker(at, false)
	return ok
}

// withoutMarkers returns s[start:end] without the markers and blanks at both ends. A marker in the midst of a secret stays a part
// of it. When nothing else is left, start is not before end.
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

// GoesOnBehind reports whether letters or digits that look drawn follow a marker of a secret, which goes on in them.
func GoesOnBehind(marker, behind string) bool {
	open := strings.LastIndexByte(marker, '<')
	if open < 0 {
		return false
	}
	loc := markerForm().FindStringSubmatchIndex(marker[open:])
	if loc == nil || loc[2] < 0 || rules.Category(rules.WithoutNumber(marker[open:][loc[2]:loc[3]])) != "secret" {
		return false
	}
	if rest, ok := strings.CutPrefix(behind, `\\`); ok { // a backslash, which is in no token
		tail := ascii.Forward(rest, 0, len(rest), tokenSet)
		return tail >= 12 && ascii.IsAlnum(rest[0]) && shape.LooksRandom(rest[:tail])
	}
	tail := ascii.Forward(behind, 0, len(behind), ascii.WordSet)
	return tail >= 8 && ascii.IsAlnum(behind[0]) && shape.LooksRandom(behind[:tail])
}
