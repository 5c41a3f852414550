package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/sdk/wire"
)

// sample are records for a plugin that has been given none.
func sample() (rows [][]byte) {
	for i := range 50 {
		rows = append(rows, fmt.Appendf(nil, `{"id": %d, "name": "row %d", "tags": ["a", "b"], "nested": {"n": %d.50}}`, i, i, i))
	}
	return rows
}

// records are those that comparisons are made with.
func (t *trial) records() [][]byte {
	if len(t.Rows) > 0 {
		return t.Rows
	}
	return sample()
}

// feed sends records through a process of its own, and gives what was answered to each, in order, and after the last.
func (t *trial) feed(ctx context.Context, records [][]byte, m manner) ([]string, error) {
	ctx, stop := t.within(ctx)
	defer stop()
	fleet, err := t.opened(ctx, m)
	if err != nil {
		return nil, err
	}
	defer fleet.Abort()
	crew := fleet.Chains[0]
	said := make([]string, len(records)+1)
	size := m.batch
	if size == 0 {
		size = max(1, (len(records)+max(1, m.workers)-1)/max(1, m.workers))
	}
	g, working := errgroup.WithContext(ctx)
	for n, stage := range crew.Stages() {
		g.Go(func() error {
			for from := n * size; from < len(records); from += size * len(crew.Stages()) {
				batch := records[from:min(from+size, len(records))]
				if err := t.process(working, fleet, stage, batch, said[from:], m); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err = g.Wait()
	if err == nil && crew.Info.Ordered && crew.Finishes {
		err = t.process(ctx, fleet, crew.Stages()[0], nil, said[len(records):], m)
	}
	if err == nil {
		err = fleet.Close(ctx)
		t.ended(fleet)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return said, err
}

// process sends one batch to a worker.
func (t *trial) process(ctx context.Context, fleet *launch.Fleet, stage flow.Stage, batch [][]byte, said []string, m manner) error {
	total := 0
	for _, r := range batch {
		total += len(r)
	}
	var in []wire.Record
	if len(batch) > 0 {
		region, err := fleet.Source.Alloc(ctx, total)
		if err != nil {
			return err
		}
		defer region.Release()
		rest := region.Bytes()
		for i, r := range batch {
			data := rest[:len(r):len(r)]
			rest = rest[copy(data, r):]
			in = append(in, wire.Record{Data: data, Mem: region, File: "rows.jsonl", Line: int64(i + 1)})
		}
	}
	heard := &heard{t: t, said: said, slow: m.slow}
	err := stage.Process(ctx, in, heard)
	heard.release()
	if err == nil && heard.n != len(batch) {
		err = fmt.Errorf("want %d records answered, have %d", len(batch), heard.n)
	}
	return err
}

// heard notes what a worker answers.
type heard struct {
	t    *trial
	said []string
	n    int // records answered
	slow bool
	held []wire.Record
	size int // bytes held
}

var _ flow.Receiver = (*heard)(nil)

// noting is held while what was seen of a plugin is noted: its workers answer side by side.
var noting sync.Mutex

// Answer implements flow.Receiver.
func (h *heard) Answer(a wire.Answer) error {
	noting.Lock()
	defer noting.Unlock()
	for i := range a.Outcomes {
		h.said[h.n+i] += h.outcome(&a.Outcomes[i])
	}
	for _, s := range a.Sides {
		h.t.outputs[s.Output] = true
		h.said[h.n+s.Index] += fmt.Sprintf("output %s %s\n", s.Output, s.JSON)
	}
	h.n += len(a.Outcomes)
	if h.slow && h.size > 8<<20 {
		time.Sleep(50 * time.Millisecond)
		h.release()
	}
	return nil
}

func (h *heard) outcome(o *wire.Outcome) string {
	var b bytes.Buffer
	switch o.Verdict {
	case wire.Unchanged:
		b.WriteString("unchanged\n")
	case wire.Dropped:
		fmt.Fprintf(&b, "drop %s\n", o.Fault.Message)
	case wire.Declined:
		fmt.Fprintf(&b, "decline %s\n", o.Fault.Message)
	case wire.Rejected:
		h.t.codes[o.Fault.Code] = true
		fmt.Fprintf(&b, "reject %s %s %s\n", o.Fault.Code, o.Fault.Path, o.Fault.Message)
	}
	for _, r := range o.Emitted {
		fmt.Fprintf(&b, "emit %s", r.Data)
		for _, l := range r.Labels {
			h.t.labels[l.Name] = true
			fmt.Fprintf(&b, " @%s=%s", l.Name, l.Value)
		}
		b.WriteByte('\n')
		h.size += len(r.Data)
	}
	if h.slow {
		h.held = append(h.held, o.Emitted...)
	} else {
		wire.ReleaseAll(o.Emitted)
	}
	return b.String()
}

// Waiting implements flow.Receiver. What a slow host holds it lets go then, or the worker would wait for ever.
func (h *heard) Waiting(waits bool) {
	if waits {
		h.release()
	}
}

func (h *heard) release() {
	wire.ReleaseAll(h.held)
	h.held, h.size = nil, 0
}

func rows(ctx context.Context, t *trial) (err error) {
	t.first, err = t.feed(ctx, t.records(), manner{})
	return err
}

// same holds that records get the same answers in another manner.
func (t *trial) same(ctx context.Context, m manner) error {
	if t.first == nil {
		if err := rows(ctx, t); err != nil {
			return err
		}
	}
	have, err := t.feed(ctx, t.records(), m)
	if err != nil {
		return err
	}
	for i := range t.first {
		if have[i] == t.first[i] {
			continue
		}
		what := "record " + strconv.Itoa(i+1)
		if i == len(t.records()) {
			what = "the last word"
		}
		return fmt.Errorf("%s: want the answer that it had before, of %d bytes, have another, of %d", what, len(t.first[i]), len(have[i]))
	}
	return nil
}

func again(ctx context.Context, t *trial) error    { return t.same(ctx, manner{}) }
func oneByOne(ctx context.Context, t *trial) error { return t.same(ctx, manner{batch: 1}) }
func messages(ctx context.Context, t *trial) error { return t.same(ctx, manner{inline: true}) }
func keptViews(ctx context.Context, t *trial) error {
	return t.same(ctx, manner{poison: true, batch: 7})
}

func workers(ctx context.Context, t *trial) error {
	d, err := t.describe(ctx)
	if err != nil {
		return err
	}
	if d.Ordered {
		return notFor("it is ordered, so it has one worker")
	}
	return t.same(ctx, manner{workers: 3, batch: 5})
}

// padded are records of some size.
func padded(n, size int) (records [][]byte) {
	pad := bytes.Repeat([]byte("x"), size)
	for i := range n {
		records = append(records, fmt.Appendf(nil, `{"id": %d, "name": "%s"}`, i, pad))
	}
	return records
}

func slowHost(ctx context.Context, t *trial) error {
	_, err := t.feed(ctx, padded(300, 256<<10), manner{slow: true, batch: 50})
	return err
}

func hugeBatch(ctx context.Context, t *trial) error {
	all := t.records()
	var many [][]byte
	for len(many) < 100_000 {
		many = append(many, all...)
		if size := len(slices.Concat(all...)); size*len(many)/len(all) > 48<<20 { // which one batch never holds
			break
		}
	}
	_, err := t.feed(ctx, many[:min(len(many), 100_000)], manner{})
	return err
}

const large = 64<<20 - 100

func largeRecord(ctx context.Context, t *trial) error {
	_, err := t.feed(ctx, padded(1, large), manner{})
	return err
}

func largeMessage(ctx context.Context, t *trial) error {
	_, err := t.feed(ctx, padded(1, large), manner{inline: true})
	return err
}

func declared(ctx context.Context, t *trial) error {
	d, err := t.describe(ctx)
	if err != nil {
		return err
	}
	var bad []error
	undeclared := func(what string, have map[string]bool, known []string) {
		for name := range have {
			if !slices.Contains(known, name) && !slices.Contains(known, "*") {
				bad = append(bad, fmt.Errorf("want it to declare %s %q, which it wrote", what, name))
			}
		}
	}
	undeclared("output", t.outputs, d.Outputs)
	undeclared("label", t.labels, d.Labels)
	if len(d.Codes) > 0 {
		for code := range t.codes {
			if _, ok := d.Codes[code]; !ok && !hostCodes[code] {
				bad = append(bad, fmt.Errorf("want it to declare code %q, which it rejected with", code))
			}
		}
	}
	return errors.Join(bad...)
}

// hostCodes are those that a plugin's rejects have though it did not choose them.
var hostCodes = map[string]bool{"error": true, "invalid_output": true, "too_large": true}
