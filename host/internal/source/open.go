package source

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A Text is a file that is read outside of a run, decompressed as a run would. It is read ahead and hashed in a goroutine of
// its own until it is closed; one other goroutine uses it.
type Text struct {
	in   *inputs
	file *file
}

// textBuffers are small, since many outputs may be open.
var textBuffers = buffers{count: 4, size: 64 << 10, filled: true}

// OpenText opens a file.
func OpenText(name string) (*Text, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	in := &inputs{files: []entry{{name: name, info: info, compressed: true}}, ahead: textBuffers}
	if err := in.next(); err != nil {
		return nil, errors.Join(err, in.end())
	}
	return &Text{in, in.open}, nil
}

// Read implements io.Reader.
func (t *Text) Read(p []byte) (int, error) {
	n, err := t.file.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", t.file.name, reason(err))
	}
	return n, err
}

// Sum returns the size and the SHA-256, in hex, of a file that was read to its end, as it lies on disk.
func (t *Text) Sum() (bytes int64, sum string) { return t.file.raw.n, t.file.raw.sum.sum() }

// Close ends the reading. The file was only read, so closing it has nothing to say.
func (t *Text) Close() { _ = t.in.end() }
