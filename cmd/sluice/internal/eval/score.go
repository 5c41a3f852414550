package eval

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// A result is what a filter made of a document.
type result struct {
	Rejected bool   // by the filter
	Output   string // the text afterwards
	Findings []span // with a known place in the text
	Unplaced int    // the number of other findings
}

// A score counts labels and findings of one entity, which may have only one of them.
type score struct {
	Entity   string
	Labels   int // in documents that were not rejected
	Gone     int // labels with every letter and digit replaced
	Touched  int // labels with some letter or digit replaced
	Exact    int // labels that are equal to a finding
	Findings int // of the entity
	Right    int // findings that overlap a label
}

// scoresOf compares findings with labels, document by document, and returns the scores sorted by entity.
func scoresOf(docs []document, results []result) []score {
	byEntity := map[string]*score{}
	of := func(entity string) *score {
		if byEntity[entity] == nil {
			byEntity[entity] = &score{Entity: entity}
		}
		return byEntity[entity]
	}
	for i := range docs {
		if results[i].Rejected {
			continue
		}
		v := compare(&docs[i], &results[i])
		for j, label := range docs[i].Spans {
			s := of(label.Entity)
			s.Labels++
			s.Gone += one(v.labels[j] == gone)
			s.Touched += one(v.labels[j] != kept)
			s.Exact += one(v.exact[j])
		}
		for j, f := range results[i].Findings {
			s := of(f.Entity)
			s.Findings++
			s.Right += one(v.right[j])
		}
	}
	var all []score
	for _, s := range byEntity {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b score) int { return strings.Compare(a.Entity, b.Entity) })
	return all
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// A fate is what became of a label.
type fate uint8

const (
	kept fate = iota
	cut       // in part
	gone
)

// A verdict is about the labels and the findings of a document.
type verdict struct {
	labels []fate
	exact  []bool // labels
	right  []bool // findings
}

// compare judges one document, in time proportional to its text and its spans.
func compare(d *document, r *result) verdict {
	runes := []rune(d.Text)
	labelled, found := marks(len(runes), d.Spans), marks(len(runes), r.Findings)
	same := map[span]bool{}
	for _, f := range r.Findings {
		same[f] = true
	}
	v := verdict{make([]fate, len(d.Spans)), make([]bool, len(d.Spans)), make([]bool, len(r.Findings))}
	for i, label := range d.Spans {
		v.labels[i] = found.fate(runes, label)
		if v.labels[i] != gone && r.Unplaced > 0 && !strings.Contains(r.Output, string(runes[label.Start:label.End])) {
			v.labels[i] = gone
		}
		v.exact[i] = same[label]
	}
	for i, f := range r.Findings {
		v.right[i] = labelled.before(f.End) > labelled.before(f.Start)
	}
	return v
}

// covered holds, for each place in a text, the number of code points before it that spans cover.
type covered []int

func marks(length int, spans []span) covered {
	steps := make(covered, length+1)
	for _, s := range spans {
		steps[min(s.Start, length)]++
		steps[min(s.End, length)]--
	}
	depth, count := 0, 0
	for i, step := range steps {
		steps[i] = count
		if depth += step; depth > 0 {
			count++
		}
	}
	return steps
}

func (c covered) before(i int) int { return c[min(max(i, 0), len(c)-1)] }

func (c covered) fate(text []rune, label span) fate {
	left, taken := false, false
	for i := label.Start; i < label.End; i++ {
		if c[i+1] > c[i] {
			taken = true
		} else if unicode.IsLetter(text[i]) || unicode.IsNumber(text[i]) {
			left = true
		}
	}
	switch {
	case !taken:
		return kept
	case left:
		return cut
	}
	return gone
}

func byLocale(docs []document, results []result) (all []localeScores) {
	type part struct {
		docs    []document
		results []result
	}
	parts := map[string]part{}
	for i, d := range docs {
		if p := parts[d.Locale]; d.Locale != "" {
			parts[d.Locale] = part{append(p.docs, d), append(p.results, results[i])}
		}
	}
	for _, locale := range slices.Sorted(maps.Keys(parts)) {
		all = append(all, localeScores{locale, scoresOf(parts[locale].docs, parts[locale].results)})
	}
	return all
}

// sumOf adds scores up.
func sumOf(scores []score) score {
	all := score{Entity: "all"}
	for _, s := range scores {
		all.Labels += s.Labels
		all.Gone += s.Gone
		all.Touched += s.Touched
		all.Exact += s.Exact
		all.Findings += s.Findings
		all.Right += s.Right
	}
	return all
}

// A share is N of Of, with the interval that holds the true share with a probability of 95 % if the set is a fair sample.
type share struct {
	N, Of     int
	Low, High float64
}

// Recall returns the share of labels that are gone.
func (s score) Recall() share { return shareOf(s.Gone, s.Labels) }

// Precision returns the share of findings that overlap a label.
func (s score) Precision() share { return shareOf(s.Right, s.Findings) }

// shareOf returns the share with Wilson's interval, which also holds for small numbers and for shares near 0 and 1.
func shareOf(n, of int) share {
	if of == 0 {
		return share{Low: 0, High: 1}
	}
	const z = 1.959964 // of the normal distribution at 97.5 %
	p, m := float64(n)/float64(of), float64(of)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return share{n, of, max(0, middle-half), min(1, middle+half)}
}

// Value returns 0 to 1, and 1 for nothing out of nothing.
func (s share) Value() float64 {
	if s.Of == 0 {
		return 1
	}
	return float64(s.N) / float64(s.Of)
}

// String returns a share with its interval, and a dash for nothing out of nothing.
func (s share) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f (%.3f–%.3f)", s.Value(), s.Low, s.High)
}

// table writes scores as a table in Markdown.
func table(scores []score) string {
	var b strings.Builder
	b.WriteString("| entity | labels | recall (95 %) | in part | exact | findings | precision (95 %) |\n|---|---|---|---|---|---|---|\n")
	for _, s := range scores {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %d | %s |\n", cell(s.Entity), s.Labels, s.Recall(),
			part(s.Touched, s.Labels), part(s.Exact, s.Labels), s.Findings, s.Precision())
	}
	return b.String()
}

// localeTable writes a row for each entity in each locale.
func localeTable(locales []localeScores) string {
	var b strings.Builder
	b.WriteString("| locale | entity | labels | recall (95 %) | findings | precision (95 %) |\n|---|---|---|---|---|---|\n")
	for _, l := range locales {
		for _, s := range l.Scores {
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %d | %s |\n", cell(l.Locale), cell(s.Entity), s.Labels, s.Recall(), s.Findings, s.Precision())
		}
	}
	return b.String()
}

// uncovered returns the scores of the labelled entities that the filter never found.
func uncovered(scores []score) []score {
	return slices.DeleteFunc(slices.Clone(scores), func(s score) bool { return s.Labels == 0 || s.Touched > 0 })
}

func part(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", float64(n)/float64(of))
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(text)
}
