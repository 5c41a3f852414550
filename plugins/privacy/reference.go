package privacy

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// A referenceRule is one of the patterns that the reference tooling runs one after the other, each on the text that
// the one before left (privacy-and-prepare, local patterns).
type referenceRule struct {
	rule
	needs   byteSet  // classes of bytes every match holds
	hint    []string // every match holds one of these, if there are any
	digits  int      // a match holds so many at least
	pattern *pythonPattern
}

const geoMarker = "[REDACTED_GEO]"

var referenceRules = sync.OnceValue(func() []referenceRule {
	return []referenceRule{
		{rule{"openai-key", apiKey, "<REDACTED:openai-key>"}, hyphens, []string{"sk-"}, 0,
			mustPython(`\bsk-[A-Za-z0-9_-]{16,}\b`)},
		{rule{"anthropic-key", apiKey, "<REDACTED:anthropic-key>"}, hyphens, []string{"sk-ant-"}, 0,
			mustPython(`\bsk-ant-[A-Za-z0-9_-]{16,}\b`)},
		{rule{"bearer", authHeader, "<REDACTED:bearer>"}, capitals, []string{"Bearer"}, 0,
			mustPython(`\bBearer\s+[A-Za-z0-9._-]{16,}\b`)},
		{rule{"github-token", accessToken, "<REDACTED:github-token>"}, underscores, []string{"ghp_"}, 0,
			mustPython(`\bghp_[A-Za-z0-9]{20,}\b`)},
		{rule{"aws-access-key", apiKey, "<REDACTED:aws-access-key>"}, capitals, []string{"AKIA"}, 0,
			mustPython(`\bAKIA[0-9A-Z]{16}\b`)},
		{rule{"coords-json-block", geoCoordinates, geoMarker}, quotes | digits | colons, []string{"coords"}, 0,
			mustPython(`"coords"\s*:\s*\{\s*"latitude"\s*:\s*-?\d+(?:\.\d+)?\s*,\s*"longitude"\s*:\s*-?\d+(?:\.\d+)?(?:\s*,\s*"[A-Za-z_][A-Za-z0-9_]*"\s*:\s*[^,}]+)*\s*\}`)},
		{rule{"latitude-longitude-json-pair", geoCoordinates, geoMarker}, quotes | digits | colons, []string{"latitude"}, 0,
			mustPython(`"latitude"\s*:\s*-?\d+(?:\.\d+)?\s*,\s*"longitude"\s*:\s*-?\d+(?:\.\d+)?`)},
		{rule{"location-decimal-pair", geoCoordinates, geoMarker}, digits | colons | commas, nil, 0,
			mustPython(`(?i)\b(?:current\s+location|location|coords|coordinates)\s*[:=]\s*-?\d+(?:\.\d+)?\s*,\s*-?\d+(?:\.\d+)?`)},
		{rule{"labeled-lat-lng", geoCoordinates, geoMarker}, digits | colons | commas, nil, 0,
			mustPython(`(?i)\b(?:lat|latitude)\s*[:=]\s*-?\d+(?:\.\d+)?\s*[,;]\s*(?:lng|lon|long|longitude)\s*[:=]\s*-?\d+(?:\.\d+)?`)},
		{rule{"bare-decimal-pair", geoCoordinates, geoMarker}, digits | commas | dots, nil, 0,
			mustPython(`\b-?\d{1,3}\.\d{2,}\s*,\s*-?\d{1,3}\.\d{2,}\b`)},
		{rule{"email", emailAddress, "<REDACTED:contact-email>"}, ats | dots, nil, 0,
			mustPython(`\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b`)},
		{rule{"phone", phoneNumber, "<REDACTED:contact-phone>"}, digits, nil, 10,
			mustPython(`(?:\+\d{1,3}[\s.-]?)?(?:\(\d{3}\)|\d{3})[\s.-]\d{3}[\s.-]\d{4}\b`)},
		{rule{"handle", socialHandle, "<REDACTED:contact-handle>"}, ats, nil, 0,
			mustPython(`(@[a-zA-Z0-9_.-]{2,})`)},
		{rule{"known-pii-name", person, "<REDACTED:known-name>"}, capitals, []string{"Jill", "Marco", "Sarah", "Suran", "Sam"}, 0,
			mustPython(`\b(?:Jill|Marco|Sarah|Suran|Sam)\b`)},
	}
})

