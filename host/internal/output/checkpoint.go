package output

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/sluicehq/sluice/host/internal/oserr"
)

// A Checkpoint is what the files of a run hold at one moment, with what the run notes beside them.
type Checkpoint struct {
	set      *Set
	state    state
	files    []durable
	folders  map[string]bool // that hold the files
	fresh    map[string]bool // of these, that hold new names
	attached []*attachment
}

// An attachment is a file beside the state.
type attachment struct {
	file *os.File
	mark attachmentMark
}

// Write implements io.Writer.
func (a *attachment) Write(data []byte) (int, error) {
	n, err := a.file.Write(data)
	a.mark.Bytes += int64(n)
	a.mark.CRC = crc32.Update(a.mark.CRC, castagnoli, data[:n])
	if err != nil {
		err = fmt.Errorf("the state of the run: %w", oserr.Reason(err))
	}
	return n, err
}

// Close leaves the file open: Save makes it durable.
func (a *attachment) Close() error { return nil }

// unwritten is the name of the attachment with the rows that the files of sinks do not have yet.
const unwritten = "rows"

// Unresumable returns why the run cannot be resumed, whatever is saved, or nil: it has no receipt with a place for a state, or an
// output is written in place.
func (s *Set) Unresumable() error {
	if s.statePath() == "" {
		return errors.New("the run has no receipt that is a file, beside which its state would lie")
	}
	for _, c := range s.claims {
		if c.target != nil && c.target.inPlace() {
			return fmt.Errorf("%s writes into %q, which cannot be taken back", c.What, c.Path)
		}
	}
	return nil
}

// Mark notes what the files of all sinks hold. No sink writes meanwhile; they may write on when it returns.
func (s *Set) Mark() (*Checkpoint, error) {
	if err := s.Unresumable(); err != nil {
		return nil, err
	}
	if err := cmp.Or(s.enterState(), s.Discard()); err != nil {
		return nil, err
	}
	c := &Checkpoint{set: s, folders: map[string]bool{}, fresh: map[string]bool{}}
	texts, err := c.Attach(unwritten)
	for _, sink := range s.sinks {
		if err == nil {
			err = c.mark(sink, texts)
		}
	}
	if err != nil {
		c.Drop()
		return nil, err
	}
	path := s.statePath()
	s.mu.Lock()
	defer s.mu.Unlock()
	c.state.Next = s.temps
	for _, made := range s.made {
		c.state.Made = append(c.state.Made, near(path, made))
	}
	for _, folder := range slices.Sorted(maps.Keys(c.folders)) {
		c.state.Folders = append(c.state.Folders, near(path, folder))
	}
	return c, nil
}

// Attach begins a file beside the state, such as the state of a step. Its bytes become durable with Save. One attachment is written at a
// time, and closed before Save.
func (c *Checkpoint) Attach(name string) (io.WriteCloser, error) {
	path := c.set.statePath()
	for {
		c.set.lastAttachment++
		file := fmt.Sprintf("%s-%d", filepath.Base(path), c.set.lastAttachment)
		f, err := os.OpenFile(filepath.Join(filepath.Dir(path), file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) { // of a run that died, or of the checkpoint that this run began with
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the state of the run: %w", oserr.Reason(err))
		}
		a := &attachment{f, attachmentMark{Name: name, File: file}}
		c.attached = append(c.attached, a)
		return a, nil
	}
}

// Drop removes the attachments of a checkpoint that is not saved.
func (c *Checkpoint) Drop() {
	for _, a := range c.attached {
		a.file.Close()
		_ = c.set.disk.remove(a.file.Name())
	}
}

// Save makes the files durable up to what Mark has noted, then the state: text is JSON, which Interrupted returns. The
// checkpoint before it is removed. Sinks may write meanwhile; nothing else of the Set is called, and no other checkpoint is under way.
func (c *Checkpoint) Save(text []byte) error {
	if err := c.sync(); err != nil {
		c.Drop()
		return err
	}
	c.state.Text = text
	return c.set.writeState(&c.state) // after an error the attachments may be those of the state in place
}

// sync makes durable what the state leads to.
func (c *Checkpoint) sync() error {
	s := c.set
	err := together(len(c.files), func(i int) error {
		d := c.files[i]
		err := d.sync(&s.disk)
		if oserr.Missing(err) {
			return &LostError{d.file.target.path, d.size, d.temp, false}
		}
		if err != nil {
			return d.file.failed(err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := errors.Join(s.syncFolders(c.fresh), s.syncMade()); err != nil {
		return err
	}
	for _, d := range c.files {
		d.file.synced = d.size
	}
	if err := s.protect(slices.Sorted(maps.Keys(c.folders))); err != nil {
		return err
	}
	for _, a := range c.attached {
		if err := errors.Join(s.disk.sync(a.file), a.file.Close()); err != nil {
			return fmt.Errorf("the state of the run: %w", oserr.Reason(err))
		}
		c.state.Attached = append(c.state.Attached, a.mark)
	}
	return s.syncFolder(filepath.Dir(s.statePath())) // the names of the attachments, before that of the state
}

// sync makes a file durable, whether its writer has it open or not.
func (d *durable) sync(disk *disk) error {
	f, err := os.OpenFile(d.temp, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(disk.sync(f), f.Close())
}

// syncMade makes the folders durable that the run has made.
func (s *Set) syncMade() error {
	s.mu.Lock()
	above := map[string]bool{}
	for _, made := range s.made[s.madeSynced:] {
		above[filepath.Dir(made)] = true
	}
	n := len(s.made)
	s.mu.Unlock()
	if err := s.syncFolders(above); err != nil {
		return err
	}
	s.madeSynced = n
	return nil
}

// Resumable reports whether Suspend would leave a run that can go on.
func (s *Set) Resumable() bool { return s.saved || s.from != nil }

// Suspend ends a run that has failed. When the run has a checkpoint, its files and its state stay, so that it can go on, and Suspend reports
// true; Abort does nothing after that. Without a checkpoint Suspend does what Abort does.
func (s *Set) Suspend() (kept bool, err error) {
	if !s.Resumable() {
		return false, s.Abort()
	}
	s.kept = true
	for _, f := range s.files {
		_ = f.abortUpload() // the run that goes on begins it anew
	}
	return true, s.release()
}

// release ends the writing of all files, which stay as they are, and unlocks the folders.
func (s *Set) release() error {
	s.auditor.stop()
	for _, sink := range s.sinks {
		sink.stop()
	}
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.close())
	}
	s.leaveFolders()
	return errors.Join(errs...)
}
