package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
)

// A Text is a file that is read outside of a run, decompressed as a run would. It is read ahead and hashed in a goroutine of
// its own, until it is closed; one other uses it.
type Text struct {
	name string
	file *os.File
	sum  hash.Hash
	n    int64
	pump *pump
}

// textBuffers are small, since many outputs may be open.
var textBuffers = buffers{many: 4, size: 64 << 10, filled: true}

// OpenText opens a file.
func OpenText(name string) (*Text, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	t := &Text{name: name, file: file, sum: sha256.New()}
	text, err := t.unpacked()
	if err != nil {
		return nil, errors.Join(t.failed(err), file.Close())
	}
	t.pump = startPump(textBuffers, func(context.Context) (io.ReadCloser, error) { return text, nil })
	return t, nil
}

// unpacked reads the file without a byte-order mark, and closes it.
func (t *Text) unpacked() (io.ReadCloser, error) {
	raw := io.TeeReader(t.file, t)
	head, err := sniff(raw, func(head []byte) bool { return maybePacked(head) || maybeMark(head) })
	if err != nil {
		return nil, err
	}
	packing := packingOf(head)
	if !isRead(packing) {
		return nil, notRead(packing)
	}
	text, err := newUnpacked(packing, io.MultiReader(bytes.NewReader(head), raw), true)
	if err != nil {
		return nil, err
	}
	if head, err = sniff(text, maybeMark); err != nil {
		return nil, errors.Join(err, text.Close())
	}
	first := bytes.NewReader(bytes.TrimPrefix(head, byteOrderMark))
	return headed{io.MultiReader(first, text), closers{text, t.file}}, nil
}

// headed reads one thing and closes another.
type headed struct {
	io.Reader
	io.Closer
}

type closers []io.Closer

// Close closes all.
func (all closers) Close() (err error) {
	for _, c := range all {
		err = errors.Join(err, c.Close())
	}
	return err
}

func (t *Text) failed(err error) error { return fmt.Errorf("%s: %w", t.name, reason(err)) }

// Write implements io.Writer, for what is read.
func (t *Text) Write(p []byte) (int, error) {
	t.n += int64(len(p))
	return t.sum.Write(p)
}

// Read implements io.Reader.
func (t *Text) Read(p []byte) (int, error) {
	n, err := t.pump.Read(p)
	if err != nil && err != io.EOF {
		err = t.failed(err)
	}
	return n, err
}

// Sum gives the size and the SHA-256, in hex, of a file that was read to its end, as it lies on disk.
func (t *Text) Sum() (bytes int64, sum string) { return t.n, hex.EncodeToString(t.sum.Sum(nil)) }

// Close ends the reading.
func (t *Text) Close() { t.pump.stop() }
