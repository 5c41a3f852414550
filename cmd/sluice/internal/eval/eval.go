// Package eval reads or makes a labelled set of texts, and scores what a filter finds in it.
package eval

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Span is text[Start:End] in code points, with the entity it is.
type Span struct {
	Start, End int
	Entity     string
}

// A Document is a text with all that is to be found in it. A hard negative has nothing.
type Document struct {
	Text   string
	Spans  []Span
	Locale string // such as de_DE, or "" where nobody says
}

// Documents makes n documents, always the same.
func Documents(n int) []Document {
	g := &generator{rand.New(rand.NewPCG(20, 26))}
	docs := make([]Document, n)
	for i := range docs {
		switch {
		case i%3 == 0:
			docs[i] = Document{Text: g.negative(i / 3)}
		default:
			docs[i] = g.positive(i)
		}
	}
	return docs
}

// positive fills the slots of a template: {ENTITY} is what is to be found, {.kind} is other text.
func (g *generator) positive(i int) Document {
	template := templates[i%len(templates)]
	if i%len(templates) == 0 {
		template = "{SECRET}"
	}
	var d Document
	var b strings.Builder
	at := 0
	write := func(s string) {
		b.WriteString(s)
		at += utf8.RuneCountInString(s)
	}
	write(pick(g, openings))
	last := 0
	for _, loc := range slotForm.FindAllStringIndex(template, -1) {
		write(template[last:loc[0]])
		last = loc[1]
		slot := template[loc[0]+1 : loc[1]-1]
		if strings.HasPrefix(slot, ".") {
			write(g.filler(slot[1:]))
			continue
		}
		value, entity := g.value(slot)
		d.Spans = append(d.Spans, Span{at, at + utf8.RuneCountInString(value), entity})
		write(value)
	}
	write(template[last:])
	write(pick(g, closings))
	d.Text = b.String()
	return d
}

var slotForm = regexp.MustCompile(`\{(?:\.[a-z]+|[A-Z0-9_]+)\}`)
