package output

import (
	"bytes"
	"io"
	"runtime"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// frameSize is how many bytes of rows a frame of a compressed file holds at most. A larger row has a frame of its own. So what lies in
// a frame depends on the rows alone, and a file can be written on from the end of any frame.
const frameSize = 1 << 20

// frames writes rows into frames (members, in the words of gzip), each compressed on its own by zip.
type frames struct {
	rows
	to    io.Writer
	zip   func(dst, text []byte) []byte
	text  []byte   // of the frame that is not full
	under []*frame // are being compressed, in order
	begun bool     // a frame was written
	err   error    // the first
}

// maxUnder is how many frames of one file are compressed at a time.
const maxUnder = 4

// A frame is compressed in a goroutine of its own.
type frame struct {
	text, zipped []byte
	done         chan struct{}
}

// The memory of texts and of compressed frames, and how many are compressed at a time in this process.
var (
	buffers     = sync.Pool{New: func() any { return new(make([]byte, 0, frameSize)) }}
	gzips       = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	compressing = make(chan struct{}, runtime.GOMAXPROCS(0))
)

// A frame of one segment says its size, however small it is. A large one is read through a window, not as a whole.
var (
	zstdSmall = sync.OnceValue(func() *zstd.Encoder { return newZstd(zstd.WithSingleSegment(true)) })
	zstdLarge = sync.OnceValue(func() *zstd.Encoder { return newZstd() })
)

func newZstd(o ...zstd.EOption) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, append(o, zstd.WithWindowSize(frameSize), zstd.WithZeroFrames(true))...)
	if err != nil {
		panic(err) // the options are constant
	}
	return e
}

func zipZstd(dst, text []byte) []byte {
	if len(text) > frameSize {
		return zstdLarge().EncodeAll(text, dst)
	}
	return zstdSmall().EncodeAll(text, dst)
}

func zipGzip(dst, text []byte) []byte {
	w, to := gzips.Get().(*gzip.Writer), bytes.NewBuffer(dst)
	w.Reset(to)
	_, _ = w.Write(text) // memory takes all
	_ = w.Close()
	gzips.Put(w)
	return to.Bytes()
}

func (e *frames) write(row []byte) error {
	if len(e.text) > 0 && len(e.text)+len(row)+1 > frameSize {
		if err := e.cut(); err != nil {
			return err
		}
	}
	e.text = append(append(e.text, row...), '\n')
	if len(e.text) >= frameSize {
		return e.cut()
	}
	return nil
}

// cut has the text compressed as a frame.
func (e *frames) cut() error {
	f := &frame{text: e.text, done: make(chan struct{})}
	e.text = *buffers.Get().(*[]byte)
	e.begun = true
	e.under = append(e.under, f)
	compressing <- struct{}{}
	go func() {
		f.zipped = e.zip(*buffers.Get().(*[]byte), f.text)
		putBuffer(f.text)
		<-compressing
		close(f.done)
	}()
	for len(e.under) > maxUnder || len(e.under) > 0 && e.under[0].isDone() {
		e.settle()
	}
	return e.err
}

func (f *frame) isDone() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

func putBuffer(b []byte) {
	if cap(b) >= frameSize && cap(b) <= 2*frameSize { // not that of a small file or of a large row
		buffers.Put(new(b[:0]))
	}
}

// settle writes the oldest frame that is being compressed.
func (e *frames) settle() {
	f := e.under[0]
	<-f.done
	e.under = e.under[:copy(e.under, e.under[1:])]
	if e.err == nil {
		_, e.err = e.to.Write(f.zipped)
	}
	putBuffer(f.zipped)
}

func (e *frames) flush() error {
	for len(e.under) > 0 {
		e.settle()
	}
	return e.err
}

func (e *frames) pending() []byte { return e.text }

func (e *frames) close() error {
	if len(e.text) > 0 || !e.begun { // no rows are a frame too
		_ = e.cut() // an error stays
	}
	return e.flush()
}

func (e *frames) stop() {
	for _, f := range e.under {
		<-f.done
	}
}
