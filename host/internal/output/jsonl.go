package output

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

const outputBuffer = 64 << 10

// notWritten are endings of compressed files that sluice does not write. In upper case, .GZ and .ZST are among them.
var notWritten = []string{".gz", ".zst", ".xz", ".bz2", ".lz4", ".br", ".zip", ".7z"}

func checkJSONL(path string) error {
	ending := filepath.Ext(path)
	if ending != ".gz" && ending != ".zst" && slices.Contains(notWritten, strings.ToLower(ending)) {
		return fmt.Errorf("want a name that ends in .gz, in .zst or like no compressed file, have %q", path)
	}
	return nil
}

// jsonl writes one record on a line, compressed by zip if any.
type jsonl struct {
	buf        *bufio.Writer
	compressor *compressor // nil when not compressed, as zip
	zip        io.WriteCloser
	zipped     *bufio.Writer // what zip writes to

	line []byte // for reuse
}

func openJSONL(r *sinkFile) error {
	to := bufio.NewWriterSize(r.file, outputBuffer)
	e := &jsonl{zipped: to}
	r.encoder = e
	switch filepath.Ext(r.file.target.path) {
	case ".gz":
		e.zip = gzip.NewWriter(to)
	case ".zst":
		// One goroutine and a small window: a sink may have many of these. No records are still a frame.
		zip, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithZeroFrames(true))
		if err != nil {
			return err
		}
		e.zip = zip
	default:
		e.buf, r.lined = to, true
		return nil
	}
	e.compressor = newCompressor(e.zip)
	e.buf = bufio.NewWriterSize(e.compressor, outputBuffer)
	return nil
}

func (e *jsonl) encode(r *wire.Record) []byte {
	if bytes.IndexByte(r.Data, '\n') < 0 && bytes.IndexByte(r.Data, '\r') < 0 {
		return r.Data
	}
	e.line = jsontext.AppendCompact(e.line[:0], r.Data)
	return e.line
}

func (e *jsonl) write(line []byte) error {
	_, _ = e.buf.Write(line) // an error stays
	return e.buf.WriteByte('\n')
}

// flush writes the buffer to the file, or to its compressor.
func (e *jsonl) flush() error { return e.buf.Flush() }

func (e *jsonl) close() error {
	err := e.buf.Flush()
	if e.compressor == nil {
		return err
	}
	if err = cmp.Or(e.compressor.close(), err); err != nil {
		return err
	}
	if err := e.zip.Close(); err != nil {
		return err
	}
	return e.zipped.Flush()
}

func (e *jsonl) stop() {
	if e.compressor != nil {
		_ = e.compressor.close() // the file is thrown away
	}
}

// A compressor compresses what is written to it, in a goroutine of its own. An error of Write is that of an earlier one.
type compressor struct {
	*io.PipeWriter
	done chan struct{} // closed after the last write to the file
	err  error         // the first
}

func newCompressor(zip io.Writer) *compressor {
	from, to := io.Pipe()
	p := &compressor{PipeWriter: to, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_, p.err = io.CopyBuffer(struct{ io.Writer }{zip}, from, make([]byte, outputBuffer))
		from.CloseWithError(p.err)
	}()
	return p
}

// close waits until all is compressed. It may be called again.
func (p *compressor) close() error {
	p.PipeWriter.Close()
	<-p.done
	return p.err
}
