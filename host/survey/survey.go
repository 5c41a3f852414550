// Package survey shows the records of files to plugins, without a pipeline file.
package survey

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Report says what a corpus consists of. Every record counts once: for the first adapter that does not decline it, as unknown
// when all of them do, or as unreadable.
type Report struct {
	Records    int64           `json:"records"`
	Files      []*File         `json:"files"`     // in the order in which they were found
	Shapes     []Shape         `json:"shapes"`    // in the order of the adapters
	Ambiguous  []Ambiguity     `json:"ambiguous"` // the most frequent first
	Unknown    Group           `json:"unknown"`
	Unreadable Shape           `json:"unreadable"`
	Inputs     []receipt.Input `json:"inputs"`

	mu     sync.Mutex     // adapters and sources report concurrently
	claims map[string]int // index in Ambiguous, by the adapters joined
	byName map[string]*File
	empty  []string // why each adapter declines an object without members
}

// Group counts the records of a kind, and has the position of the first.
type Group struct {
	Records int64             `json:"records"`
	Share   float64           `json:"share"` // of all records, 0 to 1
	First   *receipt.Position `json:"first"`
}

// Shape is what one adapter takes, or what no source can read.
type Shape struct {
	Adapter string `json:"adapter,omitempty"`
	Group
	Rejected map[string]int64 `json:"rejected,omitempty"` // of these records, by code
}

// Ambiguity counts the records that several adapters would take.
type Ambiguity struct {
	Adapters []string `json:"adapters"`
	Group
}

func (p *Group) add(r *wire.Record) {
	if p.Records++; p.First == nil {
		p.First = &receipt.Position{File: r.File, Line: r.Line}
	}
}

func (s *Shape) add(r *wire.Record, fault *wire.Fault) {
	s.Group.add(r)
	if fault != nil {
		if s.Rejected == nil {
			s.Rejected = map[string]int64{}
		}
		s.Rejected[fault.Code]++
	}
}

// Shapes reads files, or patterns for them, and asks every adapter about every record. Adapters are names of plugins in order of
// precedence. Files are read as a source of type auto reads them.
func Shapes(ctx context.Context, paths, adapters []string, opts host.Options) (_ *Report, err error) {
	opts = opts.WithDefaults()
	requests := make([]launch.Request, len(adapters))
	for i, name := range adapters {
		requests[i] = launch.Request{
			Name: name, Plugin: name, Args: []byte("{}"), Workers: 1, Timeout: config.DefaultTimeout, Memory: config.DefaultMemory,
		}
	}
	found := &Report{Ambiguous: []Ambiguity{}, claims: map[string]int{}, byName: map[string]*File{}}
	found.Inputs, err = run(ctx, paths, requests, opts, func(fleet *launch.Fleet) (p flow.Plan, err error) {
		found.empty, err = askEmpty(ctx, adapters, fleet, opts)
		return found.flow(adapters, fleet), err
	})
	if err != nil {
		return nil, err
	}
	found.finish()
	return found, nil
}

// flow returns a plan that asks all adapters about each record. Unreadable records arrive as rejects.
func (r *Report) flow(adapters []string, fleet *launch.Fleet) flow.Plan {
	for _, name := range adapters {
		r.Shapes = append(r.Shapes, Shape{Adapter: name})
	}
	ask := poll(adapters, fleet)
	ask.Observe = r.add
	return flow.Plan{
		Body: []flow.Node{ask}, Account: &flow.Totals{},
		DeadLetter: &flow.Sink{Name: "unreadable", Writer: &rowWriter{&r.mu, func(row Row) error {
			code := gjson.GetBytes(row.JSON, "code").String()
			r.Records++
			r.Unreadable.add(&wire.Record{File: row.File, Line: row.Line}, &wire.Fault{Code: code})
			f := r.file(row.File)
			f.Records++
			f.Rejected[code]++
			return nil
		}}},
	}
}

// poll returns the node that asks all adapters.
func poll(adapters []string, fleet *launch.Fleet) *flow.Survey {
	ask := &flow.Survey{Name: "shapes"}
	for i, name := range adapters {
		ask.Steps = append(ask.Steps, plan.NewStep(name, name, fleet.Steps[i]))
	}
	return ask
}

func (r *Report) add(rec *wire.Record, outcomes []wire.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Records++
	f := r.file(rec.File)
	f.Records++
	var claims []string
	for i, o := range outcomes {
		if o.Verdict == wire.Declined {
			continue
		}
		if claims = append(claims, r.Shapes[i].Adapter); len(claims) > 1 {
			continue
		}
		var fault *wire.Fault
		if o.Verdict == wire.Rejected {
			fault = o.Fault
		}
		r.Shapes[i].add(rec, fault)
		f.Shapes[r.Shapes[i].Adapter]++
		if fault != nil {
			f.Rejected[fault.Code]++
		}
	}
	switch len(claims) {
	case 0:
		r.Unknown.add(rec)
		f.declined(r, rec, outcomes)
	case 1:
	default:
		key := strings.Join(claims, " ")
		i, ok := r.claims[key]
		if !ok {
			i = len(r.Ambiguous)
			r.claims[key] = i
			r.Ambiguous = append(r.Ambiguous, Ambiguity{Adapters: claims})
		}
		r.Ambiguous[i].add(rec)
	}
}

func (r *Report) finish() {
	r.finishFiles()
	portions := []*Group{&r.Unknown, &r.Unreadable.Group}
	for i := range r.Shapes {
		portions = append(portions, &r.Shapes[i].Group)
	}
	for i := range r.Ambiguous {
		portions = append(portions, &r.Ambiguous[i].Group)
	}
	for _, p := range portions {
		p.Share = receipt.ShareOf(p.Records, r.Records)
	}
	slices.SortStableFunc(r.Ambiguous, func(a, b Ambiguity) int { return cmp.Compare(b.Records, a.Records) })
}
