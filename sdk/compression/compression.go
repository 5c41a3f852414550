// Package compression reads files that may be compressed, or begin with a byte-order mark, as the sources of a run do. It is for the host and
// for built-in plugins that read files of their own.
package compression

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
)

// A CutOff is the error of compressed data that ends too early. Decompressors call that an unexpected EOF.
type CutOff struct{ format string }

// Error implements error.
func (c *CutOff) Error() string {
	return fmt.Sprintf("want the rest of the %s data, have the end of the file", c.format)
}

// Unwrap returns what decompressors call it.
func (c *CutOff) Unwrap() error { return io.ErrUnexpectedEOF }

// explain returns the error of a decompressor of a format, as a CutOff if it is one. Errors of the underlying reader are
// returned unchanged, but for an io.ErrUnexpectedEOF of its own, which looks the same.
func explain(format string, err error) error {
	if err == io.ErrUnexpectedEOF {
		return &CutOff{format}
	}
	return err
}

// explained is a decompressor whose errors are explained.
type explained struct {
	format string
	io.ReadCloser
}

// Read implements io.Reader.
func (e *explained) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	return n, explain(e.format, err)
}

// NewText returns the text of a file: decompressed by its first bytes, and without a byte-order mark. A name that says something else than
// the bytes do is a Misnamed. Closing the text does not close the file.
func NewText(name string, file io.Reader) (io.ReadCloser, error) {
	head, format, err := Sniff(name, file)
	if err != nil {
		return nil, err
	}
	text, err := NewReader(format, io.MultiReader(bytes.NewReader(head), file), false, new(atomic.Int64))
	if err != nil {
		return nil, err
	}
	return Unmarked(text)
}

// ByteOrderMark is what some editors write in front of a text in UTF-8.
var ByteOrderMark = []byte("\uFEFF")

// Unmarked returns a text without its byte-order mark. Of a text without one it reads no more bytes than show that. An error closes the text.
func Unmarked(text io.ReadCloser) (io.ReadCloser, error) {
	head, err := sniff(text, maybeMark)
	if err != nil {
		text.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(bytes.TrimPrefix(head, ByteOrderMark)), text), text}, nil
}

func maybeMark(head []byte) bool {
	return len(head) < len(ByteOrderMark) && bytes.HasPrefix(ByteOrderMark, head)
}
