package flow

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestCut holds what parts a batch has: as large as they may be, and a record that is larger alone. Each part counts in the chunk,
// and the last one is what the batch was.
func TestCut(t *testing.T) {
	cases := []struct {
		reason  string
		size    BatchSize
		records string // a letter for each byte
		want    []string
	}{
		{"nothing is cut without a size", BatchSize{}, "a b c", []string{"a b c"}},
		{"records are counted", BatchSize{Records: 2}, "a b c d e", []string{"a b", "c d", "e"}},
		{"a batch of the size stays whole", BatchSize{Records: 3}, "a b c", []string{"a b c"}},
		{"bytes are counted", BatchSize{Bytes: 4}, "aa bb c dddd e", []string{"aa bb", "c", "dddd", "e"}},
		{"a larger record is alone", BatchSize{Bytes: 2}, "a bbbb c d", []string{"a", "bbbb", "c d"}},
		{"whichever is less", BatchSize{Records: 2, Bytes: 3}, "a b c ddd e", []string{"a b", "c", "ddd", "e"}},
		{"an empty batch goes on, for it may be the last", BatchSize{Records: 1}, "", []string{""}},
	}
	for _, c := range cases {
		chunk := &pendingChunk{batches: 1, done: make(chan struct{})}
		b := &batch{chunk: chunk, last: true}
		for text := range strings.FieldsSeq(c.records) {
			b.records = append(b.records, wire.Record{Data: []byte(text)})
		}
		var have []string
		parts := c.size.cut(b)
		for i, p := range parts {
			var texts []string
			for _, r := range p.records {
				texts = append(texts, string(r.Data))
			}
			have = append(have, strings.Join(texts, " "))
			if p.last != (i == len(parts)-1) {
				t.Errorf("%s: want only the last part to be last, have part %d: %t", c.reason, i, p.last)
			}
			p.chunk.release()
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
		if chunk.batches != 0 {
			t.Errorf("%s: want a chunk that is done with its parts, have %d batches", c.reason, chunk.batches)
		}
	}
}

// TestTogether holds that more workers get smaller batches, unless the pipeline says how large they are.
func TestTogether(t *testing.T) {
	most := mostTogether.Records
	for _, c := range []struct {
		reason      string
		workers     int
		batch, want BatchSize
	}{
		{"two workers get what is read at once", 2, BatchSize{}, BatchSize{most, 4 << 20}},
		{"sixteen share as much as two", 16, BatchSize{}, BatchSize{most, 512 << 10}},
		{"no batch is too small", 1000, BatchSize{}, BatchSize{most, leastTogether}},
		{"without a worker nothing is shared", 0, BatchSize{}, BatchSize{most, allTogether}},
		{"a size in bytes stays", 16, BatchSize{Bytes: 64 << 20}, BatchSize{most, 64 << 20}},
		{"a size in records stays", 16, BatchSize{Records: 10}, BatchSize{Records: 10}},
	} {
		e := &engine{workers: c.workers}
		if have := e.together(&Source{Batch: c.batch}); have != c.want {
			t.Errorf("%s: want %+v together, have %+v", c.reason, c.want, have)
		}
	}
}

// A gatherStage answers nothing until all workers of its step have a batch.
type gatherStage struct {
	missing *atomic.Int64 // workers without one
	all     chan struct{}
}

func (s gatherStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	if s.missing.Add(-1) == 0 {
		close(s.all)
	}
	<-s.all
	return out.Answer(wire.Answer{Outcomes: make([]wire.Outcome, len(in)), Last: true})
}

// TestAllWorkersHaveABatch holds that the memory of a source has room for a batch of each worker, though that of one chunk fills it.
func TestAllWorkersHaveABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers, records = 8, 64
		row := `"` + strings.Repeat("x", allTogether/records-2) + `"`
		src := &lineReader{texts: slices.Repeat([]string{row}, records), n: records, arena: wire.NewArena(make([]byte, 2*allTogether), allTogether, nil)}
		stage := gatherStage{new(atomic.Int64), make(chan struct{})}
		stage.missing.Store(workers)
		step := &Step{Name: "gather.s", Account: &Account{}, Stages: slices.Repeat([]Stage{stage}, workers), Batch: BatchSize{Records: 2 * records}}
		out := &lineWriter{}
		err := Run(t.Context(), Plan{
			Sources: []*Source{{Name: "lines.x", Reader: src, Arena: src.arena}}, Body: []Node{step, &Sink{Name: "out", Writer: out}},
			DeadLetter: &Sink{Name: "dead", Writer: &lineWriter{}}, Account: &Totals{},
		})
		if err != nil {
			t.Fatal(err)
		}
		if have := strings.Count(out.String(), "\n"); have != records {
			t.Errorf("want %d records, have %d", records, have)
		}
	})
}
