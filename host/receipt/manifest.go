package receipt

import (
	"path/filepath"
	"slices"
	"strings"
)

// ManifestSchema is the schema that a manifest names.
const ManifestSchema = "sluice.manifest.v1"

// A Manifest says what a run wrote, for whoever gets the files: nothing in it tells of the machine or the time, so two runs
// of one pipeline on the same input have the same.
type Manifest struct {
	Schema    string            `json:"schema"`
	Sluice    string            `json:"sluice"` // version
	Pipeline  Pipeline          `json:"pipeline"`
	Variables map[string]string `json:"variables,omitempty"` // but for paths
	Inputs    []Input           `json:"inputs"`
	Partial   *Partial          `json:"partial,omitempty"` // the run was not whole
	Files     []Output          `json:"files"`             // of the stream, by their paths below the manifest's folder
	Records   Records           `json:"records"`
	Steps     []Stepped         `json:"steps"`
}

// Records are what became of the records of a run.
type Records struct {
	Read     int64 `json:"read"`
	Written  int64 `json:"written"`
	Dropped  Tally `json:"dropped"`
	Rejected Tally `json:"rejected"`
}

// A Stepped is what one step did, as far as that is no matter of time.
type Stepped struct {
	Step     string            `json:"step"`
	Plugin   string            `json:"plugin"`
	In       int64             `json:"in"`
	Out      int64             `json:"out"`
	Dropped  Tally             `json:"dropped"`
	Rejected Tally             `json:"rejected"`
	Counts   map[string]int64  `json:"counts,omitempty"`
	Facts    map[string]string `json:"facts,omitempty"`
}

// Manifest makes the manifest that lies in a folder.
func (x *Receipt) Manifest(folder string) Manifest {
	m := Manifest{
		Schema: ManifestSchema, Sluice: x.Sluice, Variables: map[string]string{},
		Pipeline: Pipeline{Path: filepath.Base(x.Pipeline.Path), SHA256: x.Pipeline.SHA256},
		Records:  Records{Read: x.Totals.Read, Written: x.Totals.Written, Dropped: x.Totals.Dropped, Rejected: x.Totals.Rejected},
	}
	for name, value := range x.Variables {
		if !strings.ContainsAny(value, `/\`) && value != folder {
			m.Variables[name] = value
		}
	}
	for _, in := range x.Inputs {
		in.Name, in.Source = filepath.Base(in.Name), ""
		m.Inputs = append(m.Inputs, in)
	}
	if x.Partial != nil {
		p := *x.Partial
		p.Taken = slices.Clone(p.Taken)
		for i := range p.Taken {
			p.Taken[i].Name = filepath.Base(p.Taken[i].Name)
		}
		m.Partial = &p
	}
	for _, out := range x.Outputs {
		if out.Beside != "" {
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
	for _, s := range x.Steps {
		m.Steps = append(m.Steps, Stepped{s.Name, s.Plugin, s.In, s.Out, s.Dropped, s.Rejected, s.Counts, s.Facts})
	}
	return m
}
