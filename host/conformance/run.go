package conformance

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/sdk/wire"
)

// run sends records through a new process. It returns the answer to each record, and the one after the last.
func (s *subject) run(ctx context.Context, records [][]byte, m mode) ([]string, error) {
	ctx, stop := s.withTimeout(ctx)
	defer stop()
	fleet, err := s.openTarget(ctx, m)
	if err != nil {
		return nil, err
	}
	defer fleet.Abort()
	chain := fleet.Chains[0]
	answers := make([]string, len(records)+1)
	size := m.batch
	if size == 0 {
		size = max(1, (len(records)+max(1, m.workers)-1)/max(1, m.workers))
	}
	start := time.Now()
	group, working := errgroup.WithContext(ctx)
	for n, stage := range chain.Stages() {
		group.Go(func() error {
			for from := n * size; from < len(records); from += size * len(chain.Stages()) {
				batch := records[from:min(from+size, len(records))]
				if err := s.runBatch(working, fleet, stage, batch, from, answers[from:], m); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err = group.Wait()
	s.took = time.Since(start)
	if err == nil && chain.Info.Ordered && chain.Finishes {
		err = s.runBatch(ctx, fleet, chain.Stages()[0], nil, 0, answers[len(records):], m)
	}
	if err == nil {
		err = fleet.Close(ctx)
		s.recordExits(fleet)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answers, err
}

// runBatch sends records, the first of which is on a line, counted from 0.
func (s *subject) runBatch(ctx context.Context, fleet *launch.Fleet, stage flow.Stage, batch [][]byte, line int, answers []string, m mode) error {
	total := 0
	for _, record := range batch {
		total += len(record)
	}
	var in []wire.Record
	if len(batch) > 0 {
		region, err := fleet.Source.Alloc(ctx, total)
		if err != nil {
			return err
		}
		defer region.Release()
		rest := region.Bytes()
		for i, record := range batch {
			data := rest[:len(record):len(record)]
			rest = rest[copy(data, record):]
			in = append(in, wire.Record{Data: data, Mem: region, File: "rows.jsonl", Line: int64(line + i + 1)})
		}
	}
	rec := &recorder{subject: s, answers: answers, slow: m.slow}
	err := stage.Process(ctx, in, rec)
	rec.release()
	if err == nil && rec.n != len(batch) {
		err = fmt.Errorf("want %s answered, have %d", plural.Of(len(batch), "record"), rec.n)
	}
	return err
}

type recorder struct {
	subject *subject
	answers []string
	n       int // records answered
	slow    bool
	held    []wire.Record
	size    int // bytes held
}

var _ flow.Receiver = (*recorder)(nil)

// recording is held while an answer is recorded: workers answer in parallel.
var recording sync.Mutex

func (r *recorder) Answer(a wire.Answer) error {
	recording.Lock()
	defer recording.Unlock()
	for i := range a.Outcomes {
		r.answers[r.n+i] += r.outcome(&a.Outcomes[i])
	}
	for _, side := range a.Sides {
		r.subject.outputs[side.Output] = true
		r.answers[r.n+side.Index] += fmt.Sprintf("output %s %s\n", side.Output, side.JSON)
	}
	if len(a.Made) > 0 {
		r.answers[r.n] += r.emitted(a.Made)
	}
	r.n += len(a.Outcomes)
	if r.slow && r.size > 8<<20 {
		time.Sleep(50 * time.Millisecond)
		r.release()
	}
	return nil
}

func (r *recorder) outcome(o *wire.Outcome) string {
	var b bytes.Buffer
	switch o.Verdict {
	case wire.Unchanged:
		b.WriteString("unchanged\n")
	case wire.Dropped:
		fmt.Fprintf(&b, "drop %s\n", o.Fault.Message)
	case wire.Declined:
		r.subject.declined = true
		fmt.Fprintf(&b, "decline %s\n", o.Fault.Message)
	case wire.Rejected:
		r.subject.codes[o.Fault.Code] = true
		fmt.Fprintf(&b, "reject %s %s %s\n", o.Fault.Code, o.Fault.Path, o.Fault.Message)
	}
	b.WriteString(r.emitted(o.Emitted))
	return b.String()
}

// emitted describes emitted records, and releases them, at once or later.
func (r *recorder) emitted(records []wire.Record) string {
	var b strings.Builder
	for _, record := range records {
		fmt.Fprintf(&b, "emit %s", record.Data)
		for _, label := range record.Labels {
			r.subject.labels[label.Name], r.subject.values[label] = true, true
			fmt.Fprintf(&b, " @%s=%s", label.Name, label.Value)
		}
		if record.Origins != nil {
			fmt.Fprintf(&b, " of %v", record.Origins.List)
		}
		b.WriteByte('\n')
		r.size += len(record.Data)
	}
	if r.slow {
		r.held = append(r.held, records...)
	} else {
		wire.ReleaseAll(records)
	}
	return b.String()
}

// Waiting implements flow.Receiver. A slow host releases what it holds then, or the worker would wait for ever.
func (r *recorder) Waiting(waits bool) {
	if waits {
		r.release()
	}
}

func (r *recorder) release() {
	wire.ReleaseAll(r.held)
	r.held, r.size = nil, 0
}
