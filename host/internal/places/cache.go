package places

import (
	"slices"
	"sync"
)

// Reads at any place go through windows, so that many small ones, such as those of pages of Parquet, do not each wait for a request.
const (
	windowSize  = 2 << 20
	mostWindows = 32 // of all files: one for each column that is read at a time, and the next ones
)

// near keeps the windows that were read last.
var near cache

type cache struct {
	mu      sync.Mutex
	windows []*piece // the one that was used last is the last
}

// window returns the window at a place, which may still be under way. Where the one before it is read, too, the next is asked for.
func (f *file) window(at int64) *piece {
	near.mu.Lock()
	defer near.mu.Unlock()
	from := at - at%windowSize
	p := near.use(f, from)
	if near.index(f, from-windowSize) >= 0 && from+windowSize < f.info.size {
		near.use(f, from+windowSize)
		near.use(f, from)
	}
	return p
}

// forget leaves out the windows of a file.
func (c *cache) forget(f *file) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.windows = slices.DeleteFunc(c.windows, func(p *piece) bool { return p.of == f })
}

func (c *cache) index(f *file, from int64) int {
	return slices.IndexFunc(c.windows, func(p *piece) bool { return p.of == f && p.from == from })
}

// use returns the window that begins at a place, and makes it the last.
func (c *cache) use(f *file, from int64) *piece {
	var p *piece
	if i := c.index(f, from); i >= 0 {
		p = c.windows[i]
		c.windows = slices.Delete(c.windows, i, i+1)
	} else {
		p = &piece{of: f, buf: make([]byte, min(windowSize, f.info.size-from)), from: from, done: make(chan struct{})}
		go func() {
			defer close(p.done)
			p.err = fill(f.ctx, f.info, p.buf, p.from)
		}()
	}
	if c.windows = append(c.windows, p); len(c.windows) > mostWindows {
		c.windows = slices.Delete(c.windows, 0, 1)
	}
	return p
}
