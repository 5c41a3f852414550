// Package quality keeps rows that are not worth training on out of a corpus. Each of its gates rejects, drops or labels the rows
// that do not pass it.
package quality

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/plugins/alias"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "quality".
var Plugin = sdk.Plugin{
	Name: "quality",
	Doc:  "rejects, drops or labels canonical rows that are not worth training on, each for a reason of its own",
	Args: config{
		MinReward: 0.5, Ratings: []string{"gold", "silver", "bronze"}, Calls: "answer",
	},
	TakesAll:    true,
	New:         open,
	Labels:      []string{Label},
	LabelValues: map[string][]string{Label: append(gateNames(), Good)},
	Codes:       codes(),
}

// Label is set to the first gate that labelled a row, or to Good. It is there when a gate labels.
const (
	Label = "quality"
	Good  = "good"
)

type config struct {
	Gates map[string]string `hcl:"gates,optional" oneof:"reject drop label pass off" doc:"the action for rows that do not pass a gate; pass lets a row past all later gates" example:"{\"low_reward\":\"drop\"}"`
	Every string            `hcl:"every,optional" oneof:"reject drop label off" doc:"the same for all gates that gates does not name"`

	Words         map[string]string `hcl:"words,optional" oneof:"good bad unfinished" doc:"the meaning of further words of statuses and outcomes" example:"{\"gave_up\":\"bad\"}"`
	MinReward     float64           `hcl:"min_reward,optional" doc:"the smallest reward that passes low_reward"`
	MinScore      float64           `hcl:"min_score,optional" doc:"the smallest quality.score that passes low_score; 0 for any"`
	MinWeight     float64           `hcl:"min_weight,optional" doc:"the smallest weight of a row that passes no_weight, which must be more than 0"`
	Ratings       []string          `hcl:"ratings,optional" doc:"the values of quality.rating that pass low_rating"`
	Calls         string            `hcl:"calls,optional" oneof:"answer all" doc:"which calls the gates check: those of the response, or also those of the history"`
	Aliases       string            `hcl:"aliases,optional" doc:"the file of retired actions, as step alias reads it, for retired_action" example:"\"aliases/eliza.json\""`
	Catalogue     string            `hcl:"catalogue,optional" doc:"a JSON file of the actions that there are, for unknown_action" example:"\"actions.json\""`
	MinTurns      int               `hcl:"min_turns,optional" doc:"the fewest turns that pass length, the response included; 0 for any"`
	MaxTurns      int               `hcl:"max_turns,optional" doc:"the most turns that pass length; 0 for any"`
	MinAnswer     int               `hcl:"min_answer,optional" doc:"the fewest characters of an answer without calls that pass length; 0 for any"`
	MaxCharacters int               `hcl:"max_characters,optional" doc:"the most characters of a row that pass length; 0 for any"`
	MaxTokens     int               `hcl:"max_tokens,optional" doc:"the most tokens of a row, as response.usage has them, that pass length; 0 for any"`
}

// What becomes of a row that does not pass a gate.
const (
	reject = "reject"
	drop   = "drop"
	label  = "label"
	pass   = "pass" // it goes on past the gates behind, as with label
	off    = "off"
)

// A judge is the processor.
type judge struct {
	config
	gates     []*gate // in their order, without those that are off
	actions   []string
	labels    bool // a gate labels
	retired   func(jsontext.Body) bool
	catalogue map[string]bool
	sets      [canonical.KnownTools]toolset // of tools that rows share

	facts
	record  *sdk.Record
	row     *canonical.Row
	ended   map[meaning]statement // on how the run ended
	failed  statement             // on a scenario that did not pass
	unknown statement             // the first unknown word
}