var structuredCoordinates = rule{"structured-coordinates", geoCoordinates, geoMarker}

// A byteSet tells which classes of bytes a text holds. A byte that a digit of any script begins with is a digit.
type byteSet uint16

const (
	ats byteSet = 1 << iota
	hyphens
	underscores
	digits
	commas // and semicolons
	colons // and equals signs
	dots
	quotes
	capitals // those that a pattern begins with
)

var byteSets = func() (t [256]byteSet) {
	for _, r := range unicode.Nd.R16 {
		t[string(rune(r.Lo))[0]], t[string(rune(r.Hi))[0]] = digits, digits
	}
	for _, r := range unicode.Nd.R32 {
		t[string(rune(r.Lo))[0]] = digits
	}
	for chars, set := range map[string]byteSet{"@": ats, "-": hyphens, "_": underscores, "0123456789": digits,
		",;": commas, ":=": colons, ".": dots, `"`: quotes, "ABJMS": capitals} {
		for i := range len(chars) {
			t[chars[i]] = set
		}
	}
	return t
}()

func setOf(s string) (set byteSet) {
	for i := range len(s) {
		set |= byteSets[s[i]]
	}
	return set
}

// reference runs the profile of that name over one JSON text after another.
type reference struct {
	structured bool // look for coordinates among numbers too
	tape       tape
	search     backtracker
	rules      []*referenceRule // possible in the string at hand
	pieces     pieces           // of the string at hand
}

// find implements finder.
func (f *reference) find(_ context.Context, doc string) (outcome, error) {
	return f.residue(doc)
}

// residue implements finder.
func (f *reference) residue(doc string) (outcome, error) {
	f.tape = f.tape.read(doc)
	s := sweep{doc: doc, tape: f.tape}
	var renamed, paired []int32 // objects
	for i := int32(0); i < int32(len(f.tape)); i++ {
		switch n := &f.tape[i]; n.kind {
		case 'k':
			if f.text(&s, i) && !slices.Contains(renamed, n.parent) {
				renamed = append(renamed, n.parent)
			}
			if !f.structured || n.end-n.start < 2 {
				continue
			}
			switch key := plainKey(s.decode(i).s); {
			case i+1 < int32(len(f.tape)) && f.tape[i+1].kind == '[' && coordinateLists[key]:
				if lat, lng, ok := s.coordinateList(i + 1); ok {
					s.pair(i+1, lat, lng)
					i = lng
				}
			case slices.Contains(latitudes, key) && !slices.Contains(paired, n.parent):
				paired = append(paired, n.parent)
			}
		case '"':
			f.text(&s, i)
		}
	}
	for _, object := range paired {
		s.siblings(object)
	}
	for _, object := range slices.Backward(renamed) { // the inner ones first
		s.rename(object)
	}
	sortEdits(s.edits)
	return outcome{findings: s.findings, edits: s.edits}, nil
}

// text takes what the rules find out of string or key n, and tells whether there was anything.
func (f *reference) text(s *sweep, n int32) bool {
	raw := s.doc[s.tape[n].start:s.tape[n].end]
	set := setOf(raw)
	if strings.Contains(raw, `\u`) {
		raw = s.decode(n).s
		set = setOf(raw)
	}
	// Escapes of one letter hide nothing that a rule needs, so most strings need not be decoded.
	f.rules = f.rules[:0]
	all := referenceRules()
	for i := range all {
		if all[i].possible(raw, set) {
			f.rules = append(f.rules, &all[i])
		}
	}
	if len(f.rules) == 0 {
		return false
	}
	t := s.decode(n)
	current := t.s
	f.pieces = append(f.pieces[:0], piece{0, len(t.s), "", false})
	for _, r := range f.rules {
		current = f.replace(s, r, n, t.s, current)
	}
	before := len(s.edits)
	s.edits = f.pieces.edits(s.edits, t)
	return len(s.edits) > before
}

