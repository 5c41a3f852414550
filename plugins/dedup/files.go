package dedup

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// match returns the files that match the patterns, at least one for each.
func match(patterns []string) (files []string, err error) {
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("want a file or a pattern for some, have nothing at %q", pattern)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// load yields each canonical row of files of JSON lines, which may be compressed as their names say.
func load(files []string, yield func(pos sdk.Pos, r *canonical.Row)) error {
	for _, file := range files {
		if err := loadFile(file, yield); err != nil {
			return err
		}
	}
	return nil
}

func loadFile(file string, yield func(pos sdk.Pos, r *canonical.Row)) error {
	text, err := open(file)
	if err != nil {
		return err
	}
	defer text.Close()
	lines := bufio.NewReaderSize(text, 1<<20)
	var row canonical.Row
	for n := int64(1); ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			pos := sdk.Pos{File: file, Line: n}
			if fault := jsontext.Check(line, jsontext.EmbeddedDepth); fault != nil {
				return fmt.Errorf("%s: want a row: %s", pos, fault.Message)
			}
			if row.Read(jsontext.Of(line)); row.Format != canonical.Format {
				return fmt.Errorf("%s: want a row of %s", pos, canonical.Format)
			}
			yield(pos, &row)
		}
		if err == io.EOF {
			return nil
		}
	}
}

// open opens a file, and decompresses it by its name.
func open(file string) (io.ReadCloser, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	var text io.Reader = f
	switch {
	case strings.HasSuffix(file, ".gz"):
		text, err = gzip.NewReader(f)
	case strings.HasSuffix(file, ".zst"):
		var z *zstd.Decoder
		if z, err = zstd.NewReader(f, zstd.WithDecoderConcurrency(1)); err == nil {
			return unpacked{z.IOReadCloser(), f}, nil
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return unpacked{io.NopCloser(text), f}, nil
}

// unpacked is a decompressed text and the file behind it.
type unpacked struct {
	io.ReadCloser
	file *os.File
}

func (u unpacked) Close() error {
	u.ReadCloser.Close()
	return u.file.Close()
}
