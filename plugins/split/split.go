// Package split assigns each row to a split, by the row alone, so that any number of workers and parts agree.
package split

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "split".
var Plugin = sdk.Plugin{
	Name:     "split",
	Doc:      "assigns a row to a split by a hash of its trajectory, unless the row names its split",
	Args:     defaults,
	TakesAll: true,
	New:      open,

	Labels:      []string{label, trajectoryID},
	LabelValues: map[string][]string{label: {train, val, test, repairEval, calibration}},
	Codes: map[string]string{
		"bad_metadata":  "the split cannot be written, since metadata is not an object; correct the row, or do without metadata = true",
		"unknown_split": "the row says that it is of a split that is not known; aliases says which it is",
	},
}

var defaults = config{
	Seed: "sluice", ID: []string{trajectoryID, scenarioID, dialogueID, roomName, "metadata.original_id"}, Val: 0.05, Test: 0.05, Respect: "row",
}

type config struct {
	Seed     string            `hcl:"seed,optional" doc:"another seed makes other splits"`
	ID       []string          `hcl:"id,optional" doc:"what the rows of one split share: trajectoryId, scenarioId, dialogueId, roomName, or gjson paths; the first that a row has counts"`
	Val      float64           `hcl:"val,optional" doc:"share of trajectories for val"`
	Test     float64           `hcl:"test,optional" doc:"share of trajectories for test; train gets the rest"`
	Respect  string            `hcl:"respect,optional" oneof:"row never" doc:"whether split or metadata.split of a row overrides the hash"`
	Aliases  map[string]string `hcl:"aliases,optional" oneof:"train val test" doc:"more words for train, val and test, as rows have them" example:"{\"holdout\":\"test\"}"`
	Metadata bool              `hcl:"metadata,optional" doc:"write the split to metadata.split as well"`
}

const (
	label        = "split"
	trajectoryID = "trajectoryId"
	scenarioID   = "scenarioId"
	dialogueID   = "dialogueId"
	roomName     = "roomName"
	train        = "train"
	val          = "val"
	test         = "test"
	repairEval   = "repair_eval"
	calibration  = "calibration"
)

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	errs := []error{a.Decode(&cfg)}
	errs = append(errs, cfg.checkShares(a)...)
	if slices.Contains(cfg.ID, "") {
		errs = append(errs, a.Errorf("id", "want paths, have an empty one"))
	}
	s := &splitter{config: cfg, aliases: map[string]string{}}
	for word, split := range cfg.Aliases {
		s.aliases[strings.ToLower(word)] = split
	}
	return s, errors.Join(errs...)
}

// checkShares returns the mistakes in val and test. Those of both together are at one that the file has: the other may be its default.
func (c *config) checkShares(a sdk.Args) (errs []error) {
	for _, x := range []struct {
		attr  string
		share float64
	}{{"val", c.Val}, {"test", c.Test}} {
		if !(x.share >= 0 && x.share <= 1) {
			errs = append(errs, a.Errorf(x.attr, "want a share from 0 to 1, have %v", x.share))
		}
	}
	if len(errs) == 0 && c.Val+c.Test > 1 {
		at := "test"
		if c.Test == defaults.Test {
			at = "val"
		}
		errs = append(errs, a.Errorf(at, "want val and test to be at most 1 together, have %v and %v", c.Val, c.Test))
	}
	return errs
}

type splitter struct {
	config
	aliases map[string]string // by words in lower case
	content canonical.Content
	text    []byte  // that is hashed
	counts  []count // names so far
}

// LabelValues implements sdk.Labeller. With respect = "row" a row may say that it is of any split.
func (s *splitter) LabelValues() map[string][]string {
	if s.Respect == "row" {
		return nil
	}
	var values []string
	if s.Test+s.Val < 1 {
		values = append(values, train)
	}
	if s.Val > 0 {
		values = append(values, val)
	}
	if s.Test > 0 {
		values = append(values, test)
	}
	return map[string][]string{label: append(values, repairEval, calibration)}
}

// counted returns the name of a count, which it keeps: there are few, and every row has two.
func (s *splitter) counted(of, what string) string {
	for _, c := range s.counts {
		if c.of == of && c.what == what {
			return c.name
		}
	}
	c := count{of, what, of + what}
	s.counts = append(s.counts, c)
	return c.name
}

