package source

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// An Input is a file that was read to its end: its name, its size in bytes as it lay on disk, the number of records
// in it, and the SHA-256 of its bytes in hex. Changed says that it was written to, replaced or removed after it was
// found, so that nobody can tell what was read.
type Input struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	Records int64  `json:"records"`
	SHA256  string `json:"sha256"`
	Changed bool   `json:"changed,omitempty"`
}

// inputs opens the files one after the other and keeps the account of them. Only Progress is for other goroutines.
type inputs struct {
	files []entry
	stdin io.Reader
	total int64
	read  atomic.Int64

	done []Input
	open *file // nil between files
}

// openInputs finds the files and looks into each regular one, so that what cannot be read shows before the run.
func openInputs(opts Options) (*inputs, error) {
	files, err := find(opts.Paths)
	if err != nil {
		return nil, err
	}
	in := &inputs{files: files, stdin: opts.Stdin}
	known := true
	for _, e := range files {
		if !e.regular() { // a pipe is left alone: its writer would notice
			known = false
			continue
		}
		if err := look(e.name); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, reason(err))
		}
		in.total += e.info.Size()
	}
	if !known {
		in.total = 0
	}
	return in, nil
}

// look opens a file and says whether its beginning can be read.
func look(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, maxMagic)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if packing := packingOf(head[:n]); !isRead(packing) {
		return notRead(packing)
	}
	return nil
}

// next opens the next file, or returns io.EOF. It does not wait: what may have to is left to the first Read.
func (in *inputs) next() error {
	if len(in.done) == len(in.files) {
		return io.EOF
	}
	e := in.files[len(in.done)]
	f := &file{entry: e, raw: raw{hash: sha256.New(), total: &in.read}}
	switch {
	case e.name == stdin && in.stdin == nil:
		return errors.New("want standard input, have none")
	case e.name == stdin:
		f.pump = startPump(func() (io.ReadCloser, error) { return io.NopCloser(in.stdin), nil })
		f.raw.src = f.pump
	case !e.regular():
		f.pump = startPump(func() (io.ReadCloser, error) { return os.Open(e.name) })
		f.raw.src = f.pump
	default:
		opened, err := os.Open(e.name)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, reason(err))
		}
		f.opened, f.raw.src = opened, opened
	}
	in.open = f
	return nil
}

// mayWait says that the next file is one whose first bytes may be long in coming.
func (in *inputs) mayWait() bool {
	return len(in.done) < len(in.files) && !in.files[len(in.done)].regular()
}

// finish closes the open file at its end and enters it in the account.
func (in *inputs) finish() {
	f := in.open
	in.done = append(in.done, Input{
		Name: f.name, Bytes: f.raw.n, Records: f.records, SHA256: hex.EncodeToString(f.raw.hash.Sum(nil)), Changed: f.disturbed(),
	})
	in.open = nil
	f.close()
}

// Files implements Source.
func (in *inputs) Files() []string { return namesOf(in.files) }

// Inputs implements Source.
func (in *inputs) Inputs() []Input { return in.done }

// Progress implements Source.
func (in *inputs) Progress() (read, total int64) { return in.read.Load(), in.total }

// Close implements Source.
func (in *inputs) Close() error {
	if in.open == nil {
		return nil
	}
	f := in.open
	in.open = nil
	return f.close()
}
