package output

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
)

// A series is the files that a sink writes for one path, its labels filled in: one, or with Claim.Rotate one behind the
// other. The last one takes the rows.
type series struct {
	sink  *Sink
	path  string
	files []*sinkFile
}

func (s *Sink) newSeries(path string, numbers *numbering) *series {
	s.series[path] = &series{sink: s, path: path}
	if numbers != nil {
		numbers.series = s.series[path]
	}
	return s.series[path]
}

func (s *series) add(r *sinkFile) *sinkFile {
	r.complete = sync.OnceValues(func() (File, error) { return r.finish(s.sink) })
	s.files = append(s.files, r)
	return r
}

func (s *series) begun() int {
	n := len(s.files)
	if n > 0 && s.current().file == nil {
		n--
	}
	return n
}

// current returns the file that takes the rows.
func (s *series) current() *sinkFile { return s.files[len(s.files)-1] }

// sinkFile is one file of a sink. It is staged with its first row, and open while it has an encoder. In between it may be shut.
type sinkFile struct {
	path    string
	target  *target  // nil of a file that was staged at once
	file    *file    // nil until the first record
	origins *origins // nil when they are not noted
	encoder encoder  // nil while it is not open
	used    int64    // the sink's writes when it was used last
	tail    int64    // while it is shut: bytes of rows behind those that are written, which the encoder gets back
	lined   bool     // one line for each record
	records int64
	bytes   int64 // before compression
	lengths lengths
	closed  bool  // it takes no more rows
	err     error // of closing it

	complete func() (File, error) // finish, which may be called again
}

// lengths counts rows by their size: below 16 bytes each has a place of its own, above that every power of two has eight.
type lengths [16 + 8*59]int64

func (l *lengths) add(size int) {
	if size < 16 {
		l[size]++
		return
	}
	e := bits.Len(uint(size)) - 4
	l[8*e+size>>e]++
}

// byBound returns the counts above 0 by the most bytes of the rows that they count.
func (l *lengths) byBound() map[int64]int64 {
	all := map[int64]int64{}
	for i, n := range l {
		if n == 0 {
			continue
		}
		if i >= 16 {
			e := i/8 - 1
			i = (i%8+9)<<e - 1
		}
		all[int64(i)] = n
	}
	return all
}

// full reports whether a file holds too much for one more row. Each file takes one row, however large.
func (r Rotate) full(f *sinkFile, size int64) bool {
	return f.records > 0 && (r.Rows > 0 && f.records >= r.Rows || r.Bytes > 0 && f.bytes+size > r.Bytes)
}

// next begins the next file. The last one is completed in the background while the next is written, one at a time.
func (s *series) next() (*sinkFile, error) {
	if err := s.retire(); err != nil {
		return nil, err
	}
	path := Numbered(s.path, len(s.files)+1)
	s.sink.set.mu.Lock()
	t, bad, err := s.sink.claimFile(path)
	s.sink.set.mu.Unlock()
	if bad != "" {
		err = fmt.Errorf("%s: want a file of the sink's own, have %s", path, bad)
	}
	if err != nil {
		return nil, err
	}
	r := &sinkFile{path: path, target: t}
	if err := s.sink.ready(r); err != nil {
		return nil, err
	}
	return s.add(r), nil
}

// retire ends the file that takes the rows. It is completed in the background, or at the end when that needs the rows of all files.
func (s *series) retire() error {
	last := s.current()
	if s.sink.format.table {
		return s.sink.shut(last)
	}
	s.sink.retiring.Wait()
	if n := len(s.files); n > 1 {
		if _, err := s.files[n-2].complete(); err != nil {
			return err
		}
	}
	if err := last.close(s.sink); err != nil {
		return err
	}
	s.sink.retiring.Go(func() { _, _ = last.complete() }) // Finish returns the error
	return nil
}

// ready opens a file for rows, and shuts the one that was used least recently when the sink has too many open.
func (s *Sink) ready(f *sinkFile) error {
	s.writes++
	f.used = s.writes
	if f.encoder != nil {
		return nil
	}
	if len(s.open) >= maxOpen {
		if err := s.shutOldest(); err != nil {
			return err
		}
	}
	if f.file != nil {
		return s.reopen(f)
	}
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	if err := s.set.mayReplace(f.target); err != nil {
		return err
	}
	var err error
	if f.file, err = s.set.stage(context.Background(), s.claim, f.target); err != nil { // never a pipe, so it does not wait
		return err
	}
	return s.begin(f)
}

// begin makes a file that was staged ready for rows. The caller holds the Set's lock.
func (s *Sink) begin(f *sinkFile) (err error) {
	f.origins, err = s.set.openOrigins(f.file)
	s.encode(f, nil)
	return err
}

// encode gives a file its encoder. text are rows that it has, but has not written.
func (s *Sink) encode(f *sinkFile, text []byte) {
	f.encoder, f.lined = s.format.open(f.file, text), s.format.lined(f.file.target.path)
	s.open = append(s.open, f)
}

func (s *Sink) shutOldest() error {
	oldest := s.open[0]
	for _, f := range s.open {
		if f.used < oldest.used {
			oldest = f
		}
	}
	return s.shut(oldest)
}

// shut closes a file that may get more rows. Rows that its encoder has not written go behind those that it has, as they are.
func (s *Sink) shut(f *sinkFile) error {
	if err := f.encoder.flush(); err != nil {
		return err
	}
	text := f.encoder.pending()
	f.tail = int64(len(text))
	if err := f.file.shut(text); err != nil {
		return err
	}
	if f.origins != nil {
		if f.origins.write(); f.origins.err != nil {
			return f.origins.err
		}
		if err := f.origins.file.shut(nil); err != nil {
			return err
		}
	}
	s.forget(f)
	return nil
}

// forget takes a file from those that are open.
func (s *Sink) forget(f *sinkFile) {
	f.encoder = nil
	s.open = slices.DeleteFunc(s.open, func(o *sinkFile) bool { return o == f })
}

// reopen opens a file that was shut.
func (s *Sink) reopen(f *sinkFile) error {
	text, err := f.file.reopen(f.tail)
	if err != nil {
		return err
	}
	f.tail = 0
	s.encode(f, text)
	if f.origins != nil {
		_, err = f.origins.file.reopen(0)
	}
	return err
}

// close writes the last rows of a file. It opens it once more when it was shut.
func (r *sinkFile) close(s *Sink) error {
	if r.file == nil || r.closed {
		return r.err
	}
	r.closed = true
	if r.encoder == nil {
		if r.err = s.reopen(r); r.err != nil {
			return r.err
		}
	}
	r.err = r.encoder.close()
	s.forget(r)
	return r.err
}

func (s *Sink) stop() {
	s.retiring.Wait()
	for _, f := range s.open {
		f.encoder.stop()
	}
}
