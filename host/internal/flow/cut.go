package flow

// A BatchSize is how much moves together at most, 0 for any. A record that is larger moves alone.
type BatchSize struct{ Records, Bytes int }

// mostTogether bounds batches of short records. What is known of the records of a batch lies in the caches of a processor then, and
// all workers get batches of a small input.
var mostTogether = BatchSize{Records: 4096}

// allTogether is about how many bytes all workers of one node have at a time, so that each gets a batch while the memory of the source
// has room for others. A batch smaller than leastTogether costs more to hand over than it is worth.
const (
	allTogether   = 8 << 20
	leastTogether = 256 << 10
)

// together returns how much of a source moves together: what the pipeline says, or what leaves a batch for each worker.
func (e *engine) together(src *Source) BatchSize {
	size := src.Batch
	if size == (BatchSize{}) {
		size.Bytes = max(allTogether/max(e.workers, 1), leastTogether)
	}
	return size.smaller(mostTogether)
}

// smaller returns what both sizes allow.
func (s BatchSize) smaller(o BatchSize) BatchSize {
	least := func(a, b int) int {
		if a == 0 || b > 0 && b < a {
			return b
		}
		return a
	}
	return BatchSize{least(s.Records, o.Records), least(s.Bytes, o.Bytes)}
}

// batchSizeOf returns what all steps of a node allow.
func batchSizeOf(n Node) (size BatchSize) {
	for _, s := range stepsOf(n) {
		size = size.smaller(s.Batch)
	}
	return size
}

// cut divides a batch. The parts count in its chunk as b did.
func (s BatchSize) cut(b *batch) []*batch {
	var parts []*batch
	from, bytes := 0, 0
	for i, records := 0, b.records; i < len(records); i++ {
		n := records[i].Size()
		if i > from && (s.Records > 0 && i-from >= s.Records || s.Bytes > 0 && bytes+n > s.Bytes) {
			parts = append(parts, b.takeFirst(i-from))
			from, bytes = i, 0
		}
		bytes += n
	}
	return append(parts, b)
}

// takeFirst makes a batch of the first n records, which b then lacks.
func (b *batch) takeFirst(n int) *batch {
	b.chunk.retain()
	part := &batch{chunk: b.chunk, records: b.records[:n:n]}
	b.records = b.records[n:]
	return part
}

// cut divides the batches that go to a node of steps with a batch size of their own, so that several workers get some.
func (e *engine) cut(n Node, in <-chan *batch) <-chan *batch {
	size := batchSizeOf(n)
	if size == (BatchSize{}) {
		return in
	}
	out := make(chan *batch, queue)
	e.group.Go(func() error {
		defer close(out)
		return forEach(e.ctx, in, func(b *batch) error { return e.sendParts(out, size, b) })
	})
	return out
}

func (e *engine) sendParts(out chan<- *batch, size BatchSize, b *batch) error {
	for _, part := range size.cut(b) {
		if err := send(e.ctx, out, part); err != nil {
			return err
		}
	}
	return nil
}
