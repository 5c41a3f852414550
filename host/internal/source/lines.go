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

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/filelock"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/wholefile"
	"github.com/sluicehq/sluice/sdk/compression"
)

// A portion is what a part reads of a file. The lines that begin from from up to to are its own.
type portion struct {
	file     int // among those of the whole run
	from, to int64
	inner    bool    // the file is cut between its lines
	bounds   []int64 // places where parts begin in it

	found      bool   // the lines are known:
	start, end int64  // of them, in the file as it lies on disk
	line, text int64  // the first of them, and how much text lies before it
	groups     [2]int // the first row group of Parquet, and the one behind the last
	marked     bool   // the file begins with a byte-order mark
}

// A lined is a file that is cut between its lines. Places are those of the file as it lies on disk.
type lined interface {
	// start returns the first place at which a line begins, and a part may, at a place or behind it, or the size of the file.
	start(ctx context.Context, at int64) (int64, error)
	// count returns how many lines and how much text lie between two such places.
	count(ctx context.Context, from, to int64) (lines, text int64, err error)
}

// linesOf returns the lines of a file, which is compressed as frames if it is compressed.
func linesOf(f io.ReaderAt, e entry) lined {
	switch {
	case e.compressed:
		return &frameLines{f: f, size: e.size()}
	case e.fetched():
		return plainLines{f, e.size(), remoteCountSize}
	}
	return plainLines{f, e.size(), countSize}
}

// find finds the lines of a portion.
func (s *portion) find(ctx context.Context, e entry, lines func(key string) string) error {
	if s.found {
		return nil
	}
	s.found = true
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
	from := linesOf(f, e)
	if s.start, err = from.start(ctx, s.from); err != nil {
		return err
	}
	if s.end, err = from.start(ctx, s.to); err != nil || s.start == 0 || s.start == s.end {
		return err
	}
	if s.marked, err = isMarked(ctx, f, e); err != nil {
		return err
	}
	i := slices.Index(s.bounds, s.from)
	counted, err := s.counted(ctx, from, e, i, lines)
	if err != nil {
		return err
	}
	s.line, s.text = counted[i].lines+1, counted[i].text
	return nil
}

// isMarked reports whether the text of a file begins with a byte-order mark.
func isMarked(ctx context.Context, f io.ReaderAt, e entry) (bool, error) {
	head := make([]byte, len(compression.ByteOrderMark))
	var text io.Reader = io.NewSectionReader(f, 0, e.size())
	if e.compressed {
		z, err := zstd.NewReader(places.Until(ctx, text), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(compression.MaxWindow))
		if err != nil {
			return false, err
		}
		defer z.Close()
		text = z
	}
	_, err := io.ReadFull(text, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return bytes.Equal(head, compression.ByteOrderMark), err
}

// counted returns the counts of the file up to those of this part, which begins at a bound, at least. Of parts that can tell each other one
// counts, and the others wait for it, which takes them no longer than counting.
func (s *portion) counted(ctx context.Context, from lined, e entry, bound int, lines func(key string) string) (counts, error) {
	path := ""
	if lines != nil {
		path = lines(countsKey(e, s.bounds))
	}
	if path == "" {
		return countLines(ctx, from, s.bounds[:bound+1])
	}
	known := func() counts {
		if c := readCounts(path, len(s.bounds)); c != nil && c[bound].start == s.start {
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
	c, err := countLines(ctx, from, s.bounds)
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
	if offset = s.text; offset > 0 && s.marked {
		offset -= int64(len(compression.ByteOrderMark))
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

// plainLines is a file whose text lies as it is on disk.
type plainLines struct {
	f          io.ReaderAt
	size, step int64 // step is how much is counted at a time
}

// start implements lined.
func (l plainLines) start(ctx context.Context, at int64) (int64, error) {
	if at == 0 || at >= l.size {
		return min(at, l.size), nil
	}
	at--
	buf := make([]byte, stride)
	for at < l.size {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := l.f.ReadAt(buf[:min(stride, l.size-at)], at)
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
	return l.size, nil
}

// count implements lined.
func (l plainLines) count(ctx context.Context, from, to int64) (lines, text int64, err error) {
	text = to - from
	buf := make([]byte, min(l.step, text))
	for from < to {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		n, err := l.f.ReadAt(buf[:min(l.step, to-from)], from)
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if from += int64(n); err != nil && err != io.EOF {
			return 0, 0, oserr.Reason(err)
		}
		if n == 0 {
			return 0, 0, errChanged
		}
	}
	return lines, text, nil
}

// counts say for each place where a part begins where its lines begin, and how many lines and how much text lie before. As a file they are
// a line with the schema, and a line with the three numbers for each place.
type counts []count

type count struct{ start, lines, text int64 }

// countLines reads a file once up to the last of the bounds.
func countLines(ctx context.Context, of lined, bounds []int64) (counts, error) {
	c := make(counts, len(bounds))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	from := int64(0)
	for i, b := range bounds {
		start, err := of.start(ctx, b)
		if err != nil {
			return nil, errors.Join(err, group.Wait())
		}
		begin := from
		group.Go(func() (err error) {
			c[i].lines, c[i].text, err = of.count(ctx, begin, start)
			return err
		})
		c[i].start, from = start, start
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := 1; i < len(c); i++ {
		c[i].lines += c[i-1].lines
		c[i].text += c[i-1].text
	}
	return c, nil
}

const linesSchema = "sluice.lines.v2"

// countsKey names the counts of a file, by all that they depend on.
func countsKey(e entry, bounds []int64) string {
	key := sha256.New()
	fmt.Fprintf(key, "%q %d %d %d", e.name, e.size(), e.modified().UnixNano(), bounds)
	return hex.EncodeToString(key.Sum(nil)[:16])
}

// readCounts returns what a part has counted before, nil when there is nothing that can be used.
func readCounts(path string, bounds int) counts {
	text, err := os.ReadFile(path)
	rows := strings.Split(string(text), "\n")
	if err != nil || rows[0] != linesSchema || len(rows) != bounds+2 {
		return nil
	}
	c := make(counts, bounds)
	for i, row := range rows[1 : bounds+1] {
		if n, err := fmt.Sscanf(row, "%d %d %d", &c[i].start, &c[i].lines, &c[i].text); n != 3 || err != nil {
			return nil
		}
	}
	return c
}

// writeCounts keeps what was counted for other parts. They count themselves where it cannot be written.
func writeCounts(path string, c counts) {
	folder, name := filepath.Split(path)
	text := []byte(linesSchema + "\n")
	for _, at := range c {
		text = fmt.Appendf(text, "%d %d %d\n", at.start, at.lines, at.text)
	}
	// Whoever sweeps such files knows them by the end of the name.
	_ = wholefile.Write(path, text, wholefile.Options{Temp: filepath.Join(folder, "*"+name)})
}

// share returns what a part has read of a file, when next is the line behind it.
func (s *portion) share(e entry, next int64) *receipt.Share {
	x := &receipt.Share{File: s.file, From: s.start, To: s.end, Size: e.size(), Modified: e.modified()}
	if s.inner {
		x.Line, x.Lines = s.line, next-s.line
	}
	return x
}
