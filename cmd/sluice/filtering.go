package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/privacy/eval"
)

// A filtering runs the privacy step on documents.
type filtering struct {
	docs       []eval.Document
	names      []string // for madeAttributes
	attributes string   // of the step
	path       string   // where those stand, or ""
}

// madeAttributes switch on every entity that the documents have which eval makes.
const madeAttributes = `
names_file = "${pipeline.dir}/names"
entities   = { STREET_ADDRESS = "mask" }
`

// evalPipeline has the step's attributes at %s.
const (
	evalHead = `source "jsonl" "documents" {
  paths = ["${pipeline.dir}/documents.jsonl"]
}
step "privacy" "redact" {
`
	evalTail = `
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
)

// run gives what the step made of each document.
func (f *filtering) run(ctx context.Context) ([]eval.Result, error) {
	dir, err := os.MkdirTemp("", "sluice-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	lines, err := f.lines()
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{
		"documents.jsonl": lines, "names": strings.Join(f.names, "\n"), "eval.hcl": evalHead + f.attributes + evalTail,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	p, err := host.Load(filepath.Join(dir, "eval.hcl"), host.Options{BuiltIns: plugins.All, InProcess: true, NoReceipt: true})
	if err == nil {
		_, err = p.Run(ctx)
	}
	if err != nil {
		return nil, f.inAttributes(err)
	}
	return f.results(dir)
}

// lines gives the documents as records. Each has its number, as some may not come out.
func (f *filtering) lines() (string, error) {
	var lines bytes.Buffer
	for i, d := range f.docs {
		line, err := json.Marshal(struct {
			N    int    `json:"n"`
			Text string `json:"text"`
		}{i, d.Text})
		if err != nil {
			return "", err
		}
		lines.Write(append(line, '\n'))
	}
	return lines.String(), nil
}

// inAttributes makes what is wrong with the pipeline speak of the file that the attributes are from.
func (f *filtering) inAttributes(err error) error {
	diags, ok := errors.AsType[host.Diagnostics](err)
	if !ok || f.path == "" {
		return err
	}
	diags = slices.Clone(diags)
	above := strings.Count(evalHead, "\n")
	for i := range diags {
		d := &diags[i]
		d.Path, d.Line, d.EndLine = f.path, max(0, d.Line-above), max(0, d.EndLine-above)
	}
	return diags
}

// results reads what a run has left in its folder.
func (f *filtering) results(dir string) ([]eval.Result, error) {
	filtered, err := os.ReadFile(filepath.Join(dir, "filtered.jsonl"))
	if err != nil {
		return nil, err
	}
	ledger, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
	if err != nil {
		return nil, err
	}
	all := make([]eval.Result, len(f.docs))
	for i := range all {
		all[i].Rejected = true
	}
	for row := range bytes.Lines(filtered) {
		x := gjson.ParseBytes(row)
		n := x.Get("n").Int()
		all[n].Rejected, all[n].Output = false, x.Get("text").Str
	}
	for row := range bytes.Lines(ledger) {
		x := gjson.ParseBytes(row)
		i := x.Get("line").Int() - 1
		r := &all[i]
		path := strings.TrimPrefix(strings.TrimPrefix(x.Get("path").Str, "text"), ".")
		start, end, ok := eval.Locate(f.docs[i].Text, path, x.Get("place").Str == "key", int(x.Get("start").Int()), int(x.Get("end").Int()))
		if !ok {
			r.Unplaced++
			continue
		}
		r.Findings = append(r.Findings, eval.Span{Start: start, End: end, Entity: x.Get("entity").Str})
	}
	return all, nil
}
