package store

import (
	"io"
	"slices"

	"github.com/sluicehq/sluice/host/internal/places"
)

// Entries of a bucket are fetched ahead of need, since each takes as long as a request does. They are wanted in the order in which they were
// told of, so those before one that is wanted are not wanted any more.
const (
	mostAhead = 32       // entries that are there or under way
	mostHeld  = 32 << 20 // bytes of them
	mostEach  = 8 << 20  // of one; a larger one is read when it is wanted, by several requests
)

// A fetch is an entry that will be wanted.
type fetch struct {
	id
	size int64
	done chan struct{} // nil: it was not begun
	text []byte
	err  error
}

func (b *bucket) ahead(e id) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.object(e)
	if o.info == nil || o.size > mostEach || slices.ContainsFunc(b.queue, func(f *fetch) bool { return f.id == e }) {
		return
	}
	b.queue = append(b.queue, &fetch{id: e, size: o.size})
	b.begin()
}

// begin begins as many fetches as there is room for.
func (b *bucket) begin() {
	for _, f := range b.queue {
		switch {
		case f.done != nil:
			continue
		case b.begun >= mostAhead || b.held+f.size > mostHeld:
			return
		}
		f.done = make(chan struct{})
		b.begun++
		b.held += f.size
		info := b.object(f.id).info
		go func() {
			defer close(f.done)
			if info == nil { // it was made anew
				return
			}
			from, err := places.OpenAs(b.name(f.id), info)
			if err != nil {
				f.err = err
				return
			}
			defer from.Close()
			text := make([]byte, f.size)
			if _, f.err = io.ReadFull(places.Until(b.ctx, from), text); f.err == nil {
				f.text = text
			}
		}()
	}
}

// fetched returns the text of an entry that was fetched ahead, nil for any other.
func (b *bucket) fetched(e id) ([]byte, error) {
	b.mu.Lock()
	i := slices.IndexFunc(b.queue, func(f *fetch) bool { return f.id == e })
	if i < 0 {
		b.mu.Unlock()
		return nil, nil
	}
	f := b.queue[i]
	for _, f := range b.queue[:i+1] {
		if f.done != nil {
			b.begun--
			b.held -= f.size
		}
	}
	b.queue = slices.Delete(b.queue, 0, i+1)
	b.begin()
	b.mu.Unlock()
	if f.done == nil {
		return nil, nil
	}
	<-f.done
	return f.text, f.err
}
