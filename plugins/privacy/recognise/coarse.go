package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// Suspects are what a coarse look at a JSON text finds that knows no formats: how many there are of each kind, and the
// kind of one that is a secret for sure, or "".
type Suspects struct {
	Tokens  int // 20 bytes and more that look drawn, of both cases and with digits
	Numbers int // 13 to 19 digits whose check digit is that of a payment card
	Sure    string
}

const (
	leastNumber = 13
	leastDrawn  = 20
)

// Look goes through a JSON text as it is written, in steps as wide as the shortest thing that it looks for. allowed
// tells of a value whether it is to stay.
func (e *Engine) Look(doc string, allowed func(value string) bool) (found Suspects) {
	for at := leastNumber - 1; at < len(doc); at += leastNumber {
		if !coarseSet[doc[at]] {
			continue
		}
		start, end := at, at+1
		for start > 0 && at-start < leastNumber && coarseSet[doc[start-1]] {
			start--
		}
		if at-start < leastNumber-1 {
			for end < len(doc) && end-start < leastNumber && coarseSet[doc[end]] {
				end++
			}
			if end-start < leastNumber {
				at = end
				continue
			}
		}
		for end < len(doc) && coarseSet[doc[end]] {
			end++
		}
		e.suspect(doc, start, end, allowed, &found)
		at = end
	}
	return found
}

var coarseSet = byteSet(tokenBytes + "+=.")

// suspect judges a run of bytes of tokens.
func (e *Engine) suspect(doc string, start, end int, allowed func(string) bool, found *Suspects) {
	run := doc[start:end]
	switch digits := strings.ReplaceAll(run, "-", ""); {
	case len(digits) <= 19 && strings.Trim(digits, "0123456789") == "":
		if e.isCard(digits) && !allowed(run) {
			found.Numbers++
		}
	case end-start < leastDrawn || isUUID(run) || !looksDrawn(run) || !hasBothCases(sample(run)):
	case strings.HasPrefix(doc[end:], " KEY-----"), allowed(run):
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
