package recognise

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A dialing holds the telephone numbering of some regions.
type dialing struct {
	regions        []rules.Region
	names          *cueSet // of a telephone
	before, behind *cueSet
	isBehind       [256]bool           // bytes that begin a cue of behind, in either case
	watched        *watched            // the cues of names and before
	shapes         map[string][]string // the regions that write a national number so
}

// newDialing returns the words and shapes of regions, with the words for all regions.
func newDialing(regions []string) *dialing {
	d := &dialing{shapes: map[string][]string{}}
	names, before, behind := slices.Clone(rules.Cues().PhoneNames), slices.Clone(rules.Cues().Phone), slices.Clone(rules.Cues().PhoneBehind)
	for _, name := range regions {
		region := rules.Regions()[name]
		region.Region = name // without words
		d.regions = append(d.regions, region)
		names, before, behind = append(names, region.Names...), append(before, region.Phone...), append(behind, region.Behind...)
		for _, shape := range region.Shapes {
			d.shapes[shape] = append(d.shapes[shape], name)
		}
	}
	before = append(before, names...)
	d.names, d.before, d.behind, d.watched = newCueSet(names), newCueSet(before), newCueSet(behind), newWatched(before)
	for c := range d.isBehind {
		d.isBehind[c] = len(d.behind[c]) > 0 || ascii.IsUpper(byte(c)) && len(d.behind[c|0x20]) > 0
	}
	return d
}

// reachOfPhone is the most letters between the beginning of a word for a telephone and the number.
const reachOfPhone = 28

// phoneNamed reports whether the key, a word before the number or a word right after it names a telephone.
func (s *Scan) phoneNamed(at, end int) bool {
	return s.class&rules.PhoneKey != 0 || s.phoneBehind(end) || s.phoneSaid(s.dialing.before, at)
}

// phoneSaid reports whether one of the words for a telephone is before at.
func (s *Scan) phoneSaid(words *cueSet, at int) bool {
	return s.beforePhone.mayHold(s.dialing.watched, s.s, at, reachOfPhone) && words.in(s.lead(at, reachOfPhone))
}

// phoneBehind reports whether the next word after end names a telephone, as in 555-0199 (office).
func (s *Scan) phoneBehind(end int) bool {
	rest := s.s[end:min(len(s.s), end+32)]
	next := strings.TrimLeft(rest, " -,([/\u00a0")
	for _, open := range []string{"（", "「", "–"} {
		next = strings.TrimPrefix(next, open)
	}
	if len(rest)-len(next) > 4 || next == "" || next[0] < utf8.RuneSelf && !s.dialing.isBehind[next[0]] {
		return false
	}
	return s.dialing.behind.at(strings.ToLower(next), ' ') > 0
}
