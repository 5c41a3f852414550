package source

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// texts makes one record of each file: {"name": base name, "text": contents}, on line 1.
type texts struct {
	*inputs
	opts Options

	buf   []byte      // contents of the file at hand
	row   []byte      // its record, or its contents when they are no text, or nil when they are too large
	fault *wire.Fault // what is wrong with it
	name  string      // its name
	ready bool        // it waits for a region
	err   error       // what Next says when nothing is ready
}

// openText finds the files of a source that reads texts. Limit is for the file as well as for the record made of it.
func openText(opts Options) (Source, error) {
	in, err := openInputs(opts)
	if err != nil {
		return nil, err
	}
	return &texts{inputs: in, opts: opts}, nil
}

// Next implements Source. A file that is not UTF-8 has a fault, and its bytes as they are for Data.
func (t *texts) Next(ctx context.Context, mem *wire.Arena) (wire.Chunk, error) {
	limit := min(t.opts.Limit, mem.Cap())
	var chunk wire.Chunk
	t.load(ctx, limit)
	if !t.ready {
		return chunk, t.err
	}
	region, err := mem.Alloc(ctx, max(len(t.row), min(t.opts.Batch, mem.Cap())))
	if err != nil {
		return chunk, err
	}
	n, buf := 0, region.Bytes()
	for t.ready && len(t.row) <= len(buf)-n {
		r := wire.Record{File: t.name, Line: 1}
		if t.row != nil {
			end := n + copy(buf[n:], t.row)
			r.Data, r.Mem = buf[n:end:end], region
			n = end
		}
		chunk.Add(r, t.fault)
		t.ready = false
		if t.mayWait() { // what is here goes on its way first
			break
		}
		t.load(ctx, limit)
	}
	wire.RetainAll(chunk.Records)
	region.Shrink(n)
	region.Release()
	return chunk, nil
}

// Close implements Source.
func (t *texts) Close() error { return t.end() }

// load makes the record of the next file, unless one is ready.
func (t *texts) load(ctx context.Context, limit int) {
	if t.ready || t.err != nil {
		return
	}
	if t.err = t.next(); t.err != nil {
		return
	}
	t.name = t.open.name
	t.open.watch(ctx)
	size, err := t.contents(ctx, limit)
	if err != nil {
		t.err = fmt.Errorf("%s: read %d bytes: %w", t.name, t.open.raw.n, t.open.cause(err))
		return
	}
	t.open.records++
	input, sum := t.finish()
	input.SHA256 = sum.sum()
	t.done = append(t.done, input)
	t.ready = true
	t.row, t.fault = nil, nil

	if size > limit {
		t.fault = textTooLarge(limit, size)
		return
	}
	if at := invalidUTF8(t.buf); at >= 0 {
		t.row = t.buf
		t.fault = &wire.Fault{Code: jsontext.InvalidUTF8, Message: fmt.Sprintf("want UTF-8, have an invalid sequence at byte %d", at)}
		return
	}
	row := append(make([]byte, 0, len(t.buf)+len(t.buf)/16+64), `{"name":`...)
	row = jsontext.AppendString(row, filepath.Base(t.name))
	row = append(row, `,"text":`...)
	row = jsontext.AppendString(row, t.buf)
	row = append(row, '}')
	if len(row) > limit {
		t.fault = textTooLarge(limit, len(row))
		return
	}
	t.row = row
}

// contents reads the open file into buf, as far as limit allows, and gives its size.
func (t *texts) contents(ctx context.Context, limit int) (size int, err error) {
	t.buf = t.buf[:0]
	piece := make([]byte, 64<<10)
	for {
		n, err := t.open.Read(piece)
		size += n
		if size <= limit {
			t.buf = append(t.buf, piece[:n]...)
		}
		if err == io.EOF {
			return size, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return size, err
		}
	}
}

func textTooLarge(limit, size int) *wire.Fault {
	return &wire.Fault{Code: TooLarge, Message: fmt.Sprintf("want at most %d bytes, have %d from byte 0 of the text", limit, size)}
}

// invalidUTF8 is the place of the first invalid sequence, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}
