package host

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Shapes are what a corpus consists of. Every record counts once: for the first adapter that does not decline it, as
// unknown when all of them do, or as unreadable.
type Shapes struct {
	Records    int64           `json:"records"`
	Shapes     []Shape         `json:"shapes"`    // in the order in which the adapters are ranked
	Ambiguous  []Ambiguity     `json:"ambiguous"` // the most frequent first
	Unknown    Portion         `json:"unknown"`
	Unreadable Shape           `json:"unreadable"`
	Inputs     []receipt.Input `json:"inputs"`

	mu     sync.Mutex     // readable and unreadable records arrive side by side
	claims map[string]int // of Ambiguous, by the adapters joined
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

func (p *Portion) add(r *wire.Record) {
	if p.Records++; p.First == nil {
		p.First = &flow.Position{File: r.File, Line: r.Line}
	}
}

func (s *Shape) add(r *wire.Record, fault *wire.Fault) {
	s.Portion.add(r)
	if fault != nil {
		if s.Rejected == nil {
			s.Rejected = map[string]int64{}
		}
		s.Rejected[fault.Code]++
	}
}

// SurveyShapes reads files, or patterns for them, and asks every adapter about every record. Adapters are names of plugins,
// the first ranked highest. Files are read as a source of type auto reads them.
func SurveyShapes(ctx context.Context, paths, adapters []string, opts Options) (_ *Shapes, err error) {
	requests := make([]launch.Request, len(adapters))
	for i, name := range adapters {
		requests[i] = launch.Request{
			Name: name, Plugin: name, Args: []byte("{}"), Workers: 1, Timeout: config.DefaultTimeout, Memory: config.DefaultMemory,
		}
	}
	found := &Shapes{Ambiguous: []Ambiguity{}, claims: map[string]int{}}
	found.Inputs, err = through(ctx, paths, requests, opts, func(fleet *launch.Fleet) flow.Plan { return found.way(adapters, fleet) })
	if err != nil {
		return nil, err
	}
	found.finish()
	return found, nil
}

// way asks all adapters about the records. What is unreadable arrives as rejects.
func (x *Shapes) way(adapters []string, fleet *launch.Fleet) flow.Plan {
	poll := &flow.Survey{Name: "shapes", Observe: x.add}
	for i, name := range adapters {
		x.Shapes = append(x.Shapes, Shape{Adapter: name})
		running := fleet.Steps[i]
		poll.Steps = append(poll.Steps, &flow.Step{
			Name: name, Plugin: name, Stages: running.Chain.Stages(), Account: &flow.Account{},
			Timeout: running.Timeout, Private: running.Info.Private,
		})
	}
	return flow.Plan{
		Body: []flow.Node{poll}, Limit: -1, Account: &flow.Totals{},
		DeadLetter: &flow.Sink{Name: "unreadable", Writer: unreadable{x}},
	}
}

// unreadable counts what no source could read, as it arrives in a dead letter.
type unreadable struct{ *Shapes }

// Accepts implements flow.Writer.
func (unreadable) Accepts(*wire.Record) *wire.Fault { return nil }

// Write implements flow.Writer.
func (u unreadable) Write(rows []wire.Record) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range rows {
		u.Records++
		u.Unreadable.add(&rows[i], &wire.Fault{Code: gjson.GetBytes(rows[i].Data, "code").String()})
	}
	return nil
}

// add takes one record into account.
func (x *Shapes) add(r *wire.Record, outcomes []wire.Outcome) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.Records++
	var claims []string
	for i, o := range outcomes {
		if o.Verdict == wire.Declined {
			continue
		}
		if claims = append(claims, x.Shapes[i].Adapter); len(claims) > 1 {
			continue
		}
		var fault *wire.Fault
		if o.Verdict == wire.Rejected {
			fault = o.Fault
		}
		x.Shapes[i].add(r, fault)
	}
	switch len(claims) {
	case 0:
		x.Unknown.add(r)
	case 1:
	default:
		key := strings.Join(claims, " ")
		i, ok := x.claims[key]
		if !ok {
			i = len(x.Ambiguous)
			x.claims[key] = i
			x.Ambiguous = append(x.Ambiguous, Ambiguity{Adapters: claims})
		}
		x.Ambiguous[i].add(r)
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
		p.Share = plan.Share(p.Records, x.Records)
	}
	slices.SortStableFunc(x.Ambiguous, func(a, b Ambiguity) int { return cmp.Compare(b.Records, a.Records) })
}
