package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/sdk/batch"
)

// maxOpen is how many files one sink writes at a time.
const maxOpen = 512

// SinkOptions say where a sink writes beside files.
type SinkOptions struct {
	Stdout io.Writer // for the path "-"
}

// An Output is a file that was written: the SHA-256 of its bytes is in hex. Of the stream it holds what every step in
// After has let through; what stands beside the stream names its place in Beside instead.
type Output struct {
	Path    string `json:"path"`
	Records int64  `json:"records"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`

	After  []string `json:"after,omitempty"`  // steps
	Beside string   `json:"beside,omitempty"` // STEP/OUTPUT, or dead_letter
}

// A Sink writes records as lines. Files get their names with Commit; until then they are hidden beside them.
type Sink struct {
	path   labelled
	stdout io.Writer // nil for files
	outs   map[string]*output
	err    error // of the path; or the first of writing

	name, line []byte // for reuse
}

// Create makes a sink that writes to path, which may name labels as in "out/{split}.jsonl.gz", or "-" for standard
// output. What is named .gz or .zst is compressed. Mistakes show with Prepare.
func Create(path string, opts SinkOptions) *Sink {
	s := &Sink{outs: map[string]*output{}}
	if path == stdin {
		s.path.fixed, s.stdout = []string{path}, opts.Stdout
		if s.stdout == nil {
			s.err = errors.New("want standard output, have none")
		}
		return s
	}
	s.path, s.err = parsePath(path)
	return s
}

// Prepare finds what would keep the sink from writing: a folder in the way, a missing permission. A path with labels is
// known only with the records.
func (s *Sink) Prepare() error {
	if s.err == nil && len(s.path.labels) == 0 {
		_, s.err = s.output([]byte(s.path.fixed[0]))
	}
	return s.err
}

// Accepts says why r has no place in this sink, or nil: a label is missing or not fit for a path.
func (s *Sink) Accepts(r *batch.Record) *batch.Fault {
	if len(s.path.labels) == 0 {
		return nil
	}
	var fault *batch.Fault
	s.name, fault = s.path.appendTo(s.name[:0], r)
	return fault
}

// Write writes one line for each record. It does not keep them.
func (s *Sink) Write(records []batch.Record) error {
	if s.err == nil {
		s.err = s.write(records)
	}
	return s.err
}

func (s *Sink) write(records []batch.Record) error {
	for i := range records {
		r := &records[i]
		name, fault := s.path.appendTo(s.name[:0], r)
		s.name = name
		if fault != nil {
			return fmt.Errorf("%s:%d: %s", r.File, r.Line, fault.Message)
		}
		o, err := s.output(name)
		if err != nil {
			return err
		}
		line := r.Data
		if bytes.IndexByte(line, '\n') >= 0 || bytes.IndexByte(line, '\r') >= 0 {
			s.line = appendCompact(s.line[:0], line)
			line = s.line
		}
		if err := o.writeLine(line); err != nil {
			return err
		}
	}
	if s.stdout != nil { // somebody may be waiting at the other end
		for _, o := range s.outs {
			return o.flush()
		}
	}
	return nil
}

// output is the open file of that name.
func (s *Sink) output(name []byte) (*output, error) {
	if o := s.outs[string(name)]; o != nil {
		return o, nil
	}
	if len(s.outs) == maxOpen {
		return nil, fmt.Errorf("%s: want at most %d files in one sink, have one more: its labels take too many values", name, maxOpen)
	}
	o, err := create(string(name), s.stdout)
	if err != nil {
		return nil, err
	}
	s.outs[o.path] = o
	return o, nil
}

// Finish completes all files and makes them durable, under their hidden names still. A run with several sinks
// finishes all of them before it commits the first.
func (s *Sink) Finish() error {
	if err := s.Prepare(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.outs)) {
		if s.err = s.outs[name].finish(); s.err != nil {
			return s.err
		}
	}
	return nil
}

// Commit finishes all files and then gives them their names. A sink without labels leaves a file even when it is
// empty.
func (s *Sink) Commit() ([]Output, error) {
	if err := s.Finish(); err != nil {
		return nil, err
	}
	var outputs []Output
	for _, name := range slices.Sorted(maps.Keys(s.outs)) {
		o := s.outs[name]
		if err := o.commit(); err != nil {
			s.err = err
			return outputs, fmt.Errorf("%w (%d of %d files are in place)", err, len(outputs), len(s.outs))
		}
		outputs = append(outputs, o.result())
	}
	return outputs, nil
}

// Abort removes what has not got its name yet.
func (s *Sink) Abort() error {
	var errs []error
	for _, o := range s.outs {
		errs = append(errs, o.abort())
	}
	return errors.Join(errs...)
}
