package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/privacy/eval"
)

func evalCommand(out *report) *cobra.Command {
	var documents int
	var asJSON bool
	c := &cobra.Command{
		Use:   "eval",
		Short: "measure the rules on a labelled set",
		Long: `eval makes documents in the manner of chat and tool logs, a third of them without anything to find, runs the privacy
step on them and prints recall and precision of each entity: of findings that are exactly a label, and that overlap
one. The documents are the same every time.`,
		Example: `  sluice privacy eval
  sluice privacy eval --documents 5000 --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if documents < 1 {
				return &usageError{command: c, err: fmt.Errorf("--documents: want 1 or more, have %d", documents)}
			}
			scores, err := evaluate(c.Context(), eval.Documents(documents))
			if err != nil {
				return out.json(asJSON, err)
			}
			if asJSON {
				return out.writeJSON(accuracies(scores))
			}
			out.scores(documents, scores)
			return nil
		},
	}
	c.Flags().IntVar(&documents, "documents", 2400, "how many documents")
	c.Flags().BoolVar(&asJSON, "json", false, "write what a machine reads to stdout")
	return c
}

// An accuracy is a score in parts of 1.
type accuracy struct {
	Entity               string  `json:"entity"`
	Labels               int     `json:"labels"`
	RecallExact          float64 `json:"recall_exact"`
	RecallOverlapping    float64 `json:"recall_overlapping"`
	PrecisionExact       float64 `json:"precision_exact"`
	PrecisionOverlapping float64 `json:"precision_overlapping"`
}

// accuracies are those of every entity, with all together last.
func accuracies(scores []eval.Score) []accuracy {
	var all []accuracy
	for _, s := range append(slices.Clone(scores), eval.Sum(scores)) {
		all = append(all, accuracy{
			Entity: s.Entity, Labels: s.Labels,
			RecallExact: eval.Ratio(s.Found, s.Labels), RecallOverlapping: eval.Ratio(s.Touched, s.Labels),
			PrecisionExact: eval.Ratio(s.TrueExact, s.Findings), PrecisionOverlapping: eval.Ratio(s.TrueTouching, s.Findings),
		})
	}
	return all
}

// evalPipeline filters documents with every entity on.
const evalPipeline = `
source "jsonl" "documents" {
  paths = ["${pipeline.dir}/documents.jsonl"]
}

step "privacy" "redact" {
  names_file = "${pipeline.dir}/names"
  entities   = { STREET_ADDRESS = "mask" }

  output "ledger" {
    sink "jsonl" "ledger" {
      path = "${pipeline.dir}/ledger.jsonl"
    }
  }
}

sink "jsonl" "filtered" {
  path = "${pipeline.dir}/filtered.jsonl"
}
`

// evaluate runs the privacy step on documents, one a line, and scores its ledger.
func evaluate(ctx context.Context, docs []eval.Document) ([]eval.Score, error) {
	dir, err := os.MkdirTemp("", "sluice-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var lines bytes.Buffer
	for _, d := range docs {
		line, err := json.Marshal(struct {
			Text string `json:"text"`
		}{d.Text})
		if err != nil {
			return nil, err
		}
		lines.Write(append(line, '\n'))
	}
	for name, text := range map[string]string{
		"documents.jsonl": lines.String(), "names": strings.Join(eval.Names, "\n"), "eval.hcl": evalPipeline,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	p, err := host.Load(filepath.Join(dir, "eval.hcl"), host.Options{BuiltIns: plugins.All, InProcess: true, NoReceipt: true})
	if err != nil {
		return nil, err
	}
	r, err := p.Run(ctx)
	if err != nil {
		return nil, err
	}
	if n := r.Totals.Rejected.Total; n > 0 {
		return nil, fmt.Errorf("want every document filtered, have %d rejected", n)
	}
	ledger, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
	if err != nil {
		return nil, err
	}
	findings := make([][]eval.Span, len(docs))
	for row := range bytes.Lines(ledger) {
		x := gjson.ParseBytes(row)
		i := x.Get("line").Int() - 1
		findings[i] = append(findings[i], found(docs[i].Text, x))
	}
	return eval.Scores(docs, findings), nil
}

// found reads a row of the ledger. What was found in JSON that the text is has its offsets from the value there.
func found(text string, row gjson.Result) eval.Span {
	span := eval.Span{Start: int(row.Get("start").Int()), End: int(row.Get("end").Int()), Entity: row.Get("entity").Str}
	if inner, ok := strings.CutPrefix(row.Get("path").Str, "text.@fromstr."); ok {
		value := gjson.Get(text, inner)
		before := utf8.RuneCountInString(text[:value.Index])
		if value.Type == gjson.String {
			before++ // the quote
		}
		span.Start, span.End = span.Start+before, span.End+before
	}
	return span
}
