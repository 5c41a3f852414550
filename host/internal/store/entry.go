package store

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/filelock"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/sdk/wire"
)

// An entry is a file: frames of rows (rows.go), the account of the file that they come from, and the trailer, which is the length of the
// account in eight bytes, little-endian, and the hash of all before the hash, in hex.
const (
	hashLength    = 32 // XXH3: it finds what broke, not who changed it
	trailerLength = 8 + hashLength
)

// small is how large an entry may be that is read at once.
const small = 16 << 20

func random() []byte {
	b := make([]byte, nameLength)
	rand.Read(b)
	return b
}

// A Writer writes an entry, which is not seen before Commit. Several goroutines may call Note.
type Writer struct {
	store *Store

	mu   sync.Mutex
	file *os.File
	buf  *bufio.Writer
	hash *filehash.Hasher
	text []byte // for reuse
	size int64
	err  error // the first
}

// ErrTooLarge is the error for an entry that is larger than the store may be, or than one of its entries.
var ErrTooLarge = errors.New("its results are larger than the store may be")

// Create begins an entry. The error is that of an earlier one, if it could not be stored.
func (s *Store) Create() (*Writer, error) {
	if err := s.failed(); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.temps, tempPrefix)
	if err != nil {
		return nil, err
	}
	filelock.Try(f) // others leave it alone then
	return &Writer{store: s, file: f, buf: bufio.NewWriterSize(f, 64<<10), hash: filehash.New(filehash.XXH3)}, nil
}

// Add adds rows of a sink. An error is returned by Commit.
func (w *Writer) Add(sink int, rows []wire.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(rows) > 0 && w.err == nil {
		var n int
		w.text, n = appendFrame(w.text[:0], sink, rows)
		rows = rows[n:]
		w.write(w.text)
	}
}

func (w *Writer) write(text []byte) {
	if w.err != nil {
		return
	}
	switch w.size += int64(len(text)); {
	case w.size > w.store.most:
		w.err = ErrTooLarge
		return
	case w.size > w.store.part:
		w.err = fmt.Errorf("%w: want at most %d bytes of one file in a bucket", ErrTooLarge, w.store.part)
		return
	}
	w.hash.Write(text)
	_, w.err = w.buf.Write(text)
}

// Commit gives the entry its name, with the account of the file that the rows come from. In a bucket it gets it while the run goes on, and
// what goes wrong then is the error of a later Create, or of Close. The Writer is done then, as it is after Abort.
func (w *Writer) Commit(key, hash, stamp string, account []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write(account)
	w.write(binary.LittleEndian.AppendUint64(nil, uint64(len(account))))
	w.write([]byte(w.hash.Result().Hex()))
	if w.err == nil {
		w.err = w.buf.Flush()
	}
	if w.err != nil {
		err := w.err
		w.abort()
		return oserr.Reason(err)
	}
	w.err = os.ErrClosed
	var err error
	w.store.do(func() { err = w.store.put(w.file, w.size, id{name(key), name(hash)}, stamp) })
	if w.store.later != nil {
		return nil
	}
	return err
}

// put makes an entry of a file that is complete.
func (s *Store) put(f *os.File, size int64, e id, stamp string) error {
	s.dropped(e.key)
	err := s.failed()
	more := int64(0)
	if err == nil {
		more, err = s.backend.put(e, f, size)
	}
	if err != nil {
		f.Close()
		_ = os.Remove(f.Name())
		s.fail(err)
		return err
	}
	s.backend.use(e, stamp)
	s.add(e, more)
	return nil
}

// Abort removes what was written.
func (w *Writer) Abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.abort()
}

func (w *Writer) abort() {
	_ = os.Remove(w.file.Name())
	w.file.Close()
	w.err = os.ErrClosed
}

// An Entry is an entry that is as it was written. The caller closes it.
type Entry struct {
	Account []byte
	rows    io.Reader
	close   func() error
}

// openFile checks the entry in an open file, and calls done when it is no longer read.
func openFile(f *os.File, done func() error) (*Entry, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(&Damaged{oserr.Reason(err).Error()}, done())
	}
	if info.Size() > small {
		return openEntry(f, info.Size(), done)
	}
	all := make([]byte, info.Size())
	_, err = io.ReadFull(f, all)
	if bad := done(); err != nil || bad != nil {
		return nil, &Damaged{oserr.Reason(cmp.Or(err, bad)).Error()}
	}
	return openText(all)
}

func openText(text []byte) (*Entry, error) {
	return openEntry(bytes.NewReader(text), int64(len(text)), func() error { return nil })
}

// openEntry checks all of an entry.
func openEntry(text io.ReaderAt, size int64, done func() error) (*Entry, error) {
	e := &Entry{close: done}
	if err := e.check(text, size); err != nil {
		return nil, errors.Join(&Damaged{oserr.Reason(err).Error()}, done())
	}
	return e, nil
}

func (e *Entry) check(text io.ReaderAt, size int64) error {
	if size < trailerLength {
		return fmt.Errorf("want at least %d bytes, have %d", trailerLength, size)
	}
	size -= trailerLength
	hash := filehash.New(filehash.XXH3)
	if _, err := io.Copy(struct{ io.Writer }{hash}, io.NewSectionReader(text, 0, size+8)); err != nil {
		return err
	}
	trailer := make([]byte, trailerLength)
	if _, err := text.ReadAt(trailer, size); err != nil && err != io.EOF {
		return err
	}
	if have := hash.Result().Hex(); have != string(trailer[8:]) {
		return fmt.Errorf("want the hash %q, have %q", trailer[8:], have)
	}
	length := binary.LittleEndian.Uint64(trailer)
	if length > uint64(size) {
		return fmt.Errorf("want an account of at most %d bytes, have %d", size, length)
	}
	e.Account = make([]byte, length)
	if _, err := text.ReadAt(e.Account, size-int64(length)); err != nil && err != io.EOF {
		return err
	}
	e.rows = io.NewSectionReader(text, 0, size-int64(length))
	return nil
}

// Rows calls do with all rows, those of each sink in order. They are valid until it returns.
func (e *Entry) Rows(do func(sink int, rows []wire.Record) error) error {
	return readFrames(bufio.NewReaderSize(e.rows, 64<<10), do)
}

// Close closes the entry.
func (e *Entry) Close() error { return e.close() }
