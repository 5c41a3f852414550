package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/sluicehq/sluice/host"
)

// blocks are what files are read into. What one long row needs is not held for good.
var blocks = sync.Pool{New: func() any { return new([blockSize]byte) }}

// take indexes a file, from the cache if that has it.
func (x *Index) take(f *file) (err error) {
	info, err := os.Stat(f.Path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: want a file, have none that can be read twice", f.Path)
	}
	x.change(func() { f.size, f.time, f.status = info.Size(), info.ModTime(), statusTime(info) })
	var told telling
	told.begin(x.ctx, f.Path)
	defer told.group.Wait()
	body, err := x.body(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	key := cacheKey(f, info, told.none)
	done, cached := x.cachedTable(key)
	if cached && !f.doubted {
		x.change(func() { f.table, f.cached, f.read = done, true, f.size })
	} else if done, err = x.index(f, body, told.none); err == nil && sameFile(f.Path, info) {
		x.keepTable(key, done)
	}
	told.group.Wait()
	if err == nil && told.err == nil && !told.none && told.rows != int64(done.rows()) {
		told.err = fmt.Errorf("%s: want the origins of %d rows, have those of %d", f.Path, done.rows(), told.rows)
	}
	if told.err == nil {
		x.change(func() { f.origins = told.origins })
	}
	return errors.Join(err, told.err)
}

// telling is what a run has noted of where a file's rows come from, read beside the file.
type telling struct {
	none    bool // nobody has noted it
	group   sync.WaitGroup
	origins *origins
	rows    int64
	err     error
}

func (t *telling) begin(ctx context.Context, path string) {
	from, err := host.OpenOrigins(path)
	switch t.none = errors.Is(err, host.ErrNoOrigins); {
	case t.none:
	case err != nil:
		t.err = err
	default:
		t.group.Go(func() { t.origins, t.rows, t.err = readOrigins(ctx, from) })
	}
}

func sameFile(path string, was fs.FileInfo) bool {
	now, err := os.Stat(path)
	return err == nil && now.Size() == was.Size() && now.ModTime().Equal(was.ModTime()) && statusTime(now) == statusTime(was)
}

// A part is what is known of a block of lines.
type part struct {
	table *table
	lines int64
	end   int64 // of the block, in bytes of the file
	err   error
}

// index reads a file. note says whether rows may tell of which record they are.
func (x *Index) index(f *file, body io.ReaderAt, note bool) (*table, error) {
	parts := make(chan chan part, cap(x.workers))
	x.group.Go(func() {
		defer close(parts)
		x.cut(f, body, note, parts)
	})
	b, lines := &builder{}, int64(0)
	var failed error
	for next := range parts {
		p := <-next
		if p.err != nil {
			failed = p.err
			continue
		}
		b.join(p.table, lines)
		lines += p.lines
		t := b.snapshot()
		read := p.end
		if f.spool != nil {
			read = f.spool.packed.Load()
		}
		x.change(func() { f.table, f.read = t, read })
	}
	return b.snapshot(), failed
}

// cut cuts a file into blocks of whole lines, which workers look into.
func (x *Index) cut(f *file, from io.ReaderAt, note bool, parts chan<- chan part) {
	c := cutter{from: from}
	for {
		out := make(chan part, 1)
		select {
		case x.workers <- struct{}{}:
		case <-x.ctx.Done():
			out <- part{err: x.ctx.Err()}
			parts <- out
			return
		}
		buf, offset := blocks.Get().(*[blockSize]byte), c.at
		release := func() { blocks.Put(buf); <-x.workers }
		block, err := c.next(buf[:])
		if err == io.EOF {
			release()
			return
		}
		parts <- out
		if err != nil {
			out <- part{err: err}
			release()
			return
		}
		at := c.at
		x.group.Go(func() {
			defer release()
			if block == nil {
				out <- x.lookLong(from, offset, at, note)
				return
			}
			out <- look(block, offset, at, note)
		})
	}
}
