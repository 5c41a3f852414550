package output

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
)

// Files that go to object storage are staged like all others, in a folder of this machine that mirrors the bucket. There they are read back,
// checkpoints and the list of a commit lead to them, and a run that was interrupted finds them. The parts of large ones are sent while they
// are written. Where the commit would rename a file it completes the upload instead, and removes the file from the mirror. The id
// of each upload is noted beside the file before anything is sent: whoever sweeps a dead run's files has the server forget its upload.

// mirrored returns the path in the mirror of a file or folder of object storage.
func (s *Set) mirrored(name string) (string, error) {
	if s.mirror == "" {
		staging, err := places.Staging()
		if err != nil {
			return "", err
		}
		service, err := places.Endpoint()
		if err != nil {
			return "", err
		}
		s.mirror = filepath.Join(staging, service)
	}
	bucket, key := places.Split(places.Clean(name))
	if bucket == "" || bucket == "." {
		return "", fmt.Errorf("want a bucket, have %q", name)
	}
	return filepath.Join(s.mirror, bucket, filepath.FromSlash(key)), nil
}

// locateRemote finds the target of a name that no path of this machine leads to. It asks nobody.
func (s *Set) locateRemote(name string) (*target, error) {
	t := &target{path: name, key: name}
	if places.IsWeb(name) {
		return t, nil
	}
	var err error
	if t.real, err = s.mirrored(name); err != nil {
		return nil, err
	}
	t.key = s.keyOf(t.real)
	return t, nil
}

// final returns what a path of this machine stands for: in the mirror an object or a folder of objects, otherwise itself.
func (s *Set) final(real string) string {
	if s.mirror == "" {
		return real
	}
	rel, err := filepath.Rel(s.mirror, real)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return real
	}
	return "s3://" + filepath.ToSlash(rel)
}

// isRemote reports whether a path is one of the mirror.
func (s *Set) isRemote(real string) bool { return s.final(real) != real }

// uploadPrefix begins the names, but for the dot, of notes about uploads.
const uploadPrefix = "upload-id."

const uploadSchema = "sluice.upload.v1"

// An uploadNote is what leads to an upload.
type uploadNote struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	ID     string `json:"id,omitempty"` // empty: the server was asked for one, and the answer did not come

	Began time.Time `json:"began"`
}

// forget has the server forget the upload.
func (n uploadNote) forget(ctx context.Context) error {
	if n.ID == "" {
		return places.AbortSince(ctx, n.Name, n.Began, "")
	}
	return places.Abort(ctx, n.Name, n.ID)
}

// followUpload has a file that was staged for object storage sent while it is written, unless it holds rows that become Parquet. The
// caller holds the Set's lock.
func (s *Set) followUpload(f *file) {
	if c := f.claim; c.sink == nil || !c.sink.format.table || filepath.Ext(f.target.real) != tableEnding {
		s.send(f)
	}
}

// send has a file sent as followUpload does.
func (s *Set) send(f *file) {
	name := s.final(f.target.real)
	if name == f.target.real {
		return
	}
	f.note = filepath.Join(filepath.Dir(f.temp), s.temporary(uploadPrefix+filepath.Base(f.target.real), s.temps))
	s.temps++
	f.upload = places.NewUpload(s.ctx, name, f.temp, tokenOf(filepath.Base(f.temp)), noting(s.ctx, f.note, name))
}

// noting returns a function that notes the id of an object's upload in a file. A note leads to one upload: when another begins, the server
// forgets the one before.
func noting(ctx context.Context, note, name string) func(id string) error {
	return func(id string) error {
		if id == "" {
			if err := forgetNoted(ctx, note); err != nil {
				return err
			}
		}
		text, err := json.Marshal(uploadNote{uploadSchema, name, id, time.Now()})
		if err == nil {
			err = os.WriteFile(note, text, 0o600)
		}
		return err
	}
}

// forgetNoted has the server forget the upload that a note leads to, if there is one.
func forgetNoted(ctx context.Context, note string) error {
	var n uploadNote
	text, err := os.ReadFile(note)
	if err != nil || json.Unmarshal(text, &n) != nil || n.Schema != uploadSchema {
		return nil
	}
	return n.forget(ctx)
}

// tokenOf returns what tells the object made of a hidden file from every other: the run and the number.
func tokenOf(hidden string) string {
	stem := strings.TrimSuffix(hidden, ".sluice")
	return stem[strings.LastIndexByte(stem, '.')+1:]
}

