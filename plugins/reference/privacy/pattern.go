package privacy

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A pattern is one of the patterns of the Python tooling, which run one after the other, each on what the one before left.
type pattern struct {
	recognise.Label
	marker string   // replaces a finding
	needs  byteSet  // classes of bytes in every match
	hint   []string // every match holds one of these, if there are any
	digits int      // the least digits of a match
	re     *pythonPattern
}

const geoMarker = "[REDACTED_GEO]"

var patterns = sync.OnceValue(func() []pattern {
	return []pattern{
		{recognise.Label{Rule: "openai-key", Entity: "API_KEY"}, "<REDACTED:openai-key>", hyphens, []string{"sk-"}, 0,
			mustPython(`\bsk-[A-Za-z0-9_-]{16,}\b`)},
		{recognise.Label{Rule: "anthropic-key", Entity: "API_KEY"}, "<REDACTED:anthropic-key>", hyphens, []string{"sk-ant-"}, 0,
			mustPython(`\bsk-ant-[A-Za-z0-9_-]{16,}\b`)},
		{recognise.Label{Rule: "bearer", Entity: rules.AuthHeader}, "<REDACTED:bearer>", capitals, []string{"Bearer"}, 0,
			mustPython(`\bBearer\s+[A-Za-z0-9._-]{16,}\b`)},
		{recognise.Label{Rule: "github-token", Entity: "ACCESS_TOKEN"}, "<REDACTED:github-token>", underscores, []string{"ghp_"}, 0,
			mustPython(`\bghp_[A-Za-z0-9]{20,}\b`)},
		{recognise.Label{Rule: "aws-access-key", Entity: "API_KEY"}, "<REDACTED:aws-access-key>", capitals, []string{"AKIA"}, 0,
			mustPython(`\bAKIA[0-9A-Z]{16}\b`)},
		{recognise.Label{Rule: "coords-json-block", Entity: rules.GeoCoordinates}, geoMarker, quotes | digits | colons, []string{"coords"}, 0,
			mustPython(`"coords"\s*:\s*\{\s*"latitude"\s*:\s*-?\d+(?:\.\d+)?\s*,\s*"longitude"\s*:\s*-?\d+(?:\.\d+)?(?:\s*,\s*"[A-Za-z_][A-Za-z0-9_]*"\s*:\s*[^,}]+)*\s*\}`)},
		{recognise.Label{Rule: "latitude-longitude-json-pair", Entity: rules.GeoCoordinates}, geoMarker, quotes | digits | colons, []string{"latitude"}, 0,
			mustPython(`"latitude"\s*:\s*-?\d+(?:\.\d+)?\s*,\s*"longitude"\s*:\s*-?\d+(?:\.\d+)?`)},
		{recognise.Label{Rule: "location-decimal-pair", Entity: rules.GeoCoordinates}, geoMarker, digits | colons | commas, nil, 0,
			mustPython(`(?i)\b(?:current\s+location|location|coords|coordinates)\s*[:=]\s*-?\d+(?:\.\d+)?\s*,\s*-?\d+(?:\.\d+)?`)},
		{recognise.Label{Rule: "labeled-lat-lng", Entity: rules.GeoCoordinates}, geoMarker, digits | colons | commas, nil, 0,
			mustPython(`(?i)\b(?:lat|latitude)\s*[:=]\s*-?\d+(?:\.\d+)?\s*[,;]\s*(?:lng|lon|long|longitude)\s*[:=]\s*-?\d+(?:\.\d+)?`)},
		{recognise.Label{Rule: "bare-decimal-pair", Entity: rules.GeoCoordinates}, geoMarker, digits | commas | dots, nil, 0,
			mustPython(`\b-?\d{1,3}\.\d{2,}\s*,\s*-?\d{1,3}\.\d{2,}\b`)},
		{recognise.Label{Rule: "email", Entity: rules.EmailAddress}, "<REDACTED:contact-email>", ats | dots, nil, 0,
			mustPython(`\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b`)},
		{recognise.Label{Rule: "phone", Entity: rules.PhoneNumber}, "<REDACTED:contact-phone>", digits, nil, 10,
			mustPython(`(?:\+\d{1,3}[\s.-]?)?(?:\(\d{3}\)|\d{3})[\s.-]\d{3}[\s.-]\d{4}\b`)},
		{recognise.Label{Rule: "handle", Entity: rules.SocialHandle}, "<REDACTED:contact-handle>", ats, nil, 0,
			mustPython(`(@[a-zA-Z0-9_.-]{2,})`)},
		{recognise.Label{Rule: "known-pii-name", Entity: rules.Person}, "<REDACTED:known-name>", capitals, []string{"Jill", "Marco", "Sarah", "Suran", "Sam"}, 0,
			mustPython(`\b(?:Jill|Marco|Sarah|Suran|Sam)\b`)},
	}
})

// Entities returns the entities that the patterns find.
func Entities() (all []string) {
	for _, p := range patterns() {
		all = append(all, p.Entity)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var structured = recognise.Label{Rule: "structured-coordinates", Entity: rules.GeoCoordinates}

// A byteSet is the classes of the bytes of a text. The first byte of a digit of any script is a digit.
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

// possible reports whether a text can have a match, by cheap tests.
func (r *pattern) possible(s string, set byteSet) bool {
	return set&r.needs == r.needs && (r.digits == 0 || countDigits(s) >= r.digits) &&
		(r.hint == nil || slices.ContainsFunc(r.hint, func(h string) bool { return strings.Contains(s, h) }))
}

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if byteSets[s[i]]&digits != 0 {
			n++
		}
	}
	return n
}