// A count is the name of a count, and what it is made of.
type count struct{ of, what, name string }

// Process implements sdk.Processor.
func (s *splitter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	row := canonical.Read(r)
	split, by, err := s.split(r, row)
	if err != nil {
		return err
	}
	r.SetLabel(label, split)
	if id := row.Trajectory(); id != "" { // for steps behind one that rewrites it
		r.SetLabel(trajectoryID, id.Text())
	}
	r.Count(s.counted("split.", split), 1)
	r.Count(s.counted("by.", by), 1)
	if s.Metadata {
		if err := write(r, row, split); err != nil {
			return err
		}
	}
	emit(r)
	return nil
}

// split returns the row's split and where it was found.
func (s *splitter) split(r *sdk.Record, row *canonical.Row) (split, by string, err error) {
	if len(row.Repair()) > 0 {
		return repairEval, "repair", nil
	}
	word, path := row.SplitWord()
	if canonical.SplitOf(word) == calibration || canonical.IsCalibration(row.Meta("task_type"), said(row)) {
		return calibration, calibration, nil
	}
	if s.Respect == "row" && word != "" {
		if split = cmp.Or(s.aliases[word], canonical.SplitOf(word)); split == "" {
			return "", "", sdk.Reject("unknown_split", path, "want a word for train, val or test, have %s; the attribute aliases maps others",
				jsontext.Seen(jsontext.Quote(word)))
		}
		return split, "row", nil
	}
	if s.Val == 0 && s.Test == 0 {
		return train, "default", nil
	}
	by = "id"
	s.text = append(append(s.text[:0], s.Seed...), 0)
	if id := s.id(r, row); id != "" {
		s.text = append(s.text, id...)
	} else {
		by = "content"
		calls.ReadContent(&s.content, row)
		s.text = binary.BigEndian.AppendUint64(s.text, s.content.Whole.Hi)
		s.text = binary.BigEndian.AppendUint64(s.text, s.content.Whole.Lo)
	}
	switch at := place(s.text); {
	case at < s.Test:
		return test, by, nil
	case at < s.Test+s.Val:
		return val, by, nil
	}
	return train, by, nil
}

// said is the text of a row's answer, or its first part.
func said(row *canonical.Row) jsontext.Body {
	for _, p := range row.Parts[row.Response.From:row.Response.To] {
		return p.Body
	}
	return ""
}

// place maps a text to a number between 0 and 1: the first 53 bits of its SHA-256.
func place(text []byte) float64 {
	sum := sha256.Sum256(text)
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// id returns what the row shares with others that must be in its split, "" when it has nothing of the kind.
func (s *splitter) id(r *sdk.Record, row *canonical.Row) string {
	for _, path := range s.ID {
		if id := shared(r, row, path); strings.TrimSpace(id) != "" {
			return id
		}
	}
	return ""
}

func shared(r *sdk.Record, row *canonical.Row, path string) string {
	switch path {
	case trajectoryID:
		return row.Trajectory().Text()
	case scenarioID:
		return row.Scenario().Text()
	case dialogueID:
		return row.Dialogue().Text()
	case roomName:
		return row.Room().Text()
	}
	switch v := r.View(path); v.Type {
	case gjson.String:
		return v.Str
	case gjson.Number:
		return v.Raw
	}
	return ""
}

// write puts the split where Row.SplitWord looks for it.
func write(r *sdk.Record, row *canonical.Row, split string) error {
	word, path := row.SplitWord()
	if word != "" && path == "split" && row.Split.Text() != split { // it would go before metadata
		if err := r.Set("split", split); err != nil {
			return err
		}
	}
	switch row.Metadata.Kind() {
	case '{':
		if row.Meta("split").Text() == split {
			return nil
		}
		return r.Set("metadata.split", split)
	case 0, 'n':
		return r.SetRaw("metadata", []byte(`{"split":"`+split+`"}`))
	}
	return sdk.Reject("bad_metadata", "metadata", "want an object to write the split to, have %s", jsontext.KindName(row.Metadata.Kind()))
}
