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
	Scores     []Score // with their sum last
	Uncovered  []Score
	Locales    []LocaleScores
	Missed     []Group
	Unlabelled []Group
}

// LocaleScores are the scores of one locale.
type LocaleScores struct {
	Locale string
	Scores []Score
}

// Group is what a filter missed, or found outside of the labels, of an entity in a locale.
type Group struct {
	Entity, Locale string
	Total          int
	Shown          []Masked
}

// Masked is a value with its surroundings, both masked.
type Masked struct {
	Before, Value, After string
	Part                 bool // the filter found a part of it
}

const (
	mostShown = 20 // of a group
	around    = 32 // code points on each side
)

// NewPage compares findings with labels.
func NewPage(set string, docs []Document, results []Result) Page {
	scores := Scores(docs, results)
	p := Page{Set: set, Documents: len(docs), Scores: append(scores, Sum(scores)), Uncovered: Uncovered(scores)}
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
type groups map[[2]string]*Group

func (g groups) add(m *masker, d *Document, text []rune, hidden covered, s Span, part bool) {
	key := [2]string{s.Entity, d.Locale}
	if g[key] == nil {
		g[key] = &Group{Entity: s.Entity, Locale: d.Locale}
	}
	group := g[key]
	if group.Total++; group.Total > mostShown {
		return
	}
	var value strings.Builder
	writeForm(&value, text[s.Start:s.End])
	group.Shown = append(group.Shown, Masked{
		m.shown(text, hidden, s.Start-around, s.Start), value.String(), m.shown(text, hidden, s.End, s.End+around), part,
	})
}

func (g groups) sorted() (all []Group) {
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
