package fingerprint

import (
	"slices"
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
}

// read appends the tokens of a text, until there are at least limit.
func (t *tokenizer) read(body jsontext.Body, limit int) {
	t.text = jsontext.AppendText(jsontext.Reuse(t.text), body)
	if !isASCII(t.text) {
		t.plain = append(jsontext.Reuse(t.plain), t.text...)
		t.text = norm.NFKC.Append(t.text[:0], t.plain...)
	}
	from := len(t.tokens)
	t.divide(limit)
	if len(t.tokens) > from {
		t.end(endsLine)
	}
}

// divide appends the tokens of t.text.
func (t *tokenizer) divide(limit int) {
	from, line, before := len(t.tokens), len(t.tokens), ' '
	word, inWord := uint64(0), false
	finish := func() {
		if inWord {
			t.tokens = append(t.tokens, token{word: spread(word)})
		}
		word, inWord = 0, false
	}
	for i := 0; i < len(t.text) && len(t.tokens) < limit; {
		r, size := rune(t.text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(t.text[i:])
		}
		i += size
		switch kindOf(r) {
		case letterRune:
			if !inWord && r < utf8.RuneSelf && r != '_' {
				word, i = plainWord(jsontext.View(t.text), i-size)
				inWord = true
				break
			}
			word, inWord = spread(word^uint64(unicode.ToLower(r))), true
		case aloneRune:
			finish()
			word, inWord = uint64(r), true
			finish()
		case pointRune:
			next, _ := utf8.DecodeRune(t.text[i:])
			if r == '’' {
				r = '\''
			}
			if inWord && kindOf(next) == letterRune { // within a word
				word = spread(word ^ uint64(r))
				break
			}
			finish()
			if r == '!' && next == '=' { // as in code
				t.tokens = append(t.tokens, token{word: uint64(r)})
			} else if isStop(r) && len(t.tokens) > from {
				t.end(endsSentence)
			}
		case lineRune:
			finish()
			if len(t.tokens) > from && (len(t.tokens)-line >= shortLine || !goesOn(before, t.text[i:])) {
				t.end(endsLine)
			}
			line = len(t.tokens)
		case spaceRune:
			finish()
		}
		if kindOf(r) != spaceRune {
			before = r
		}
	}
	finish()
}

func (t *tokenizer) end(e end) {
	last := &t.tokens[len(t.tokens)-1]
	last.ends = max(last.ends, e)
}

// goesOn reports whether a sentence goes on after a line break: the line does not end with a stop or empty, and the next one
// begins with a small letter. So a text may be wrapped at any width that lines usually have.
func goesOn(before rune, next []byte) bool {
	for len(next) > 0 && (next[0] == ' ' || next[0] == '\t') {
		next = next[1:]
	}
	r, _ := utf8.DecodeRune(next)
	return unicode.IsLower(r) && !isStop(before) && before != '\n'
}

func isASCII(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c >= utf8.RuneSelf })
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
