package fingerprint

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// add adds the shingles of one text. Words are runs of letters and digits, in lower case as far as they are ASCII; of Chinese,
// Japanese and Korean each character is a word. A text of fewer words than a shingle is one shingle.
func (s *sketcher) add(body jsontext.Body) {
	s.n, s.sum = 0, 0
	text, escaped := string(body), true
	for i := 0; i < len(text); {
		word, end := wordAt(text, i)
		switch {
		case end < len(text) && text[end] == ' ': // as behind most words
			if end > i {
				s.word(word)
			}
			i = end + 1
		case escaped && strings.HasPrefix(text[end:], `\u`): // which may be a letter of the word
			s.text = jsontext.AppendText(jsontext.Reuse(s.text), jsontext.Body(text[i:]))
			text, escaped, i = jsontext.View(s.text), false, 0
		case end > i:
			s.word(word)
			i = end
		case escaped && text[i] == '\\': // with the letter of an escape
			i += 2
		default:
			i++
		}
	}
	if s.n > 0 && s.n < shingle {
		s.put(spread(s.sum + uint64(s.n)))
	}
}

// wordAt returns the hash of the word that begins at i, and where it ends: at i when none begins there.
func wordAt(text string, i int) (word uint64, end int) {
	word, end = plainWord(text, i)
	if end < len(text) && text[end] >= 0x80 && (end == i || !isAlone(text[end])) {
		return foreign(text, i)
	}
	return word, end
}

// plainWord is wordAt for ASCII letters and digits.
func plainWord(text string, i int) (word uint64, end int) {
	for end = i; ; {
		x := eight(text, end)
		n := letters(x)
		word = spread(word ^ (x|0x20*each)<<(64-8*n))
		if end += n; n < 8 {
			return word, end
		}
	}
}

// eight returns the bytes at i, padded with zeros at the end of the text.
func eight(text string, i int) uint64 {
	if i+8 <= len(text) {
		return binary.LittleEndian.Uint64(jsontext.Bytes(text[i : i+8]))
	}
	var last [8]byte
	copy(last[:], text[min(i, len(text)):])
	return binary.LittleEndian.Uint64(last[:])
}

// letters returns with how many ASCII letters and digits eight bytes begin. It compares all of them at once; the top bit of a
// byte marks one that is neither.
func letters(x uint64) int {
	low := x | 0x20*each
	letter, digit := (low+0x1f*each)&^(low+0x05*each), (x+0x50*each)&^(x+0x46*each)
	return bits.TrailingZeros64((^(letter|digit)|x)&(0x80*each)) / 8
}

// foreign is wordAt for a word with other characters than ASCII.
func foreign(text string, i int) (word uint64, end int) {
	if isAlone(text[i]) {
		for end = i + 1; end < len(text) && text[end]&0xc0 == 0x80; end++ {
			word = word<<8 | uint64(text[end])
		}
		return spread(word<<8 | uint64(text[i])), end
	}
	for end = i; end < len(text) && folded[text[end]] != 0; end++ {
		word = bits.RotateLeft64(word, 7) ^ uint64(folded[text[end]])
	}
	return spread(word), end
}

// each has a 1 in each byte.
const each = 0x0101010101010101

// spread hashes a number.
func spread(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

// isAlone reports whether a byte begins a character that is a word of its own, from U+3000 to U+DFFF.
func isAlone(c byte) bool { return c >= 0xe3 && c <= 0xed }

// folded maps letters and digits to lower case, keeps bytes of other characters, and maps separators and what isAlone to 0.
var folded = func() (t [256]byte) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c >= 0x80 && !isAlone(byte(c)):
			t[c] = byte(c)
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()
