package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/eval"
)

// A measuring is what eval is asked to do.
type measuring struct {
	files            []string // labelled sets; none: a set that is made
	documents        int      // of that
	attributes, page string   // paths, or ""
	asJSON           bool
}

func evalCommand(out *report) *cobra.Command {
	var m measuring
	c := &cobra.Command{
		Use:   "eval [SET...]",
		Short: "measure a privacy step on labelled texts",
		Long: `eval runs the privacy step on labelled texts and prints recall and precision of each entity, and of each locale that the
texts have, with intervals at 95 %. A set is JSONL, with a document a line; offsets are code points, half open:

  {"text": "call Ann", "spans": [{"start": 5, "end": 8, "entity": "PERSON"}], "locale": "en_US"}

A label is found when every letter and digit of it was taken, whatever the finding is called; a finding is right when it
lies over some label. A document that the step rejects is told and not counted. --page writes the same for a browser,
with what was missed and what was taken beside the labels, masked. --attributes names a file with the step's attributes,
as a pipeline has them between the braces.

Without a set, eval makes documents in the manner of chat and tool logs, the same every time, a third of them without
anything to find, and takes every entity out of them.`,
		Example: `  sluice privacy eval labelled.jsonl --page misses.html
  sluice privacy eval labelled.jsonl --attributes step.hcl --json
  sluice privacy eval --documents 5000`,
		RunE: func(c *cobra.Command, args []string) error {
			m.files = args
			if m.documents < 1 {
				return &usageError{command: c, err: fmt.Errorf("--documents: want 1 or more, have %d", m.documents)}
			}
			if len(args) > 0 && c.Flags().Changed("documents") {
				return &usageError{command: c, err: errors.New("--documents: want a set or a number of documents to make, have both")}
			}
			if err := m.run(c, out); err != nil {
				return out.json(m.asJSON, err)
			}
			return nil
		},
	}
	c.Flags().IntVar(&m.documents, "documents", 2400, "how many documents to make")
	c.Flags().StringVar(&m.attributes, "attributes", "", "the step's attributes are in the file at `PATH`")
	c.Flags().StringVar(&m.page, "page", "", "write an HTML page to `PATH`")
	c.Flags().BoolVar(&m.asJSON, "json", false, "write what a machine reads to stdout")
	return c
}

func (m *measuring) run(c *cobra.Command, out *report) error {
	docs, err := m.set()
	if err != nil {
		return err
	}
	var step eval.Step
	if len(m.files) == 0 {
		step = eval.GeneratedStep
	}
	if m.attributes != "" {
		text, err := os.ReadFile(m.attributes)
		if err != nil {
			return err
		}
		step.Attributes, step.Path = string(text), m.attributes
	}
	results, err := step.Run(c.Context(), docs)
	if err != nil {
		return err
	}
	page := eval.NewPage(m.name(), docs, results)
	if m.page != "" {
		if err := writePage(m.page, page); err != nil {
			return err
		}
		out.say("page %s", m.page)
	}
	if m.asJSON {
		return out.writeJSON(accuracies(page))
	}
	out.scores(page)
	return nil
}

// set gives the documents to measure on.
func (m *measuring) set() (docs []eval.Document, err error) {
	if len(m.files) == 0 {
		return eval.Documents(m.documents), nil
	}
	for _, path := range m.files {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		more, err := eval.Read(file, path)
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: want documents, have none", strings.Join(m.files, ", "))
	}
	return docs, nil
}

func (m *measuring) name() string {
	if len(m.files) == 0 {
		return "documents that sluice made"
	}
	var names []string
	for _, path := range m.files {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, ", ")
}

func writePage(path string, page eval.Page) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(page.Write(file), file.Close())
}

// An accuracy is a score in parts of 1, with the ends of its interval at 95 %.
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

// What a machine reads of a measurement.
type measured struct {
	Documents  int                `json:"documents"`
	Rejected   int                `json:"rejected"`
	Entities   []accuracy         `json:"entities"` // with all together last
	NotCovered []string           `json:"not_covered"`
	Locales    []localeAccuracies `json:"locales"`
}

func accuracies(p eval.Page) measured {
	m := measured{Documents: p.Documents, Rejected: p.Rejected, Entities: accuracyOf(p.Scores), NotCovered: []string{}, Locales: []localeAccuracies{}}
	for _, s := range p.Uncovered {
		m.NotCovered = append(m.NotCovered, s.Entity)
	}
	for _, l := range p.Locales {
		m.Locales = append(m.Locales, localeAccuracies{l.Locale, accuracyOf(append(slices.Clone(l.Scores), eval.Sum(l.Scores)))})
	}
	return m
}

func accuracyOf(scores []eval.Score) []accuracy {
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
