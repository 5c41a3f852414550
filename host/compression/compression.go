// Package compression says in words for people that compressed data is cut off. Decompressors call it an unexpected EOF.
package compression

import (
	"fmt"
	"io"
)

// A CutOff is the error of compressed data that ends too early.
type CutOff struct{ format string }

// Error implements error.
func (c *CutOff) Error() string {
	return fmt.Sprintf("want the rest of the %s data, have the end of the file", c.format)
}

// Unwrap returns what decompressors call it.
func (c *CutOff) Unwrap() error { return io.ErrUnexpectedEOF }

// Explain returns the error of a decompressor of a format, as a CutOff if it is one. The error of whoever it reads from is wrapped, or is
// another.
func Explain(format string, err error) error {
	if err == io.ErrUnexpectedEOF {
		return &CutOff{format}
	}
	return err
}

// Explained returns a decompressor whose errors are explained.
func Explained(format string, r io.ReadCloser) io.ReadCloser { return &explained{format, r} }

type explained struct {
	format string
	io.ReadCloser
}

// Read implements io.Reader.
func (e *explained) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	return n, Explain(e.format, err)
}
