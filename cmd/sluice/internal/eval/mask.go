package eval

import (
	"strings"
	"unicode"
)

// A masker keeps words that several documents have outside of spans, and writes the rest as X, x and 9 for letters and digits.
type masker struct {
	documents map[string]int // with a word outside of spans
}

const enough = 5 // documents with a word make it common

func newMasker(docs []document, results []result) *masker {
	m := &masker{map[string]int{}}
	for i := range docs {
		runes := []rune(docs[i].Text)
		hidden := marks(len(runes), allSpans(&docs[i], &results[i]))
		seen := map[string]bool{}
		eachWord(runes, func(start, end int) {
			word := string(runes[start:end])
			if hidden.before(end) == hidden.before(start) && !seen[word] {
				seen[word] = true
				m.documents[word]++
			}
		})
	}
	return m
}

func allSpans(d *document, r *result) []span {
	return append(append([]span(nil), d.Spans...), r.Findings...)
}

func eachWord(text []rune, word func(start, end int)) {
	for i := 0; i < len(text); {
		if !inWord(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && inWord(text[i]) {
			i++
		}
		word(start, i)
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) }

// shown returns text[from:to] masked. hidden covers the spans.
func (m *masker) shown(text []rune, hidden covered, from, to int) string {
	from, to = max(0, from), min(len(text), to)
	for from > 0 && from < to && inWord(text[from]) && inWord(text[from-1]) { // whole words only
		from++
	}
	for to < len(text) && to > from && inWord(text[to]) && inWord(text[to-1]) {
		to--
	}
	var b strings.Builder
	last := from
	eachWord(text[from:to], func(start, end int) {
		start, end = from+start, from+end
		writeForm(&b, text[last:start])
		word := string(text[start:end])
		if hidden.before(end) == hidden.before(start) && m.documents[word] >= enough && strings.IndexFunc(word, unicode.IsNumber) < 0 {
			b.WriteString(word)
		} else {
			writeForm(&b, text[start:end])
		}
		last = end
	})
	writeForm(&b, text[last:to])
	return b.String()
}

// writeForm writes the form of a text, with the signs that numbers and addresses have.
func writeForm(b *strings.Builder, text []rune) {
	for _, r := range text {
		switch {
		case unicode.IsUpper(r):
			b.WriteByte('X')
		case unicode.IsLetter(r), unicode.IsMark(r):
			b.WriteByte('x')
		case unicode.IsNumber(r):
			b.WriteByte('9')
		case r == '\n':
			b.WriteRune('⏎')
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case strings.ContainsRune(`+-./:()@_,="'<>[]{}`, r):
			b.WriteRune(r)
		default:
			b.WriteRune('•')
		}
	}
}
