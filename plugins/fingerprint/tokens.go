package fingerprint

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A token is a word of a text as it is compared exactly: case, white space, width and punctuation around words do not count.
type token struct {
	word uint64
	ends end
}

// An end is what ends with a token.
type end uint8

const (
	endsWord end = iota
	endsSentence
	endsLine
)

// A tokenizer divides texts into tokens. A word is a run of letters, digits and what is between two of them, as in 1.5 and don't;
// a symbol such as + and a character of a script without spaces are words of their own.
type tokenizer struct {
	tokens      []token
	plain, text []byte
	word        uint64 // that is read
	inWord      bool
	runes       [1 << 9]knownRune // by their last bits
}

// A knownRune is a character that was looked up in the tables of Unicode, which takes longer than all else that is done with it.
type knownRune struct {
	is    rune
	lower rune
	kind  runeKind
	plain bool // in the form NFKC behind and before any other such character
}

// look returns what is known of a character that is not ASCII.
func (t *tokenizer) look(r rune) *knownRune {
	known := &t.runes[uint(r)%uint(len(t.runes))]
	if known.is != r {
		text := "a" + string(r)
		plain := norm.NFKC.PropertiesString(text[1:]).CCC() == 0 && norm.NFKC.QuickSpanString(text) == len(text)
		*known = knownRune{r, unicode.ToLower(r), kindOf(r), plain}
	}
	return known
}

// head is how many bytes of a text are looked at first when few of its tokens are wanted.
const head = 256

// read appends the tokens of a text, until there are at least limit. Unless limit is maxTokens, only how many there are up to
// there and their words are right, not what ends with them.
func (t *tokenizer) read(body jsontext.Body, limit int) {
	from := len(t.tokens)
	if from >= limit {
		return
	}
	if limit < maxTokens && len(body) > head {
		if end := strings.LastIndexByte(string(body[:head]), ' '); end > 0 { // a blank ends a word, and joins nothing behind it
			if t.divide(body[:end+1], limit); len(t.tokens) >= limit {
				return
			}
			t.tokens = t.tokens[:from]
		}
	}
	t.divide(body, limit)
	if len(t.tokens) > from {
		t.end(endsLine)
	}
}

// decode sets t.text to a text as it is compared.
func (t *tokenizer) decode(body jsontext.Body) {
	t.text = jsontext.AppendText(jsontext.Reuse(t.text), body)
	for i := 0; ; {
		i += plainBytes(t.text[i:])
		if i == len(t.text) {
			return
		}
		from := max(0, i-1) // a character may join the one before it
		for i < len(t.text) && t.text[i] >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(t.text[i:])
			if !t.look(r).plain {
				t.plain = append(jsontext.Reuse(t.plain), t.text[from:]...)
				t.text = norm.NFKC.Append(t.text[:from], t.plain...)
				return
			}
			i += size
		}
	}
}

// plainBytes returns with how many ASCII characters a text begins.
func plainBytes(text []byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if high := binary.LittleEndian.Uint64(text[i:]) & (0x80 * each); high != 0 {
			return i + bits.TrailingZeros64(high)/8
		}
	}
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// divide appends the tokens of a text.
func (t *tokenizer) divide(body jsontext.Body, limit int) {
	t.decode(body)
	text := jsontext.View(t.text)
	from, line, before := len(t.tokens), len(t.tokens), ' '
	t.inWord = false
	for i := 0; i < len(text) && len(t.tokens) < limit; {
		r, size := rune(text[i]), 1
		lower, kind := r, ascii[text[i]%utf8.RuneSelf]
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			known := t.look(r)
			kind, lower = known.kind, known.lower
		}
		i += size
		switch kind {
		case letterRune:
			before = r
			if t.inWord || r >= utf8.RuneSelf || r == '_' {
				if 'A' <= r && r <= 'Z' {
					lower += 'a' - 'A'
				}
				t.extend(lower)
				continue
			}
			t.word, i = plainWord(text, i-1)
			t.inWord = true
			if i < len(text) && text[i] == ' ' { // as behind most words
				t.finish()
				i++
			}
			continue
		case spaceRune:
			t.finish()
			continue
		case aloneRune:
			t.finish()
			t.tokens = append(t.tokens, token{word: spread(uint64(r))})
		case pointRune:
			t.point(r, text[i:], from)
		case lineRune:
			t.finish()
			if len(t.tokens) > from && (len(t.tokens)-line >= shortLine || !goesOn(before, text[i:])) {
				t.end(endsLine)
			}
			line = len(t.tokens)
		}
		before = r
	}
	t.finish()
}

// extend adds a character to the word, or begins one.
func (t *tokenizer) extend(r rune) {
	if !t.inWord {
		t.word, t.inWord = 0, true
	}
	t.word = spread(t.word ^ uint64(r))
}

// finish appends the word as a token.
func (t *tokenizer) finish() {
	if t.inWord {
		t.tokens = append(t.tokens, token{word: spread(t.word)})
	}
	t.inWord = false
}

// point takes a character that counts within words only. first is how many tokens there were before those of the text.
func (t *tokenizer) point(r rune, rest string, first int) {
	next, _ := utf8.DecodeRuneInString(rest)
	if r == '’' {
		r = '\''
	}
	if t.inWord && kindOf(next) == letterRune {
		t.extend(r)
		return
	}
	t.finish()
	if r == '!' && next == '=' { // as in code
		t.tokens = append(t.tokens, token{word: uint64(r)})
	} else if isStop(r) && len(t.tokens) > first {
		t.end(endsSentence)
	}
}

func (t *tokenizer) end(e end) {
	last := &t.tokens[len(t.tokens)-1]
	last.ends = max(last.ends, e)
}

// goesOn reports whether a sentence goes on after a line break: the line does not end with a stop or empty, and the next one
// begins with a small letter. So a text may be wrapped at any width that lines usually have.
func goesOn(before rune, next string) bool {
	for len(next) > 0 && (next[0] == ' ' || next[0] == '\t') {
		next = next[1:]
	}
	r, _ := utf8.DecodeRuneInString(next)
	return unicode.IsLower(r) && !isStop(before) && before != '\n'
}

// runeKind is what a character is to the words of a text.
type runeKind uint8

const (
	spaceRune runeKind = iota
	lineRune
	letterRune
	pointRune // counts within words only
	aloneRune // a word of its own
	noRune    // invisible
)

// unspaced are the scripts that have no spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

func kindOf(r rune) runeKind {
	if r < utf8.RuneSelf {
		return ascii[r]
	}
	switch {
	case unicode.In(r, unspaced...):
		return aloneRune
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return letterRune
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
		return noRune
	case unicode.IsMark(r), unicode.IsNumber(r):
		return letterRune
	case unicode.IsSpace(r):
		return spaceRune
	case unicode.IsPunct(r):
		return pointRune
	}
	return aloneRune
}

// isStop reports whether a character ends a sentence.
func isStop(r rune) bool {
	switch r {
	case '.', '!', '?', ':', ';', '。', '؟', '।', '…':
		return true
	}
	return false
}

var ascii = func() (kinds [utf8.RuneSelf]runeKind) {
	for c := range kinds {
		switch r := rune(c); {
		case r == '\n':
			kinds[c] = lineRune
		case r <= ' ' || r == 0x7f:
			kinds[c] = spaceRune
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			kinds[c] = letterRune
		case slices.Contains([]rune(`.,:;!?'"()`), r):
			kinds[c] = pointRune
		default:
			kinds[c] = aloneRune
		}
	}
	return kinds
}()