// possible tells whether a match can be in a text, by what is cheap to see.
func (r *referenceRule) possible(s string, set byteSet) bool {
	return set&r.needs == r.needs && (r.digits == 0 || countDigits(s) >= r.digits) &&
		(r.hint == nil || slices.ContainsFunc(r.hint, func(h string) bool { return strings.Contains(s, h) }))
}

// countDigits counts bytes that are digits or that a digit begins with.
func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if byteSets[s[i]]&digits != 0 {
			n++
		}
	}
	return n
}

// replace runs one rule on the current text and gives what it leaves.
func (f *reference) replace(s *sweep, r *referenceRule, n int32, original, current string) string {
	var next strings.Builder
	var c cursor
	at := 0
	f.search.all(r.pattern, current, func(start, end int) {
		next.WriteString(current[at:start])
		p := f.pieces.cut(&c, next.Len(), next.Len()+end-start, r.marker)
		next.WriteString(r.marker)
		at = end
		s.note(&r.rule, n, original, p.start, p.end, current[start:end], r.marker)
	})
	if at == 0 {
		return current
	}
	next.WriteString(current[at:])
	return next.String()
}

// rename gives keys of an object that became equal the suffixes that the reference gives them. A suffixed key is not
// looked at again, so it can take the place of a key that has that name already (privacy-and-prepare, object keys).
func (s *sweep) rename(object int32) {
	finals := map[string]string{} // by raw key
	holders := map[string]int32{} // key node by final key
	suffixes := map[string]int{}  // by filtered key
	values := map[int32]int32{}   // key node to the key node whose value it gets
	for k := object + 1; k < s.tape[object].next; k = s.tape[k+1].next {
		raw := s.decode(k).s
		if _, again := finals[raw]; again {
			continue // a duplicate in the record stays one
		}
		filtered := s.rendered(k)
		final := filtered
		if _, taken := holders[filtered]; taken {
			suffixes[filtered]++
			final += "__" + strconv.Itoa(suffixes[filtered])
			s.edits = append(s.edits, edit{s.tape[k].end, s.tape[k].end, final[len(filtered):]})
		}
		finals[raw] = final
		if holder, taken := holders[final]; taken {
			values[holder] = k
			continue
		}
		holders[final] = k
	}
	for holder, k := range values {
		s.move(object, holder, k)
	}
}

// rendered gives key n with its edits, decoded.
func (s *sweep) rendered(n int32) string {
	k := s.tape[n]
	if !slices.Contains(s.personal, n) {
		return s.decode(n).s
	}
	out := string(apply(nil, s.doc[k.start:k.end], s.cutOut(k.start, k.end, false)))
	return decode(out, node{end: len(out)}).s
}

// cutOut gives the edits within doc[start:end], relative to start, and takes them away when drop is set.
func (s *sweep) cutOut(start, end int, drop bool) []edit {
	var within []edit
	rest := s.edits[:0:0]
	for _, e := range s.edits {
		if e.start < start || e.end > end {
			rest = append(rest, e)
			continue
		}
		within = append(within, edit{e.start - start, e.end - start, e.text})
	}
	if drop {
		s.edits = rest
	}
	sortEdits(within)
	return within
}

// move gives the value of member from to the member to, and removes from.
func (s *sweep) move(object, to, from int32) {
	start, end := s.extent(from + 1)
	value := string(apply(nil, s.doc[start:end], s.cutOut(start, end, true)))
	memberStart := strings.LastIndexByte(s.doc[:s.tape[from].start-1], ',')
	s.cutOut(memberStart, end, true)
	s.edits = append(s.edits, edit{memberStart, end, ""})
	start, end = s.extent(to + 1)
	s.cutOut(start, end, true)
	s.edits = append(s.edits, edit{start, end, value})
}

// extent gives where the whole of value n lies in the document, quotes included.
func (s *sweep) extent(n int32) (start, end int) {
	if at := &s.tape[n]; at.kind != '"' {
		return at.start, at.end
	}
	return s.tape[n].start - 1, s.tape[n].end + 1
}
