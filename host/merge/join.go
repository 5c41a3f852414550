package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A join is a path of the whole run with its shards, in order. The rows go through a sink as in a run, so that it writes the files,
// frames, numbers and origins that the whole run would have written.
type join struct {
	what   string // of its claim
	path   string
	about  receipt.Output // what its shards have in common
	shards []shard
	sink   *output.Sink
}

type shard struct {
	path string
	of   receipt.Output
}

// claimJoins claims the files of the whole run.
func (w *writing) claimJoins(old *receipt.Receipt) error {
	byPath := map[string]*join{}
	for _, p := range w.parts {
		for _, o := range p.Outputs {
			at, path, ok := w.wholePath(p, o)
			if !ok {
				continue
			}
			j := byPath[path]
			if j == nil {
				j = &join{what: "sink " + o.Sink + " at " + path, path: path, about: o}
				byPath[path], w.joins = j, append(w.joins, j)
			}
			j.shards = append(j.shards, shard{at, o})
		}
	}
	for _, j := range w.joins {
		rotate := output.Rotate(w.parts[0].Part.Rotates[j.about.Sink])
		first := j.path
		if rotate != (output.Rotate{}) {
			first = output.Numbered(j.path, 1)
		}
		if err := w.mayReplace(first, old); err != nil {
			return err
		}
		var err error
		kind, _, named := strings.Cut(j.about.Sink, ".")
		if !named { // a sink that the file does not name
			kind = "jsonl"
		}
		claim := output.Claim{What: j.what, Path: j.path, Rotate: rotate, Table: tableOf(j.about.Sink, w.parts[0].Part.Tables)}
		if j.sink, err = w.set.Sink(kind, claim); err != nil {
			return fmt.Errorf("%s: %w", w.MaskName(j.path), err)
		}
		for _, s := range j.shards {
			if err := w.set.Reads(output.Claim{What: "the merge", Path: s.path}); err != nil {
				return err
			}
		}
	}
	return nil
}

// markJoined has the commit remove the files that an earlier merge has joined, as long as they are as large as it wrote them, and their origins.
// Whoever reads the folder would find each row twice, and no receipt would name them.
func (w *writing) markJoined(old *receipt.Receipt) {
	if old == nil || w.Join {
		return
	}
	for _, o := range old.Outputs {
		at, _ := old.Place(w.dir, o.Path)
		if _, _, ofPart := receipt.PartOf(at); ofPart || o.Path == "-" {
			continue
		}
		if info, err := places.Stat(at); err == nil && info.Mode().IsRegular() && info.Size() == o.Bytes {
			w.set.MarkStale(at, "")
			if origins := output.OriginsPath(at); origins != "" {
				w.set.MarkStale(origins, "")
			}
		}
	}
}

// tableOf returns how a sink writes Parquet. Whatever labels its paths have, its files have one schema.
func tableOf(sink string, told map[string]receipt.Table) output.Table {
	t := output.Table{Schema: sink, Columns: map[string]parquet.Type{}, Groups: parquet.Limits(told[sink].RowGroup)}
	for path, typ := range told[sink].Columns {
		t.Columns[path] = parquet.Type(typ)
	}
	return t
}

// wholePath returns where an output of a part lies, and the path that the whole run gives it, without the number of a sink that rotates.
// It returns false for one that is not joined: standard output, a pipe or a device.
func (w *writing) wholePath(p *part, o receipt.Output) (at, path string, ok bool) {
	at, _ = p.Place(w.dir, o.Path)
	_, path, ok = receipt.PartOf(at)
	if _, rotates := p.Part.Rotates[o.Sink]; ok && rotates {
		path = output.Unnumbered(path)
	}
	return at, path, ok
}

// joinOf returns the join that an output is a shard of, nil when there is none.
func (w *writing) joinOf(p *part, o receipt.Output) *join {
	if !w.Join {
		return nil
	}
	_, path, ok := w.wholePath(p, o)
	for _, j := range w.joins {
		if ok && j.path == path {
			return j
		}
	}
	return nil
}

// join writes the rows of all shards, and compares these with what their receipts say.
func (w *writing) join(ctx context.Context) error {
	for _, j := range w.joins {
		for _, s := range j.shards {
			if err := j.add(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *join) add(ctx context.Context, s shard) (err error) {
	text, err := source.OpenHashed(s.path, s.of.Algorithm())
	if err != nil {
		return err
	}
	defer text.Close()
	next := func() (output.Origin, error) { return output.Origin{}, nil }
	if s.of.Origins != nil {
		origins, err := output.OpenOrigins(s.path)
		if err != nil {
			return err
		}
		defer origins.Close()
		next = origins.Next
	}
	rows := int64(0)
	err = eachRows(ctx, text, func(lines [][]byte) error {
		batch := make([]wire.Record, len(lines))
		for i, line := range lines {
			at, err := next()
			if err != nil {
				return fmt.Errorf("%s: row %d: want its origin: %w", s.path, rows+int64(i)+1, err)
			}
			batch[i] = wire.Record{Data: line, File: at.File, Line: at.Line, OfLine: at.OfLine, Origins: at.Of}
		}
		rows += int64(len(lines))
		return j.sink.Write(batch)
	})
	if err != nil {
		return err
	}
	if size, sum := text.Sum(); size != s.of.Bytes || sum != s.of.Sum || rows != s.of.Records {
		return fmt.Errorf("%s: want the %s that the part wrote, %s, have %s, %s: the file was changed",
			s.path, plural.Of(s.of.Records, "row"), s.of.Sum.Named(), plural.Of(rows, "row"), sum.Named())
	}
	return nil
}

// window is how much of a shard is read at a time, unless a row is longer.
const window = 1 << 20

// eachRows calls do with the rows of a text, many at a time.
func eachRows(ctx context.Context, from io.Reader, do func(rows [][]byte) error) error {
	buf, n := make([]byte, window), 0
	var rows [][]byte
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if n == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
		k, err := from.Read(buf[n:])
		seen := n
		n += k
		if err != nil && err != io.EOF {
			return err
		}
		at := 0
		rows = rows[:0]
		for {
			i := bytes.IndexByte(buf[max(at, seen):n], '\n')
			if i < 0 {
				break
			}
			end := max(at, seen) + i
			rows = append(rows, buf[at:end])
			at = end + 1
		}
		if len(rows) > 0 {
			if err := do(rows); err != nil {
				return err
			}
		}
		n = copy(buf, buf[at:n])
		if err == io.EOF {
			if n > 0 {
				return errors.New("want a line end behind the last row, have the end of the file")
			}
			return nil
		}
	}
}

// output returns the account of a file of the whole run.
func (j *join) output(f output.File, show func(string) string) receipt.Output {
	o := j.about
	o.Path, o.Records, o.Bytes, o.Sum, o.Origins, o.Lengths = show(f.Path), f.Records, f.Bytes, f.Sum, nil, map[string]int64{}
	for bound, n := range f.Lengths {
		o.Lengths[strconv.FormatInt(bound, 10)] = n
	}
	if f.Origins != nil {
		o.Origins = &receipt.Sidecar{Path: show(f.Origins.Path), Sum: f.Origins.Sum}
	}
	return o
}
