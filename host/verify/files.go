package verify

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/receipt"
)

// output compares a file of rows.
func (v *verification) output(ctx context.Context, o *receipt.Output, at string) error {
	t, err := readText(ctx, at, o.Algorithm(), everyLine)
	if err != nil {
		return err
	}
	v.read(at, t.bytes, t.rows)
	v.compare(at, o.Bytes, o.Sum, t)
	switch {
	case t.broken != nil:
		v.differs(at, Rows, o.Records, fmt.Sprintf("%d, and then: %s", t.rows, t.broken))
	case t.rows != o.Records:
		v.differs(at, Rows, o.Records, t.rows)
	}
	return nil
}

// input compares a file that the run read, if it is still there. Its records are counted where each is a line.
func (v *verification) input(ctx context.Context, in *receipt.Input) error {
	info, err := places.Stat(in.Name)
	switch {
	case in.Name == "-":
		v.unchecked(in.Name, "standard input, which no run keeps")
		return nil
	case oserr.Missing(err):
		v.unchecked(in.Name, "an input that is not there any more, or not under that name")
		return nil
	case err != nil:
		v.unchecked(in.Name, "an input that cannot be read: "+reason(err))
		return nil
	case !info.Mode().IsRegular():
		v.unchecked(in.Name, "an input that is not a file")
		return nil
	case in.Changed:
		v.unchecked(in.Name, "an input that changed while the run read it")
		return nil
	}
	kind, _, _ := strings.Cut(in.Source, ".")
	var counts counting
	switch kind {
	case "jsonl":
		counts = fullLine
	case "parquet": // its text has a line for each row
		counts = everyLine
	}
	var t text
	if in.Share.Cut() {
		if info.Size() != in.Share.Size {
			v.differs(in.Name, Size, in.Share.Size, info.Size())
		}
		t, err = readShare(ctx, in)
	} else {
		t, err = readText(ctx, in.Name, in.Algorithm(), counts)
	}
	if err != nil {
		return err
	}
	v.read(in.Name, t.bytes, 0)
	v.compare(in.Name, in.Bytes, in.Sum, t)
	if (counts != nil || in.Share.Cut()) && t.broken == nil && t.rows != in.Records {
		v.differs(in.Name, Rows, in.Records, t.rows)
	}
	return nil
}

// compare compares size and hash of a file. Of a file outside of the receipt's folder, which may be anybody's, the hash is not told.
func (v *verification) compare(at string, bytes int64, sum filehash.Sum, t text) {
	if bytes != t.bytes {
		v.differs(at, Size, bytes, t.bytes)
	}
	switch {
	case sum == (filehash.Sum{}):
		v.differs(v.path, Account, "a hash of "+v.MaskName(at), "no hash of it")
	case t.unread != nil:
		v.differs(at, Hash, sum.Named(), t.unread)
	case sum == t.sum:
	case v.outside(at):
		v.differs(at, Hash, sum.Named(), "a file with other bytes")
	default:
		v.differs(at, Hash, sum.Named(), t.sum.Named())
	}
}

// A text is what a file has on disk, and how many rows it holds.
type text struct {
	bytes, rows int64
	sum         filehash.Sum
	broken      error // why no more rows could be read
	unread      error // why the file could not be hashed
}

// A line counts as a row when a function of these says so; it gets the line without its end.
type counting func(line []byte) bool

func everyLine([]byte) bool     { return true }
func fullLine(line []byte) bool { return len(bytes.TrimRight(line, " \t\r")) > 0 }

// readText reads a file once. A file that breaks off inside its compression is hashed all the same. No rows are counted without
// counts. The error is that of the context.
func readText(ctx context.Context, at, algorithm string, counts counting) (t text, err error) {
	if counts != nil {
		t.rows, t.bytes, t.sum, t.broken = countRows(ctx, at, counts, func() (*source.Text, error) { return source.OpenHashed(at, algorithm) })
		if t.broken == nil {
			return t, nil
		}
	}
	if ctx.Err() != nil {
		return t, context.Cause(ctx)
	}
	t.bytes, t.sum, t.unread = hashFile(ctx, at, algorithm)
	if ctx.Err() != nil {
		return t, context.Cause(ctx)
	}
	return t, nil
}

func countRows(ctx context.Context, at string, counts counting, open func() (*source.Text, error)) (rows, size int64, sum filehash.Sum, err error) {
	in, err := open()
	if err != nil {
		return 0, 0, sum, withoutPath(at, err)
	}
	defer in.Close()
	if rows, err = countLines(places.Until(ctx, in), counts); err != nil {
		return rows, 0, sum, withoutPath(at, err)
	}
	size, sum = in.Sum()
	return rows, size, sum, nil
}

// countLines counts the lines of a text that count.
func countLines(from io.Reader, counts counting) (rows int64, err error) {
	lines := bufio.NewReaderSize(from, 256<<10)
	begun := false // a line, with something that counts
	for {
		part, err := lines.ReadSlice('\n')
		ended := bytes.HasSuffix(part, []byte{'\n'})
		begun = begun || ended && counts(part[:len(part)-1]) || !ended && len(part) > 0 && counts(part)
		if begun && (ended || err == io.EOF) {
			rows++
		}
		begun = begun && !ended
		switch {
		case err == io.EOF:
			return rows, nil
		case err != nil && err != bufio.ErrBufferFull:
			return rows, err
		}
	}
}

