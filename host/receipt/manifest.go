package receipt

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ManifestSchema is the schema that a manifest names.
const ManifestSchema = "sluice.manifest.v1"

// Manifest says what a run wrote, for the people who get the files. It holds nothing about the machine or the time, so two runs
// of one pipeline on the same input have the same manifest. Merged of parts it lists each share of a file that they have cut, since the hash
// of the whole file is not known then.
type Manifest struct {
	Schema    string            `json:"schema"`
	Sluice    string            `json:"sluice"` // version
	Pipeline  Pipeline          `json:"pipeline"`
	Variables map[string]string `json:"variables,omitempty"` // without paths
	Inputs    []Input           `json:"inputs"`
	Partial   *Partial          `json:"partial,omitempty"` // nil when the run read everything
	Files     []Output          `json:"files"`             // of the stream, by their paths below the manifest's folder
	Records   ManifestTotals    `json:"records"`
	Steps     []ManifestStep    `json:"steps"`
}

// ManifestTotals counts the records of a run.
type ManifestTotals struct {
	Read     int64     `json:"read"`
	Written  int64     `json:"written"`
	Dropped  Breakdown `json:"dropped"`
	Rejected Breakdown `json:"rejected"`
}

// ManifestStep is what one step did, without what depends on time.
type ManifestStep struct {
	Step     string            `json:"step"`
	Plugin   string            `json:"plugin"`
	Code     string            `json:"code_sha256,omitempty"` // as in Plugin
	SDK      string            `json:"sdk_sha256,omitempty"`
	In       int64             `json:"in"`
	Out      int64             `json:"out"`
	Dropped  Breakdown         `json:"dropped"`
	Rejected Breakdown         `json:"rejected"`
	Counts   map[string]int64  `json:"counts,omitempty"`
	Facts    map[string]string `json:"facts,omitempty"`
}

// shown returns a share without what depends on the machine; nil when it is the whole file, of which the whole run says no more either.
func (s *Share) shown() *Share {
	if !s.Cut() {
		return nil
	}
	x := *s
	x.Modified = time.Time{}
	return &x
}

// Manifest returns the manifest for a folder of outputs.
func (r *Receipt) Manifest(folder string) Manifest {
	m := Manifest{
		Schema: ManifestSchema, Sluice: r.Sluice, Variables: map[string]string{},
		Pipeline: Pipeline{Path: filepath.Base(r.Pipeline.Path), SHA256: r.Pipeline.SHA256},
		Records:  ManifestTotals{Read: r.Totals.Read, Written: r.Totals.Written, Dropped: r.Totals.Dropped, Rejected: r.Totals.Rejected},
	}
	for name, value := range r.Variables {
		if !strings.ContainsAny(value, `/\`) && value != folder {
			m.Variables[name] = value
		}
	}
	for _, in := range r.Inputs {
		in.Name, in.Source, in.Share = filepath.Base(in.Name), "", in.Share.shown()
		m.Inputs = append(m.Inputs, in)
	}
	if r.Partial != nil {
		p := *r.Partial
		p.Taken = slices.Clone(p.Taken)
		for i := range p.Taken {
			p.Taken[i].Name = filepath.Base(p.Taken[i].Name)
		}
		m.Partial = &p
	}
	for _, out := range r.Outputs {
		if out.Side != "" {
			continue
		}
		out.Origins, out.Lengths = nil, nil // they stay with the receipt
		if below, err := filepath.Rel(folder, out.Path); err == nil && filepath.IsLocal(below) {
			out.Path = filepath.ToSlash(below)
		} else {
			out.Path = filepath.Base(out.Path)
		}
		m.Files = append(m.Files, out)
	}
	for _, s := range r.Steps {
		p := r.plugin(s.Name)
		m.Steps = append(m.Steps, ManifestStep{s.Name, s.Plugin, p.Code, p.SDK, s.In, s.Out, s.Dropped, s.Rejected, s.Counts, s.Facts})
	}
	return m
}
