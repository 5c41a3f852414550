package output

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/places"
)

// sinkMark is what a checkpoint notes of the files of a sink. Rows of a frame that is not full are not written yet: they lie in an
// attachment of the state, file after file.
type sinkMark struct {
	What   string       `json:"what"`
	Path   string       `json:"path"`
	Series []seriesMark `json:"series"`
}

type seriesMark struct {
	Path  string     `json:"path"`
	Files []fileMark `json:"files"`
}

type fileMark struct {
	Hidden  string        `json:"hidden,omitempty"` // its hidden name; empty before the first row
	Size    int64         `json:"size,omitempty"`   // what is written
	CRC     uint32        `json:"crc,omitempty"`    // of that, CRC-32C: a run that goes on finds out what became of it meanwhile
	Text    int64         `json:"text,omitempty"`   // bytes of rows that are not
	Records int64         `json:"records,omitempty"`
	Bytes   int64         `json:"bytes,omitempty"`
	Lengths map[int]int64 `json:"lengths,omitempty"`
	Sum     *filehash.Sum `json:"sum,omitempty"` // of a file that takes no more rows
	Origins *originsMark  `json:"origins,omitempty"`
}

type originsMark struct {
	Hidden string        `json:"hidden"`
	Size   int64         `json:"size"`
	CRC    uint32        `json:"crc"`
	Rows   int64         `json:"rows"`
	Run    int64         `json:"run"`
	First  Origin        `json:"first"`
	Last   Origin        `json:"last"`
	Sum    *filehash.Sum `json:"sum,omitempty"`
}

// A durable is how much of a file a checkpoint makes durable.
type durable struct {
	file *file
	temp string
	size int64
}

func (c *Checkpoint) add(f *file) {
	if size := f.written.Load(); size != f.synced {
		c.files = append(c.files, durable{f, f.temp, size})
	}
	dir := filepath.Dir(f.temp)
	c.folders[dir] = true
	if f.synced < 0 {
		c.fresh[dir] = true
	}
}

// mark adds what the files of a sink hold.
func (c *Checkpoint) mark(s *Sink, texts io.Writer) error {
	s.retiring.Wait()
	if s.err != nil {
		return s.err
	}
	m := sinkMark{What: s.claim.What, Path: s.claim.Path}
	for _, path := range slices.Sorted(maps.Keys(s.series)) {
		x := seriesMark{Path: path}
		for _, f := range s.series[path].files {
			y, err := c.markFile(s, f, texts)
			if err != nil {
				return err
			}
			x.Files = append(x.Files, y)
		}
		m.Series = append(m.Series, x)
	}
	c.state.Sinks = append(c.state.Sinks, m)
	return nil
}

func (c *Checkpoint) markFile(s *Sink, f *sinkFile, texts io.Writer) (m fileMark, err error) {
	if f.file == nil {
		return m, nil
	}
	var sum *filehash.Sum
	switch {
	case f.closed && !s.format.table: // and complete, or its error ends the run
		if _, err := f.complete(); err != nil {
			return m, err
		}
		sum = &f.file.result
	case f.encoder != nil:
		if err := f.encoder.flush(); err != nil {
			return m, err
		}
		text := f.encoder.pending()
		m.Text = int64(len(text))
		_, err = texts.Write(text)
	case f.tail > 0:
		m.Text = f.tail
		err = f.file.copyTail(texts, f.tail)
	}
	if err != nil {
		return m, err
	}
	m = fileMark{filepath.Base(f.file.temp), f.file.written.Load(), f.file.crc, m.Text, f.records, f.bytes, map[int]int64{}, sum, nil}
	for i, n := range f.lengths {
		if n > 0 {
			m.Lengths[i] = n
		}
	}
	c.add(f.file)
	if o := f.origins; o != nil {
		if m.Origins, err = o.mark(sum != nil); err == nil {
			c.add(o.file)
		}
	}
	return m, err
}

// copyTail copies the text that a file that is shut has behind its written bytes.
func (f *file) copyTail(to io.Writer, size int64) error {
	file, err := os.Open(f.temp)
	if err != nil {
		return f.failed(err)
	}
	defer file.Close()
	if _, err = io.Copy(to, io.NewSectionReader(file, f.written.Load(), size)); err != nil {
		return f.failed(err)
	}
	return nil
}

func (o *origins) mark(complete bool) (*originsMark, error) {
	m := &originsMark{filepath.Base(o.file.temp), 0, 0, o.rows, o.run, o.first, o.last, nil}
	if complete {
		m.Sum = &o.file.result
	} else if o.file.file != nil { // not shut, which has written all
		if o.write(); o.err != nil {
			return nil, o.err
		}
	}
	m.Size, m.CRC = o.file.written.Load(), o.file.crc
	return m, nil
}

