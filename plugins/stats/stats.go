// Package stats sums up rows: turns, calls, tokens and lengths, of all rows and by split, source and task.
package stats

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "stats".
var Plugin = sdk.Plugin{
	Name: "stats",
	Doc:  "sums up rows by split, source and task, writes the sums at the end, and passes every row on as it is",
	Args: config{
		Tokens: "usage",
		Split:  Splits,
		Source: Sources,
		Task:   []string{"@task", "metadata.task_type", "metadata.task", "task"},
		Groups: 100, Actions: 500,
	},
	TakesAll: true,
	New:      open,
	Ordered:  true,
	Outputs:  []string{Output},
	Codes:    map[string]string{},
}

// Splits and Sources are the gjson paths and @LABELs that name a row's split and source by default.
var (
	Splits  = []string{"@split", "split", "metadata.split"}
	Sources = []string{"@source", "metadata.source_dataset", "metadata.source", "metadata.dataset"}
)

// TrainSource is the kind of group that has the sources of rows in train, or of those that name no split.
const TrainSource = "train_source"

// Output is the side output that the sums are written to.
const Output = "stats"

type config struct {
	Tokens         string   `hcl:"tokens,optional" doc:"where the tokens of a row come from: usage, the row's own figure; a vocabulary, o200k_base or cl100k_base; @LABEL, a label that an earlier step sets; none"`
	Limit          int      `hcl:"limit,optional" doc:"rows of more tokens are counted; 0 for no limit"`
	CharacterLimit int      `hcl:"character_limit,optional" doc:"rows of more characters are counted; 0 for no limit"`
	Split          []string `hcl:"split,optional" doc:"gjson paths and @LABELs of which the first that is there names a row's split"`
	Source         []string `hcl:"source,optional" doc:"the same for its source"`
	Task           []string `hcl:"task,optional" doc:"the same for its task"`
	Groups         int      `hcl:"groups,optional" doc:"how many splits, sources and tasks are listed, of each; the rest are summed as (other)"`
	Actions        int      `hcl:"actions,optional" doc:"how many actions are listed in a group; the rest are summed as (other)"`
}

// sums is the processor.
type sums struct {
	cfg    config
	read   reader
	all    tally
	shapes shapes
	kinds  []*kind
}

// A kind divides rows into groups, named by the first of its paths that a row has.
type kind struct {
	name   string
	paths  []string
	groups map[string]*tally
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	var errs []error
	for _, x := range []struct {
		attr string
		n    int
	}{{"limit", cfg.Limit}, {"character_limit", cfg.CharacterLimit}, {"groups", cfg.Groups}, {"actions", cfg.Actions}} {
		if x.n < 0 {
			errs = append(errs, a.Errorf(x.attr, "want 0 or more, have %d", x.n))
		}
	}
	if !strings.HasPrefix(cfg.Tokens, "@") {
		errs = append(errs, a.OneOf("tokens", cfg.Tokens, append([]string{"usage", "none"}, vocabularies()...)...))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s := &sums{cfg: cfg}
	for _, k := range []*kind{
		{name: "split", paths: cfg.Split}, {name: "source", paths: cfg.Source}, {name: TrainSource, paths: cfg.Source}, {name: "task", paths: cfg.Task},
	} {
		k.groups = map[string]*tally{}
		s.kinds = append(s.kinds, k)
	}
	s.read.count = counter(cfg.Tokens)
	return s, nil
}

// Process implements sdk.Processor.
func (s *sums) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	emit(r)
	row := s.read.row(r)
	s.shapes.add(row.shape)
	s.all.add(row, s.cfg)
	split := ""
	for _, k := range s.kinds {
		name := nameOf(r, row.split, row.metadata, k.paths)
		if k.name == "split" {
			split = name
		}
		if k.name != TrainSource || split == "train" || split == None {
			named(k.groups, name, s.cfg.Groups).add(row, s.cfg)
		}
	}
	return nil
}

// Finish implements sdk.Finisher.
func (s *sums) Finish(r *sdk.Record) error {
	report, err := json.Marshal(s.report())
	if err != nil {
		return err
	}
	r.Side(Output, report)
	return nil
}

// NameOf returns the first text or number that a row has at one of some gjson paths or @LABELs, None when it has none.
func NameOf(r *sdk.Record, paths []string) string {
	row := canonical.Read(r)
	return nameOf(r, row.Split, row.Metadata, paths)
}

func nameOf(r *sdk.Record, split, metadata jsontext.JSON, paths []string) string {
	for _, path := range paths {
		name := ""
		if label, ok := strings.CutPrefix(path, "@"); ok {
			name = r.Label(label)
		} else if inner, ok := strings.CutPrefix(path, "metadata."); ok {
			name = text(gjson.Get(string(metadata), inner))
		} else if path == "split" { // it is read already
			name = text(gjson.Parse(string(split)))
		} else {
			name = text(r.View(path))
		}
		if name != "" {
			return name
		}
	}
	return None
}

// text returns a value as the name of a group, "" for a list or object.
func text(v gjson.Result) string {
	if v.IsObject() || v.IsArray() {
		return ""
	}
	return v.String()
}

// The group of rows without a name, and the sum of the groups that are not listed.
const (
	None  = "(none)"
	Other = "(other)"
)

// maxName is the longest name of a group in bytes.
const maxName = 256

// named returns the sums under a name. The first names, up to a limit, have their own.
func named[T any](all map[string]*T, name string, limit int) *T {
	sums := all[name]
	if sums == nil && (len(all) >= limit || len(name) > maxName) && name != None {
		name = Other
		sums = all[name]
	}
	if sums == nil {
		sums = new(T)
		all[strings.Clone(name)] = sums
	}
	return sums
}
