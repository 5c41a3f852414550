package places

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
)

// Blocks are what a remote file is read in. The first are small, so that its beginning is soon there.
const (
	firstBlock = 512 << 10
	mostBlock  = 4 << 20
	ahead      = 8        // blocks that are asked for at a time, each by a request of its own
	mostHeld   = 64 << 20 // of all files together, beyond one block of each
)

// blocks keeps the memory of the largest blocks for the next ones.
var blocks = sync.Pool{New: func() any { return new([mostBlock]byte) }}

// held is how many bytes all blocks have.
var held atomic.Int64

// A file reads a remote file: in sequence with blocks ahead, or anywhere. One goroutine reads in sequence; ReadAt is for all.
type file struct {
	info
	ctx    context.Context
	cancel context.CancelCauseFunc
	at     int64 // of the next Read
	end    int64 // no more is read ahead

	queue []*piece // in flight or read, in order
	next  int64    // where the next piece begins
	size  int64    // of the next piece
}

// A piece is a block of a file. buf belongs to the goroutine that fills it until done is closed.
type piece struct {
	of   *file
	buf  []byte
	mem  *[mostBlock]byte // of buf, if it is from blocks
	from int64
	done chan struct{}
	err  error
}

func openRemote(ctx context.Context, name string) (File, error) {
	i, err := statRemote(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case i.IsDir():
		return nil, fault("open", name, errors.New("want a file, have a folder"))
	}
	return newFile(i.(info)), nil
}

func newFile(i info) *file {
	f := &file{info: i, end: i.size, size: firstBlock}
	f.ctx, f.cancel = context.WithCancelCause(context.Background())
	return f
}

// Stat implements File. It returns what was found: while nothing else can be read, the file is that one.
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// Seek implements io.Seeker.
func (f *file) Seek(off int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		off += f.at
	case io.SeekEnd:
		off += f.info.size
	}
	if off < 0 {
		return f.at, fault("seek", f.url, fs.ErrInvalid)
	}
	if off != f.at {
		f.drop()
	}
	f.at = off
	return off, nil
}

// drop forgets what was read ahead.
func (f *file) drop() {
	for _, p := range f.queue {
		go p.release()
	}
	f.queue, f.size = nil, firstBlock
}

// release gives the memory of a piece back once nothing fills it.
func (p *piece) release() {
	<-p.done
	held.Add(-int64(len(p.buf)))
	if p.mem != nil {
		blocks.Put(p.mem)
	}
}

// askAhead asks for the next blocks, until n are there or under way. At least one is, and fewer than n when other files hold much.
func (f *file) askAhead(n int) {
	for len(f.queue) < n && (len(f.queue) == 0 || held.Load() < mostHeld) && f.ask() {
	}
}

// ask asks for the next block, if there is one.
func (f *file) ask() bool {
	if len(f.queue) == 0 {
		f.next = f.at
	}
	if f.next >= f.end {
		return false
	}
	p := &piece{of: f, from: f.next, done: make(chan struct{})}
	if f.size == mostBlock {
		p.mem = blocks.Get().(*[mostBlock]byte)
		p.buf = p.mem[:min(f.size, f.end-f.next)]
	} else {
		p.buf = make([]byte, min(f.size, f.end-f.next))
	}
	held.Add(int64(len(p.buf)))
	f.next += int64(len(p.buf))
	f.size = min(2*f.size, mostBlock)
	f.queue = append(f.queue, p)
	go func() {
		defer close(p.done)
		p.err = fill(f.ctx, f.info, p.buf, p.from)
	}()
	return true
}

// Read implements io.Reader.
func (f *file) Read(b []byte) (int, error) { return f.readUntil(context.Background(), b) }

func (f *file) readUntil(ctx context.Context, b []byte) (int, error) {
	if f.at >= f.end || len(b) == 0 {
		if len(b) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	f.askAhead(ahead)
	p := f.queue[0]
	select {
	case <-p.done:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	if p.err != nil {
		return 0, p.err
	}
	n := copy(b, p.buf[f.at-p.from:])
	f.at += int64(n)
	if f.at == p.from+int64(len(p.buf)) {
		f.queue = f.queue[1:]
		p.release()
	}
	return n, nil
}

// ReadAt implements io.ReaderAt. A large read is a request of its own.
func (f *file) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fault("read", f.url, fs.ErrInvalid)
	}
	n := int(min(int64(len(b)), max(f.info.size-off, 0)))
	if n >= windowSize {
		if err := fill(f.ctx, f.info, b[:n], off); err != nil {
			return 0, err
		}
	}
	for done := 0; n < windowSize && done < n; {
		p := f.window(off + int64(done))
		if <-p.done; p.err != nil {
			return done, p.err
		}
		done += copy(b[done:n], p.buf[off+int64(done)-p.from:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Close implements io.Closer. It ends all requests.
func (f *file) Close() error {
	f.cancel(os.ErrClosed)
	f.drop()
	near.forget(f)
	return nil
}

// Section returns the bytes of an open file from one place up to another, and has a remote one read no further ahead. The file is read by
// nobody else.
func Section(f File, from, to int64) io.Reader {
	r, remote := f.(*file)
	if !remote {
		return io.NewSectionReader(f, from, to-from)
	}
	r.drop()
	r.at, r.end = from, min(to, r.info.size)
	return r
}

// Peek returns the first bytes of an open file that nothing was read of yet, fewer when it has no more. What it has asked for is what is
// read next. The file is remote.
func Peek(f File, n int) ([]byte, error) {
	r := f.(*file)
	var head []byte
	for i := 0; len(head) < n && r.at+int64(len(head)) < r.end; i++ {
		if i == len(r.queue) {
			r.ask()
		}
		p := r.queue[i]
		if <-p.done; p.err != nil {
			return nil, p.err
		}
		head = append(head, p.buf[:min(len(p.buf), n-len(head))]...)
	}
	return head, nil
}

// Prefetch asks for the beginning of a file that is read later.
func Prefetch(f File) {
	if r, remote := f.(*file); remote {
		r.askAhead(1)
	}
}

// Until returns a reader of r that ends with ctx, even while it waits for a remote file.
func Until(ctx context.Context, r io.Reader) io.Reader { return until{ctx, r} }

type until struct {
	ctx  context.Context
	from io.Reader
}

// Read implements io.Reader.
func (u until) Read(b []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	if f, remote := u.from.(*file); remote {
		return f.readUntil(u.ctx, b)
	}
	return u.from.Read(b)
}
