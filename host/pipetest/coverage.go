package pipetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
)

// Coverage says how much of a pipeline the tests have exercised.
type Coverage struct {
	Parts []CoveredPart `json:"parts"`           // steps and branches of routes, in the order of the file
	Codes []CoveredName `json:"codes,omitempty"` // of rejects, as the plugins declare them
	Rules []CoveredName `json:"rules,omitempty"` // of built-in plugins that have any

	Past       []Past        `json:"past,omitempty"`       // ways past steps that records took
	Invariants []CoveredPart `json:"invariants,omitempty"` // in the order of the file of tests, with the rows that they were checked on
}

// CoveredPart is a step or a branch of a route, with the records that came there. A member of a first counts those that it did not
// decline.
type CoveredPart struct {
	What    string `json:"what"` // as in `step "privacy" "redact"`
	Path    string `json:"path"` // of the pipeline, or of a file that it includes
	Line    int    `json:"line"`
	Text    string `json:"text"` // of that line
	Records int64  `json:"records"`
	Mocked  int64  `json:"mocked,omitempty"` // records that came to a mock in place of the step
}

// CoveredName is a code or a rule of a step, with how often it occurred.
type CoveredName struct {
	Step  string `json:"step"` // TYPE.NAME
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

type counter struct {
	tests   *config.TestFile
	layout  *config.Layout
	records map[*config.Block]int64
	codes   map[[2]string]int64 // by step and code
	rules   map[[2]string]int64 // by step and rule
	checked map[int]int64       // rows, by the line of the invariant
	mocked  map[string]int64    // by the name of the step
	past    map[[2]string]int64 // by the name of the step and the way
	private map[string]bool     // steps that replace personal data, by name
}

func newCounter(file *config.TestFile) *counter {
	return &counter{
		tests: file, layout: file.Layout, records: map[*config.Block]int64{}, codes: map[[2]string]int64{}, rules: map[[2]string]int64{},
		checked: map[int]int64{}, mocked: map[string]int64{}, past: map[[2]string]int64{}, private: map[string]bool{},
	}
}

func label(p *config.Block) string { return strings.Join(p.Labels, ".") }

func (c *counter) add(r *host.Result, step func(string) host.SessionStep, rules func(string, []byte) []string) {
	steps := map[string]*config.Block{}
	for _, s := range c.layout.All("step") {
		steps[label(s)] = s
	}
	for _, s := range r.Steps {
		if s.Plugin == config.MockPlugin {
			c.mocked[s.Name[len(config.MockPlugin+"."):]] += s.In
			continue
		}
		c.records[steps[s.Name]] += s.In - s.Declined.Total
		for code := range step(s.Name).Codes {
			c.codes[[2]string{s.Name, code}] += s.Rejected.By[code]
		}
		if rules == nil {
			continue
		}
		for _, rule := range rules(s.Plugin, step(s.Name).Args) {
			c.rules[[2]string{s.Name, rule}] += s.Counts[rule]
		}
	}
	c.addPast(r)
	for _, x := range r.Routes {
		for _, b := range x.Branches {
			if p := c.branch(x.Route, b.Case, b.Default); p != nil {
				c.records[p] += b.Records
			}
		}
	}
}

func (c *counter) branch(route, value string, isDefault bool) *config.Block {
	for _, p := range c.layout.All("case", "default") {
		if p.Above.Name() == route && (p.Kind == "default") == isDefault && (isDefault || p.Name() == value) {
			return p
		}
	}
	return nil
}

func (c *counter) coverage() Coverage {
	x := Coverage{Parts: []CoveredPart{}, Codes: names(c.codes), Rules: names(c.rules), Past: c.allPast()}
	for _, p := range c.layout.All("step", "case", "default") {
		x.Parts = append(x.Parts, CoveredPart{What: describe(p), Path: p.Range.Path(), Line: p.Range.Line, Text: p.Range.Text(), Records: c.records[p]})
		if p.Kind == "step" {
			x.Parts[len(x.Parts)-1].Mocked = c.mocked[p.Name()]
		}
	}
	all := slices.Clone(c.tests.Always)
	for _, test := range c.tests.Tests {
		all = append(all, test.Always...)
	}
	for _, v := range all {
		x.Invariants = append(x.Invariants, CoveredPart{What: fmt.Sprintf("%s %q", v.Kind, v.Name), Line: v.Range.Line, Records: c.checked[v.Range.Line]})
	}
	return x
}

// names returns the counts sorted by step and name.
func names(counts map[[2]string]int64) []CoveredName {
	var all []CoveredName
	for _, key := range slices.SortedFunc(maps.Keys(counts), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		all = append(all, CoveredName{key[0], key[1], counts[key]})
	}
	return all
}
