package dedup

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/compression"
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

// load yields each canonical row of files of JSON lines, which may be compressed.
func load(files []string, yield func(pos sdk.Pos, r *canonical.Row)) error {
	for _, file := range files {
		if err := loadFile(file, yield); err != nil {
			return err
		}
	}
	return nil
}

func loadFile(file string, yield func(pos sdk.Pos, r *canonical.Row)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := compression.NewText(file, f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
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
