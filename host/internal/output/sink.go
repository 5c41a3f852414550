package output

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/sluicehq/sluice/sdk/wire"
)

// maxOpen is how many files one sink writes at a time.
const maxOpen = 512

// A Sink writes records into the file of its path, or into several by their labels.
type Sink struct {
	set    *Set
	claim  *claim
	format format
	files  map[string]*rows // by path, as soon as the sink has claimed it
	only   *rows            // of a path without labels
	err    error            // the first

	path []byte // for reuse
}

// rows is one file of a sink.
type rows struct {
	target  *target  // of a labelled path
	file    *file    // nil until the first record
	origins *origins // nil when they are not noted
	encoder encoder
	lined   bool // one line for each record
	records int64
	lengths lengths
	closed  bool // the encoder
}

// lengths counts rows by the bits of their size less one: the first have at most 1 byte, the next 2, 4, 8 and so on.
type lengths [65]int64

func (l *lengths) add(size int) { l[bits.Len64(uint64(max(size, 1)-1))]++ }

// byBound are the counts above 0 by the most bytes of the rows that they count.
func (l *lengths) byBound() map[int64]int64 {
	all := map[int64]int64{}
	for i, n := range l {
		if n > 0 {
			all[1<<i] = n
		}
	}
	return all
}

// Labels are those that the path names, in order.
func (s *Sink) Labels() []string { return s.claim.pattern.labels }

// Accepts says why r has no place in this sink, or nil: a label is missing or not fit for a path, or the labels lead to a
// file that is not for this sink. What it accepts belongs to the sink from then on.
func (s *Sink) Accepts(r *wire.Record) *wire.Fault {
	if len(s.claim.pattern.labels) == 0 {
		return nil
	}
	_, fault := s.rows(r)
	return fault
}

// Write writes the records. It does not keep them.
func (s *Sink) Write(records []wire.Record) error {
	for i := range records {
		if s.err != nil {
			return s.err
		}
		s.err = s.write(&records[i])
	}
	for _, f := range s.files {
		if s.err == nil && f.file != nil && f.file.target.inPlace() { // somebody may be waiting at the other end
			s.err = f.encoder.flush()
		}
	}
	return s.err
}

func (s *Sink) write(r *wire.Record) error {
	f, fault := s.rows(r)
	switch {
	case s.err != nil:
		return s.err
	case fault != nil:
		return fmt.Errorf("%s:%d: %s", r.File, r.Line, fault.Message)
	case f.file == nil:
		if err := s.open(f); err != nil {
			return err
		}
	}
	f.records++
	if f.origins != nil {
		f.origins.note(r)
	}
	size, err := f.encoder.encode(r)
	f.lengths.add(size)
	return err
}

func (s *Sink) open(f *rows) (err error) {
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	if f.file, err = s.set.stage(context.Background(), s.claim, f.target); err != nil { // never a pipe, so it does not wait
		return err
	}
	return s.begin(f)
}

// begin makes a file that is open ready for rows. The caller holds the Set's lock.
func (s *Sink) begin(f *rows) (err error) {
	if f.origins, err = s.set.openOrigins(f.file); err != nil {
		return err
	}
	return s.format.open(f)
}

// rows is the file of a record, or the reason why it has none. An error stays in s.err.
func (s *Sink) rows(r *wire.Record) (*rows, *wire.Fault) {
	if s.only != nil {
		return s.only, nil
	}
	var fault *wire.Fault
	if s.path, fault = s.claim.pattern.appendTo(s.path[:0], r); fault != nil {
		return nil, fault
	}
	if f := s.files[string(s.path)]; f != nil {
		return f, nil
	}
	if len(s.files) == maxOpen {
		s.err = fmt.Errorf("%s: want at most %d files in one sink, have one more: its labels take too many values", s.path, maxOpen)
		return nil, nil
	}
	path := string(s.path)
	t, fault := s.claimName(path)
	if t == nil {
		return nil, fault
	}
	f := &rows{target: t}
	s.files[path] = f
	return f, nil
}

// claimName claims a path with its labels filled in. The first sink to ask for it gets it.
func (s *Sink) claimName(path string) (*target, *wire.Fault) {
	const own = "want labels that lead to a file of the sink's own, have "
	if n := longest(path); n > maxName {
		return nil, badLabel("want labels that make names of at most %d bytes, have %d", maxName, n)
	}
	if s.format.check(path) != nil {
		return nil, badLabel("%sa name that ends like another kind of file", own)
	}
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	t, err := s.set.locate(path)
	if err != nil {
		s.err = err
		return nil, nil
	}
	if t.inPlace() || t.writable() != nil {
		return nil, badLabel("%sa place where no file can be", own)
	}
	if h, taken := s.set.obstacle(t); taken {
		return nil, badLabel("%sone that %s", own, h.by.verb())
	}
	beside, err := s.set.originsTarget(t)
	if err != nil {
		s.err = err
		return nil, nil
	}
	if beside != nil {
		if h, taken := s.set.obstacle(beside); taken {
			return nil, badLabel("%sone whose origins would stand where %s", own, h.by.verb())
		}
		s.set.hold(holding{s.claim, beside})
	}
	s.set.hold(holding{s.claim, t})
	return t, nil
}

// close completes the file's bytes.
func (f *rows) close() error {
	if f.file == nil || f.closed {
		return nil
	}
	f.closed = true
	return f.encoder.close()
}

// stop ends what writes beside the sink's own goroutine.
func (s *Sink) stop() {
	for _, f := range s.files {
		if f.encoder != nil {
			f.encoder.stop()
		}
	}
}

// A Report is a file that is written at once: a report or the receipt.
type Report struct {
	set   *Set
	claim *claim
}

// Path is where the report lies, in the root of its set if that has one.
func (r *Report) Path() string { return r.claim.Path }

// Write writes the whole report and makes it durable under its hidden name. The Set is prepared. A report that is never
// written leaves no file.
func (r *Report) Write(data []byte) error {
	f := r.claim.file
	if f == nil {
		return r.claim.missed
	}
	if f.whole {
		return fmt.Errorf("%s: want it written once, have a second time", r.claim.Path)
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.finish(&r.set.disk, -1)
}
