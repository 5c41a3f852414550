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
	"path/filepath"
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

// ErrTooLarge is the error for an entry that is larger than the store may be.
var ErrTooLarge = errors.New("its results are larger than the store may be")

// Create begins an entry.
func (s *Store) Create() (*Writer, error) {
	f, err := os.CreateTemp(s.dir, tempPrefix)
	if err != nil {
		return nil, err
	}
	filelock.Try(f) // others leave it alone then
	return &Writer{store: s, file: f, buf: bufio.NewWriterSize(f, 64<<10), hash: filehash.New(filehash.XXH3)}, nil
}

// Note adds rows of a sink. An error is returned by Commit.
func (w *Writer) Note(sink int, rows []wire.Record) {
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
	if w.size += int64(len(text)); w.size > w.store.most {
		w.err = ErrTooLarge
		return
	}
	w.hash.Write(text)
	_, w.err = w.buf.Write(text)
}

// Commit gives the entry its name, with the account of the file that the rows come from. The Writer is done then, as it is after Abort.
func (w *Writer) Commit(key, hash, stamp string, account []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write(account)
	w.write(binary.LittleEndian.AppendUint64(nil, uint64(len(account))))
	w.write([]byte(w.hash.Result().Hex()))
	if w.err == nil {
		w.err = w.buf.Flush()
	}
	path := w.store.path(key, hash)
	if w.err == nil {
		w.err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	old := int64(0)
	if info, err := os.Stat(path); err == nil {
		old = info.Size()
	}
	w.err = cmp.Or(w.err, w.file.Close())
	if w.err == nil {
		w.err = os.Rename(w.file.Name(), path)
	}
	if w.err != nil {
		err := w.err
		w.abort()
		return oserr.Reason(err)
	}
	w.store.stamp(key, hash, stamp)
	w.store.add(key, hash, w.size-old)
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
	file    *os.File
	rows    io.Reader
}

// openEntry opens an entry and checks all of it.
func openEntry(path string) (_ *Entry, err error) {
	if info, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() { // opening a pipe can block for good
		return nil, &Damaged{"want a file, have " + info.Mode().Type().String()}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, &Damaged{oserr.Reason(err).Error()}
	}
	size := info.Size() - trailerLength
	if size < 0 {
		return nil, &Damaged{fmt.Sprintf("want at least %d bytes, have %d", trailerLength, info.Size())}
	}
	var text io.ReaderAt = f
	if size <= small {
		all := make([]byte, info.Size())
		if _, err := io.ReadFull(f, all); err != nil {
			return nil, &Damaged{oserr.Reason(err).Error()}
		}
		text = bytes.NewReader(all)
	}
	hash := filehash.New(filehash.XXH3)
	if _, err := io.Copy(struct{ io.Writer }{hash}, io.NewSectionReader(text, 0, size+8)); err != nil {
		return nil, &Damaged{oserr.Reason(err).Error()}
	}
	trailer := make([]byte, trailerLength)
	if _, err := text.ReadAt(trailer, size); err != nil && err != io.EOF {
		return nil, &Damaged{oserr.Reason(err).Error()}
	}
	if have := hash.Result().Hex(); have != string(trailer[8:]) {
		return nil, &Damaged{fmt.Sprintf("want the hash %q, have %q", trailer[8:], have)}
	}
	length := binary.LittleEndian.Uint64(trailer)
	if length > uint64(size) {
		return nil, &Damaged{fmt.Sprintf("want an account of at most %d bytes, have %d", size, length)}
	}
	e := &Entry{Account: make([]byte, length), file: f}
	if _, err := text.ReadAt(e.Account, size-int64(length)); err != nil && err != io.EOF {
		return nil, &Damaged{oserr.Reason(err).Error()}
	}
	e.rows = io.NewSectionReader(text, 0, size-int64(length))
	return e, nil
}

// Rows calls do with all rows, those of each sink in order. They are valid until it returns.
func (e *Entry) Rows(do func(sink int, rows []wire.Record) error) error {
	return readFrames(bufio.NewReaderSize(e.rows, 64<<10), do)
}

// Close closes the entry.
func (e *Entry) Close() error { return e.file.Close() }
