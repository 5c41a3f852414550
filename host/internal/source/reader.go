package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/sdk/wire"
)

// firstSize is how large the first chunk is at most, so that what comes behind the source begins early. Each later one
// may be growSize times as large as the one before.
const (
	firstSize = 64 << 10
	growSize  = 4
)

// manyRecords is about how many records a chunk has at most: each costs memory and time along the way, however small. A chunk ends at
// mostRecords, where the records become much smaller than those of the chunk before it.
const (
	manyRecords = 8192
	mostRecords = 2 * manyRecords
	leastSize   = 16 << 10 // of a chunk of tiny records
)

// readSize is how much is read at a time, so that the cache still holds it when it is split.
const readSize = 256 << 10

// A reader reads the files of a source and splits them, in one goroutine. Records that are parts of the text are read into
// the region where they stay. What a converter makes of its records is copied there: their text is read into raw.
type reader struct {
	*Source
	mem  *wire.Arena
	now  splitter
	conv converter // now, if it is one
	coll collector // now, if it is one
	size int       // of the next chunk, at most
	mean int       // size of the last chunk's records, 0 at first
	pass int64     // so many records of the file at hand are passed over: an earlier run had them

	tail    []byte // bytes from the start of the record at hand on, which are in no region; behind a chunk that is full, other records
	seen    int    // how many of them were split
	need    int    // size of a converted record at hand that had no room in the last region, 0 if there is none
	began   int64  // line on which the record at hand begins
	offset  int64  // of that record in its file's text
	dropped int64  // its bytes that were thrown away, because it is too large
	last    byte   // the last of those
	raw     []byte // text of records to convert
	row     []byte // what the last one was converted to
}

// run makes drafts until one ends the source, or ctx does.
func (r *reader) run(ctx context.Context) error {
	for {
		d, err := r.makeDraft(ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			d.discard()
			return err
		}
		if d.err == nil && len(d.chunk.Records) == 0 && len(d.inputs) == 0 {
			continue // all of it belongs to a record that goes on
		}
		select {
		case r.drafts <- d:
		case <-ctx.Done():
			d.discard()
			return ctx.Err()
		}
		if d.err != nil {
			return d.err
		}
	}
}

// makeDraft reads the next region. An error means that the source is over without having come to an end.
func (r *reader) makeDraft(ctx context.Context) (*draft, error) {
	d := &draft{}
	if r.open == nil {
		if d.err = r.nextFile(ctx); d.err != nil {
			d.read = r.read.Load()
			return d, nil
		}
	}
	size := min(r.size, r.opts.Batch, r.mem.Cap())
	if r.mean > 0 {
		size = min(size, max(r.mean*manyRecords, leastSize))
	}
	limit := min(r.opts.Limit, r.mem.Cap()-2)
	r.size = min(r.size*growSize, r.opts.Batch)
	if n := r.seen; n > size/2 { // the record needs a larger region; limit+2 bytes show that it is too large
		size = max(size, min(2*n, limit+2))
	}
	size = max(size, r.need, len(r.tail))
	region, err := r.mem.Alloc(ctx, size)
	if err != nil {
		return d, err
	}
	f := filler{reader: r, draft: d, region: region, buf: region.Bytes(), grown: size > r.opts.Batch, limit: limit}
	if f.converts = r.conv != nil; f.converts {
		r.raw = slices.Grow(r.raw[:0], max(size, len(r.tail)+1))
		f.buf = r.raw[:cap(r.raw)]
	}
	if r.mean > 0 {
		n := size / r.mean
		d.chunk.Records = make([]wire.Record, 0, min(n+n/16, mostRecords)+1) // about as many as there will be, and some more: growing costs a copy
	}
	d.err = f.fill(ctx)
	if n := len(d.chunk.Records); n > 0 {
		r.mean = max(f.used()/n, 1)
	}
	d.read = r.read.Load()
	d.check(r.opts.Depth, checkSize)
	return d, nil
}

func (r *reader) nextFile(ctx context.Context) error {
	if err := r.next(ctx); err != nil {
		return err
	}
	r.began, r.offset = 1, 0
	now, err := r.splitter(r.open.entry, r.opts)
	if lines, ok := now.(*lineSplitter); ok && r.open.cut != nil {
		r.began, r.offset = r.open.cut.begin()
		lines.at = r.began
	}
	r.now = now
	r.conv, _ = now.(converter)
	r.coll, _ = now.(collector)
	return err
}

// A filler makes one region into a chunk. buf[:n] has been read, buf[:at] split; the record at hand
// begins at start. Unless it converts, buf is the region's memory.
type filler struct {
	*reader
	*draft
	region       *wire.Region
	hashing      sync.WaitGroup // for the parts of the region that are not hashed yet
	grown        bool           // larger than a batch, for one large record
	converts     bool
	copied       int // bytes of the region that converted records take
	buf          []byte
	start, at, n int
	limit        int
}

// used returns how many bytes of the region hold records.
func (f *filler) used() int {
	if f.converts {
		return f.copied
	}
	return f.start
}

// fill reads until the region is full, the input ends or would have to be waited for, and leaves the unfinished
// record in tail. The region stays with the chunk's records.
func (f *filler) fill(ctx context.Context) error {
	f.n = copy(f.buf, f.tail)
	f.at = f.seen
	err := f.read(ctx)
	f.tail, f.seen = append(f.tail[:0], f.buf[f.start:f.n]...), f.at-f.start
	if cap(f.tail) > 2*f.opts.Batch && len(f.tail) < f.opts.Batch {
		f.tail = bytes.Clone(f.tail)
		debug.FreeOSMemory() // where the record at hand lay as far as it was read
	}
	wire.RetainAll(f.chunk.Records)
	if used := f.used(); f.grown || used <= len(f.region.Bytes())/2 {
		f.hashing.Wait()
		f.region.Shrink(used)
	}
	f.region.Release()
	return err
}

