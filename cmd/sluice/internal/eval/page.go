package eval

import (
	_ "embed"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Page holds the scores of a filter, with what it missed and what it found outside of the labels, masked.
type Page struct {
	Set        string // the name of the labelled set
	Documents  int
	Rejected   int
	Scores     []score // with their sum last
	Uncovered  []score
	Locales    []localeScores
	Missed     []group
	Unlabelled []group
}

// localeScores are the scores of one locale.
type localeScores struct {
	Locale string
	Scores []score
}

// A group is what a filter missed, or found outside of the labels, of an entity in a locale.
type group struct {
	Entity, Locale string
	Total          int
	Shown          []masked
}

// A masked value is one with its surroundings.
type masked struct {
	Before, Value, After string
	Part                 bool // the filter found a part of it
}

const (
	mostShown = 20 // of a group
	around    = 32 // code points on each side
)

// newPage compares findings with labels.
func newPage(set string, docs []document, results []result) Page {
	scores := scoresOf(docs, results)
	p := Page{Set: set, Documents: len(docs), Scores: append(scores, sumOf(scores)), Uncovered: uncovered(scores)}
	p.Locales = byLocale(docs, results)
	missed, unlabelled := groups{}, groups{}
	m := newMasker(docs, results)
	for i := range docs {
		d, r := &docs[i], &results[i]
		if r.Rejected {
			p.Rejected++
			continue
		}
		v := compare(d, r)
		runes := []rune(d.Text)
		hidden := marks(len(runes), allSpans(d, r))
		for j, fate := range v.labels {
			if fate != gone {
				missed.add(m, d, runes, hidden, d.Spans[j], fate == cut)
			}
		}
		for j, right := range v.right {
			if !right {
				unlabelled.add(m, d, runes, hidden, r.Findings[j], false)
			}
		}
	}
	p.Missed, p.Unlabelled = missed.sorted(), unlabelled.sorted()
	return p
}

// Groups by entity and locale.
type groups map[[2]string]*group

func (g groups) add(m *masker, d *document, text []rune, hidden covered, s span, part bool) {
	key := [2]string{s.Entity, d.Locale}
	if g[key] == nil {
		g[key] = &group{Entity: s.Entity, Locale: d.Locale}
	}
	of := g[key]
	if of.Total++; of.Total > mostShown {
		return
	}
	var value strings.Builder
	writeForm(&value, text[s.Start:s.End])
	of.Shown = append(of.Shown, masked{
		m.shown(text, hidden, s.Start-around, s.Start), value.String(), m.shown(text, hidden, s.End, s.End+around), part,
	})
}

func (g groups) sorted() (all []group) {
	keys := slices.SortedFunc(maps.Keys(g), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		all = append(all, *g[key])
	}
	return all
}

//go:embed page.html
var pageText string

var pageForm = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// Write writes the page as HTML that loads no other file.
func (p Page) Write(to io.Writer) error { return pageForm().Execute(to, p) }
