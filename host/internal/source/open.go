package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
)

// A Text is a file that is read outside of a run, decompressed as a run would. One goroutine uses it.
type Text struct {
	name string
	file *os.File
	raw  io.Reader // counts and hashes
	sum  hash.Hash
	n    int64
	text io.ReadCloser
}

// OpenText opens a file.
func OpenText(name string) (*Text, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	t := &Text{name: name, file: file, sum: sha256.New()}
	t.raw = io.TeeReader(file, t)
	if err := t.begin(); err != nil {
		file.Close()
		return nil, t.failed(err)
	}
	return t, nil
}

func (t *Text) begin() error {
	head, err := sniff(t.raw, func(head []byte) bool { return maybePacked(head) || maybeMark(head) })
	if err != nil {
		return err
	}
	packing := packingOf(head)
	if !isRead(packing) {
		return notRead(packing)
	}
	if t.text, err = newUnpacked(packing, io.MultiReader(bytes.NewReader(head), t.raw), true); err != nil {
		return err
	}
	if head, err = sniff(t.text, maybeMark); err != nil {
		t.text.Close()
		return err
	}
	t.text = headed{io.MultiReader(bytes.NewReader(bytes.TrimPrefix(head, byteOrderMark)), t.text), t.text}
	return nil
}

// headed reads one thing and closes another.
type headed struct {
	io.Reader
	io.Closer
}

func (t *Text) failed(err error) error { return fmt.Errorf("%s: %w", t.name, reason(err)) }

// Write implements io.Writer, for what is read.
func (t *Text) Write(p []byte) (int, error) {
	t.n += int64(len(p))
	return t.sum.Write(p)
}

// Read implements io.Reader.
func (t *Text) Read(p []byte) (int, error) {
	n, err := t.text.Read(p)
	if err != nil && err != io.EOF {
		err = t.failed(err)
	}
	return n, err
}

// Sum reads the file to its end and gives the size and the SHA-256, in hex, of what lies on disk.
func (t *Text) Sum() (bytes int64, sum string, err error) {
	if _, err := io.Copy(io.Discard, t.raw); err != nil {
		return 0, "", t.failed(err)
	}
	return t.n, hex.EncodeToString(t.sum.Sum(nil)), nil
}

// Close closes the file.
func (t *Text) Close() error {
	t.text.Close()
	return t.file.Close()
}
