// Package eval makes a labelled set of texts in the manner of chat and tool logs, and scores what a filter finds in it.
package eval

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
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
	Text  string
	Spans []Span
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

// A Score counts for one entity.
type Score struct {
	Entity       string
	Labels       int // that are in the set
	Found        int // labels that a finding of the entity is equal to
	Touched      int // labels that some finding lies over in part at least
	Findings     int // of the entity
	TrueExact    int // findings that are equal to a label of the entity
	TrueTouching int // findings that lie over some label in part at least
}

// Scores compares findings with labels, document by document.
func Scores(docs []Document, findings [][]Span) []Score {
	byEntity := map[string]*Score{}
	of := func(entity string) *Score {
		if byEntity[entity] == nil {
			byEntity[entity] = &Score{Entity: entity}
		}
		return byEntity[entity]
	}
	touches := func(a, b Span) bool { return a.Start < b.End && b.Start < a.End }
	for i, d := range docs {
		for _, label := range d.Spans {
			s := of(label.Entity)
			s.Labels++
			if slices.Contains(findings[i], label) {
				s.Found++
			}
			if slices.ContainsFunc(findings[i], func(f Span) bool { return touches(f, label) }) {
				s.Touched++
			}
		}
		for _, f := range findings[i] {
			s := of(f.Entity)
			s.Findings++
			if slices.Contains(d.Spans, f) {
				s.TrueExact++
			}
			if slices.ContainsFunc(d.Spans, func(l Span) bool { return touches(f, l) }) {
				s.TrueTouching++
			}
		}
	}
	var all []Score
	for _, s := range byEntity {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Score) int { return strings.Compare(a.Entity, b.Entity) })
	return all
}

// Table writes scores as a table in Markdown, with their sum last.
func Table(scores []Score) string {
	var b strings.Builder
	b.WriteString("| entity | labels | recall exact | recall overlapping | precision exact | precision overlapping |\n|---|---|---|---|---|---|\n")
	for _, s := range append(slices.Clone(scores), Sum(scores)) {
		fmt.Fprintf(&b, "| %s | %d | %.3f | %.3f | %.3f | %.3f |\n", s.Entity, s.Labels,
			Ratio(s.Found, s.Labels), Ratio(s.Touched, s.Labels), Ratio(s.TrueExact, s.Findings), Ratio(s.TrueTouching, s.Findings))
	}
	return b.String()
}

// Sum adds scores up.
func Sum(scores []Score) Score {
	all := Score{Entity: "all"}
	for _, s := range scores {
		all.Labels += s.Labels
		all.Found += s.Found
		all.Touched += s.Touched
		all.Findings += s.Findings
		all.TrueExact += s.TrueExact
		all.TrueTouching += s.TrueTouching
	}
	return all
}

// Ratio is 1 for nothing out of nothing.
func Ratio(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}
