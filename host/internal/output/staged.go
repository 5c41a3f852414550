package output

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
)

// disk syncs, renames and removes files. Tests put failing ones in its place.
type disk struct {
	sync   func(*os.File) error
	rename func(from, to string) error
	remove func(name string) error
}

var theDisk = disk{(*os.File).Sync, os.Rename, os.Remove}

// A file is what the run writes to one target, from staging to its name. Only its owner can read it, since it may hold personal data. Where
// it replaces a file, it takes the mode of that. Pipes, devices and standard output are written in place.
type file struct {
	claim   *claim
	target  *target
	auditor *auditor // nil for a report
	to      io.Writer
	file    *os.File       // to, unless that belongs to the caller; nil once it is closed
	temp    string         // hidden path; empty when written in place, and once it is renamed or removed
	upload  *places.Upload // of a file for object storage; else nil
	parts   places.Parts   // of upload, once all is sent
	note    string         // path of the note about upload

	algorithm  string       // of the hash
	written    atomic.Int64 // bytes
	crc        uint32       // of what is written, see fileMark
	reported   int64        // of written, when the auditor was last notified
	reading    sync.Mutex   // for digest but its hash, readErr and the closing of file
	hashing    sync.Mutex   // for the hash of digest; taken before reading is let go, so that the order stays
	digest     digest       // the auditor's until it stops, the writer's for what is written in place; without a hash nobody reads back yet
	readErr    error        // of reading back
	notDurable bool         // see Claim
	rows       bool         // lines that a table is made of: it never gets a name
	complete   bool         // finished
	result     filehash.Sum // once it is complete
	checked    fs.FileInfo  // what is complete, as it was compared; nil when another process has done that
	synced     int64        // bytes that a checkpoint has made durable, with the name; less than 0: not even that
}

// stage opens the file for a target.
func (s *Set) stage(ctx context.Context, c *claim, t *target) (*file, error) {
	f := s.newFile(c, t)
	if t.inPlace() {
		f.digest = newDigest(s.opts.Hash)
		return f, s.openInPlace(ctx, f)
	}
	if err := t.writable(); err != nil { // once more: plans may be old
		return nil, err
	}
	if err := s.enter(filepath.Dir(t.real), places.Dir(t.path)); err != nil {
		return nil, err
	}
	temp := filepath.Join(filepath.Dir(t.real), s.temporary(filepath.Base(t.real), s.temps))
	s.temps++
	file, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.path, oserr.Reason(err))
	}
	f.to, f.file, f.temp = file, file, temp
	s.files = append(s.files, f)
	s.followUpload(f)
	if info, err := os.Stat(t.real); err == nil {
		if err := file.Chmod(info.Mode().Perm()); err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, oserr.Reason(err))
		}
	}
	return f, nil
}

func (s *Set) newFile(c *claim, t *target) *file {
	f := &file{claim: c, target: t, algorithm: s.opts.Hash, notDurable: c.NotDurable, synced: -1}
	if c.sink != nil && !c.sink.format.table {
		f.auditor = &s.auditor
		f.digest = newDigest(s.opts.Hash)
	}
	return f
}

func (s *Set) openInPlace(ctx context.Context, f *file) (err error) {
	f.to = s.opts.Stdout
	if f.target.path != stdout {
		if f.file, err = openPipe(ctx, f.target); err != nil {
			return fmt.Errorf("%s: %w", f.target.path, oserr.Reason(err))
		}
		f.to = f.file
	}
	if f.to == nil {
		return errors.New("want standard output, have a run without it")
	}
	s.files = append(s.files, f)
	return nil
}

