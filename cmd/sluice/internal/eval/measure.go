package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
)

// Options select what Measure measures.
type Options struct {
	Files      []string // labelled sets; without any, documents are generated
	Documents  int      // the number of documents to generate
	Attributes string   // path of a file with the step's attributes, or ""
}

// Measure runs the step on the documents and scores it.
func Measure(ctx context.Context, o Options) (page Page, err error) {
	docs, err := o.set()
	if err != nil {
		return page, err
	}
	var step privacyStep
	if len(o.Files) == 0 {
		step = generatedStep
	}
	if o.Attributes != "" {
		text, err := os.ReadFile(o.Attributes)
		if err != nil {
			return page, host.AtPath(err)
		}
		step.Attributes, step.Path = string(text), o.Attributes
	}
	results, err := step.run(ctx, docs)
	if err != nil {
		return page, err
	}
	return newPage(o.name(), docs, results), nil
}

// Text returns the scores of a page for people.
func Text(p Page) string {
	var b strings.Builder
	rejected := ""
	if p.Rejected > 0 {
		rejected = fmt.Sprintf("; %s rejected and not counted", plural.Count(int64(p.Rejected)))
	}
	fmt.Fprintf(&b, "%s%s\n\n%s", plural.Of(p.Documents, "document"), rejected, table(p.Scores))
	if len(p.Locales) > 0 {
		fmt.Fprintf(&b, "\n%s", localeTable(p.Locales))
	}
	if len(p.Uncovered) > 0 {
		var names []string
		for _, s := range p.Uncovered {
			names = append(names, fmt.Sprintf("%s (%s)", s.Entity, plural.Of(s.Labels, "label")))
		}
		fmt.Fprintf(&b, "\nnot covered: %s\n", strings.Join(names, ", "))
	}
	return b.String()
}

func (o *Options) set() (docs []document, err error) {
	if len(o.Files) == 0 {
		return documents(o.Documents), nil
	}
	for _, path := range o.Files {
		file, err := os.Open(path)
		if err != nil {
			return nil, host.AtPath(err)
		}
		more, err := read(file, path)
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: want at least one document, have an empty set", strings.Join(o.Files, ", "))
	}
	return docs, nil
}

func (o *Options) name() string {
	if len(o.Files) == 0 {
		return "documents that sluice made"
	}
	var names []string
	for _, path := range o.Files {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, ", ")
}

// WritePage writes a page for a browser. It replaces no file that a run has written.
func WritePage(ctx context.Context, path string, page Page) error {
	var text bytes.Buffer
	if err := page.Write(&text); err != nil {
		return err
	}
	return host.WritePage(ctx, path, text.Bytes())
}

// An accuracy is a score with shares of 1 and the ends of their intervals at 95 %.
type accuracy struct {
	Entity            string     `json:"entity"`
	Labels            int        `json:"labels"`
	Recall            float64    `json:"recall"`
	RecallInterval    [2]float64 `json:"recall_95"`
	Touched           int        `json:"in_part"`
	Exact             int        `json:"exact"`
	Findings          int        `json:"findings"`
	Precision         float64    `json:"precision"`
	PrecisionInterval [2]float64 `json:"precision_95"`
}

type localeAccuracies struct {
	Locale   string     `json:"locale"`
	Entities []accuracy `json:"entities"`
}

// Evaluation is a measurement for machines.
type Evaluation struct {
	Documents  int                `json:"documents"`
	Rejected   int                `json:"rejected"`
	Entities   []accuracy         `json:"entities"` // with their sum last
	NotCovered []string           `json:"not_covered"`
	Locales    []localeAccuracies `json:"locales"`
}

// JSON returns the scores of a page for machines.
func JSON(p Page) Evaluation {
	m := Evaluation{Documents: p.Documents, Rejected: p.Rejected, Entities: accuracyOf(p.Scores), NotCovered: []string{}, Locales: []localeAccuracies{}}
	for _, s := range p.Uncovered {
		m.NotCovered = append(m.NotCovered, s.Entity)
	}
	for _, l := range p.Locales {
		m.Locales = append(m.Locales, localeAccuracies{l.Locale, accuracyOf(append(slices.Clone(l.Scores), sumOf(l.Scores)))})
	}
	return m
}

func accuracyOf(scores []score) []accuracy {
	all := []accuracy{}
	for _, s := range scores {
		recall, precision := s.Recall(), s.Precision()
		all = append(all, accuracy{
			s.Entity, s.Labels, recall.Value(), [2]float64{recall.Low, recall.High}, s.Touched, s.Exact,
			s.Findings, precision.Value(), [2]float64{precision.Low, precision.High},
		})
	}
	return all
}
