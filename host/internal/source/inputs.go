package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/compression"
)

// inputs opens the files one after the other. One goroutine calls next, finish and end.
type inputs struct {
	files []entry
	stdin io.Reader
	hash  string                  // algorithm
	lines func(key string) string // see Cut
	total int64
	read  atomic.Int64

	begun  int     // files that were opened
	opened []*file // and not at hand yet
	ahead  buffers // to decompress them into
	nulls  parquet.Nulls
	open   *file // nil between files
	done   []receipt.Input
}

// maxAhead is how many files are decompressed while one is read.
const maxAhead = 3

// maxFetched is how many remote files are begun while one is read.
const maxFetched = 16

// openInputs finds the files and looks into each regular one, so that what cannot be read shows before the run.
func openInputs(opts Options, k kind) (*inputs, error) {
	files, err := find(opts.Paths, opts.Optional)
	if err != nil {
		return nil, err
	}
	in := &inputs{stdin: opts.Stdin, hash: opts.Hash, ahead: fileBuffers}
	if opts.Cut != nil {
		in.lines = opts.Cut.Lines
		files, err = opts.Cut.take(files, func(e *entry) (bool, error) { return isLined(e, opts, k) })
		if err != nil {
			return nil, err
		}
	}
	in.files = files
	for i, e := range files {
		if !e.regular() { // a pipe is left alone: its writer would notice
			if k.tables == onlyTables {
				return nil, fmt.Errorf("%s: want a file, since Parquet is read from its end, have a stream", e.name)
			}
			continue
		}
		if e.cut == nil || !e.cut.inner { // another was looked into when it was cut
			if err := files[i].sniff(k.tables); err != nil {
				return nil, fmt.Errorf("%s: %w", e.name, oserr.Reason(err))
			}
		}
		if in.total += e.info.Size(); e.cut != nil {
			in.total -= e.info.Size() - (e.cut.to - e.cut.from)
		}
	}
	if slices.ContainsFunc(files, func(e entry) bool { return !e.regular() }) {
		in.total = 0
	}
	return in, nil
}

// isLined reports whether each record of a file is a line of its text, as it lies on disk or in frames of zstd, or whether it can be cut all
// the same.
func isLined(e *entry, opts Options, k kind) (bool, error) {
	format, err := e.look(k.tables)
	if err != nil {
		return false, fmt.Errorf("%s: %w", e.name, oserr.Reason(err))
	}
	switch format {
	case parquetFormat: // between its row groups
		return true, nil
	case "", compression.Zstd:
	default:
		return false, nil
	}
	if format == "" && compression.Named(places.Base(e.name)) {
		return false, nil // reading it says what is wrong
	}
	s, err := k.split(*e, opts)
	_, lined := s.(*lineSplitter)
	return lined, err
}

// sniff looks into a file, but for one that comes over a network: a request for each of many takes long, and reading them shows.
func (e *entry) sniff(takes tables) error {
	if e.fetched() && takes != onlyTables && endingOf(e.name) != parquetKind.ending {
		e.compressed = compression.Named(places.Base(e.name))
		return nil
	}
	_, err := e.look(takes)
	return err
}

// look opens a file, checks that its beginning can be read, and notes whether it is compressed or Parquet. It returns the format.
func (e *entry) look(takes tables) (format string, err error) {
	f, err := e.open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, compression.HeadSize)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	format = compression.Of(head[:n])
	if err := compression.Check(format); err != nil {
		return "", err
	}
	e.columns = parquet.Is(f, e.info.Size())
	if e.columns && takes == noTables {
		return "", errors.New("want text, have Parquet, which a source parquet or auto reads")
	}
	if takes == onlyTables || e.columns || takes == tablesToo && endingOf(e.name) == parquetKind.ending {
		if _, err := parquet.Open(f, e.info.Size()); err != nil {
			return "", err
		}
		e.columns = true
	}
	if e.columns {
		format = parquetFormat
	}
	e.compressed = format != ""
	return format, nil
}

// next opens the next file, or returns io.EOF. It never waits for a writer: the first Read does. Files behind
// it that are compressed are opened as well, and decompressed while it is read.
func (in *inputs) next(ctx context.Context) error {
	if len(in.opened) == 0 {
		if in.begun == len(in.files) {
			return io.EOF
		}
		in.begin(ctx)
	}
	f := in.opened[0]
	in.opened = in.opened[1:]
	if f.err != nil {
		return f.err
	}
	in.open = f
	for in.begun < len(in.files) && len(in.opened) < in.files[in.begun].aheadOf() {
		in.begin(ctx)
	}
	return nil
}

// aheadOf returns how many files are open when this one is opened as well, while another is read.
func (e entry) aheadOf() int {
	switch {
	case e.compressed:
		return min(maxAhead, runtime.GOMAXPROCS(0)-1)
	case e.fetched(): // its first bytes are asked for
		return maxFetched
	}
	return 0
}