// abortUpload has the server forget what was sent of a file. What it does not forget is left to the next run.
func (f *file) abortUpload() error {
	if f.upload == nil {
		return nil
	}
	err := f.upload.Abort()
	if err == nil {
		os.Remove(f.note)
	}
	return err
}

// removeHidden removes a hidden file that a run has left. If it is a note about an upload, the server forgets that first.
func (s *Set) removeHidden(path string) {
	if strings.HasPrefix(filepath.Base(path), "."+uploadPrefix) {
		if forgetNoted(s.ctx, path) != nil {
			return // for the next run
		}
	}
	_ = s.disk.remove(path)
}

// tryBuckets finds out whether objects can be written, before anything runs: one in each bucket.
func (s *Set) tryBuckets() error {
	tried := map[string]bool{}
	for _, c := range s.claims {
		name := c.Path
		if c.pattern.labels != nil {
			name = c.pattern.fixed[0] + "label"
		}
		bucket, _ := places.Split(name)
		if !places.IsS3(name) || tried[bucket] {
			continue
		}
		tried[bucket] = true
		if err := places.Writable(s.ctx, places.Dir(name)); err != nil {
			return fmt.Errorf("%s: %s: %w", c.What, c.Path, oserr.Reason(err))
		}
	}
	return nil
}

// sendRest sends what is missing of all files for object storage, so that only names are missing. An optional one is left out
// when that fails.
func (s *Set) sendRest(files []*file) error {
	return together(len(files), func(i int) error {
		f := files[i]
		if f.upload == nil {
			return nil
		}
		bytes, _ := f.sum()
		err := error(nil)
		if f.parts, err = f.upload.Finish(bytes); err != nil {
			err = fmt.Errorf("%s: %w", f.target.path, oserr.Reason(err))
		}
		if err != nil && f.claim.Optional {
			f.claim.failure = err
			return f.discard(&s.disk)
		}
		return err
	})
}

// completeUpload makes the object of a line of a list visible, and removes the staged file.
func (s *Set) completeUpload(m *move, name string) error {
	hidden := m.hidden(s.statePath())
	if m.Optional && m.file != nil {
		if err := MayReplace(name, m.file.claim.Mark); err != nil {
			return err
		}
	}
	note := filepath.Join(filepath.Dir(hidden), m.Note)
	if err := places.Complete(s.ctx, name, hidden, tokenOf(m.Hidden), m.Bytes, m.Upload, noting(s.ctx, note, name)); err != nil {
		return err
	}
	if m.Note != "" {
		_ = s.disk.remove(note)
	}
	if m.file != nil {
		m.file.upload = nil
	}
	return s.disk.remove(hidden)
}

// removeFinal removes a file, wherever it is.
func (s *Set) removeFinal(real string) error {
	name := s.final(real)
	if name == real {
		return s.disk.remove(real)
	}
	return places.Remove(s.ctx, name)
}

// hasFinal reports whether there is a file under its own name.
func (s *Set) hasFinal(real string) bool {
	name := s.final(real)
	if name == real {
		info, err := os.Lstat(real)
		return err == nil && info.Mode().IsRegular()
	}
	return places.Exists(name)
}

// putObject makes an object of a whole file with a hidden name.
func (s *Set) putObject(ctx context.Context, name, hidden string, size int64) error {
	note := filepath.Join(filepath.Dir(hidden), s.nextTemporary(uploadPrefix+places.Base(name)))
	err := places.Put(ctx, name, hidden, tokenOf(filepath.Base(hidden)), size, noting(ctx, note, name))
	if err == nil || forgetNoted(ctx, note) == nil {
		_ = s.disk.remove(note) // it stays for the next run otherwise
	}
	return err
}

// keepAs gives a finished file another name than its own.
func (s *Set) keepAs(f *file, real string) error {
	name := s.final(real)
	if name == real {
		return f.moveTo(&s.disk, real)
	}
	bytes, _ := f.sum()
	if err := s.putObject(s.ctx, name, f.temp, bytes); err != nil {
		return fmt.Errorf("%s: %w", name, oserr.Reason(err))
	}
	return f.discard(&s.disk)
}

// verifyObject finds out whether the object of a line of a list is the one that the run has made.
func (s *Set) verifyObject(m *move, name string) error {
	made, err := places.Made(s.ctx, name, tokenOf(m.Hidden), m.Bytes)
	switch {
	case errors.Is(err, fs.ErrPermission) || m.Loose || made:
		return nil
	case err != nil:
		return fmt.Errorf("%s: %s: %w", m.What, m.Path, oserr.Reason(err))
	}
	return fmt.Errorf("%s: want the %d bytes that the run has written, have an object of somebody else; run without --resume", m.Path, m.Bytes)
}
