package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/filelock"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/receipt"
)

// A portion is what a part reads of a file. The lines that begin from from up to to are its own.
type portion struct {
	from, to int64
	inner    bool    // the file is cut between its lines
	bounds   []int64 // places where parts begin in it

	start, end int64  // of the lines, once they are known
	line       int64  // the first of them
	groups     [2]int // the first row group of Parquet, and the one behind the last
	marked     bool   // the file begins with a byte-order mark
}

// find finds the lines of a portion.
func (s *portion) find(ctx context.Context, e entry, lines func(key string) string) error {
	if s.start, s.end, s.line = s.from, s.to, 1; !s.inner {
		return nil
	}
	f, err := e.open()
	if err != nil {
		return err
	}
	defer f.Close()
	if e.columns {
		return s.findGroups(f, e.size())
	}
	head := make([]byte, len(byteOrderMark))
	n, _ := f.ReadAt(head, 0)
	s.marked = bytes.Equal(head[:n], byteOrderMark)
	if s.start, err = lineStart(ctx, f, s.from, e.size()); err != nil {
		return err
	}
	if s.end, err = lineStart(ctx, f, s.to, e.size()); err != nil || s.start == 0 || s.start == s.end {
		return err
	}
	i := slices.Index(s.bounds, s.from)
	counted, err := s.counted(ctx, f, e, i, lines)
	if err != nil {
		return err
	}
	s.line = counted.lines[i] + 1
	return nil
}

// counted returns the counts of the file up to those of this part, which begins at a bound, at least. Of parts that can tell each other one
// counts, and the others wait for it, which takes them no longer than counting.
func (s *portion) counted(ctx context.Context, f io.ReaderAt, e entry, bound int, lines func(key string) string) (*counts, error) {
	path := ""
	if lines != nil {
		path = lines(countsKey(e, s.bounds))
	}
	if path == "" {
		return countLines(ctx, f, e, s.bounds[:bound+1])
	}
	known := func() *counts {
		if c := readCounts(path, len(s.bounds)); c != nil && c.starts[bound] == s.start {
			return c
		}
		return nil
	}
	if c := known(); c != nil {
		return c, nil
	}
	unlock, err := lockCounts(ctx, path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if c := known(); c != nil {
		return c, nil
	}
	c, err := countLines(ctx, f, e, s.bounds)
	if err == nil {
		writeCounts(path, c)
	}
	return c, err
}

// lockWait is how often a part looks whether another has counted.
const lockWait = 10 * time.Millisecond

// lockCounts waits until no other part counts for a path. Where nothing can be locked there it does not wait.
func lockCounts(ctx context.Context, path string) (unlock func(), err error) {
	name := path + ".lock"
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return func() {}, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return func() {}, nil
	}
	unlock = func() {
		os.Remove(name)
		f.Close()
	}
	for {
		locked, busy := filelock.Try(f)
		if locked || !busy {
			return unlock, nil
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(lockWait):
		}
	}
}

// begin returns the first line, and where it begins in the text of the file.
func (s *portion) begin() (line, offset int64) {
	if offset = s.start; offset > 0 && s.marked {
		offset -= int64(len(byteOrderMark))
	}
	return s.line, offset
}

var errChanged = errors.New("want its lines where they were, have a file that changed")

// stride is how much of a file is searched for a line end at a time, and countSize how much is counted: more where each read is a
// request.
const (
	stride          = 64 << 10
	countSize       = 256 << 10
	remoteCountSize = 8 << 20
)

// lineStart returns where the first line begins at a place or behind it, or the size of the file.
func lineStart(ctx context.Context, f io.ReaderAt, at, size int64) (int64, error) {
	if at == 0 || at >= size {
		return min(at, size), nil
	}
	at--
	buf := make([]byte, stride)
	for at < size {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := f.ReadAt(buf[:min(stride, size-at)], at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		if at += int64(n); err != nil && err != io.EOF {
			return 0, oserr.Reason(err)
		}
		if n == 0 {
			return 0, errChanged
		}
	}
	return size, nil
}

// counts say for each place where a part begins where its lines begin and how many lie before. As a file they are a line with the
// schema, and a line with both numbers for each place.
type counts struct{ starts, lines []int64 }

// countLines reads a file once up to the last of the bounds.
func countLines(ctx context.Context, f io.ReaderAt, e entry, bounds []int64) (*counts, error) {
	c := &counts{make([]int64, len(bounds)), make([]int64, len(bounds))}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	from, step := int64(0), int64(countSize)
	if e.fetched() {
		step = remoteCountSize
	}
	for i, b := range bounds {
		start, err := lineStart(ctx, f, b, e.size())
		if err != nil {
			return nil, err
		}
		begin := from
		group.Go(func() (err error) {
			c.lines[i], err = countBetween(ctx, f, begin, start, step)
			return err
		})
		c.starts[i], from = start, start
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := 1; i < len(c.lines); i++ {
		c.lines[i] += c.lines[i-1]
	}
	return c, nil
}

func countBetween(ctx context.Context, f io.ReaderAt, from, to, step int64) (lines int64, err error) {
	buf := make([]byte, min(step, to-from))
	for from < to {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := f.ReadAt(buf[:min(step, to-from)], from)
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if from += int64(n); err != nil && err != io.EOF {
			return 0, oserr.Reason(err)
		}
		if n == 0 {
			return 0, errChanged
		}
	}
	return lines, nil
}

const linesSchema = "sluice.lines.v1"

// countsKey names the counts of a file, by all that they depend on.
func countsKey(e entry, bounds []int64) string {
	key := sha256.New()
	fmt.Fprintf(key, "%q %d %d %d", e.name, e.size(), e.modified().UnixNano(), bounds)
	return hex.EncodeToString(key.Sum(nil)[:16])
}

// readCounts returns what a part has counted before, nil when there is nothing that can be used.
func readCounts(path string, bounds int) *counts {
	text, err := os.ReadFile(path)
	rows := strings.Split(string(text), "\n")
	if err != nil || rows[0] != linesSchema || len(rows) != bounds+2 {
		return nil
	}
	c := &counts{make([]int64, bounds), make([]int64, bounds)}
	for i, row := range rows[1 : bounds+1] {
		if n, err := fmt.Sscanf(row, "%d %d", &c.starts[i], &c.lines[i]); n != 2 || err != nil {
			return nil
		}
	}
	return c
}

// writeCounts keeps what was counted for other parts. They count themselves where it cannot be written.
func writeCounts(path string, c *counts) {
	folder, name := filepath.Split(path)
	text := []byte(linesSchema + "\n")
	for i := range c.starts {
		text = fmt.Appendf(text, "%d %d\n", c.starts[i], c.lines[i])
	}
	f, err := os.CreateTemp(folder, "*"+name)
	if err != nil {
		return
	}
	_, err = f.Write(text)
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), path) != nil {
		os.Remove(f.Name())
	}
}

// share returns what a part has read of a file, when next is the line behind it.
func (s *portion) share(e entry, next int64) *receipt.Share {
	x := &receipt.Share{From: s.start, To: s.end, Size: e.size(), Modified: e.modified()}
	if s.inner {
		x.Line, x.Lines = s.line, next-s.line
	}
	return x
}
