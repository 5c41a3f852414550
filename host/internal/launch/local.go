package launch

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/sluicehq/sluice/sdk/batch"
)

// A local is a worker in this process.
type local struct {
	worker batch.Worker
	out    *batch.Arena
	region *batch.Region // at hand
	used   int
}

// Process implements stage. A panic is a crash.
func (l *local) Process(ctx context.Context, in []batch.Record, emit func(batch.Answer) error) (err error) {
	defer func() {
		l.done()
		if r := recover(); r != nil {
			err = &Crash{How: fmt.Sprintf("panic: %v", r)}
		}
	}()
	return l.worker.Process(ctx, in, l, func(a batch.Answer) error {
		for i := range a.Outcomes {
			l.own(a.Outcomes[i].Emitted)
		}
		return emit(a)
	})
}

// own gives records that lie in the region at hand their references.
func (l *local) own(records []batch.Record) {
	for i := range records {
		r := &records[i]
		if l.region != nil && l.holds(r.Data) {
			r.Mem = l.region
		}
	}
	batch.RetainAll(records)
}

func (l *local) holds(data []byte) bool {
	mem := l.region.Bytes()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(data))) - uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return at < uintptr(len(mem))
}

func (l *local) Close() error { return l.worker.Close() }

// Take implements batch.Space.
func (l *local) Take(n int) []byte {
	if l.region == nil || l.used+n > len(l.region.Bytes()) {
		return nil
	}
	l.used += n
	return l.region.Bytes()[l.used-n : l.used : l.used]
}

// localRegion is how much memory a worker takes at a time.
const localRegion = 2 << 20

// Grow implements batch.Space.
func (l *local) Grow(ctx context.Context, n int) error {
	l.done()
	region, err := l.out.Alloc(ctx, max(n, min(localRegion, l.out.Budget())))
	if err != nil {
		return err
	}
	l.region, l.used = region, 0
	return nil
}

func (l *local) done() {
	if l.region != nil {
		l.region.Shrink(l.used)
		l.region.Release()
		l.region = nil
	}
}
