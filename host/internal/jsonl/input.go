package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow is the largest zstd window that is read, the same as the zstd tool's without --long. It bounds memory.
const maxWindow = 128 << 20

// An Input is a file that was read: its size on disk, the number of records in it and the SHA-256 of its bytes in hex.
type Input struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	Records int64  `json:"records"`
	SHA256  string `json:"sha256"`
}

// inputs opens the files one after the other and keeps the account of them. Only progress is for other goroutines.
type inputs struct {
	files []found
	stdin io.Reader
	total int64
	read  atomic.Int64

	done []Input
	open *input // nil between files
}

func findInputs(opts Options) (*inputs, error) {
	files, err := find(opts.Paths)
	if err != nil {
		return nil, err
	}
	var total int64
	for _, f := range files {
		if f.size < 0 {
			total = 0
			break
		}
		total += f.size
	}
	return &inputs{files: files, stdin: opts.Stdin, total: total}, nil
}

// next opens the next file, or returns io.EOF.
func (in *inputs) next() error {
	if len(in.done) == len(in.files) {
		return io.EOF
	}
	f := in.files[len(in.done)]
	raw := &raw{hash: sha256.New(), total: &in.read}
	if f.name == stdin {
		if in.stdin == nil {
			return errors.New("want standard input, have none")
		}
		raw.src = in.stdin
	} else {
		file, err := os.Open(f.name)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, reason(err))
		}
		raw.src, raw.close = file, file.Close
	}
	in.open = &input{name: f.name, raw: raw}
	if f.size < 0 {
		raw.pump = startPump(raw.src)
		raw.src = raw.pump
	}
	return nil
}

// finish closes the open file at its end and enters it in the account.
func (in *inputs) finish() {
	o := in.open
	in.done = append(in.done, Input{
		Name: o.name, Bytes: o.raw.n, Records: o.records, SHA256: hex.EncodeToString(o.raw.hash.Sum(nil)),
	})
	in.open = nil
	o.close()
}

// Files lists the names of all files there are to read.
func (in *inputs) Files() []string {
	names := make([]string, len(in.files))
	for i, f := range in.files {
		names[i] = f.name
	}
	return names
}

// Inputs lists the files that were read to their end.
func (in *inputs) Inputs() []Input { return in.done }

// Progress gives the bytes of the files read so far and in all; total is 0 when it cannot be known. It may be called
// from any goroutine.
func (in *inputs) Progress() (read, total int64) { return in.read.Load(), in.total }

// Close closes the file that is open. Standard input stays open: it belongs to the caller, and a read that waits on it
// ends only with it.
func (in *inputs) Close() error {
	if in.open == nil {
		return nil
	}
	o := in.open
	in.open = nil
	return o.close()
}

// An input is one open file, decompressed.
type input struct {
	name    string
	raw     *raw
	text    io.Reader // nil until the first bytes were seen
	head    []byte    // first bytes of the text, to be taken before text
	free    func()    // gives back what the decompressor holds; may be nil
	records int64
}

// start reads as much as is needed to know how the file is compressed, and takes a byte-order mark off the text.
func (o *input) start() error {
	head, err := sniff(o.raw, func(head []byte) bool { return maybeMagic(head) || maybeMark(head) })
	if err != nil {
		return err
	}
	compressed := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(head), o.raw), 64<<10)
	text := io.Reader(o.raw)
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		if text, err = gzip.NewReader(compressed); err != nil {
			return err
		}
	case bytes.Equal(head, zstdMagic) || isSkippable(head):
		z, err := zstd.NewReader(compressed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		text, o.free = z, z.Close
	case strings.HasSuffix(o.name, ".gz"):
		return errors.New("want gzip data, as the name says, have something else")
	case strings.HasSuffix(o.name, ".zst"):
		return errors.New("want zstd data, as the name says, have something else")
	}
	if text != io.Reader(o.raw) {
		if head, err = sniff(text, maybeMark); err != nil {
			return err
		}
	}
	o.text, o.head = text, bytes.TrimPrefix(head, byteOrderMark)
	return nil
}

// sniff reads the first bytes one by one, as long as more says that they do not tell enough.
func sniff(r io.Reader, more func([]byte) bool) ([]byte, error) {
	head := make([]byte, 0, 4)
	for len(head) < cap(head) && more(head) {
		n, err := r.Read(head[len(head) : len(head)+1])
		head = head[:len(head)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return head, nil
}

// Read reads decompressed text.
func (o *input) Read(p []byte) (int, error) {
	if o.text == nil {
		if err := o.start(); err != nil {
			return 0, err
		}
	}
	if len(o.head) > 0 {
		n := copy(p, o.head)
		o.head = o.head[n:]
		return n, nil
	}
	return o.text.Read(p)
}

// idle says that the next Read may have to wait for somebody else.
func (o *input) idle() bool { return o.raw.pump != nil && !o.raw.pump.ready() }

// watch makes Reads that wait end with ctx.
func (o *input) watch(ctx context.Context) {
	if o.raw.pump != nil {
		o.raw.pump.ctx = ctx
	}
}

func (o *input) close() error {
	if o.free != nil {
		o.free()
	}
	if o.raw.pump != nil {
		o.raw.pump.stop()
	}
	if o.raw.close != nil {
		return o.raw.close()
	}
	return nil
}

var (
	byteOrderMark = []byte("\uFEFF")

	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	skipMagic = []byte{0x2a, 0x4d, 0x18} // behind a byte from 0x50 to 0x5f: a zstd frame without content
)

func isSkippable(head []byte) bool {
	return len(head) == 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:], skipMagic)
}

// maybeMagic says whether more bytes are needed to tell. No JSON text begins like compressed data, so one byte does
// for it, and a pipe need not deliver more.
func maybeMagic(head []byte) bool {
	return len(head) == 0 || bytes.HasPrefix(gzipMagic, head) && len(head) < len(gzipMagic) || bytes.HasPrefix(zstdMagic, head) ||
		head[0]&0xf0 == 0x50 && bytes.HasPrefix(skipMagic, head[1:])
}

func maybeMark(head []byte) bool {
	return len(head) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, head)
}

// raw counts and hashes the bytes of a file as they are read.
type raw struct {
	src   io.Reader
	close func() error // may be nil
	pump  *pump        // nil for files that never wait
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