// readShare reads what a part has read of an input: lines, frames of zstd that begin with lines, or row groups of Parquet.
func readShare(ctx context.Context, in *receipt.Input) (t text, err error) {
	f, err := places.Open(in.Name)
	if err != nil {
		t.unread = oserr.Reason(err)
		return t, nil
	}
	defer f.Close()
	if parquet.Is(f, in.Share.Size) {
		var table *parquet.File
		if table, t.broken = parquet.Open(f, in.Share.Size); t.broken == nil {
			t.rows = table.RowsBetween(in.Share.From, in.Share.To)
		}
	} else {
		t.rows, t.bytes, t.sum, t.broken = countRows(ctx, in.Name, fullLine, func() (*source.Text, error) {
			return source.OpenShare(in.Name, in.Share.From, in.Share.To, in.Algorithm())
		})
		if t.broken == nil {
			return t, nil
		}
	}
	if ctx.Err() != nil {
		return t, context.Cause(ctx)
	}
	hash := filehash.New(in.Algorithm())
	share := io.NewSectionReader(f, in.Share.From, in.Share.To-in.Share.From)
	t.bytes, t.unread = io.CopyBuffer(struct{ io.Writer }{hash}, places.Until(ctx, share), make([]byte, 256<<10))
	if ctx.Err() != nil {
		return t, context.Cause(ctx)
	}
	t.sum = hash.Result()
	return t, nil
}

func hashFile(ctx context.Context, at, algorithm string) (size int64, sum filehash.Sum, err error) {
	f, err := places.Open(at)
	if err != nil {
		return 0, sum, oserr.Reason(err)
	}
	defer f.Close()
	hash := filehash.New(algorithm)
	size, err = io.CopyBuffer(struct{ io.Writer }{hash}, places.Until(ctx, f), make([]byte, 256<<10))
	return size, hash.Result(), oserr.Reason(err)
}

// origins compares a file of origins with its hash, and what it says with the output and the inputs of the receipt.
func (v *verification) origins(ctx context.Context, o *receipt.Output, at, sidecar string) error {
	bytes, sum, err := hashFile(ctx, sidecar, o.Origins.Algorithm())
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	v.read(sidecar, bytes, 0)
	if v.compare(sidecar, bytes, o.Origins.Sum, text{bytes: bytes, sum: sum, unread: err}); sum != o.Origins.Sum {
		return nil // what it says is not what the run wrote
	}
	if sidecar != output.OriginsPath(at) {
		v.differs(v.path, Account, "the origins of "+v.MaskName(at)+" in the hidden folder next to it", v.MaskName(o.Origins.Path))
		return nil
	}
	of, files, err := readOrigins(ctx, at)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		v.differs(sidecar, Content, "origins", withoutPath(sidecar, err))
		return nil
	}
	if want := (output.Summary{Rows: o.Records, Bytes: o.Bytes, Sum: o.Sum}); of != want {
		v.differs(sidecar, Content, summary(want), summary(of))
	}
	read := v.inputNames()
	for _, name := range files {
		if !read[name] {
			v.differs(sidecar, Content, "rows of the inputs that the receipt lists", "rows of "+v.MaskName(name))
		}
	}
	return nil
}

func summary(s output.Summary) string {
	return strconv.FormatInt(s.Rows, 10) + " rows, " + strconv.FormatInt(s.Bytes, 10) + " bytes, " + s.Named()
}

// inputNames are the files that rows may come from.
func (v *verification) inputNames() map[string]bool {
	names := map[string]bool{"": true} // of rows that a step wrote after the last record
	for _, in := range v.receipt.Inputs {
		names[in.Name] = true
	}
	if v.receipt.Partial != nil {
		for _, in := range v.receipt.Partial.Taken {
			names[in.Name] = true
		}
	}
	return names
}

// readOrigins returns what the origins of an output say of it, and the files that its rows come from, each once.
func readOrigins(ctx context.Context, at string) (of output.Summary, files []string, err error) {
	in, err := output.OpenOrigins(at)
	if err != nil {
		return of, nil, err
	}
	defer in.Close()
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			files = append(files, name)
		}
	}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return of, nil, context.Cause(ctx)
		}
		first, _, err := in.NextRun()
		if err == io.EOF {
			of, _ = in.Summary()
			return of, files, nil
		}
		if err != nil {
			return of, nil, err
		}
		add(first.File)
		if first.Of != nil {
			for _, p := range first.Of.List {
				add(p.File)
			}
		}
	}
}

// withoutPath returns the text of an error without the path at its beginning.
func withoutPath(at string, err error) error {
	if text, cut := strings.CutPrefix(err.Error(), at+": "); cut {
		return errors.New(text)
	}
	return err
}

func reason(err error) string {
	if oserr.Missing(err) {
		return "no such file"
	}
	return oserr.Reason(err).Error()
}