// begin opens the first file that has not been.
func (in *inputs) begin(ctx context.Context) {
	e := in.files[in.begun]
	f := &file{entry: e, nulls: in.nulls, raw: raw{sum: hasher{hash: filehash.New(in.hash)}, total: &in.read}}
	in.begun++
	in.opened = append(in.opened, f)
	switch {
	case e.name == stdin && in.stdin == nil:
		f.err = errors.New("want standard input, have a run without it")
	case e.name == stdin:
		f.pump = startPump(pipeBuffers, closedBy(func() (io.ReadCloser, error) { return io.NopCloser(in.stdin), nil }))
		f.raw.src = f.pump
	case !e.regular():
		f.pump = startPump(pipeBuffers, closedBy(func() (io.ReadCloser, error) { return os.Open(e.name) }))
		f.raw.src = f.pump
	default:
		if f.opened, f.err = e.open(); f.err != nil {
			f.err = fmt.Errorf("%s: %w", e.name, oserr.Reason(f.err))
			return
		}
		f.raw.src = f.opened
		if e.cut != nil {
			if f.err = f.seek(ctx, in.lines); f.err != nil {
				f.err = errors.Join(fmt.Errorf("%s: %w", e.name, oserr.Reason(f.err)), f.opened.Close())
				return
			}
		}
		places.Prefetch(f.opened)
		if e.fetched() && !e.compressed && (e.cut == nil || !e.cut.inner) {
			f.entry.file = f.opened
		}
		if e.compressed && f.text == nil {
			f.startAhead(in.ahead)
		}
	}
}

// finish closes the open file at its end and returns its account, with the hasher of the sum that is missing in it. next is the line
// behind what was read.
func (in *inputs) finish(next int64) (receipt.Input, *hasher) {
	f := in.open
	in.open = nil
	input := receipt.Input{Name: f.name, Bytes: f.raw.n, Records: f.records, Changed: f.changedOnDisk(), Padding: f.padding.Load()}
	if f.cut != nil {
		input.Share = f.cut.share(f.entry, next)
	}
	f.close()
	return input, &f.raw.sum
}

// end closes all open files. Nothing is read into memory any more when it returns.
func (in *inputs) end() (err error) {
	if in.open != nil {
		err = in.open.close()
		in.open.raw.sum.group.Wait()
	}
	for _, f := range in.opened {
		err = errors.Join(err, f.close())
	}
	in.open, in.opened = nil, nil
	return err
}

// Files lists the names of all files there are to read, "-" for standard input.
func (in *inputs) Files() []string { return namesOf(in.files) }

// Info describes the nth of the files, as it was when it was found; nil for standard input.
func (in *inputs) Info(n int) fs.FileInfo { return in.files[n].info }

// Only returns a source that reads the nth of the files alone. The one that it is made of reads nothing.
func (s *Source) Only(n int) *Source {
	in := &inputs{files: s.files[n : n+1 : n+1], stdin: s.stdin, hash: s.hash, lines: s.lines, total: s.files[n].size(), ahead: s.ahead, nulls: s.nulls}
	return &Source{inputs: in, opts: s.opts, splitter: s.splitter}
}

// Inputs lists the files that were read to their end.
func (in *inputs) Inputs() []receipt.Input { return in.done }

// A Text is a file that is read outside of a run, decompressed as a run would. It is read ahead and hashed in a goroutine of
// its own until it is closed; one other goroutine uses it.
type Text struct {
	in   *inputs
	file *file
}

// textBuffers are small, since many outputs may be open.
var textBuffers = buffers{count: 4, size: 64 << 10, filled: true}

// OpenText opens a file whose hash is not asked for.
func OpenText(name string) (*Text, error) { return OpenHashed(name, filehash.XXH3) }

// OpenHashed opens a file that is hashed by an algorithm of filehash as it is read.
func OpenHashed(name, algorithm string) (*Text, error) {
	info, err := places.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", places.Shown(name), oserr.Reason(err))
	}
	in := &inputs{files: []entry{{name: name, info: info, compressed: true, columns: isParquet(name, info)}}, hash: algorithm, ahead: textBuffers}
	if err := in.next(context.Background()); err != nil {
		return nil, errors.Join(err, in.end())
	}
	return &Text{in, in.open}, nil
}

// OpenShare opens what a part has read of a file: its lines, decompressed, from one place of the file on disk up to another.
func OpenShare(name string, from, to int64, algorithm string) (*Text, error) {
	info, err := places.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", places.Shown(name), oserr.Reason(err))
	}
	e := entry{name: name, info: info, cut: &portion{inner: true, found: true, start: from, end: to}}
	if _, err := e.look(noTables); err != nil {
		return nil, fmt.Errorf("%s: %w", places.Shown(name), oserr.Reason(err))
	}
	in := &inputs{files: []entry{e}, hash: algorithm, ahead: textBuffers}
	if err := in.next(context.Background()); err != nil {
		return nil, errors.Join(err, in.end())
	}
	return &Text{in, in.open}, nil
}

// Read implements io.Reader.
func (t *Text) Read(p []byte) (int, error) {
	n, err := t.file.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", t.file.name, oserr.Reason(err))
	}
	return n, err
}

// Sum returns the size and the hash of a file that was read to its end, as it lies on disk.
func (t *Text) Sum() (bytes int64, sum filehash.Sum) { return t.file.raw.n, t.file.raw.sum.sum() }

// Close ends the reading. The file was only read, so closing it has nothing to say.
func (t *Text) Close() { _ = t.in.end() }