// openPipe opens a pipe or a device. A pipe without a reader is tried again until ctx ends: an open that waits for the
// reader could not be interrupted.
func openPipe(ctx context.Context, t *target) (*os.File, error) {
	if t.info.Mode()&fs.ModeNamedPipe == 0 {
		return os.OpenFile(t.path, os.O_WRONLY, 0)
	}
	for {
		f, err := os.OpenFile(t.path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("want a reader of the pipe: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Write implements io.Writer. Whoever has cut the file meanwhile would leave a hole in it that its size does not show later.
func (f *file) Write(p []byte) (int, error) {
	if err := f.untouched(); err != nil {
		return 0, err
	}
	n, err := f.to.Write(p)
	if f.target.inPlace() {
		f.digest.count(p[:n])
		f.digest.hash.Write(p[:n])
	} else {
		f.crc = crc32.Update(f.crc, castagnoli, p[:n])
		if size := f.written.Add(int64(n)); f.auditor != nil && size-f.reported >= auditStep {
			f.reported = size
			f.auditor.notify(f)
		}
	}
	if f.upload != nil {
		f.upload.Grow(f.written.Load())
	}
	if err != nil {
		err = f.failed(err)
	}
	return n, err
}

// untouched returns an error when the file on disk has not the size that was written.
func (f *file) untouched() error {
	if f.temp == "" {
		return nil
	}
	info, err := f.file.Stat()
	if err != nil {
		return f.failed(err)
	}
	if wrote := f.written.Load(); info.Size() != wrote {
		return errChanged(f.target.path, wrote, info.Size())
	}
	return nil
}

func errChanged(path string, wrote, size int64) error {
	return fmt.Errorf("%s: want %d bytes on disk, as they were written, have %d", path, wrote, size)
}

func (f *file) failed(err error) error {
	if f.upload != nil {
		return fmt.Errorf("%s: staged in %s: %w", f.target.path, filepath.Dir(f.temp), oserr.Reason(err))
	}
	return fmt.Errorf("%s: %w", f.target.path, oserr.Reason(err))
}

// readBack adds the next bytes on disk to the digest, and reports whether there may be more.
func (f *file) readBack(buf []byte) bool {
	f.reading.Lock()
	most := min(f.written.Load()-f.digest.bytes, int64(len(buf)))
	if most <= 0 || f.readErr != nil || f.file == nil || f.digest.hash == nil {
		f.reading.Unlock()
		return false
	}
	n, err := f.file.ReadAt(buf[:most], f.digest.bytes)
	f.digest.count(buf[:n])
	if err != io.EOF {
		f.readErr = err
	}
	f.hashing.Lock()
	f.reading.Unlock()
	f.digest.hash.Write(buf[:n])
	f.hashing.Unlock()
	return err == nil // at io.EOF compare finds the wrong size
}

// finish makes the file durable under its hidden name, and compares what lies there with what was written: records as
// lines, or -1 when the file has no line for each. It is not written any more.
func (f *file) finish(d *disk, records int64) error {
	if f.complete {
		return nil
	}
	if f.temp != "" {
		if err := f.compare(records); err != nil {
			return err
		}
		if !f.notDurable {
			if err := d.sync(f.file); err != nil {
				return f.failed(err)
			}
		}
	}
	f.complete = true
	f.hashing.Lock()
	f.result, f.digest.hash = f.digest.hash.Result(), nil
	f.hashing.Unlock()
	return f.close()
}

// check returns an error when the hidden name leads to other bytes than those that were compared. They are read again only where the file
// looks like a different one, which on some file systems it does though nobody has touched it.
func (f *file) check() error {
	if f.checked == nil || f.temp == "" {
		return nil
	}
	info, err := os.Lstat(f.temp)
	if err != nil {
		return f.failed(err)
	}
	if os.SameFile(info, f.checked) && info.Size() == f.digest.bytes && info.ModTime().Equal(f.checked.ModTime()) {
		return nil
	}
	if info.Mode().IsRegular() && info.Size() == f.digest.bytes {
		if sum, err := filehash.File(f.temp, f.algorithm); err == nil && sum == f.result {
			f.checked = info
			return nil
		}
	}
	return &LostError{f.target.path, f.digest.bytes, f.temp, true}
}

// sum returns the size and the hash of a file that is finished.
func (f *file) sum() (bytes int64, sum filehash.Sum) { return f.digest.bytes, f.result }

// shut closes a file that may be written on. text goes behind what is written, until it is opened again. What the auditors have read is
// forgotten, since hashes take memory and such files are many: in the end the file is read back from its start.
func (f *file) shut(text []byte) error {
	if len(text) > 0 {
		if _, err := f.file.WriteAt(text, f.written.Load()); err != nil {
			return f.failed(err)
		}
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	f.hashing.Lock()
	f.digest = digest{}
	f.hashing.Unlock()
	f.to = nil
	return f.close()
}

// reopen opens a file that was shut, to write on, and returns the text that lies behind what is written.
func (f *file) reopen(text int64) ([]byte, error) {
	file, err := os.OpenFile(f.temp, os.O_RDWR, 0)
	if err != nil {
		return nil, f.failed(err)
	}
	var tail []byte
	size := f.written.Load()
	if text > 0 {
		tail = make([]byte, text)
		_, err = file.ReadAt(tail, size)
	}
	if err == nil {
		err = file.Truncate(size)
	}
	if err == nil {
		_, err = file.Seek(size, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, f.failed(err)
	}
	f.reading.Lock()
	f.to, f.file = file, file
	f.reading.Unlock()
	return tail, nil
}

func (f *file) compare(records int64) error {
	f.reading.Lock()
	if f.digest.hash == nil { // no auditor has read it
		f.digest = newDigest(f.algorithm)
	}
	f.reading.Unlock()
	wrote := f.written.Load()
	for buf := make([]byte, min(wrote, auditStep)); f.readBack(buf); {
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	if f.readErr != nil {
		return f.failed(f.readErr)
	}
	info, err := f.file.Stat()
	if err != nil {
		return f.failed(err)
	}
	if info.Size() != wrote || f.digest.bytes != wrote {
		return errChanged(f.target.path, wrote, info.Size())
	}
	f.checked = info
	if records >= 0 && f.digest.lines != records {
		return fmt.Errorf("%s: want %d lines on disk, one for each record, have %d", f.target.path, records, f.digest.lines)
	}
	return nil
}

func (f *file) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if f.file = nil; err != nil {
		return f.failed(err)
	}
	return nil
}

func (f *file) moveTo(d *disk, name string) error {
	if f.temp == "" {
		return nil
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := d.rename(f.temp, name); err != nil {
		return f.failed(err)
	}
	f.temp = ""
	return nil
}

// discard removes what was written, unless it has its name already.
func (f *file) discard(d *disk) error {
	err := f.close()
	if f.temp == "" {
		return err
	}
	_ = f.abortUpload() // the note about it stays otherwise
	removeErr := d.remove(f.temp)
	f.temp = ""
	if removeErr != nil && !oserr.Missing(removeErr) {
		err = errors.Join(err, f.failed(removeErr))
	}
	return err
}
