package host

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/jsonl"
)

// A shadow of the file with what it found.
type shadow struct {
	config *config.Shadow
	found  flow.Differences
}

// A Comparison is what a shadow block found: how its two steps differ.
type Comparison struct {
	Shadow    string `json:"shadow"`
	Current   string `json:"current"`   // step
	Candidate string `json:"candidate"` // step
	flow.Comparison
	Path string `json:"-"` // of the report
}

func (pl *plan) differences(c *config.Shadow) *flow.Differences {
	for _, s := range pl.shadows {
		if s.config == c {
			return &s.found
		}
	}
	return nil
}

// reportOf is where the report of a shadow goes.
func (pl *plan) reportOf(c *config.Shadow) string {
	return cmp.Or(c.Report, filepath.Join(pl.dir(), "shadow-"+c.Name+".json"))
}

// compare writes the report of every shadow.
func (pl *plan) compare() ([]Comparison, error) {
	var all []Comparison
	for _, s := range pl.shadows {
		c := Comparison{
			Shadow: s.config.Name, Comparison: s.found.Snapshot(),
			Current: pl.stepOf[s.config.Current].name(), Candidate: pl.stepOf[s.config.Candidate].name(),
			Path: pl.reportOf(s.config),
		}
		if err := writeJSON(c.Path, c); err != nil {
			return nil, fmt.Errorf("report of shadow %s: %w", c.Shadow, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// writeJSON writes a report, whole or not at all.
func writeJSON(path string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	return jsonl.WriteFile(path, b.Bytes())
}
