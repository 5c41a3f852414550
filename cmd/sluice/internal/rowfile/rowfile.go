// Package rowfile opens files of JSON Lines, compressed or not, and of Parquet, and says what rows they hold.
package rowfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/compression"
	"github.com/sluicehq/sluice/host/table"
	"github.com/sluicehq/sluice/plugins/check"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Shapes of rows: those that plugin "check" knows by these names, and threads of the Modular Model Spec.
const (
	Canonical = "canonical"
	ChatML    = "chatml"
	Thread    = "thread"
)

// Shapes returns the names of the shapes of rows that are known.
func Shapes() []string { return append(check.Shapes(), Thread) }

// A File is a file of rows that is being read.
type File struct {
	path  string
	in    *bufio.Reader
	close func() error
}

// Lines returns the rows of the file as lines with their ends, and the error that ends them early.
func (f *File) Lines() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			line, err := f.in.ReadBytes('\n')
			if len(line) > 0 && !yield(line, nil) || errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("%s: %w", f.path, err))
				return
			}
		}
	}
}

// Close implements io.Closer.
func (f *File) Close() error { return f.close() }

// Open opens a file of lines, compressed or not, or of Parquet. Its bytes as they lie on disk are also written to sum, which may be nil; those of
// Parquet at once, since it is read from its end.
func Open(path string, sum io.Writer) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, host.AtPath(err)
	}
	var in io.Reader = file
	if sum != nil {
		in = io.TeeReader(file, sum)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	unpacked, err := Unpacked(file, info.Size(), in)
	if rows, isTable := unpacked.(Table); isTable && sum != nil {
		if _, err = io.Copy(sum, file); err != nil {
			rows.Close()
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	if unpacked == nil {
		return &File{path, bufio.NewReaderSize(in, 1<<20), file.Close}, nil
	}
	return &File{path, bufio.NewReaderSize(unpacked, 1<<20), func() error { return errors.Join(unpacked.Close(), file.Close()) }}, nil
}

// widest is the largest zstd window that is read, as sources have it.
const widest = 128 << 20

// A Table is the rows of a file of Parquet, as lines.
type Table struct{ io.ReadCloser }

// Unpacked unpacks what is read of a file that is compressed with gzip or zstd, by its first bytes, and reads a Table from a file of Parquet. It
// returns nil for other files.
func Unpacked(file io.ReaderAt, size int64, in io.Reader) (io.ReadCloser, error) {
	if rows, err := table.Lines(file, size); err != nil {
		return nil, err
	} else if rows != nil {
		return Table{rows}, nil
	}
	head := make([]byte, 4)
	n, _ := file.ReadAt(head, 0)
	switch {
	case bytes.HasPrefix(head[:n], []byte{0x1f, 0x8b}):
		r, err := gzip.NewReader(in)
		if err != nil {
			return nil, compression.Explain("gzip", err)
		}
		return compression.Explained("gzip", r), nil
	case bytes.Equal(head[:n], []byte{0x28, 0xb5, 0x2f, 0xfd}):
		r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(widest))
		if err != nil {
			return nil, err
		}
		return compression.Explained("zstd", r.IOReadCloser()), nil
	}
	return nil, nil
}

// ShapeOf returns the shape of the first row of a file that is JSON, "" when the file has none or its shape is unknown. Threads
// are apart from what is made of them: thread-preference, thread-tokens and thread-preference-tokens.
func ShapeOf(path string) (string, error) {
	in, err := Open(path, nil)
	if err != nil {
		return "", err
	}
	defer in.Close()
	for line, err := range in.Lines() {
		if err != nil {
			return "", err
		}
		if row := bytes.TrimSpace(line); jsontext.Check(row, jsontext.EmbeddedDepth) == nil && jsontext.IsObject(row) {
			return shapeOf(jsontext.Of(row)), nil
		}
	}
	return "", nil
}

func shapeOf(row jsontext.JSON) string {
	if thread, err := notation.Read(row); err == nil {
		switch thread.Shape {
		case notation.PairShape:
			return Thread + "-preference"
		case notation.TokenShape:
			return Thread + "-tokens"
		}
		return Thread
	}
	if row.Get("chosen_segments") != "" {
		return Thread + "-preference-tokens"
	}
	return check.ShapeOf(row)
}

// Lines returns the lines of a file that are not empty.
func Lines(path string) (rows [][]byte, err error) {
	text, err := os.ReadFile(path)
	err = host.AtPath(err)
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			rows = append(rows, line)
		}
	}
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s: want records, one per line, have 0", path)
	}
	return rows, err
}
