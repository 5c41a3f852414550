package recognise

import (
	"math/bits"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// Suspects are what a coarse look at a JSON text finds that knows no formats: how many there are of each kind, and the
// kind of one that is a secret for sure, or "".
type Suspects struct {
	Tokens  int // 20 bytes and more that look drawn, of both cases and with digits
	Numbers int // 15 to 19 digits whose check digit is that of a payment card
	Sure    string
}

const (
	leastNumber = 15
	leastDrawn  = 20
)

// Look goes through a JSON text as it is written, eight bytes at a time: what it looks for is so long that it fills eight of
// them and goes on for seven more before or behind, where words have a blank or a quotation mark. allowed tells of a value
// whether it is to stay.
func (e *Engine) Look(doc string, allowed func(value string) bool) (found Suspects) {
	before := ^uint64(0)
	for at := 0; at+8 <= len(doc); at += 8 {
		mask := blanks(load64(doc, at))
		if mask != 0 {
			before = mask
			continue
		}
		lead := bits.LeadingZeros64(before) >> 3
		before = mask
		if at+16 <= len(doc) && lead+bits.TrailingZeros64(blanks(load64(doc, at+8)))>>3 < leastNumber-8 {
			continue
		}
		start, end := max(0, at-lead), at+8
		for end+8 <= len(doc) && blanks(load64(doc, end)) == 0 {
			end += 8
		}
		for end < len(doc) && doc[end]&0x7f >= '+' {
			end++
		}
		if end-start >= leastNumber {
			e.tokens(doc, start, end, allowed, &found)
		}
		at = end&^7 - 8
		before = ^uint64(0)
	}
	return found
}

// tokens looks at each run of bytes of tokens in doc[start:end], which has no blanks.
func (e *Engine) tokens(doc string, start, end int, allowed func(string) bool, found *Suspects) {
	for at := start; at < end; at++ {
		if !coarseSet[doc[at]] {
			continue
		}
		from := at
		for at < end && coarseSet[doc[at]] {
			at++
		}
		if at-from >= leastNumber {
			e.suspect(doc, from, at, allowed, found)
		}
	}
}

// blanks sets the highest bit of each of eight bytes that is below +, as blanks and quotation marks are.
func blanks(eight uint64) uint64 {
	const ones = 0x0101010101010101
	return ^((eight | ones<<7) - '+'*ones) & (ones << 7)
}

var coarseSet = byteSet(tokenBytes + "+=.")

// suspect judges a run of bytes of tokens.
func (e *Engine) suspect(doc string, start, end int, allowed func(string) bool, found *Suspects) {
	run := doc[start:end]
	var digit, upper, lower bool
	for _, c := range []byte(sample(run)) {
		digit, upper, lower = digit || isDigit(c), upper || isUpper(c), lower || c-'a' < 26
	}
	switch {
	case digit && !upper && !lower:
		digits := strings.ReplaceAll(run, "-", "")
		if len(digits) <= 19 && strings.Trim(digits, "0123456789") == "" && e.isCard(digits) && !allowed(run) {
			found.Numbers++
		}
	case !digit || !upper || !lower || end-start < leastDrawn || !looksDrawn(run) || allowed(run):
	default:
		found.Tokens++
		if found.Sure == "" && e.isUnderSecret(doc, start, end) {
			found.Sure = "token"
		}
	}
}

// isUnderSecret tells whether a run is all of a string whose key names a secret that is looked for.
func (e *Engine) isUnderSecret(doc string, start, end int) bool {
	before, quoted := strings.CutSuffix(doc[max(0, start-160):start], `"`)
	if !quoted || !strings.HasPrefix(strings.TrimLeft(doc[end:min(len(doc), end+8)], `\`), `"`) {
		return false
	}
	before = strings.TrimRight(before, "\\ \t\n\r")
	before, quoted = strings.CutSuffix(before, ":")
	if before = strings.TrimRight(before, " \t\n\r"); !quoted || !strings.HasSuffix(before, `"`) {
		return false
	}
	before = strings.TrimRight(before[:len(before)-1], `\`)
	key := before[strings.LastIndexByte(before, '"')+1:]
	switch class := rules.NameClass(key); {
	case class&rules.PasswordKey != 0:
		return !e.off[rules.Password]
	case class&rules.SecretKey != 0:
		return !e.off[rules.GenericSecret]
	}
	return false
}

// Rest tells whether something is left beside what was taken out: letters or digits that touch the marker of a secret on
// a side where the secret went on.
func Rest(doc string) bool {
	for at := 0; ; {
		n := strings.IndexByte(doc[at:], '<')
		if n < 0 {
			return false
		}
		at += n + 1
		loc := markerForm().FindStringSubmatchIndex(doc[at-1 : min(len(doc), at-1+maxMarker)])
		if loc == nil || loc[2] < 0 || rules.Category(rules.WithoutNumber(doc[at-1+loc[2]:at-1+loc[3]])) != "secret" {
			continue
		}
		if end := at - 1 + loc[1]; end < len(doc) && isAlnum(doc[end]) {
			tail := end
			for tail < len(doc) && isWordByte(doc[tail]) {
				tail++
			}
			if tail-end >= 8 && looksRandom(doc[end:tail]) {
				return true
			}
		}
	}
}
