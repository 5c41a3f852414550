package jsonl

import (
	"context"
	"io"
)

const (
	pumpBuffer = 64 << 10 // what a pipe holds
	pumpDepth  = 16
)

// A pump reads ahead from a reader that may have to wait for its writer, so that a Read can end with a context and a
// chunk can go on its way before the next bytes come.
type pump struct {
	ctx  context.Context
	full chan pumped
	free chan []byte
	quit chan struct{}
	now  pumped // what is being handed out
	rest []byte // of now
}

type pumped struct {
	buf []byte
	n   int
	err error
}

func startPump(src io.Reader) *pump {
	p := &pump{
		ctx:  context.Background(),
		full: make(chan pumped, pumpDepth),
		free: make(chan []byte, pumpDepth),
		quit: make(chan struct{}),
	}
	for range pumpDepth {
		p.free <- nil
	}
	go p.run(src)
	return p
}

func (p *pump) run(src io.Reader) {
	for {
		var buf []byte
		select {
		case buf = <-p.free:
		case <-p.quit:
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

// stop ends the reading ahead, as soon as a Read that waits has ended.
func (p *pump) stop() { close(p.quit) }
