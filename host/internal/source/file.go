package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the largest zstd window that is read, the same as the zstd tool's without --long. It bounds memory.
const maxWindow = 128 << 20

// A file is one that is open, decompressed. Either opened or pump is nil.
type file struct {
	entry
	opened  *os.File // a regular file
	pump    *pump    // what may have to wait for somebody else
	raw     raw
	text    io.Reader // nil until the first bytes were seen
	head    []byte    // first bytes of the text, to be taken before text
	free    func()    // gives back what the decompressor holds; may be nil
	records int64
}

// raw counts and hashes the bytes of a file as they are read.
type raw struct {
	src   io.Reader
	hash  hash.Hash
	n     int64
	total *atomic.Int64
}

func (r *raw) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	r.hash.Write(p[:n])
	r.n += int64(n)
	r.total.Add(int64(n))
	return n, err
}

// Read reads decompressed text.
func (f *file) Read(p []byte) (int, error) {
	if f.text == nil {
		if err := f.start(); err != nil {
			return 0, err
		}
	}
	if len(f.head) > 0 {
		n := copy(p, f.head)
		f.head = f.head[n:]
		return n, nil
	}
	return f.text.Read(p)
}

// start reads as much as is needed to know how the file is packed, and takes a byte-order mark off the text.
func (f *file) start() error {
	head, err := sniff(&f.raw, func(head []byte) bool { return maybePacked(head) || maybeMark(head) })
	if err != nil {
		return err
	}
	packed := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(head), &f.raw), 64<<10)
	var unpacked io.Reader
	switch packing := packingOf(head); {
	case packing == "gzip":
		if unpacked, err = newGunzip(packed); err != nil {
			return err
		}
	case packing == "zstd":
		z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		unpacked, f.free = z, z.Close
	case packing != "":
		return notRead(packing)
	case strings.HasSuffix(f.name, ".gz"):
		return errors.New("want gzip data, as the name says, have something else")
	case strings.HasSuffix(f.name, ".zst"):
		return errors.New("want zstd data, as the name says, have something else")
	}
	f.text = &f.raw
	if unpacked != nil {
		if head, err = sniff(unpacked, maybeMark); err != nil {
			return err
		}
		f.text = unpacked
	}
	f.head = bytes.TrimPrefix(head, byteOrderMark)
	return nil
}

var byteOrderMark = []byte("\uFEFF")

func maybeMark(head []byte) bool {
	return len(head) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, head)
}

// idle says that the next Read may have to wait for somebody else.
func (f *file) idle() bool { return f.pump != nil && !f.pump.ready() }

// watch makes Reads that wait end with ctx.
func (f *file) watch(ctx context.Context) {
	if f.pump != nil {
		f.pump.ctx = ctx
	}
}

// disturbed tells whether somebody changed the file after it was found, or put another one in its place.
func (f *file) disturbed() bool {
	if f.opened == nil {
		return false
	}
	now, err := f.opened.Stat()
	if err != nil || f.changed(now) {
		return true
	}
	there, err := os.Stat(f.name)
	return err != nil || f.changed(there)
}

// cause is why a Read failed, as far as that can be known.
func (f *file) cause(err error) error {
	if f.disturbed() {
		return fmt.Errorf("%w; the file changed while it was read", reason(err))
	}
	return reason(err)
}

func (f *file) close() error {
	if f.free != nil {
		f.free()
	}
	if f.pump != nil {
		f.pump.stop()
	}
	if f.opened != nil {
		return f.opened.Close()
	}
	return nil
}