func (f *filler) read(ctx context.Context) error {
	if f.need > 0 { // the record at hand was split already
		f.need = 0
		f.add()
	}
	if bad := f.split(); bad != nil {
		return bad
	}
	for f.n < len(f.buf) && f.need == 0 && !f.isFull() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.open == nil {
			if err := f.nextFile(ctx); err != nil {
				return err
			}
			if f.converts != (f.conv != nil) { // it has to be read into other memory
				return nil
			}
		}
		if len(f.chunk.Records) > 0 && f.open.idle() {
			return nil
		}
		f.open.watch(ctx)
		f.open.raw.into = hold{}
		if !f.converts {
			f.open.raw.into = hold{f.region, &f.hashing}
		}
		n, err := f.open.Read(f.buf[f.n:min(len(f.buf), f.n+readSize)])
		f.n += n
		if bad := f.split(); bad != nil {
			return bad
		}
		switch {
		case f.need > 0 || f.at < f.n: // what Read has returned besides comes again
		case err == io.EOF:
			if bad := f.endFile(); bad != nil {
				return bad
			}
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return f.open.failed(f.now.line(), err)
		}
		if f.grown && len(f.chunk.Records) > 0 {
			return nil
		}
	}
	return nil
}

// isFull reports whether the chunk has as many records as one may have.
func (f *filler) isFull() bool { return len(f.chunk.Records) >= mostRecords }

// split adds the records that the new bytes complete, as far as the chunk has room for them.
func (f *filler) split() error {
	stuck := 0 // calls in a row that classified no byte
	for f.at < f.n && f.need == 0 && !f.isFull() {
		n, is := f.now.split(f.buf[f.at:f.n])
		if f.at += n; n > 0 {
			stuck = 0
		} else if stuck++; stuck > 2 && is != broken {
			return fmt.Errorf("%s:%d: want the next byte classified by %T, have it left three times", f.open.name, f.now.line(), f.now)
		}
		switch is {
		case gap:
			f.skip()
		case ended:
			f.add()
		case broken:
			return f.breakOff()
		}
	}
	if f.at-f.start >= f.limit+2 { // one byte may still turn out to be the CR of a line end
		f.drop()
	}
	return nil
}

func (f *filler) endFile() error {
	switch f.now.end() {
	case ended:
		f.add()
	case broken:
		return f.breakOff()
	}
	if f.coll != nil && f.need == 0 {
		f.coll.finish()
		f.collect()
	}
	if f.need > 0 {
		return nil // the file ends once more behind the record
	}
	if f.pass > 0 {
		return fmt.Errorf("%s: want more than %s, since an earlier run has read %d of them: the file changed", f.open.name, plural.Of(f.open.records, "record"), f.open.records+f.pass)
	}
	input, sum := f.finish(f.now.line())
	if s, ok := f.now.(skipper); ok {
		input.Unread = s.skipped()
	}
	f.inputs = append(f.inputs, &input)
	f.pending.Go(func() { input.Sum = sum.sum() })
	return nil
}

func (f *filler) skip() {
	f.offset += f.dropped + int64(f.at-f.start)
	f.start, f.dropped = f.at, 0
	f.began = f.now.line()
}

// drop forgets the bytes of a record that is too large.
func (f *filler) drop() {
	f.hashing.Wait()
	f.dropped += int64(f.at - f.start)
	f.last = f.buf[f.at-1]
	f.at, f.n = f.start, f.start
}

// add makes a record of the bytes at hand, unless they are blank. It is checked later.
func (f *filler) add() {
	data := f.buf[f.start:f.at]
	size, last := f.dropped+int64(len(data)), f.last
	if len(data) > 0 {
		last = data[len(data)-1]
	}
	if last == '\r' && !f.converts {
		size--
	}
	switch {
	case size > int64(f.limit):
		f.record(nil, f.tooLarge(size))
		if f.coll != nil {
			f.coll.lose()
		}
	case f.converts:
		if !f.convert(data) {
			return
		}
	default:
		if data = trim(data); len(data) > 0 {
			f.record(data, nil)
		}
	}
	f.skip()
	if f.coll != nil {
		f.collect()
	}
}

func (f *filler) tooLarge(size int64) *wire.Fault {
	return &wire.Fault{Code: TooLarge, Message: fmt.Sprintf(
		"want at most %d bytes, have %d from byte %d of the text", f.limit, size, f.offset)}
}

func trim(data []byte) []byte { return bytes.Trim(data, " \t\r") }

// breakOff rejects the bytes at hand and returns the error that ends the source.
func (f *filler) breakOff() error {
	known := min(f.offset+f.dropped+int64(f.at+1-f.start), int64(f.open.seen)) // not more, however much was read
	fault := encoded(f.open.first[:known], f.now.fault(f.buf[:f.n], f.at))
	err := fmt.Errorf("%s:%d: %s: the rest of the file cannot be read", f.open.name, f.began, fault.Message)
	fault.Message += fmt.Sprintf(", from byte %d of the text", f.offset)
	var data []byte
	if f.dropped == 0 && f.at > f.start && !f.converts {
		data = f.buf[f.start:f.at]
	}
	f.record(data, fault)
	return err
}

func (f *filler) record(data []byte, fault *wire.Fault) {
	r := wire.Record{Data: data, File: f.open.name, Line: f.began}
	if data != nil {
		r.Data, r.Mem = data[:len(data):len(data)], f.region
	}
	f.open.records++
	if f.pass > 0 {
		f.pass--
		return
	}
	f.chunk.Add(r, fault)
}
