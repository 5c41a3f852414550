package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// ManifestMatches returns the value of a member of a Kubernetes secret, in JSON, as one match. It returns none for a template, a short value
// and a text of several words, in which rules look for secrets.
func (e *Engine) ManifestMatches(value string) []Match {
	if e.off[ruleSecret.Entity] || !isPacked(value) {
		return nil
	}
	return []Match{{Start: 0, End: len(value), Label: ruleSecret}}
}

// isPacked reports whether a value can be a secret of a manifest in JSON.
func isPacked(value string) bool {
	return len(value) >= 6 && !shape.IsTemplate(value) && !strings.ContainsAny(strings.TrimSpace(value), " \t") && markerForm().FindString(value) != value
}

// manifestObject finds the values of a Kubernetes secret that is an object in a text, by the kind of the object at at.
func (s *Scan) manifestObject(at int) {
	if !ascii.IsQuote(s.before(at)) || at < s.packedTo {
		return
	}
	from, to := max(0, s.packedTo, at-maxManifest), min(len(s.s), at+maxManifest)
	open := s.openBefore(at-1, from)
	if s.packedTo = at; open < 0 {
		return
	}
	for i := open + 1; i < to && s.s[i] != '}'; {
		var name span
		name, i = s.nextString(i, to)
		if i = ascii.Forward(s.s, i, to-i, aroundColon); i < to && s.s[i] == '{' {
			if text := s.s[name.start:name.end]; text == "data" || text == "stringData" {
				s.packedMembers(i+1, to)
			}
		}
		i = s.behindValue(i, to)
		s.packedTo = max(s.packedTo, i)
	}
}

var aroundColon, betweenMembers = ascii.Set(": \t\r\n"), ascii.Set(", \t\r\n")

// openBefore returns the bracket of the object that is open at at, or -1.
func (s *Scan) openBefore(at, from int) int {
	depth := 0
	for i := at - 1; i >= from; i-- {
		switch s.s[i] {
		case '"', '\'':
			for quote := s.s[i]; i > from; {
				if i--; s.s[i] == quote && s.before(i) != '\\' {
					break
				}
			}
		case '}', ']':
			depth++
		case '{', '[':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// nextString returns what is between the next quotation marks, and where to read on: behind them, or at a sign that opens no string.
func (s *Scan) nextString(at, to int) (span, int) {
	at = ascii.Forward(s.s, at, to-at, betweenMembers)
	if at >= to || !ascii.IsQuote(s.s[at]) {
		return span{at, at}, at
	}
	end := at + 1
	for end < to && s.s[end] != s.s[at] {
		if s.s[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, to)
	return span{at + 1, end}, end + 1
}

// behindValue returns the end of a value: of a string, an object, an array or a literal.
func (s *Scan) behindValue(at, to int) int {
	depth := 0
	for at < to {
		switch c := s.s[at]; {
		case ascii.IsQuote(c):
			_, at = s.nextString(at, to)
			at--
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth < 0 {
				return at
			}
		case c == ',' && depth == 0:
			return at
		}
		at++
	}
	return to
}

// packedMembers adds the strings of an object whose members begin at at.
func (s *Scan) packedMembers(at, to int) {
	for at < to && s.s[at] != '}' {
		name, next := s.nextString(at, to)
		next = ascii.Forward(s.s, next, to-next, aroundColon)
		value, end := s.nextString(next, to)
		if name.start == name.end || end == next {
			return // it holds something else than strings
		}
		if isPacked(s.s[value.start:value.end]) {
			s.add(ruleSecret, rankContext, value.start, value.end)
		}
		at = ascii.Forward(s.s, end, to-end, betweenMembers)
	}
}
