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

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/table"
	"github.com/sluicehq/sluice/plugins/check"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/compression"
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
	text, isTable, err := open(path, file, info.Size(), in)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	if isTable && sum != nil {
		if _, err = io.Copy(sum, file); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), text.Close(), file.Close())
		}
	}
	return &File{path, bufio.NewReaderSize(text, 1<<20), func() error { return errors.Join(text.Close(), file.Close()) }}, nil
}

// open returns the text of a file as a source reads it, or the rows of a table of Parquet as lines.
func open(name string, file io.ReaderAt, size int64, in io.Reader) (text io.ReadCloser, isTable bool, err error) {
	if rows, err := table.Lines(file, size); rows != nil || err != nil {
		return rows, true, err
	}
	text, err = compression.NewText(name, in)
	return text, false, err
}

// Text returns the text of a file as Open reads it, or nil when the bytes of the file are its text.
func Text(name string, file io.ReaderAt, size int64, in io.Reader) (io.ReadCloser, error) {
	head := make([]byte, compression.HeadSize)
	n, _ := file.ReadAt(head, 0)
	head = head[:n]
	text, isTable, err := open(name, file, size, in)
	if err == nil && !isTable && compression.Of(head) == "" && !bytes.HasPrefix(head, compression.ByteOrderMark) {
		return nil, text.Close()
	}
	return text, err
}

// ShapeOf returns the shape of the first row of a file that is JSON, "" when the file has none or its shape is unknown. Threads
// are apart from what is made of them: thread-preference, thread-tokens and thread-preference-tokens.
func ShapeOf(path string) (string, error) {
	shape, _, err := Inspect(path)
	return shape, err
}

// Inspect returns what ShapeOf does, and whether the file has any text.
func Inspect(path string) (shape string, hasText bool, err error) {
	in, err := Open(path, nil)
	if err != nil {
		return "", false, err
	}
	defer in.Close()
	for line, err := range in.Lines() {
		if err != nil {
			return "", hasText, err
		}
		row := bytes.TrimSpace(line)
		if jsontext.Check(row, jsontext.EmbeddedDepth) == nil && jsontext.IsObject(row) {
			return shapeOf(jsontext.Of(row)), true, nil
		}
		hasText = hasText || len(row) > 0
	}
	return "", hasText, nil
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
	in, err := Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for line, err := range in.Lines() {
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			rows = append(rows, line)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: want records, one per line, have 0", path)
	}
	return rows, nil
}
