package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An Arena hands out regions of one memory that has a single writer.
//
// Requests wait in line. One that fits the budget gets the lowest free offset, so that few pages are in use; one larger than
// the budget, up to the capacity, is met when nothing else is out. There is no deadlock as long as every region is released
// without needing memory of the same arena, which the order in package flow ensures.
type Arena struct {
	mem    []byte
	budget int
	trim   func(off, n int) // returns pages to the system; may be nil

	mu      sync.Mutex
	out     []*Region // sorted by offset
	waiting []*request
}

type request struct {
	n     int
	ready chan *Region
}

// A Region is a part of an arena that is in use until its last reference is gone.
type Region struct {
	arena *Arena
	off   int
	n     int
	refs  atomic.Int64
}

// NewArena makes an arena of mem, of which normally at most budget bytes are in use. trim may be nil.
func NewArena(mem []byte, budget int, trim func(off, n int)) *Arena {
	return &Arena{mem: mem, budget: min(budget, len(mem)), trim: trim}
}

// Alloc waits for n bytes. The region comes with one reference, the caller's.
func (a *Arena) Alloc(ctx context.Context, n int) (*Region, error) {
	if n > len(a.mem) {
		return nil, fmt.Errorf("%w: want %d bytes, have %d", ErrTooLarge, n, len(a.mem))
	}
	a.mu.Lock()
	if len(a.waiting) == 0 {
		if r := a.place(n); r != nil {
			a.mu.Unlock()
			return r, nil
		}
	}
	req := &request{n: n, ready: make(chan *Region, 1)}
	a.waiting = append(a.waiting, req)
	a.mu.Unlock()

	select {
	case r := <-req.ready:
		return r, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	if i := slices.Index(a.waiting, req); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
		a.serve()
	}
	a.mu.Unlock()
	select {
	case r := <-req.ready: // met in the meantime
		r.Release()
	default:
	}
	return nil, ctx.Err()
}

// Cap returns the size of the largest region that Alloc can return.
func (a *Arena) Cap() int { return len(a.mem) }

// Budget returns how many bytes are normally in use at most.
func (a *Arena) Budget() int { return a.budget }

// InUse returns the number of bytes in use.
func (a *Arena) InUse() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	total := 0
	for _, r := range a.out {
		total += r.n
	}
	return total
}

// place finds room for n bytes, or nil. The caller holds the lock.
func (a *Arena) place(n int) *Region {
	at, i := 0, 0
	for ; i < len(a.out); i++ {
		if a.out[i].off-at >= n {
			break
		}
		at = a.out[i].off + a.out[i].n
	}
	if at+n > a.budget && len(a.out) > 0 {
		return nil
	}
	r := &Region{arena: a, off: at, n: n}
	r.refs.Store(1)
	a.out = slices.Insert(a.out, i, r)
	return r
}

// serve meets requests in line. The caller holds the lock.
func (a *Arena) serve() {
	for len(a.waiting) > 0 {
		r := a.place(a.waiting[0].n)
		if r == nil {
			return
		}
		a.waiting[0].ready <- r
		a.waiting = a.waiting[1:]
	}
}

// Bytes returns the region's memory.
func (r *Region) Bytes() []byte { return r.arena.mem[r.off : r.off+r.n : r.off+r.n] }

// Arena returns the arena that the region lies in.
func (r *Region) Arena() *Arena { return r.arena }

// Offset returns where in its arena the region begins.
func (r *Region) Offset() int { return r.off }

// OffsetOf returns where in the arena data begins, which must be a part of the region.
func (r *Region) OffsetOf(data []byte) int {
	at, _ := jsontext.Within(r.arena.mem, data)
	return at
}

// Shrink frees all but the first n bytes, before the last reference is gone.
func (r *Region) Shrink(n int) {
	a := r.arena
	a.mu.Lock()
	defer a.mu.Unlock()
	if n < r.n {
		a.release(r.off+n, r.n-n)
		r.n = n
		a.serve()
	}
}

// Retain takes one more reference.
func (r *Region) Retain() { r.add(1) }

// Release releases one reference.
func (r *Region) Release() { r.add(-1) }

func (r *Region) add(n int) {
	left := r.refs.Add(int64(n))
	if left > 0 {
		return
	}
	if left < 0 {
		panic("wire: region released twice")
	}
	a := r.arena
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.out, r); i >= 0 {
		a.out = slices.Delete(a.out, i, i+1)
	}
	a.release(r.off, r.n)
	a.serve()
}

// release returns pages beyond the budget to the system: they served one large record.
func (a *Arena) release(off, n int) {
	if a.trim == nil || off+n <= a.budget {
		return
	}
	from := max(off, a.budget)
	a.trim(from, off+n-from)
}

// A Memory is a file without a name, mapped into this process. One process writes it, others read it.
type Memory struct {
	Bytes []byte
	File  *os.File // open for writing; nil when the memory is this process's alone
}

// ErrNoSharedMemory says that this system cannot share memory with another process; bytes then go inline.
var ErrNoSharedMemory = errors.New("this system has no shared memory that sluice knows")
