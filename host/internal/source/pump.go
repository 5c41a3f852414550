package source

import (
	"context"
	"io"
)

const (
	pumpBuffer = 64 << 10 // what a pipe holds
	pumpDepth  = 16
)

// A pump opens and reads ahead what may have to wait for a writer, so that a Read can end with a context and a chunk
// can go on its way before the next bytes come.
type pump struct {
	ctx  context.Context // of the Read at hand
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

func startPump(open func() (io.ReadCloser, error)) *pump {
	p := &pump{
		ctx:  context.Background(),
		full: make(chan pumped, pumpDepth),
		free: make(chan []byte, pumpDepth),
	}
	p.quit, p.stop = context.WithCancel(context.Background())
	for range pumpDepth {
		p.free <- nil
	}
	go p.run(open)
	return p
}

// run opens, reads and closes. Opening a pipe waits for its writer and cannot be given up, so it happens here, where
// nobody waits for it; a writer that comes after stop finds the pipe closed.
func (p *pump) run(open func() (io.ReadCloser, error)) {
	src, err := open()
	if err != nil {
		p.full <- pumped{err: err}
		return
	}
	defer src.Close()
	defer context.AfterFunc(p.quit, func() { src.Close() })() // ends a Read that waits
	for p.quit.Err() == nil {
		var buf []byte
		select {
		case buf = <-p.free:
		case <-p.quit.Done():
			return
		}
		if buf == nil {
			buf = make([]byte, pumpBuffer)
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
