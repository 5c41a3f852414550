package recognise

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// Suspects counts the findings of a coarse look at a JSON text. Sure is the kind of a certain secret, or "".
type Suspects struct {
	Tokens  int // 20 bytes and more that look drawn, of both cases and with digits
	Numbers int // 15 to 19 digits whose check digit is that of a payment card
	Sure    string
}

const (
	leastNumber = 15
	leastDrawn  = 20
)

// Look goes through doc[from:to] of a JSON text as it is written, from digit to digit, since all that it looks for has one. It
// adds to the counts. allowed reports whether a value may stay.
func (e *Engine) Look(doc string, from, to int, allowed func(value string) bool, found *Suspects) {
	doc = doc[:to]
	for at := nextDigit(doc, from); at < to; {
		start, end := back(doc, at, at-from, coarseSet), forward(doc, at+1, to, coarseSet)
		if end-start >= leastNumber {
			e.suspect(doc, start, end, allowed, found)
		}
		at = nextDigit(doc, end)
	}
}

// nextDigit returns the first digit at or behind at, or the end.
func nextDigit(s string, at int) int {
	zeros, rest, highest := digitMasks[0], digitMasks[1], digitMasks[2] // in registers
	seven := ^highest
	for ; at+32 <= len(s); at += 32 {
		a, b, c, d := Load64(s, at)^zeros, Load64(s, at+8)^zeros, Load64(s, at+16)^zeros, Load64(s, at+24)^zeros // below 10 for a digit
		a, b, c, d = a&seven+rest|a, b&seven+rest|b, c&seven+rest|c, d&seven+rest|d                              // the highest bit set for none
		if a&b&c&d&highest == highest {
			continue
		}
		for a&highest == highest {
			a, b, c, at = b, c, d, at+8
		}
		return at + bits.TrailingZeros64(^a&highest)>>3
	}
	for at < len(s) && !isDigit(s[at]) {
		at++
	}
	return at
}

// digitMasks are, for each of eight bytes, what makes a digit one below 10, what lifts 10 and more to the highest bit, and
// that bit.
var digitMasks = [3]uint64{'0' * ((1<<64 - 1) / 255), (0x80 - 10) * ((1<<64 - 1) / 255), 0x80 * ((1<<64 - 1) / 255)}

var coarseSet = byteSet(tokenBytes + "+=.")

func (e *Engine) suspect(doc string, start, end int, allowed func(string) bool, found *Suspects) {
	run := doc[start:end]
	digits, drawn := judge(run)
	switch {
	case digits:
		number := strings.ReplaceAll(run, "-", "")
		if len(number) <= 19 && strings.Trim(number, digitBytes) == "" && e.isCard(number) && !allowed(run) {
			found.Numbers++
		}
	case !drawn || len(run) < leastDrawn || strings.HasSuffix(run, "...") || allowed(run):
	default:
		found.Tokens++
		if found.Sure == "" && e.isUnderSecret(doc, start, end) {
			found.Sure = "token"
		}
	}
}

// judge reports whether a run with a digit has no letters, and whether it looks drawn: every third byte is of another kind than
// the one before, and ten bytes differ. The letters of a name are mostly of one kind.
func judge(run string) (digits, drawn bool) {
	var kinds [4]bool // digits, capitals, small letters, signs
	var seen [256]bool
	turns, differ, last := 0, 0, -1
	head := sample(run)
	for i := range len(head) {
		c, kind := head[i], 3
		switch {
		case isDigit(c):
			kind = 0
		case isUpper(c):
			kind = 1
		case c-'a' < 26:
			kind = 2
		}
		if kind != last && kind < 3 && last < 3 {
			turns++
		}
		if !seen[c] && kind < 3 {
			seen[c] = true
			differ++
		}
		kinds[kind], last = true, kind
	}
	return !kinds[1] && !kinds[2], kinds[0] && kinds[1] && kinds[2] && turns*3 >= len(head) && differ >= 10
}

// Words in a key, in small letters without signs, that announce a secret, words that deny it, and words that deny it at the end
// of a key. They are few and differ from the words of the rules, whose mistakes the coarse look is to find.
var (
	coarseSecrets = []string{"secret", "passw", "pwd", "token", "apikey", "accesskey", "privatekey", "credential"}
	coarseOthers  = []string{"next", "prev", "page", "cursor", "continu", "sync", "resume", "publickey", "hash", "digest"}
	coarseEnds    = []string{"id", "ids", "name", "type", "url", "uri", "path", "count", "length", "version", "fingerprint", "arn"}
)

// isUnderSecret reports whether a run is the whole string under a key that names a secret.
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
	key := rules.PlainKey(before[strings.LastIndexByte(before, '"')+1:])
	has := func(word string) bool { return strings.Contains(key, word) }
	if !slices.ContainsFunc(coarseSecrets, has) || slices.ContainsFunc(coarseOthers, has) ||
		slices.ContainsFunc(coarseEnds, func(word string) bool { return strings.HasSuffix(key, word) }) {
		return false
	}
	if has("passw") || has("pwd") {
		return !e.off[rules.Password]
	}
	return !e.off[rules.GenericSecret]
}

// Rest reports whether letters or digits that look drawn follow a marker: then its secret went on.
func Rest(marker, behind string) bool {
	open := strings.LastIndexByte(marker, '<')
	if open < 0 {
		return false
	}
	loc := markerForm().FindStringSubmatchIndex(marker[open:])
	if loc == nil || loc[2] < 0 || rules.Category(rules.WithoutNumber(marker[open:][loc[2]:loc[3]])) != "secret" {
		return false
	}
	tail := forward(behind, 0, len(behind), wordSet)
	return tail >= 8 && isAlnum(behind[0]) && looksRandom(behind[:tail])
}
