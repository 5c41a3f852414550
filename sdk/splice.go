package sdk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Splice replaces the bytes from start to end, end not included, of the text that JSON or Reading returned last, with a copy of
// text. Offsets stay the same over any number of splices, in any order; texts inserted at one place follow one another in
// the order of the calls. It is an error if splices overlap, or if neither JSON nor Reading was called since the last other
// edit. An error leaves the record as it was. When the record is emitted, the spliced text must be JSON, or the record
// is rejected with code "invalid_output".
func (r *Record) Splice(start, end int, text []byte) error {
	r.check()
	switch {
	case !r.shown:
		return fmt.Errorf("splice: want offsets in the text that JSON returns, have an edit since its last call, or no call")
	case start < 0 || end < start || end > len(r.data):
		return fmt.Errorf("splice: want offsets from 0 to %d in order, have %d and %d", len(r.data), start, end)
	}
	s := splice{start: start, end: end}
	if r.splices != nil {
		if met, ok := r.splices.meets(s); ok {
			return fmt.Errorf("splice: want splices that do not overlap, have %d to %d and %d to %d", met.start, met.end, start, end)
		}
	}
	if start == end && len(text) == 0 {
		return nil
	}
	if r.splices == nil {
		r.splices = r.step.newSplices()
	}
	r.splices.add(s, text)
	return nil
}

// splices holds what Splice collected in sorted runs, each longer and older than the next: adding is cheap in any order.
type splices struct {
	runs  [][]splice
	spare []splice // memory for a run
	texts []byte
}

// newSplices returns splices without any, in memory of an earlier record if that is free.
func (s *step) newSplices() *splices {
	ss := s.spliced
	if s.spliced = nil; ss == nil {
		return &splices{}
	}
	*ss = splices{runs: ss.runs[:0], spare: jsontext.Reuse(ss.runs[0]), texts: jsontext.Reuse(ss.texts)}
	return ss
}

func byPlace(a, b splice) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
}

// meets returns a splice that s overlaps.
func (ss *splices) meets(s splice) (met splice, ok bool) {
	for _, run := range ss.runs {
		i := len(run)
		if s.start < run[i-1].end {
			i, _ = slices.BinarySearchFunc(run, s, byPlace)
		}
		if i > 0 && run[i-1].end > s.start {
			return run[i-1], true
		}
		if i < len(run) && run[i].start < s.end {
			return run[i], true
		}
	}
	return splice{}, false
}

// add takes in a splice that overlaps none, with a copy of its text.
func (ss *splices) add(s splice, text []byte) {
	at := len(ss.texts)
	ss.texts = append(ss.texts, text...)
	s.text = ss.texts[at:len(ss.texts):len(ss.texts)]
	if n := len(ss.runs); n > 0 && byPlace(ss.runs[n-1][len(ss.runs[n-1])-1], s) <= 0 {
		ss.runs[n-1] = append(ss.runs[n-1], s)
	} else {
		ss.runs, ss.spare = append(ss.runs, append(ss.spare, s)), nil
	}
	for n := len(ss.runs); n > 1 && len(ss.runs[n-2]) <= len(ss.runs[n-1]); n-- {
		ss.merge()
	}
}

// merge makes one run of the last two. Texts at one place keep the order in which they were added.
func (ss *splices) merge() {
	n := len(ss.runs)
	both := append(ss.runs[n-2], ss.runs[n-1]...)
	slices.SortStableFunc(both, byPlace)
	ss.runs[n-2], ss.runs = both, ss.runs[:n-1]
}

func (ss *splices) all() []splice {
	for len(ss.runs) > 1 {
		ss.merge()
	}
	return ss.runs[0]
}

// inStrings reports whether each splice changes the contents of a string in a JSON text, which stays a valid string, cuts an element
// out of an array, or replaces an object with JSON. Then the result is JSON without another check. It may report false for such
// splices too, as in a string that begins with a comma, a colon or a closing bracket.
func inStrings(before, after string, edits []splice) bool {
	shift := 0 // how far after is ahead of before
	for i := 0; i < len(edits); {
		if e := &edits[i]; cutsElement(before, e) || replacesObject(before, e) {
			shift += len(e.text) - (e.end - e.start)
			i++
			continue
		}
		open, shut := around(before, edits[i].start)
		if open < 0 || edits[i].end > shut {
			return false
		}
		body := open + 1 + shift
		for ; i < len(edits) && edits[i].end <= shut; i++ {
			shift += len(edits[i].text) - (edits[i].end - edits[i].start)
		}
		if end, ok := jsontext.BodyEnd(after, body); !ok || end != shut+shift {
			return false
		}
	}
	return true
}

// replacesObject reports whether a splice for certain puts JSON in the place of an object.
func replacesObject(json string, e *splice) bool {
	return isObject(json[e.start:e.end]) && jsontext.Check(e.text, maxDepth) == nil
}

// cutsElement reports whether a splice for certain removes an object that is an element of an array, with the comma before it, or with the
// one behind it where another object follows: in an object a key would follow the comma.
func cutsElement(json string, e *splice) bool {
	if len(e.text) > 0 {
		return false
	}
	element := strings.Trim(json[e.start:e.end], blanks)
	if behind, ok := strings.CutPrefix(element, ","); ok {
		element = strings.TrimLeft(behind, blanks)
	} else if ahead, ok := strings.CutSuffix(element, ","); ok && strings.HasPrefix(json[e.end:], "{") {
		element = strings.TrimRight(ahead, blanks)
	} else {
		return false
	}
	return isObject(element)
}

// isObject reports whether a piece of a JSON text is an object for certain, and not the text of a string.
func isObject(piece string) bool {
	return strings.HasPrefix(piece, "{") && isOutside(piece) && jsontext.Check(piece, maxDepth) == nil
}

// isOutside reports whether a piece of a JSON text begins outside of strings for certain. If it began in a string, its first quote would
// end that, and what follows up to the next quote would be outside. It is not if it has a byte that JSON has in strings only.
func isOutside(piece string) bool {
	open := strings.IndexByte(piece, '"')
	if open < 0 || strings.IndexByte(piece[:open], '\\') >= 0 {
		return false
	}
	for _, c := range jsontext.Bytes(piece[open+1:]) {
		if c == '"' || c == '\\' {
			return false
		}
		if c == '_' || c >= 'g' && c <= 'z' && strings.IndexByte("lnrstu", c) < 0 { // of no literal
			return true
		}
	}
	return false
}

// around returns the quotes of the string around a place, or -1 where these may be two strings with the place between them.
func around(json string, at int) (open, shut int) {
	for open = at; ; {
		if open = strings.LastIndexByte(json[:open], '"'); open < 0 {
			return -1, 0
		} else if !isEscaped(json, open) {
			break
		}
	}
	for shut = at; ; shut++ {
		next := strings.IndexByte(json[shut:], '"')
		if next < 0 {
			return -1, 0
		} else if shut += next; !isEscaped(json, shut) {
			break
		}
	}
	if first := open + 1 + jsontext.Blanks(json[open+1:]); strings.IndexByte(",:]}", json[first]) >= 0 {
		return -1, 0
	}
	return open, shut
}

// isEscaped reports whether the byte at a place follows an odd number of backslashes.
func isEscaped(json string, at int) bool {
	before := at
	for before > 0 && json[before-1] == '\\' {
		before--
	}
	return (at-before)%2 == 1
}

// shows returns the document with all edits applied, for offsets that Splice takes.
func (r *Record) shows() string {
	data := r.text()
	r.shown = true
	return data
}
