package source

import (
	"context"
	"io"
)

// buffers configures the buffers of a pump.
type buffers struct {
	count, size int
	filled      bool // before they are handed on; otherwise each holds what one Read returns
}

// Buffers for pipes, which hold 64 KiB, for decompressed streams, and for decompressed files.
var (
	pipeBuffers   = buffers{count: 16, size: 64 << 10}
	streamBuffers = buffers{count: 32, size: 256 << 10}
	fileBuffers   = buffers{count: 32, size: 256 << 10, filled: true}
)

// A pump opens and reads ahead pipes and decompressed files, so that a Read can end with a context and a chunk can be passed on
// before the next bytes come.
type pump struct {
	ctx  context.Context // of the Read at hand
	full chan block
	free chan []byte // that were full
	now  block       // the one that Reads take from
	rest []byte      // of now

	quit context.Context
	stop context.CancelFunc // ends the reading ahead and closes what is open
}

type block struct {
	buf []byte
	n   int
	err error
}

// An opener opens what a pump reads. A Read that waits should end with quit.
type opener func(quit context.Context) (io.ReadCloser, error)

func startPump(b buffers, open opener) *pump {
	p := &pump{
		ctx:  context.Background(),
		full: make(chan block, b.count),
		free: make(chan []byte, b.count),
	}
	p.quit, p.stop = context.WithCancel(context.Background())
	go p.run(b, open)
	return p
}

// closedBy returns an opener of what is closed when quit ends, even in the middle of a Read.
func closedBy(open func() (io.ReadCloser, error)) opener {
	return func(quit context.Context) (io.ReadCloser, error) {
		src, err := open()
		if err == nil {
			context.AfterFunc(quit, func() { src.Close() })
		}
		return src, err
	}
}

// run opens, reads and closes. Opening a pipe waits for its writer and cannot be given up, so it happens here, where
// no Read waits for it; a writer that comes after stop finds the pipe closed.
func (p *pump) run(b buffers, open opener) {
	src, err := open(p.quit)
	if err != nil {
		p.full <- block{err: err}
		return
	}
	defer src.Close()
	for made := 0; p.quit.Err() == nil; {
		if made < b.count && len(p.free) == 0 { // one that was used may still be in the cache
			p.free <- make([]byte, b.size)
			made++
		}
		var buf []byte
		select {
		case buf = <-p.free:
		case <-p.quit.Done():
			return
		}
		n, err := src.Read(buf)
		for b.filled && err == nil && n < len(buf) {
			var more int
			more, err = src.Read(buf[n:])
			n += more
		}
		p.full <- block{buf, n, err} // has room for every buffer there is
		if err != nil {
			return
		}
	}
}

// ready reports whether Read will not wait.
func (p *pump) ready() bool { return len(p.rest) > 0 || p.now.err != nil || len(p.full) > 0 }

func (p *pump) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.now.err != nil {
			return 0, p.now.err
		}
		if p.now.buf != nil {
			p.free <- p.now.buf
			p.now = block{}
		}
		select {
		case p.now = <-p.full:
			p.rest = p.now.buf[:p.now.n]
		case <-p.ctx.Done():
			return 0, p.ctx.Err()
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
