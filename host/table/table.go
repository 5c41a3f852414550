// Package table reads Parquet for tools that look at the files of a run.
package table

import (
	"io"

	"github.com/sluicehq/sluice/host/internal/parquet"
)

// Lines returns the rows of a file of some size as lines of JSON, as a source of kind parquet reads them; nil when the file is not Parquet.
// Memory holds a page of each column. Close ends the reading, and closes nothing else.
func Lines(from io.ReaderAt, size int64) (io.ReadCloser, error) {
	if !parquet.Is(from, size) {
		return nil, nil
	}
	f, err := parquet.Open(from, size)
	if err != nil {
		return nil, err
	}
	lines, to := io.Pipe()
	go func() {
		to.CloseWithError(f.WriteLines(to, 0, len(f.Groups), parquet.AsWritten, func(int64) error { return nil }))
	}()
	return lines, nil
}
