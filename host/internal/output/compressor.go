package output

import (
	"io"
	"sync"
)

const (
	blockSize  = 64 << 10
	blockDepth = 4
)

// A compressor compresses what is written to it, in a goroutine of its own.
type compressor struct {
	zip   io.Writer
	full  chan []byte
	free  chan []byte
	group sync.WaitGroup
	shut  bool

	mu  sync.Mutex
	err error // the first
}

func newCompressor(zip io.Writer) *compressor {
	p := &compressor{zip: zip, full: make(chan []byte, blockDepth), free: make(chan []byte, blockDepth)}
	for range blockDepth {
		p.free <- nil
	}
	p.group.Go(p.run)
	return p
}

func (p *compressor) run() {
	for block := range p.full {
		if p.failed() == nil { // otherwise the writer must still not wait
			if _, err := p.zip.Write(block); err != nil {
				p.mu.Lock()
				p.err = err
				p.mu.Unlock()
			}
		}
		p.free <- block
	}
}

func (p *compressor) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Write implements io.Writer. An error is that of an earlier Write.
func (p *compressor) Write(b []byte) (int, error) {
	wrote := 0
	for wrote < len(b) {
		if err := p.failed(); err != nil {
			return wrote, err
		}
		piece := b[wrote:min(len(b), wrote+blockSize)]
		p.full <- append((<-p.free)[:0], piece...)
		wrote += len(piece)
	}
	return wrote, nil
}

// close waits until all is compressed. It may be called again.
func (p *compressor) close() error {
	if !p.shut {
		p.shut = true
		close(p.full)
	}
	p.group.Wait()
	return p.err
}
