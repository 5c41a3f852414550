package source

import (
	"context"
	"io"
)

// Sizes of the buffers of a pump, and how many of them it may be ahead by.
const (
	pumpSize  = 64 << 10 // what a pipe holds
	pumpDepth = 16

	unpackSize  = 256 << 10
	unpackDepth = 32
)

// A pump opens and reads ahead, so that a Read can end with a context and a chunk can go on its way before the next bytes
// come: what may have to wait for a writer, and what is decompressed.
type pump struct {
	ctx  context.Context // of the Read at hand
	size int             // of a buffer
	full chan pumped
	free chan []byte
	now  pumped // what is being handed out
	rest []byte // of now

	quit context.Context
	stop context.CancelFunc // ends the reading ahead and closes what is open
}

type pumped struct {
	buf []byte
	n   int
	err error
}

// An opener opens what a pump reads. A Read that waits should end with quit.
type opener func(quit context.Context) (io.ReadCloser, error)

func startPump(size, depth int, open opener) *pump {
	p := &pump{
		ctx:  context.Background(),
		size: size,
		full: make(chan pumped, depth),
		free: make(chan []byte, depth),
	}
	p.quit, p.stop = context.WithCancel(context.Background())
	for range depth {
		p.free <- nil
	}
	go p.run(open)
	return p
}

// closedBy opens what is closed with quit, even in the middle of a Read.
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
// nobody waits for it; a writer that comes after stop finds the pipe closed.
func (p *pump) run(open opener) {
	src, err := open(p.quit)
	if err != nil {
		p.full <- pumped{err: err}
		return
	}
	defer src.Close()
	for p.quit.Err() == nil {
		var buf []byte
		select {
		case buf = <-p.free:
		case <-p.quit.Done():
			return
		}
		if buf == nil {
			buf = make([]byte, p.size)
		}
		n, err := src.Read(buf)
		p.full <- pumped{buf, n, err} // has room for every buffer there is
		if err != nil {
			return
		}
	}
}

// ready says that Read will not wait.
func (p *pump) ready() bool { return len(p.rest) > 0 || p.now.err != nil || len(p.full) > 0 }

func (p *pump) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.now.err != nil {
			return 0, p.now.err
		}
		if p.now.buf != nil {
			p.free <- p.now.buf
			p.now = pumped{}
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
