package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/jsonl"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/sdk/batch"
)

// Shapes are what a corpus consists of. Every record counts once: for the first adapter that does not decline it, as
// unknown when all of them do, or as unreadable.
type Shapes struct {
	Records    int64          `json:"records"`
	Shapes     []Shape        `json:"shapes"`    // in the order in which the adapters are ranked
	Ambiguous  []Ambiguity    `json:"ambiguous"` // the most frequent first
	Unknown    Portion        `json:"unknown"`
	Unreadable Shape          `json:"unreadable"`
	Inputs     []jsonl.Input  `json:"inputs"`
	claims     map[string]int // of Ambiguous, by the adapters joined
}

// A Portion is how many records there are of a kind, and where the first stands.
type Portion struct {
	Records int64          `json:"records"`
	Share   float64        `json:"share"` // of all records, 0 to 1
	First   *flow.Position `json:"first"`
}

// A Shape is what one adapter takes, or what no source can read.
type Shape struct {
	Adapter string `json:"adapter,omitempty"`
	Portion
	Rejected map[string]int64 `json:"rejected,omitempty"` // of these records, by code
}

// An Ambiguity is records that several adapters would take, in the order in which they are ranked.
type Ambiguity struct {
	Adapters []string `json:"adapters"`
	Portion
}

func (p *Portion) add(r *batch.Record) {
	if p.Records++; p.First == nil {
		p.First = &flow.Position{File: r.File, Line: r.Line}
	}
}

func (s *Shape) add(r *batch.Record, fault *batch.Fault) {
	s.Portion.add(r)
	if fault != nil {
		if s.Rejected == nil {
			s.Rejected = map[string]int64{}
		}
		s.Rejected[fault.Code]++
	}
}

// SurveyShapes reads files, or patterns for them, and asks every adapter about every record. Adapters are names of plugins,
// the first ranked highest. Files named .json hold one document each, others one record a line.
func SurveyShapes(ctx context.Context, paths, adapters []string, opts Options) (_ *Shapes, err error) {
	opts = opts.withDefaults()
	sources, err := openAll(paths, opts)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		defer s.Close()
	}
	requests := make([]launch.Request, len(adapters))
	for i, name := range adapters {
		requests[i] = launch.Request{Step: name, Plugin: name, Args: []byte("{}"), Workers: 1}
	}
	fleet, problems, err := launch.Start(ctx, opts.launch(".", defaultRecordLimit), requests)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("adapter %s: %s", adapters[problems[0].Request], problems[0].Message)
	}
	defer func() { err = errors.Join(err, fleet.Close()) }()

	found := &Shapes{Ambiguous: []Ambiguity{}, Inputs: []jsonl.Input{}, claims: map[string]int{}}
	var steps []*flow.Step
	for i, name := range adapters {
		found.Shapes = append(found.Shapes, Shape{Adapter: name})
		steps = append(steps, &flow.Step{Name: name, Plugin: name, Stages: []flow.Stage{fleet.Steps[i].Stages()[0]}, Account: &flow.Account{}})
	}
	var origins []flow.Origin
	for _, s := range sources {
		origins = append(origins, flow.Origin{Source: &reader{input: s, arena: fleet.Source, mask: opts.MaskName}})
	}
	if err := flow.Survey(ctx, origins, steps, found.add); err != nil {
		return nil, err
	}
	for _, s := range sources {
		found.Inputs = append(found.Inputs, maskInputs(s, opts.MaskName)...)
	}
	found.finish()
	return found, nil
}

// openAll opens paths with the source that reads them.
func openAll(paths []string, opts Options) ([]input, error) {
	var sources []input
	var wrong error
	for _, path := range paths {
		open := sourceTypes["jsonl"]
		name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
		if filepath.Ext(name) == ".json" {
			open = sourceTypes["json"]
		}
		s, err := open(jsonl.Options{Paths: []string{path}, Limit: defaultRecordLimit, Stdin: opts.Stdin})
		if err != nil {
			wrong = errors.Join(wrong, err)
			continue
		}
		sources = append(sources, s)
	}
	return sources, wrong
}

// add takes one record into account.
func (x *Shapes) add(s flow.Sighting) {
	x.Records++
	if s.Fault != nil {
		x.Unreadable.add(s.Record, s.Fault)
		return
	}
	var claims []string
	for i, o := range s.Outcomes {
		if o.Verdict == batch.Declined {
			continue
		}
		if claims = append(claims, x.Shapes[i].Adapter); len(claims) > 1 {
			continue
		}
		var fault *batch.Fault
		if o.Verdict == batch.Rejected {
			fault = o.Fault
		}
		x.Shapes[i].add(s.Record, fault)
	}
	switch len(claims) {
	case 0:
		x.Unknown.add(s.Record)
	case 1:
	default:
		key := strings.Join(claims, " ")
		i, ok := x.claims[key]
		if !ok {
			i = len(x.Ambiguous)
			x.claims[key] = i
			x.Ambiguous = append(x.Ambiguous, Ambiguity{Adapters: claims})
		}
		x.Ambiguous[i].add(s.Record)
	}
}

// finish works out the shares.
func (x *Shapes) finish() {
	portions := []*Portion{&x.Unknown, &x.Unreadable.Portion}
	for i := range x.Shapes {
		portions = append(portions, &x.Shapes[i].Portion)
	}
	for i := range x.Ambiguous {
		portions = append(portions, &x.Ambiguous[i].Portion)
	}
	for _, p := range portions {
		p.Share = share(p.Records, x.Records)
	}
	slices.SortStableFunc(x.Ambiguous, func(a, b Ambiguity) int { return cmp.Compare(b.Records, a.Records) })
}