// restore makes the files of a sink those of its mark. The caller holds the Set's lock.
func (s *Sink) restore(m *sinkMark, texts io.Reader) error {
	for _, x := range m.Series {
		series := s.only
		first := s.claim.target
		if series == nil {
			t, numbers, fault := s.ownName(x.Path)
			if s.err != nil {
				return s.err
			}
			if fault != nil {
				return fmt.Errorf("%s: %s", x.Path, fault.Message)
			}
			first, series = t, s.newSeries(x.Path, numbers)
		}
		if len(x.Files) == 0 {
			return errNotState
		}
		for i, y := range x.Files {
			t, bad := first, ""
			if i > 0 {
				var err error
				if t, bad, err = s.claimFile(Numbered(x.Path, i+1)); err != nil || bad != "" {
					return fmt.Errorf("%s: want a file of the sink's own, have %s%v", Numbered(x.Path, i+1), bad, err)
				}
			}
			f := series.add(&sinkFile{path: t.path, target: t})
			if y.Hidden == "" {
				continue
			}
			if err := s.restoreFile(f, y, texts); err != nil {
				return err
			}
		}
		if f := series.current(); series == s.only && f.file != nil && !f.closed {
			f.file.digest = newDigest(f.file.algorithm) // the auditors follow it
			if err := s.reopen(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Sink) restoreFile(f *sinkFile, m fileMark, texts io.Reader) (err error) {
	f.lined = s.format.lined(f.target.path)
	if f.file, err = s.set.restoreFile(s.claim, f.target, m.Hidden, m.Size, m.CRC, m.Sum); err != nil {
		return err
	}
	f.tail, f.records, f.bytes, f.closed = m.Text, m.Records, m.Bytes, m.Sum != nil
	for i, n := range m.Lengths {
		if i < 0 || i >= len(f.lengths) {
			return f.file.failed(errNotState)
		}
		f.lengths[i] = n
	}
	if err := f.file.putTail(texts, m.Text); err != nil {
		return err
	}
	if m.Origins == nil {
		return nil
	}
	t, err := s.set.originsTarget(f.target)
	if err != nil || t == nil {
		return err
	}
	o := &origins{rows: m.Origins.Rows, run: m.Origins.Run, first: m.Origins.First, last: m.Origins.Last}
	if o.file, err = s.set.restoreFile(s.claim, t, m.Origins.Hidden, m.Origins.Size, m.Origins.CRC, m.Origins.Sum); err != nil {
		return err
	}
	o.file.auditor, o.file.notDurable, f.origins = nil, true, o
	return nil
}

// putTail puts text behind what is written of a file that is shut.
func (f *file) putTail(from io.Reader, size int64) error {
	if size == 0 {
		return nil
	}
	file, err := os.OpenFile(f.temp, os.O_RDWR, 0)
	if err != nil {
		return f.failed(err)
	}
	_, err = io.CopyN(io.NewOffsetWriter(file, f.written.Load()), from, size)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return f.failed(err)
	}
	return nil
}

// restoreFile takes over a hidden file of an interrupted run that checkHidden has seen, cut to the size that it had. It is shut.
func (s *Set) restoreFile(c *claim, t *target, hidden string, size int64, crc uint32, sum *filehash.Sum) (*file, error) {
	if err := t.writable(); err != nil {
		return nil, err
	}
	if err := s.enter(filepath.Dir(t.real), places.Dir(t.path)); err != nil {
		return nil, err
	}
	f := s.newFile(c, t)
	f.digest, f.temp, f.synced = digest{}, filepath.Join(filepath.Dir(t.real), hidden), size
	f.written.Store(size)
	f.reported, f.crc = size, crc
	s.files = append(s.files, f)
	s.followUpload(f)
	if sum != nil {
		f.complete, f.result, f.digest.bytes = true, *sum, size
		return f, nil
	}
	if err := os.Truncate(f.temp, size); err != nil {
		return nil, f.failed(err)
	}
	return f, nil
}

// An UnfitError says that a run cannot go on from what an interrupted one has left, which stays.
type UnfitError struct{ Err error }

// Error implements error.
func (e *UnfitError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *UnfitError) Unwrap() error { return e.Err }

// takeOver notes which hidden files this run takes over, and opens the rows that they do not have yet.
func (s *Set) takeOver() (texts io.ReadCloser, err error) {
	s.adopted = map[string]bool{}
	if s.from == nil {
		return io.NopCloser(strings.NewReader("")), nil
	}
	defer func() {
		if err != nil && s.ctx.Err() == nil {
			err = &UnfitError{err}
		}
	}()
	sinks := 0
	for _, c := range s.claims {
		if c.sink == nil {
			continue
		}
		sinks++
		m := s.from.sink(c)
		if m == nil {
			return nil, fmt.Errorf("%s: want a sink of the interrupted run, have a new one; run without --resume", c.What)
		}
		if err := s.checkMark(c, m); err != nil {
			return nil, err
		}
	}
	if sinks != len(s.from.Sinks) {
		return nil, fmt.Errorf("want the %d sinks of the interrupted run, have %d; run without --resume", len(s.from.Sinks), sinks)
	}
	if err := cmp.Or(s.adopt(s.from), s.enterState()); err != nil {
		return nil, err
	}
	s.removeAttachments(s.from)
	return (&Interrupted{path: s.statePath(), state: s.from}).Attached(s.ctx, unwritten)
}

func (x *state) sink(c *claim) *sinkMark {
	for i := range x.Sinks {
		if m := &x.Sinks[i]; m.What == c.What && m.Path == c.Path {
			return m
		}
	}
	return nil
}
