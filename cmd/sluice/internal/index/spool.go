package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// widest is the largest zstd window that is read, as sources have it.
const widest = 128 << 20

// A spool is an unpacked copy of a file that has no name where the system allows that, so that nothing is left of it. Whoever
// reads what is not unpacked yet waits for it.
type spool struct {
	copy   *os.File
	name   string       // "" when it has none
	packed atomic.Int64 // bytes that were read of the file

	mu   sync.Mutex
	more *sync.Cond
	have int64
	err  error // what ended it; io.EOF when it is complete
}

// packing names how a file is packed, by its first bytes; "" when it is not.
func packing(f io.ReaderAt) string {
	var head [4]byte
	n, _ := f.ReadAt(head[:], 0)
	switch {
	case n >= 2 && string(head[:2]) == "\x1f\x8b":
		return "gzip"
	case string(head[:n]) == "\x28\xb5\x2f\xfd":
		return "zstd"
	}
	return ""
}

// A body is the unpacked bytes of a file.
type body struct {
	io.ReaderAt
	io.Closer
}

// body opens a file. That of a packed one is its spool, which is made and filled the first time.
func (x *Index) body(f *file) (body, error) {
	x.mu.Lock()
	s, size := f.spool, f.size
	x.mu.Unlock()
	if s != nil {
		return body{s, io.NopCloser(nil)}, nil
	}
	from, err := os.Open(f.Path)
	if err != nil {
		return body{}, err
	}
	how := packing(from)
	if how == "" {
		return body{io.NewSectionReader(from, 0, size), from}, nil
	}
	if s, err = newSpool(x.options.Cache); err != nil {
		return body{}, errors.Join(err, from.Close())
	}
	x.change(func() {
		f.spool = s
		x.spools = append(x.spools, s)
	})
	x.group.Go(func() {
		s.fill(x.ctx, from, how, x.options.Unpacked)
		from.Close()
	})
	return body{s, io.NopCloser(nil)}, nil
}

// newSpool makes an empty one in a folder, "" for the system's for temporary files.
func newSpool(folder string) (*spool, error) {
	f, err := os.CreateTemp(folder, ".unpacked-*")
	if err != nil {
		return nil, err
	}
	s := &spool{copy: f, name: f.Name()}
	if os.Remove(s.name) == nil {
		s.name = ""
	}
	s.more = sync.NewCond(&s.mu)
	return s, nil
}

func (s *spool) close() error {
	err := s.copy.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	return err
}

// fill unpacks a file into the spool.
func (s *spool) fill(ctx context.Context, from *os.File, how string, most int64) {
	err := s.unpack(ctx, from, how, most)
	if err == nil {
		err = io.EOF
	}
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	s.more.Broadcast()
}

func (s *spool) unpack(ctx context.Context, from *os.File, how string, most int64) error {
	counted := readerFunc(func(p []byte) (int, error) {
		n, err := from.Read(p)
		s.packed.Add(int64(n))
		return n, err
	})
	var unpacked io.Reader
	if how == "gzip" {
		r, err := gzip.NewReader(counted)
		if err != nil {
			return err
		}
		unpacked = r
	} else {
		r, err := zstd.NewReader(counted, zstd.WithDecoderMaxWindow(widest), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return err
		}
		defer r.Close()
		unpacked = r
	}
	buf := make([]byte, blockSize)
	for have := int64(0); ctx.Err() == nil; {
		n, err := 0, error(nil)
		for n < len(buf) && err == nil {
			var some int
			some, err = unpacked.Read(buf[n:])
			n += some
		}
		if have+int64(n) > most {
			return fmt.Errorf("want at most %d bytes of an unpacked file, have more", most)
		}
		if _, err := s.copy.WriteAt(buf[:n], have); err != nil {
			return err
		}
		have += int64(n)
		s.mu.Lock()
		s.have = have
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
	have, err := s.have, s.err
	s.mu.Unlock()
	if have-at >= int64(len(p)) {
		return s.copy.ReadAt(p, at)
	}
	if have <= at {
		return 0, err
	}
	n, failed := s.copy.ReadAt(p[:have-at], at)
	if failed != nil {
		err = failed
	}
	return n, err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
