package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/sdk/compression"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A file is open and read decompressed. Either opened or pump is nil.
type file struct {
	entry
	opened  places.File // a regular file
	pump    *pump       // a pipe or standard input, which may have to be waited for
	raw     raw
	nulls   parquet.Nulls
	text    io.Reader    // nil until the first bytes were seen
	head    []byte       // first bytes of the text, to be taken before text
	first   [4]byte      // of the text, as far as it was read
	seen    int          // bytes of first
	ahead   *pump        // text, when it is decompressed
	padding atomic.Int64 // zeros behind what was compressed
	records int64
	err     error // why it could not be opened
}

// raw counts the bytes of a file as they are read, and has them hashed.
type raw struct {
	src   io.Reader
	sum   hasher
	plain bool // not compressed
	into  hold // holds the memory that the text is read into, so that it can be hashed later; zero: it is hashed at once
	n     int64
	total *atomic.Int64
}

func (r *raw) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if r.plain && r.into.mem != nil {
		r.sum.writeLater(p[:n], r.into)
	} else {
		r.sum.hash.Write(p[:n])
	}
	r.n += int64(n)
	r.total.Add(int64(n))
	return n, err
}

// Read reads decompressed text.
func (f *file) Read(p []byte) (int, error) {
	n, err := f.read(p)
	if f.seen < len(f.first) {
		f.seen += copy(f.first[f.seen:], p[:n])
	}
	return n, err
}

func (f *file) read(p []byte) (int, error) {
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

// seek has the file begin and end with the lines of its portion.
func (f *file) seek(ctx context.Context, lines func(key string) string) error {
	s := f.cut
	if err := s.find(ctx, f.entry, lines); err != nil || !s.inner {
		return err
	}
	f.raw.src = places.Section(f.opened, s.start, s.end)
	switch {
	case f.columns:
	case s.start == s.end: // of frames, nothing would be no zstd
		f.text = bytes.NewReader(nil)
	case s.start > 0 && !f.compressed:
		f.text, f.raw.plain = &f.raw, true
	}
	return nil
}

// start reads as much as is needed to know whether the file is compressed.
func (f *file) start() error {
	head, format, err := f.sniff()
	if err != nil {
		return err
	}
	if format == "" {
		f.head = bytes.TrimPrefix(head, compression.ByteOrderMark)
		f.text, f.raw.plain = &f.raw, true
		return nil
	}
	if f.pump != nil {
		f.pump.ctx = f.pump.quit // the decompressor reads ahead of any Read
	}
	f.ahead = startPump(streamBuffers, func(context.Context) (io.ReadCloser, error) { return f.decompress(head, format) })
	f.text = f.ahead
	return nil
}

// startAhead begins to decompress a regular file before the first Read.
func (f *file) startAhead(b buffers) {
	f.ahead = startPump(b, func(context.Context) (io.ReadCloser, error) {
		head, format, err := f.sniff()
		if err != nil {
			return nil, err
		}
		return f.decompress(head, format)
	})
	f.text = f.ahead
}

// sniff reads the first bytes and returns them with the format of the compression, "" for none.
func (f *file) sniff() (head []byte, format string, err error) {
	if f.columns {
		return nil, parquetFormat, nil
	}
	return compression.Sniff(places.Base(f.name), &f.raw)
}

// decompress returns the text of a file that begins with head, without a byte-order mark.
func (f *file) decompress(head []byte, format string) (io.ReadCloser, error) {
	if format == parquetFormat {
		return f.rows()
	}
	text, err := compression.NewReader(format, io.MultiReader(bytes.NewReader(head), &f.raw), f.pump != nil, &f.padding)
	if err != nil {
		return nil, err
	}
	if f.cut != nil && f.cut.inner && f.cut.start > 0 {
		return text, nil
	}
	return compression.Unmarked(text)
}

// idle reports whether the next Read may have to wait for a writer.
func (f *file) idle() bool {
	switch {
	case f.pump == nil:
		return false
	case f.ahead != nil:
		return !f.ahead.ready()
	}
	return !f.pump.ready()
}

// watch makes Reads that wait end with ctx.
func (f *file) watch(ctx context.Context) {
	switch {
	case f.ahead != nil:
		f.ahead.ctx = ctx
	case f.pump != nil:
		f.pump.ctx = ctx
	case f.fetched():
		f.raw.src = places.Until(ctx, f.opened)
	}
}

// changedOnDisk reports whether the file was changed or replaced after it was found.
func (f *file) changedOnDisk() bool {
	if f.opened == nil {
		return false
	}
	now, err := f.opened.Stat()
	if err != nil || f.changed(now) {
		return true
	}
	if f.fetched() { // no answer is taken that is not of the file that was found
		return false
	}
	there, err := os.Stat(f.name)
	return err != nil || f.changed(there)
}

// failed returns the error of a Read with its place, and how far the file was read.
func (f *file) failed(line int64, err error) error {
	if _, whole := errors.AsType[*compression.Misnamed](err); whole {
		return fmt.Errorf("%s: %w", f.name, f.cause(err))
	}
	return fmt.Errorf("%s:%d: read %s, %s: %w", f.name, line, plural.Of(f.records, "record"), plural.Of(f.raw.n, "byte"), f.cause(err))
}

// cause returns why a Read failed, as far as that can be known.
func (f *file) cause(err error) error {
	if f.changedOnDisk() {
		return fmt.Errorf("%w; the file changed while it was read", oserr.Reason(err))
	}
	return oserr.Reason(err)
}

func (f *file) close() error {
	f.raw.sum.close()
	if f.ahead != nil {
		f.ahead.stop()
	}
	if f.pump != nil {
		f.pump.stop()
	}
	if f.opened != nil {
		return f.opened.Close()
	}
	return nil
}

// A hasher computes the hash of a file. What lies in memory that is kept is hashed in a goroutine of its own, behind the
// reader.
type hasher struct {
	hash  *filehash.Hasher
	spans chan span // nil until there is one
	group sync.WaitGroup
}

// A span is a run of bytes that is to be hashed.
type span struct {
	data []byte
	hold hold
}

// A hold keeps memory as it is until it is hashed.
type hold struct {
	mem  *wire.Region
	busy *sync.WaitGroup // counts the spans of it that are not hashed
}

// spanDepth is how many spans may wait. The reader makes them of readSize at most.
const spanDepth = 64

// writeLater hashes p later. What was followed must not be mixed with later writes.
func (s *hasher) writeLater(p []byte, in hold) {
	if s.spans == nil {
		s.spans = make(chan span, spanDepth)
		spans := s.spans
		s.group.Go(func() {
			for x := range spans {
				s.hash.Write(x.data)
				x.hold.mem.Release()
				x.hold.busy.Done()
			}
		})
	}
	in.mem.Retain()
	in.busy.Add(1)
	s.spans <- span{p, in}
}

// close ends the input of the hash. It may be called again.
func (s *hasher) close() {
	if s.spans != nil {
		close(s.spans)
		s.spans = nil
	}
}

// sum waits until all is hashed, and returns the sum. The hasher is closed.
func (s *hasher) sum() filehash.Sum {
	s.group.Wait()
	return s.hash.Result()
}
