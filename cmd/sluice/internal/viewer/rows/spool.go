package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
)

// A spoolFile holds unpacked copies. It has no name where the system allows that, so that nothing is left of it.
type spoolFile struct {
	*os.File
	name string // "" when it has none
	used atomic.Int64
}

func newSpoolFile(folder string) (*spoolFile, error) {
	f, err := os.CreateTemp(folder, ".unpacked-*")
	if err != nil {
		return nil, err
	}
	r := &spoolFile{File: f, name: f.Name()}
	if os.Remove(r.name) == nil {
		r.name = ""
	}
	return r, nil
}

// keep writes a block where there is room for it, in at most so many bytes of all.
func (r *spoolFile) keep(block []byte, most int64) (at int64, err error) {
	end := r.used.Add(int64(len(block)))
	if end > most {
		return 0, fmt.Errorf("want at most %d bytes of unpacked files in all", most)
	}
	at = end - int64(len(block))
	_, err = r.WriteAt(block, at)
	return at, err
}

func (r *spoolFile) close() error {
	err := r.Close()
	if r.name != "" {
		err = errors.Join(err, os.Remove(r.name))
	}
	return err
}

// A spool is an unpacked copy of a file. A reader waits until the bytes that it wants are unpacked.
type spool struct {
	file   *spoolFile
	packed *countingReader

	mu     sync.Mutex
	more   *sync.Cond
	have   int64
	blocks []int64 // where they are in the file; each but the last has blockSize bytes
	err    error   // what ended it; io.EOF when it is complete
}

type body struct {
	io.ReaderAt
	io.Closer
}

// body opens a file. That of a packed or marked one is its spool, which is made and filled the first time.
func (x *Index) body(f *file) (body, error) {
	x.mu.Lock()
	s, size := f.spool, f.Of
	x.mu.Unlock()
	if s != nil {
		return body{s, io.NopCloser(nil)}, nil
	}
	from, err := os.Open(f.Path)
	if err != nil {
		return body{}, err
	}
	packed := &countingReader{from: from}
	unpacked, err := rowfile.Text(f.Path, packed, size, packed)
	if err == nil && unpacked == nil {
		return body{io.NewSectionReader(from, 0, size), from}, nil
	}
	if err == nil {
		s, err = x.newSpool(f, packed)
	}
	if err != nil {
		return body{}, errors.Join(err, from.Close())
	}
	x.group.Go(func() {
		s.fill(x.ctx, unpacked, x.options.Unpacked)
		unpacked.Close()
		from.Close()
	})
	return body{s, io.NopCloser(nil)}, nil
}

func (x *Index) newSpool(f *file, packed *countingReader) (s *spool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.spoolFile == nil {
		if x.spoolFile, err = newSpoolFile(x.options.Cache); err != nil {
			return nil, err
		}
	}
	s = &spool{file: x.spoolFile, packed: packed}
	s.more = sync.NewCond(&s.mu)
	f.spool = s
	return s, nil
}

func (s *spool) fill(ctx context.Context, unpacked io.Reader, most int64) {
	err := s.copy(ctx, unpacked, most)
	if err == nil {
		err = io.EOF
	}
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	s.more.Broadcast()
}

func (s *spool) copy(ctx context.Context, unpacked io.Reader, most int64) error {
	buf := make([]byte, blockSize)
	for ctx.Err() == nil {
		n, err := 0, error(nil)
		for n < len(buf) && err == nil {
			var some int
			some, err = unpacked.Read(buf[n:])
			n += some
		}
		at, failed := s.file.keep(buf[:n], most)
		if failed != nil {
			return failed
		}
		s.mu.Lock()
		s.have += int64(n)
		s.blocks = append(s.blocks, at)
		s.mu.Unlock()
		s.more.Broadcast()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
	return ctx.Err()
}

// ReadAt implements io.ReaderAt.
func (s *spool) ReadAt(p []byte, at int64) (int, error) {
	s.mu.Lock()
	for s.err == nil && s.have < at+int64(len(p)) {
		s.more.Wait()
	}
	have, blocks, err := s.have, s.blocks, s.err
	s.mu.Unlock()
	n := 0
	for n < len(p) && at < have {
		block, in := blocks[at/blockSize], at%blockSize
		size := min(int64(len(p)-n), blockSize-in, have-at)
		some, failed := s.file.ReadAt(p[n:n+int(size)], block+in)
		n, at = n+some, at+int64(some)
		if failed != nil {
			return n, failed
		}
	}
	if n == len(p) {
		return n, nil
	}
	return n, err
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	from *os.File
	read atomic.Int64
}

// ReadAt implements io.ReaderAt.
func (r *countingReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.from.ReadAt(p, at)
	r.read.Add(int64(n))
	return n, err
}

// Read implements io.Reader.
func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.read.Add(int64(n))
	return n, err
}
