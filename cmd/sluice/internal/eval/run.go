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

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A privacyStep is the privacy step to measure.
type privacyStep struct {
	Attributes string // in HCL, as a pipeline has them between the braces
	Path       string // the file that Attributes were read from, or ""
	names      []string
}

// generatedStep is the step that takes every entity of documents out.
var generatedStep = privacyStep{names: personNames, Attributes: `
names_file = "${pipeline.dir}/names"
entities   = { STREET_ADDRESS = "mask" }
`}

const (
	pipelineHead = `source "jsonl" "documents" {
  paths = ["${pipeline.dir}/documents.jsonl"]
}
step "privacy" "redact" {
`
	pipelineTail = `
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

// run returns what the step made of each document.
func (s *privacyStep) run(ctx context.Context, docs []document) ([]result, error) {
	dir, err := os.MkdirTemp("", "sluice-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var lines []byte
	for i, d := range docs { // each with its number, since some may be rejected
		lines = append(jsontext.AppendMember(fmt.Appendf(lines, `{"n":%d,`, i), "text", d.Text), "}\n"...)
	}
	for name, text := range map[string]string{
		"documents.jsonl": string(lines), "names": strings.Join(s.names, "\n"), "eval.hcl": pipelineHead + s.Attributes + pipelineTail,
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
		return nil, s.inAttributes(err)
	}
	return readResults(dir, docs)
}

// inAttributes moves the positions of diagnostics to the file that the attributes were read from.
func (s *privacyStep) inAttributes(err error) error {
	diags, ok := errors.AsType[host.Diagnostics](err)
	if !ok || s.Path == "" {
		return err
	}
	diags = slices.Clone(diags)
	above := strings.Count(pipelineHead, "\n")
	for i := range diags {
		d := &diags[i]
		d.Path, d.Line, d.EndLine = s.Path, max(0, d.Line-above), max(0, d.EndLine-above)
	}
	return diags
}

func readResults(dir string, docs []document) ([]result, error) {
	filtered, err := os.ReadFile(filepath.Join(dir, "filtered.jsonl"))
	if err != nil {
		return nil, err
	}
	ledger, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
	if err != nil {
		return nil, err
	}
	all := make([]result, len(docs))
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
		start, end, ok := redact.Locate(docs[i].Text, path, x.Get("place").Str == "key", int(x.Get("start").Int()), int(x.Get("end").Int()))
		if !ok {
			r.Unplaced++
			continue
		}
		r.Findings = append(r.Findings, span{Start: start, End: end, Entity: x.Get("entity").Str})
	}
	return all, nil
}
