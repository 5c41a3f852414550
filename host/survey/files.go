package survey

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// File says what one file consists of.
type File struct {
	Name     string           `json:"name"`
	Records  int64            `json:"records"`
	Shapes   map[string]int64 `json:"shapes,omitempty"`   // by adapter, as Report counts them
	Rejected map[string]int64 `json:"rejected,omitempty"` // of these records, and of unreadable ones, by code
	Unknown  int64            `json:"unknown,omitempty"`
	// Nearest names the adapters that saw something of their own in unknown records, the one that did in most of them first.
	Nearest []Near `json:"nearest,omitempty"`

	near map[Near]int64 // without their counts
}

// Near is an adapter that declines records for what they lack, although they have something of its shape.
type Near struct {
	Adapter string            `json:"adapter"`
	Lacks   string            `json:"lacks"` // why it declines them
	Records int64             `json:"records"`
	First   *receipt.Position `json:"first"`
}

// mostNear is how many reasons a file keeps, since the messages of plugins may be many.
const mostNear = 64

// file returns what is known of the file of a record.
func (r *Report) file(name string) *File {
	f := r.byName[name]
	if f == nil {
		f = &File{Name: name, Shapes: map[string]int64{}, Rejected: map[string]int64{}, near: map[Near]int64{}}
		r.byName[name] = f
	}
	return f
}

// declined notes why each adapter declines a record that none takes. A reason for which an adapter declines an empty object as well
// says nothing of the record.
func (f *File) declined(r *Report, rec *wire.Record, outcomes []wire.Outcome) {
	f.Unknown++
	for i, o := range outcomes {
		if o.Fault == nil || o.Fault.Message == r.empty[i] {
			continue
		}
		key := Near{Adapter: r.Shapes[i].Adapter, Lacks: o.Fault.Message}
		if at, known := f.near[key]; known {
			f.Nearest[at].Records++
		} else if len(f.Nearest) < mostNear {
			f.near[key] = int64(len(f.Nearest))
			key.Records, key.First = 1, &receipt.Position{File: rec.File, Line: rec.Line}
			f.Nearest = append(f.Nearest, key)
		}
	}
}

// askEmpty returns why each adapter declines an object without members.
func askEmpty(ctx context.Context, adapters []string, fleet *launch.Fleet, opts host.Options) ([]string, error) {
	corpus, err := plan.Corpus([]string{"-"}, plan.Options{Stdin: strings.NewReader("{}\n"), Mask: opts.MaskName})
	for _, i := range corpus {
		defer i.Close()
	}
	if err != nil {
		return nil, err
	}
	reasons := make([]string, len(adapters))
	ask := poll(adapters, fleet)
	ask.Observe = func(_ *wire.Record, outcomes []wire.Outcome) {
		for i, o := range outcomes {
			if o.Verdict == wire.Declined {
				reasons[i] = o.Fault.Message
			}
		}
	}
	return reasons, send(ctx, corpus, fleet, flow.Plan{
		Body: []flow.Node{ask}, Account: &flow.Totals{}, DeadLetter: &flow.Sink{Name: "unreadable", Writer: &rowWriter{}},
	})
}

// finishFiles puts the files into the order in which they were found.
func (r *Report) finishFiles() {
	for _, in := range r.Inputs {
		r.file(in.Name)
	}
	order := map[string]int{}
	for i, in := range r.Inputs {
		order[in.Name] = i
	}
	r.Files = slices.SortedFunc(maps.Values(r.byName), func(a, b *File) int { return cmp.Compare(order[a.Name], order[b.Name]) })
	for _, f := range r.Files {
		slices.SortStableFunc(f.Nearest, func(a, b Near) int { return cmp.Compare(b.Records, a.Records) })
	}
}
