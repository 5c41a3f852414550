package output

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/sdk/wire"
)

// maxOpen is how many files of one sink are open at a time, and maxFiles how many names its labels may lead to. Tests set less.
var (
	maxOpen  = 512
	maxFiles = 1 << 16
)

// A Sink writes records into the file of its path, or into several by their labels and by Claim.Rotate.
type Sink struct {
	set    *Set
	claim  *claim
	format format
	series map[string]*series // by path, as soon as the sink has claimed it
	only   *series            // of a path without labels
	err    error              // the first

	open   []*sinkFile // at most maxOpen
	writes int64       // since when a file was used

	retiring sync.WaitGroup                  // for a file that takes no more rows
	check    *parquet.Check                  // of a table: of each row by itself
	schema   func() (*parquet.Schema, error) // of a table: of the rows of all files; called when all are written
	path     []byte                          // for reuse
}

// Labels returns the labels that the path names, in order.
func (s *Sink) Labels() []string { return s.claim.pattern.labels }

// Accepts returns why r has no place in this sink, or nil: it is no row of the sink's table, a label is missing or not fit for a path, or the
// labels lead to a file of another claim. A file that it accepts belongs to the sink from then on. Of a record without data only the labels count.
func (s *Sink) Accepts(r *wire.Record) *wire.Fault {
	if s.check != nil && r.Data != nil {
		if path, err := s.check.Row(r.Data); err != nil {
			return &wire.Fault{Code: BadRow, Path: path, Message: err.Error()}
		}
	}
	if len(s.claim.pattern.labels) == 0 {
		return nil
	}
	_, fault := s.seriesOf(r)
	return fault
}

// Write writes records that it accepts. It does not keep them.
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
	if err := s.ready(f); err != nil {
		return err
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
	if len(s.series) >= maxFiles {
		return nil, &wire.Fault{Code: TooManyFiles, Message: fmt.Sprintf("want labels that lead to at most %d files of one sink, have %d", maxFiles, maxFiles+1)}
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

const notOwn = "want labels that lead to a file of the sink's own, have "

// claimName claims a path with its labels filled in. The first sink to ask for it gets it.
func (s *Sink) claimName(path string) (*target, *numbering, *wire.Fault) {
	for name := range strings.FieldsFuncSeq(s.claim.nth(path, 1), isSeparator) {
		if len(name) > maxName {
			return nil, nil, badLabel("want labels that make names of at most %d bytes, have %d", maxName, len(name))
		}
	}
	if s.format.check(path) != nil {
		return nil, nil, badLabel(notOwn + "a name that ends like another kind of file")
	}
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	return s.ownName(path)
}

// ownName claims a path that can be that of a file. The caller holds the Set's lock.
func (s *Sink) ownName(path string) (*target, *numbering, *wire.Fault) {
	first := s.claim.nth(path, 1)
	numbers, with, err := s.set.claimNumbers(s.claim, path)
	if with.by != nil {
		return nil, nil, badLabel(notOwn+"one that %s", with.by.verb())
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
		return nil, nil, badLabel(notOwn+"%s", bad)
	}
	if numbers != nil {
		s.set.addNumbers(numbers)
	}
	return t, numbers, nil
}

// claimFile claims a path with its origins, or returns in bad what it leads to instead. The caller holds the Set's lock.
func (s *Sink) claimFile(path string) (t *target, bad string, err error) {
	if t, err = s.set.locate(path); err != nil {
		return nil, "", err
	}
	if t.inPlace() || t.writable() != nil || t.isSidecar() {
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
	"jsonl": {doc: "writes one record a line", check: checkJSONL, open: openJSONL, lined: isLined, between: len("\n")},
	"parquet": {
		doc:   "writes the records as rows of Parquet, with a schema that follows from all of them",
		check: checkParquet, open: openRows, lined: func(string) bool { return false }, between: len("\n"), table: true,
	},
}

// Doc returns what a kind of sink does, as a phrase.
func Doc(kind string) string { return formats[kind].doc }

// Kinds returns the type names of the sinks, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(formats)) }

type format struct {
	doc     string
	check   func(path string) error            // whether a file of that name can be written
	open    func(f *file, text []byte) encoder // text are rows that pending returned when the file was shut
	lined   func(path string) bool             // whether each row is a line of the file
	between int                                // bytes behind each row
	table   bool                               // the rows are staged as lines, and become Parquet at the end, see parquet.go
}

// An encoder writes records to one file.
type encoder interface {
	encode(*wire.Record) []byte // returns the row that a record becomes, valid until the next call
	write(row []byte) error
	flush() error    // writes all that the next rows cannot change
	pending() []byte // rows that flush has not written
	close() error    // completes the file's bytes
	stop()           // ends its goroutines, closed or not; nothing is written after it
}
