package check

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A byte in each of eight, and the highest bit of each.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// appendPlain appends a text so that texts become equal which differ only in case, white space, marks of a quotation and
// escapes of JSON. It may leave out what comes behind most bytes.
func appendPlain(dst []byte, text string, most int) []byte {
	start := len(dst)
	dst = slices.Grow(dst, min(len(text), most)+8)
	special := nextSpecial(text, 0)
	blank := uint64(0x80) // 0x80 where a blank would be the first byte, or come behind another; else 0
	for i := 0; i < len(text) && len(dst)-start <= most; {
		for i+8 <= special && len(dst)+8 <= cap(dst) {
			eight := load(text, i)
			blanks := ^(eight + ('~'-' '+1)*ones) & highs
			upper := (eight + (0x80-'A')*ones) &^ (eight + (0x80-'Z'-1)*ones) & highs
			mask := blanks >> 7 * 0xff
			all := binary.LittleEndian.AppendUint64(dst, (eight|upper>>2)&^mask|mask&(' '*ones))
			good := bits.TrailingZeros64(eight&highs|blanks&(blanks<<8|blank)) / 8 // so many are ASCII, and no blank behind another
			if good > 0 {
				blank = blanks << (64 - 8*good) >> 56
			}
			if dst, i = all[:len(dst)+good], i+good; good < 8 {
				break
			}
		}
		if i == len(text) {
			break
		}
		c, size := text[i], 1
		switch {
		case c >= utf8.RuneSelf:
			for ; i < len(text) && text[i] >= utf8.RuneSelf; i += size {
				var r rune
				r, size = utf8.DecodeRuneInString(text[i:])
				dst = utf8.AppendRune(dst, lower(r))
			}
			blank = 0
			continue
		case c == '\\' && strings.HasPrefix(text[i+1:], "n"):
			c, size = '\n', len(`\n`)
		case c == '\\' && strings.HasPrefix(text[i+1:], `"`):
			c, size = '"', len(`\"`)
		case c == '>' && marksQuotation(text, i):
			i += len("> ")
			special = nextSpecial(text, i)
			continue
		}
		if i += size; i > special {
			special = nextSpecial(text, i)
		}
		switch {
		case c > ' ':
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			dst, blank = append(dst, c), 0
		case blank == 0:
			dst, blank = append(dst, ' '), 0x80
		}
	}
	if blank != 0 && len(dst) > start {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// nextSpecial returns where an escape of JSON or a mark of a quotation may begin, at or behind an offset.
func nextSpecial(text string, from int) int {
	rest := text[from:]
	for _, special := range [...]byte{'\\', '>'} {
		if i := strings.IndexByte(rest, special); i >= 0 {
			rest = rest[:i]
		}
	}
	return from + len(rest)
}

// marksQuotation reports whether the ">" at an offset marks a line of a quotation.
func marksQuotation(text string, at int) bool {
	before := strings.TrimRight(text[:at], " \t")
	return strings.HasPrefix(text[at:], "> ") && (before == "" || strings.HasSuffix(before, "\n") || strings.HasSuffix(before, `\n`))
}

// lower is unicode.ToLower, which takes long for the scripts without case.
func lower(r rune) rune {
	if r >= 0x2e80 && r < 0xa640 || r >= 0xac00 && r < 0xff00 || r >= 0x1f000 {
		return r
	}
	return unicode.ToLower(r)
}

// load returns eight bytes of a text.
func load(text string, at int) uint64 {
	b := text[at : at+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
