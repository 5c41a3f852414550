package jsonl

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/batch"
)

// Text reads each file as one record {"name": base name, "text": contents}, on line 1.
type Text struct {
	*inputs
	opts Options

	buf   []byte       // contents of the file at hand
	row   []byte       // its record, or its contents when they are no text, or nil when they are too large
	fault *batch.Fault // what is wrong with it
	name  string       // its name
	ready bool         // it waits for a region
	ord   uint64
	err   error // what Next says when nothing is ready
}

// OpenText finds the files of a source that reads texts. Limit is for the file as well as for the record made of it.
func OpenText(opts Options) (*Text, error) {
	in, err := findInputs(opts)
	if err != nil {
		return nil, err
	}
	return &Text{inputs: in, opts: opts.withDefaults()}, nil
}

// Next reads the next texts into a region of mem, or returns io.EOF. A file that is not UTF-8 has a fault, and its
// bytes as they are for Data.
func (t *Text) Next(ctx context.Context, mem *batch.Arena) (batch.Chunk, error) {
	limit := min(t.opts.Limit, mem.Cap())
	var chunk batch.Chunk
	t.load(ctx, limit)
	if !t.ready {
		return chunk, t.err
	}
	region, err := mem.Alloc(ctx, max(len(t.row), min(t.opts.Chunk, mem.Cap())))
	if err != nil {
		return chunk, err
	}
	n, buf := 0, region.Bytes()
	for ; t.ready && len(t.row) <= len(buf)-n; t.load(ctx, limit) {
		r := batch.Record{File: t.name, Line: 1, Ord: t.ord}
		if t.row != nil {
			end := n + copy(buf[n:], t.row)
			r.Data, r.Mem = buf[n:end:end], region
			n = end
		}
		chunk.Add(r, t.fault)
		t.ord++
		t.ready = false
	}
	batch.RetainAll(chunk.Records)
	region.Shrink(n)
	region.Release()
	return chunk, nil
}

// load makes the record of the next file, unless one is ready.
func (t *Text) load(ctx context.Context, limit int) {
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
		t.err = fmt.Errorf("%s: read %d bytes: %w", t.name, t.open.raw.n, reason(err))
		return
	}
	t.open.records++
	t.finish()
	t.ready = true
	t.row, t.fault = nil, nil

	if size > limit {
		t.fault = textTooLarge(limit, size)
		return
	}
	if at := invalidUTF8(t.buf); at >= 0 {
		t.row = t.buf
		t.fault = &batch.Fault{Code: InvalidUTF8, Message: fmt.Sprintf("want UTF-8, have an invalid sequence at byte %d", at)}
		return
	}
	row := append(make([]byte, 0, len(t.buf)+len(t.buf)/16+64), `{"name":`...)
	row = appendString(row, []byte(strings.ToValidUTF8(filepath.Base(t.name), "\uFFFD")))
	row = append(row, `,"text":`...)
	row = appendString(row, t.buf)
	row = append(row, '}')
	if len(row) > limit {
		t.fault = textTooLarge(limit, len(row))
		return
	}
	t.row = row
}

// contents reads the open file into buf, as far as limit allows, and gives its size.
func (t *Text) contents(ctx context.Context, limit int) (size int, err error) {
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

func textTooLarge(limit, size int) *batch.Fault {
	return &batch.Fault{Code: TooLarge, Message: fmt.Sprintf("want at most %d bytes, have %d from byte 0 of the text", limit, size)}
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

// appendString appends s, which is valid UTF-8, as a JSON string.
func appendString(dst, s []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i, c := range s {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
