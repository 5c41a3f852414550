package output

import (
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/sdk/wire"
)

// maxOpen is how many files one sink writes at a time.
const maxOpen = 512

// A Sink writes records into the file of its path, or into several by their labels and by Claim.Rotate.
type Sink struct {
	set    *Set
	claim  *claim
	format format
	series map[string]*series // by path, as soon as the sink has claimed it
	only   *series            // of a path without labels
	err    error              // the first

	retiring sync.WaitGroup // for a file that takes no more rows
	path     []byte         // for reuse
}

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

// sinkFile is one file of a sink.
type sinkFile struct {
	path    string
	target  *target  // nil of a file that was staged at once
	file    *file    // nil until the first record
	origins *origins // nil when they are not noted
	encoder encoder
	lined   bool // one line for each record
	records int64
	bytes   int64 // before compression
	lengths lengths
	closed  bool // the encoder

	complete func() (File, error) // finish, which may be called again
}

// lengths counts rows by the bits of their size less one: the first have at most 1 byte, the next 2, 4, 8 and so on.
type lengths [65]int64

func (l *lengths) add(size int) { l[bits.Len64(uint64(max(size, 1)-1))]++ }

// byBound returns the counts above 0 by the most bytes of the rows that they count.
func (l *lengths) byBound() map[int64]int64 {
	all := map[int64]int64{}
	for i, n := range l {
		if n > 0 {
			all[1<<i] = n
		}
	}
	return all
}

// Labels returns the labels that the path names, in order.
func (s *Sink) Labels() []string { return s.claim.pattern.labels }

// Accepts returns why r has no place in this sink, or nil: a label is missing or not fit for a path, or the labels lead to a
// file of another claim. A file that it accepts belongs to the sink from then on.
func (s *Sink) Accepts(r *wire.Record) *wire.Fault {
	if len(s.claim.pattern.labels) == 0 {
		return nil
	}
	_, fault := s.seriesOf(r)
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
	if s.err == nil && s.only != nil && s.only.current().file.target.inPlace() { // a reader may be waiting at the other end
		s.err = s.only.current().encoder.flush()
	}
	return s.err
}

func (s *Sink) write(r *wire.Record) error {
	series, fault := s.seriesOf(r)
	switch {
	case s.err != nil:
		return s.err
	case fault != nil:
		return fmt.Errorf("%s:%d: %s", r.File, r.Line, fault.Message)
	}
	f := series.current()
	if f.file == nil {
		if err := s.open(f); err != nil {
			return err
		}
	}
	row := f.encoder.encode(r)
	size := int64(len(row) + s.format.between)
	if s.claim.Rotate.full(f, size) {
		var err error
		if f, err = series.next(); err != nil {
			return err
		}
	}
	f.records++
	f.bytes += size
	if f.origins != nil {
		f.origins.note(r)
	}
	f.lengths.add(len(row))
	return f.encoder.write(row)
}

func (s *Sink) open(f *sinkFile) (err error) {
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	if f.file, err = s.set.stage(context.Background(), s.claim, f.target); err != nil { // never a pipe, so it does not wait
		return err
	}
	return s.begin(f)
}

// begin makes a file that is open ready for rows. The caller holds the Set's lock.
func (s *Sink) begin(f *sinkFile) (err error) {
	if f.origins, err = s.set.openOrigins(f.file); err != nil {
		return err
	}
	return s.format.open(f)
}

// seriesOf returns where a record goes, or the reason why it has no place. An error stays in s.err.
func (s *Sink) seriesOf(r *wire.Record) (*series, *wire.Fault) {
	if s.only != nil {
		return s.only, nil
	}
	var fault *wire.Fault
	if s.path, fault = s.claim.pattern.appendTo(s.path[:0], r); fault != nil {
		return nil, fault
	}
	if f := s.series[string(s.path)]; f != nil {
		return f, nil
	}
	if len(s.series) == maxOpen {
		s.err = fmt.Errorf("%s: want at most %d files in one sink, have one more: its labels take too many values", s.path, maxOpen)
		return nil, nil
	}
	path := string(s.path)
	t, numbers, fault := s.claimName(path)
	if t == nil {
		return nil, fault
	}
	f := s.newSeries(path, numbers)
	f.add(&sinkFile{path: t.path, target: t})
	return f, nil
}

