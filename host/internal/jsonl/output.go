package jsonl

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const outputBuffer = 64 << 10

// An output is one file of a sink on its way: lines to buf, compressed by zip if any, then hashed and counted by
// written.
type output struct {
	path    string
	file    *staged // nil for standard output
	buf     *bufio.Writer
	zip     io.WriteCloser // nil when not compressed
	zipped  *bufio.Writer  // what zip writes to
	written *hashed
	records int64
	done    bool // nothing is left to write
}

func create(path string, stdout io.Writer) (*output, error) {
	o := &output{path: path, written: &hashed{to: stdout, hash: sha256.New()}}
	if stdout == nil {
		f, err := stage(path)
		if err != nil {
			return nil, err
		}
		o.file, o.written.to = f, f
	}
	o.zipped = bufio.NewWriterSize(o.written, outputBuffer)
	switch {
	case strings.HasSuffix(path, ".gz"):
		o.zip = gzip.NewWriter(o.zipped)
	case strings.HasSuffix(path, ".zst"):
		// One goroutine and a small window: a sink may have many of these. No records are still a frame.
		z, err := zstd.NewWriter(o.zipped, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithZeroFrames(true))
		if err != nil {
			return nil, err
		}
		o.zip = z
	default:
		o.buf, o.zipped = o.zipped, nil
		return o, nil
	}
	o.buf = bufio.NewWriterSize(o.zip, outputBuffer)
	return o, nil
}

func (o *output) writeLine(line []byte) error {
	o.records++
	o.buf.Write(line) // an error stays
	if err := o.buf.WriteByte('\n'); err != nil {
		return o.failed(err)
	}
	return nil
}

func (o *output) failed(err error) error { return fmt.Errorf("%s: %w", o.path, reason(err)) }

// flush hands over what is not compressed.
func (o *output) flush() error {
	if err := o.buf.Flush(); err != nil {
		return o.failed(err)
	}
	return nil
}

func (o *output) finish() error {
	if o.done {
		return nil
	}
	if err := o.flush(); err != nil {
		return err
	}
	if o.zip != nil {
		if err := o.zip.Close(); err != nil {
			return o.failed(err)
		}
		if err := o.zipped.Flush(); err != nil {
			return o.failed(err)
		}
	}
	o.done = true
	if o.file == nil {
		return nil
	}
	return o.file.finish()
}

func (o *output) commit() error {
	if o.file == nil {
		return nil
	}
	return o.file.commit()
}

func (o *output) abort() error {
	if o.file == nil {
		return nil
	}
	return o.file.abort()
}

func (o *output) result() Output {
	return Output{Path: o.path, Records: o.records, Bytes: o.written.n, SHA256: hex.EncodeToString(o.written.hash.Sum(nil))}
}

// hashed counts and hashes what goes through it.
type hashed struct {
	to   io.Writer
	hash hash.Hash
	n    int64
}

func (h *hashed) Write(p []byte) (int, error) {
	n, err := h.to.Write(p)
	h.hash.Write(p[:n])
	h.n += int64(n)
	return n, err
}
