package output

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/host/internal/places"
)

// A sink of Parquet stages its rows as lines while the run goes on, since the schema is that of all rows, whichever of its
// files they lie in: then whoever reads the files together finds one schema. When all rows are there, Finish makes each
// file's lines a file of Parquet, under a hidden name of its own. The lines stay until the commit, so that a run which is interrupted goes
// on from them.

const tableEnding = ".parquet"

// A Table is how a sink of Parquet writes. The zero Table infers all types, and has row groups as readers like them.
type Table struct {
	Columns map[string]parquet.Type // types of columns that are not inferred, by their paths
	Groups  parquet.Limits          // how much a row group holds at most; 0: as usual
	Schema  string                  // sinks of one Set with the same one, which is not empty, have one schema, that of the rows of all
}

func checkParquet(path string) error {
	if filepath.Ext(path) != tableEnding {
		return fmt.Errorf("want a name that ends in %s, have %q", tableEnding, path)
	}
	return nil
}

func openRows(f *file, _ []byte) encoder {
	return &lines{buf: bufio.NewWriterSize(f, outputBuffer)}
}

// schemaOf returns what gives a sink its schema, once.
func (s *Set) schemaOf(of *Sink) func() (*parquet.Schema, error) {
	name := of.claim.Table.Schema
	if infer, ok := s.schemas[name]; ok {
		return infer
	}
	infer := sync.OnceValues(of.inferSchema)
	if name != "" {
		if s.schemas == nil {
			s.schemas = map[string]func() (*parquet.Schema, error){}
		}
		s.schemas[name] = infer
	}
	return infer
}

// inferSchema returns the schema of the rows of all files. No more rows come.
func (s *Sink) inferSchema() (*parquet.Schema, error) {
	all, files := &parquet.Shape{}, maps.Clone(s.series)
	for _, other := range s.set.sinks {
		if name := s.claim.Table.Schema; name != "" && name == other.claim.Table.Schema {
			maps.Copy(files, other.series)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		for _, f := range files[path].files {
			if f.file == nil {
				continue
			}
			if f.encoder != nil {
				if err := f.encoder.flush(); err != nil {
					return nil, err
				}
			}
			err := f.file.read(s.set.ctx, func(lines io.Reader) error {
				shape, err := parquet.ShapeOf(lines)
				if err == nil {
					err = all.Merge(shape)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return parquet.NewSchema(all, s.claim.Table.Columns), nil
}

// read has what is staged in a file read, until ctx ends.
func (f *file) read(ctx context.Context, by func(io.Reader) error) error {
	from, err := os.Open(f.temp)
	if err != nil {
		return f.failed(err)
	}
	defer from.Close()
	if err := by(places.Until(ctx, io.LimitReader(from, f.written.Load()))); err != nil {
		return fmt.Errorf("%s: %w", f.target.path, oserr.Reason(err))
	}
	return nil
}

// converting is held by the one file of this process that is made Parquet. Several columns of it are compressed at a time, so that
// more files would only take more memory.
var converting = make(chan struct{}, 1)

// convert makes the lines of a file, which takes no more rows, a file of Parquet with the schema that it returns.
func (r *sinkFile) convert(s *Sink) (*parquet.Schema, error) {
	schema, err := s.schema()
	if err != nil {
		return nil, err
	}
	converting <- struct{}{}
	defer func() { <-converting }()
	lines := r.file
	s.set.mu.Lock()
	table, err := s.set.stage(context.Background(), s.claim, lines.target) // never a pipe, so it does not wait
	if err == nil {
		s.set.send(table)
	}
	s.set.mu.Unlock()
	if err != nil {
		return nil, err
	}
	limits := parquet.DefaultLimits
	if own := s.claim.Table.Groups; own.Rows > 0 || own.Bytes > 0 {
		limits = own
	}
	err = lines.read(s.set.ctx, func(from io.Reader) error {
		rows, err := parquet.Convert(table, from, schema, limits)
		if err == nil && rows != r.records {
			err = fmt.Errorf("want %d lines on disk, one for each record, have %d", r.records, rows)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	lines.rows = true
	if s.claim.file == lines {
		s.claim.file = table
	}
	r.file = table
	return schema, lines.close()
}
