// Package eval reads or makes labelled texts, and scores what the privacy step finds in them.
package eval

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A span is text[Start:End] in code points, with its entity.
type span struct {
	Start, End int
	Entity     string
}

// A document is a text with all that a filter should find in it, which for a hard negative is nothing.
type document struct {
	Text   string
	Spans  []span
	Locale string // such as de_DE, or "" when unknown
}

//go:embed templates.json
var templatesJSON []byte

// templates are sentences, logs and code with slots for values to find, and texts that filters easily take for personal data.
type templates struct{ Templates, Openings, Closings, Negatives []string }

// documents returns n generated documents, always the same. Every third has nothing to find.
func documents(n int) []document {
	d := drawer{rand.New(rand.NewPCG(20, 26))}
	var t templates
	if err := json.Unmarshal(templatesJSON, &t); err != nil {
		panic(err) // the file is part of the program
	}
	docs := make([]document, n)
	for i := range docs {
		if i%3 == 0 {
			docs[i] = fill(d, d.oneOf(t.Openings...)+t.Negatives[i/3%len(t.Negatives)], fillerSlot)
		} else {
			docs[i] = fill(d, d.oneOf(t.Openings...)+t.Templates[i%len(t.Templates)]+d.oneOf(t.Closings...), anySlot)
		}
	}
	return docs
}

var (
	anySlot    = regexp.MustCompile(`\{(?:\.[a-z]+|[A-Z0-9_]+)\}`)
	fillerSlot = regexp.MustCompile(`\{\.[a-z]+\}`)
)

// fill puts values in the slots of a template: {ENTITY} is for a value to find, {.kind} for other text.
func fill(d drawer, template string, slots *regexp.Regexp) (doc document) {
	var text strings.Builder
	last := 0
	for _, at := range slots.FindAllStringIndex(template, -1) {
		text.WriteString(template[last:at[0]])
		last = at[1]
		slot := template[at[0]+1 : at[1]-1]
		if filler := fillers[slot]; filler != nil {
			text.WriteString(filler(d))
			continue
		}
		if slot == "SECRET" {
			slot = d.oneOf("API_KEY", "ACCESS_TOKEN")
		}
		start := utf8.RuneCountInString(text.String())
		text.WriteString(personal[slot](d))
		doc.Spans = append(doc.Spans, span{start, utf8.RuneCountInString(text.String()), cmp.Or(entities[slot], slot)})
	}
	text.WriteString(template[last:])
	doc.Text = text.String()
	return doc
}