func open(a sdk.Args) (sdk.Processor, error) {
	j := &judge{ended: map[meaning]statement{}}
	errs := []error{a.Decode(&j.config)}
	for _, name := range slices.Sorted(maps.Keys(j.Gates)) {
		if !slices.ContainsFunc(gates, func(g gate) bool { return g.name == name }) {
			errs = append(errs, a.OneOf("gates", name, names()...))
		}
	}
	for _, x := range []struct {
		attr string
		n    int
	}{{"min_turns", j.MinTurns}, {"max_turns", j.MaxTurns}, {"min_answer", j.MinAnswer}, {"max_characters", j.MaxCharacters}, {"max_tokens", j.MaxTokens}} {
		if x.n < 0 {
			errs = append(errs, a.Errorf(x.attr, "want 0 or more, have %d", x.n))
		}
	}
	var err error
	if j.Aliases != "" {
		if j.retired, err = alias.Retired(j.Aliases); err != nil {
			errs = append(errs, a.Errorf("aliases", "%v", err))
		}
	}
	if j.Catalogue != "" {
		if j.catalogue, err = readCatalogue(j.Catalogue); err != nil {
			errs = append(errs, a.Errorf("catalogue", "%v", err))
		}
	}
	errs = append(errs, j.needs(a, "retired_action", "aliases", j.Aliases), j.needs(a, "unknown_action", "catalogue", j.Catalogue))
	j.choose()
	return j, errors.Join(errs...)
}

// needs returns the error of a gate without the file that it needs.
func (j *judge) needs(a sdk.Args, gate, attr, file string) error {
	if action := j.Gates[gate]; action == "" || action == off || file != "" {
		return nil
	}
	return a.Errorf("gates."+gate, "want the attribute %s too", attr)
}

// choose takes the gates that are not off.
func (j *judge) choose() {
	for i := range gates {
		g := &gates[i]
		action := cmp.Or(j.Gates[g.name], j.Every, g.action)
		if action == off {
			continue
		}
		j.gates, j.actions = append(j.gates, g), append(j.actions, action)
		j.labels = j.labels || action == label || action == pass
	}
}

// Process implements sdk.Processor.
func (j *judge) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	j.record, j.row = r, canonical.Read(r)
	if j.row.Format != canonical.Format {
		return sdk.Reject(notNative, "format", "want %q, have %s", canonical.Format, j.row.SeenFormat())
	}
	j.unknown = statement{}
	j.facts.read(j.row)
	j.readWords()
	first := ""
	for i, g := range j.gates {
		path, message := g.look(j)
		if message == "" {
			continue
		}
		r.Count("gate."+g.name, 1)
		switch j.actions[i] {
		case reject:
			return sdk.Keep(sdk.Reject(g.name, path, "%s", message))
		case drop:
			return sdk.Keep(sdk.Drop(g.name))
		}
		first = cmp.Or(first, g.name)
		if j.actions[i] == pass {
			break
		}
	}
	if j.labels {
		r.SetLabel(Label, cmp.Or(first, Good))
	}
	emit(r)
	return nil
}

// LabelValues implements sdk.Labeller.
func (j *judge) LabelValues() map[string][]string {
	var values []string
	for i, g := range j.gates {
		if action := j.actions[i]; action == label || action == pass {
			values = append(values, g.name)
		}
	}
	if j.labels {
		values = append(values, Good)
	}
	return map[string][]string{Label: values}
}

// gateNames returns the names of all gates.
func gateNames() (names []string) {
	for _, g := range gates {
		names = append(names, g.name)
	}
	return names
}

const notNative = "not_native"

// codes explain the rejects of the gates.
func codes() map[string]string {
	all := map[string]string{notNative: "the record is no canonical row; adapters come before this step"}
	for _, g := range gates {
		all[g.name] = g.means + "; gates says what becomes of such rows"
	}
	return all
}

func names() (all []string) {
	for _, g := range gates {
		all = append(all, g.name)
	}
	return all
}

// want returns the message of most gates.
func want(path, format string, args ...any) (string, string) {
	return path, "want " + fmt.Sprintf(format, args...)
}
