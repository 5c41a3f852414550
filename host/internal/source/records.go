package source

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// records is a source that looks for records in the texts of its files. A splitter knows where they end.
type records struct {
	*inputs
	opts     Options
	splitter func() splitter // for the next file
	now      splitter

	tail    []byte // what came of the record at hand that is in no region
	began   int64  // line on which that record begins
	offset  int64  // of that record in its file's text
	dropped int64  // its bytes that were thrown away, because it is too large
	last    byte   // the last of those
	err     error  // what Next says from now on
}

// A splitter finds the records in a text that comes piece by piece.
type splitter interface {
	// split looks at the next bytes and says what the first n of them are. Where a record ends, n may be 0.
	split(b []byte) (n int, is stretch)
	// end says what the end of the text makes of the bytes at hand: gap, ended or broken.
	end() stretch
	// line is the line of the next byte, counted from 1.
	line() int64
	// wanted is what a broken text lacks.
	wanted() string
}

// stretch is what a run of bytes is.
type stretch uint8

const (
	gap    stretch = iota // between records
	inside                // of a record that goes on
	ended                 // of a record, up to its end
	broken                // not what has to come next; nothing behind it can be trusted
)

func openRecords(opts Options, s func() splitter) (Source, error) {
	in, err := openInputs(opts)
	if err != nil {
		return nil, err
	}
	return &records{inputs: in, opts: opts, splitter: s}, nil
}

// Next implements Source. A record has to fit into mem with its line end; one that does not has the fault TooLarge.
func (s *records) Next(ctx context.Context, mem *wire.Arena) (wire.Chunk, error) {
	size := min(s.opts.Batch, mem.Cap())
	limit := min(s.opts.Limit, mem.Cap()-2)
	for s.err == nil {
		if s.open == nil {
			if s.err = s.nextFile(); s.err != nil {
				break
			}
		}
		if n := len(s.tail); n > size/2 { // the record needs a larger region; limit+2 tells that it is too large
			size = max(size, min(2*n, limit+2))
		}
		region, err := mem.Alloc(ctx, size)
		if err != nil {
			return wire.Chunk{}, err
		}
		f := filling{records: s, region: region, buf: region.Bytes(), limit: limit}
		s.err = f.fill(ctx)
		if len(f.chunk.Records) > 0 {
			return f.chunk, nil
		}
	}
	return wire.Chunk{}, s.err
}

func (s *records) nextFile() error {
	if err := s.next(); err != nil {
		return err
	}
	s.now = s.splitter()
	s.began, s.offset = 1, 0
	return nil
}

// A filling is one region on its way to become a chunk. buf[:n] has been read, buf[:at] split; the record at hand
// begins at start.
type filling struct {
	*records
	chunk        wire.Chunk
	region       *wire.Region
	buf          []byte
	start, at, n int
	limit        int
}

// fill reads until the region is full, the input ends or would have to be waited for, and leaves the unfinished
// record in tail. The region stays with the chunk's records.
func (f *filling) fill(ctx context.Context) error {
	f.n = copy(f.buf, f.tail)
	f.at = f.n
	err := f.read(ctx)
	f.tail = append(f.tail[:0], f.buf[f.start:f.n]...)
	if cap(f.tail) > 2*f.opts.Batch && len(f.tail) < f.opts.Batch {
		f.tail = bytes.Clone(f.tail)
	}
	wire.RetainAll(f.chunk.Records)
	if grown := len(f.buf) > f.opts.Batch; grown || f.start <= len(f.buf)/2 {
		f.region.Shrink(f.start)
	}
	f.region.Release()
	return err
}

func (f *filling) read(ctx context.Context) error {
	for f.n < len(f.buf) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.open == nil {
			if err := f.nextFile(); err != nil {
				return err
			}
		}
		if len(f.chunk.Records) > 0 && f.open.idle() {
			return nil
		}
		f.open.watch(ctx)
		room := f.buf[f.n:]
		room = room[:min(len(room), f.opts.Batch)]
		n, err := f.open.Read(room)
		f.n += n
		if bad := f.split(); bad != nil {
			return bad
		}
		switch {
		case err == io.EOF:
			if bad := f.endFile(); bad != nil {
				return bad
			}
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("%s:%d: read %d records, %d bytes: %w",
				f.open.name, f.now.line(), f.open.records, f.open.raw.n, f.open.cause(err))
		}
		if grown := len(f.buf) > f.opts.Batch; grown && len(f.chunk.Records) > 0 {
			return nil
		}
	}
	return nil
}

// split adds the records that the new bytes complete.
func (f *filling) split() error {
	for f.at < f.n {
		n, is := f.now.split(f.buf[f.at:f.n])
		f.at += n
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

func (f *filling) endFile() error {
	switch f.now.end() {
	case ended:
		f.add()
	case broken:
		return f.breakOff()
	}
	f.finish()
	return nil
}

// skip goes on behind the record at hand.
func (f *filling) skip() {
	f.offset += f.dropped + int64(f.at-f.start)
	f.start, f.dropped = f.at, 0
	f.began = f.now.line()
}

// drop forgets the bytes of a record that is too large.
func (f *filling) drop() {
	f.dropped += int64(f.at - f.start)
	f.last = f.buf[f.at-1]
	f.at, f.n = f.start, f.start
}

// add makes a record of the bytes at hand, unless they are blank.
func (f *filling) add() {
	defer f.skip()
	data := f.buf[f.start:f.at]
	size, last := f.dropped+int64(len(data)), f.last
	if len(data) > 0 {
		last = data[len(data)-1]
	}
	if last == '\r' {
		size--
	}
	if size > int64(f.limit) {
		f.record(nil, &wire.Fault{Code: TooLarge, Message: fmt.Sprintf(
			"want at most %d bytes, have %d from byte %d of the text", f.limit, size, f.offset)})
	} else if data = bytes.Trim(data, " \t\r"); len(data) > 0 {
		f.record(data, check(data, f.opts.Depth))
	}
}

// breakOff rejects what is at hand and gives the error that ends the source.
func (f *filling) breakOff() error {
	data := f.buf[f.start:f.at]
	if f.dropped > 0 || len(data) == 0 {
		data = nil
	}
	f.record(data, &wire.Fault{Code: jsontext.InvalidJSON, Message: fmt.Sprintf(
		"want %s, have %s, from byte %d of the text", f.now.wanted(), jsontext.Kind(f.buf[:f.n], f.at), f.offset)})
	return fmt.Errorf("%s:%d: want %s, have %s: the rest of the file cannot be read",
		f.open.name, f.began, f.now.wanted(), jsontext.Kind(f.buf[:f.n], f.at))
}

// check is what is wrong with a record, or nil.
func check(data []byte, depth int) *wire.Fault {
	if bad := jsontext.Check(data, depth); bad != nil {
		return &wire.Fault{Code: bad.Code, Message: bad.Message}
	}
	return nil
}

func (f *filling) record(data []byte, fault *wire.Fault) {
	r := wire.Record{Data: data, File: f.open.name, Line: f.began}
	if data != nil {
		r.Data, r.Mem = data[:len(data):len(data)], f.region
	}
	f.chunk.Add(r, fault)
	f.open.records++
}