// claimName claims a path with its labels filled in. The first sink to ask for it gets it.
func (s *Sink) claimName(path string) (*target, *numbering, *wire.Fault) {
	const own = "want labels that lead to a file of the sink's own, have "
	first := s.claim.nth(path, 1)
	for name := range strings.FieldsFuncSeq(first, isSeparator) {
		if len(name) > maxName {
			return nil, nil, badLabel("want labels that make names of at most %d bytes, have %d", maxName, len(name))
		}
	}
	if s.format.check(path) != nil {
		return nil, nil, badLabel("%sa name that ends like another kind of file", own)
	}
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	numbers, with, err := s.set.claimNumbers(s.claim, path)
	if with.by != nil {
		return nil, nil, badLabel("%sone that %s", own, with.by.verb())
	}
	var t *target
	var bad string
	if err == nil {
		t, bad, err = s.claimFile(first)
	}
	switch {
	case err != nil:
		s.err = err
		return nil, nil, nil
	case bad != "":
		return nil, nil, badLabel("%s%s", own, bad)
	}
	if numbers != nil {
		s.set.numbers = append(s.set.numbers, numbers)
	}
	return t, numbers, nil
}

// claimFile claims a path with its origins, or returns in bad what it leads to instead. The caller holds the Set's lock.
func (s *Sink) claimFile(path string) (t *target, bad string, err error) {
	if t, err = s.set.locate(path); err != nil {
		return nil, "", err
	}
	if t.inPlace() || t.writable() != nil {
		return nil, "a place where no file can be", nil
	}
	if h, taken := s.set.ownerOf(t, s.claim); taken {
		return nil, "one that " + h.by.verb(), nil
	}
	sidecar, err := s.set.originsTarget(t)
	if err != nil {
		return nil, "", err
	}
	if sidecar != nil {
		if h, taken := s.set.ownerOf(sidecar, s.claim); taken {
			return nil, "one whose origins would lie where " + h.by.verb(), nil
		}
		s.set.own(ownership{s.claim, sidecar})
	}
	s.set.own(ownership{s.claim, t})
	return t, "", nil
}

// full reports whether a file holds too much for one more row. Each file takes one row, however large.
func (r Rotate) full(f *sinkFile, size int64) bool {
	return f.records > 0 && (r.Rows > 0 && f.records >= r.Rows || r.Bytes > 0 && f.bytes+size > r.Bytes)
}

// next begins the next file. The last one is completed in the background while the next is written, one at a time.
func (s *series) next() (*sinkFile, error) {
	last, path := s.current(), Numbered(s.path, len(s.files)+1)
	s.sink.retiring.Wait()
	if n := len(s.files); n > 1 {
		if _, err := s.files[n-2].complete(); err != nil {
			return nil, err
		}
	}
	if err := last.close(); err != nil {
		return nil, err
	}
	last.encoder = nil
	s.sink.retiring.Go(func() { _, _ = last.complete() }) // Finish returns the error
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
	if err := s.sink.open(r); err != nil {
		return nil, err
	}
	return s.add(r), nil
}

func (r *sinkFile) close() error {
	if r.file == nil || r.closed {
		return nil
	}
	r.closed = true
	return r.encoder.close()
}

func (s *Sink) stop() {
	s.retiring.Wait()
	for _, series := range s.series {
		for _, f := range series.files {
			if f.encoder != nil {
				f.encoder.stop()
			}
		}
	}
}

// A Report is a file that is written at once: a report or the receipt.
type Report struct {
	set   *Set
	claim *claim
}

// Path returns where the report lies, in the root of its set if that has one.
func (r *Report) Path() string { return r.claim.Path }

// Write writes the whole report and makes it durable under its hidden name. The Set is prepared. A report that is never
// written leaves no file.
func (r *Report) Write(data []byte) error {
	f := r.claim.file
	if f == nil {
		return r.claim.failure
	}
	if f.complete {
		return fmt.Errorf("%s: want it written once, have a second time", r.claim.Path)
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.finish(&r.set.disk, -1)
}

// formats are the kinds of sinks, by type name: how records become the bytes of one file.
var formats = map[string]format{
	"jsonl": {check: checkJSONL, open: openJSONL, between: len("\n")},
}

// Docs describe each kind in a phrase.
var Docs = map[string]string{
	"jsonl": "writes one record a line",
}

// Kinds returns the type names of the sinks, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(formats)) }

type format struct {
	check   func(path string) error // whether a file of that name can be written
	open    func(*sinkFile) error   // sets encoder and lined of rows whose file is open
	between int                     // bytes behind each row
}

// An encoder writes records to one file.
type encoder interface {
	encode(*wire.Record) []byte // returns the row that a record becomes, valid until the next call
	write(row []byte) error
	flush() error // writes what a reader can make use of
	close() error // completes the file's bytes
	stop()        // ends its goroutines, closed or not; nothing is written after it
}
