package source

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/sdk/compression"
)

// frameLines is a file of zstd frames. It is cut where a frame begins with a line, which is all that a part of it needs to be data in zstd
// again. Frames that begin within a line belong to the part of the frame before.
type frameLines struct {
	f    io.ReaderAt
	size int64

	begins []int64 // of the frames so far, and of what follows the last
	ended  bool    // no frame is known to follow
}

// start implements lined.
func (l *frameLines) start(ctx context.Context, at int64) (int64, error) {
	if len(l.begins) == 0 {
		l.begins = []int64{0}
	}
	for k := 0; ; k++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if k == len(l.begins) {
			if err := l.walk(); err != nil {
				return 0, err
			}
			if k == len(l.begins) {
				return l.size, nil
			}
		}
		if l.begins[k] < at {
			continue
		}
		if whole, err := l.endsLine(ctx, k); whole || err != nil {
			return l.begins[k], err
		}
	}
}

// walk finds where the next frame ends. What is no frame, or has no end, is left to whoever reads it, which says what is wrong.
func (l *frameLines) walk() error {
	if l.ended {
		return nil
	}
	at := l.begins[len(l.begins)-1]
	end, err := compression.FrameEnd(l.f, at)
	if err != nil && err != io.EOF {
		return err
	}
	if l.ended = err == io.EOF || end >= l.size; !l.ended {
		l.begins = append(l.begins, end)
	}
	return nil
}

// endsLine reports whether what lies before a frame ends with a line, or is nothing.
func (l *frameLines) endsLine(ctx context.Context, frame int) (bool, error) {
	for ; frame > 0; frame-- {
		var end lastByte
		if _, err := l.read(ctx, l.begins[frame-1], l.begins[frame], &end); err != nil {
			if _, broken := errors.AsType[*brokenError](err); broken {
				return false, nil // the part that reads it says so
			}
			return false, err
		}
		if end.seen {
			return end.byte == '\n', nil
		}
	}
	return true, nil
}

// count implements lined.
func (l *frameLines) count(ctx context.Context, from, to int64) (lines, text int64, err error) {
	var ends lineEnds
	text, err = l.read(ctx, from, to, &ends)
	return int64(ends), text, err
}

// read decompresses frames, and returns how long their text is. An error is a *brokenError when the frames are no zstd.
func (l *frameLines) read(ctx context.Context, from, to int64, into io.Writer) (int64, error) {
	if from == to {
		return 0, nil
	}
	compressed := &compressedBytes{Reader: places.Until(ctx, io.NewSectionReader(l.f, from, to-from))}
	z, err := zstd.NewReader(compressed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(compression.MaxWindow))
	if err != nil {
		return 0, err
	}
	defer z.Close()
	n, err := z.WriteTo(into)
	switch {
	case compressed.err != nil:
		err = compressed.err
	case err != nil:
		err = &brokenError{err}
	}
	return n, err
}

// A brokenError says why data is not zstd.
type brokenError struct{ error }

// Unwrap returns the decompressor's own words.
func (e *brokenError) Unwrap() error { return e.error }

// compressedBytes are compressed bytes that are read. err is why that failed, if it is not for what they say.
type compressedBytes struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (r *compressedBytes) Read(p []byte) (n int, err error) {
	if n, err = r.Reader.Read(p); err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// lastByte remembers the last byte of what is written.
type lastByte struct {
	byte
	seen bool
}

// Write implements io.Writer.
func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.byte, l.seen = p[len(p)-1], true
	}
	return len(p), nil
}

// lineEnds counts the line ends in what is written.
type lineEnds int64

// Write implements io.Writer.
func (n *lineEnds) Write(p []byte) (int, error) {
	*n += lineEnds(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}
