package viewer

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
)

// A textPiece may be marked: as a hit of the search, or as a placeholder for something personal.
type textPiece struct{ Text, Mark string }

// placeholder matches what masking writes for something personal.
var placeholder = regexp.MustCompile(`<[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*>|\([A-Z][A-Z0-9_]* \d+\)`)

const mostMarks = 500

// hits returns an expression for the text of a search, whatever its case; nil for no text.
func hits(text string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	return regexp.MustCompile("(?i)" + regexp.QuoteMeta(text))
}

// pieces splits a text by its marks, and escapes its control characters.
func pieces(text string, hit *regexp.Regexp) (all []textPiece) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	add := func(text, mark string) {
		if text != "" {
			all = append(all, textPiece{format.Printable(text), mark})
		}
	}
	rest := func(text string) { parts(text, placeholder, "masked", add, func(t string) { add(t, "") }) }
	if hit == nil {
		rest(text)
	} else {
		parts(text, hit, "hit", add, rest)
	}
	return all
}

func parts(text string, at *regexp.Regexp, mark string, found func(text, mark string), between func(string)) {
	from := 0
	for _, p := range at.FindAllStringIndex(text, mostMarks) {
		between(text[from:p[0]])
		found(text[p[0]:p[1]], mark)
		from = p[1]
	}
	between(text[from:])
}

// A foldedText shows its first part, folds the next, and links to the rest.
type foldedText struct {
	Head, Tail []textPiece
	Characters int    // of Tail and of the text left out
	Left       int    // characters that are left out
	More       string // where all of it can be read
}

// Lengths of the shown parts of a text, in characters.
const (
	mostHead = 4_000
	mostTail = 40_000
)

// foldText folds a text behind its head.
func foldText(text string, hit *regexp.Regexp, more string) foldedText {
	first, rest := cutAt(text, mostHead)
	x := foldedText{Head: pieces(first, hit)}
	if rest == "" {
		return x
	}
	x.Characters = utf8.RuneCountInString(rest)
	tail, left := cutAt(rest, mostTail)
	x.Tail = pieces(tail, hit)
	if x.Left = utf8.RuneCountInString(left); x.Left > 0 {
		x.More = more
	}
	return x
}

func cutAt(text string, most int) (first, rest string) {
	if len(text) <= most {
		return text, ""
	}
	n := 0
	for i := range text {
		if n == most {
			return text[:i], text[i:]
		}
		n++
	}
	return text, ""
}

// around returns a short excerpt of a text, on one line: around the first hit, or its beginning.
func around(text string, hit *regexp.Regexp) []textPiece {
	const before, most = 60, 220
	if hit != nil {
		if at := hit.FindStringIndex(text); at != nil && at[0] > before {
			text = "…" + text[runeStart(text, at[0]-before):]
		}
	}
	first, rest := cutAt(text, most)
	if rest != "" {
		first += "…"
	}
	return pieces(strings.Join(strings.Fields(first), " "), hit)
}

// firstHit returns the first string of a JSON value that a search hits, decoded.
func firstHit(v gjson.Result, hit *regexp.Regexp, depth int) (text string, ok bool) {
	switch {
	case v.Type == gjson.String:
		return v.Str, hit.MatchString(v.Str)
	case v.Type == gjson.JSON && depth > 0:
		v.ForEach(func(_, inner gjson.Result) bool {
			text, ok = firstHit(inner, hit, depth-1)
			return !ok
		})
	}
	return text, ok
}

// sumMark begins the hash of a word in addresses.
const sumMark = "~"

// A columnWord is a word of a column, as rows have it or as addresses have it.
type columnWord struct{ column, word string }

// A spelling caches how words are written in addresses, since it takes long to find out whether one is personal.
type spelling struct {
	to   sync.Map // of columnWord to string
	from sync.Map // likewise, of hashes to their words
}

// spell returns a word of a column for use in addresses. A personal one is replaced by a keyed hash that only this server can resolve.
func (s *Server) spell(column, word string) string {
	if known, ok := s.spelling.to.Load(columnWord{column, word}); ok {
		return known.(string)
	}
	spelled := word
	if strings.HasPrefix(word, sumMark) || mask.Text(word) != word {
		sum := hmac.New(sha256.New, []byte(s.Token))
		_, _ = sum.Write([]byte(column + "\x00" + word))
		spelled = sumMark + hex.EncodeToString(sum.Sum(nil)[:8])
	}
	if spelled != word {
		s.spelling.from.Store(columnWord{column, spelled}, word)
	}
	s.spelling.to.Store(columnWord{column, word}, spelled)
	return spelled
}

// words resolves the words of a column in an address.
func (s *Server) words(column string, spelled []string, shown bool) []string {
	all := slices.Clone(spelled)
	for i, text := range all {
		switch {
		case strings.HasPrefix(text, sumMark):
			all[i] = s.word(column, text, shown)
		case !shown && mask.Text(text) != text: // a guess of a personal word has no answer
			all[i] = sumMark
		}
	}
	return all
}

// word resolves the hash of a word in an address. It returns the hash when no row has such a word.
func (s *Server) word(column, sum string, shown bool) string {
	if word, ok := s.spelling.from.Load(columnWord{column, sum}); ok {
		return word.(string)
	}
	found, err := s.index.Find(rows.Query{Masked: !shown})
	if err != nil {
		return sum
	}
	for _, f := range found.Facets(column) {
		if s.spell(column, f.Word) == sum {
			return f.Word
		}
	}
	return sum
}
