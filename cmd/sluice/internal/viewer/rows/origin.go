package rows

import (
	"context"
	"errors"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/sluicehq/sluice/host"
)

// origins say which records the rows of a file come of.
type origins struct {
	Files []string
	Runs  []run
	Loose bool // runs are in no order

	numbers map[string]uint32 // of the files, while runs are added
}

// A run is of rows whose records stand on lines behind each other, each the first of its line but for the first.
type run struct {
	Row, Count, File uint32
	OfLine, Part     uint32 // of the first row
	Line             int64
}

// end is the record of the run's last row.
func (r *run) end() (line int64, ofLine uint32) {
	if r.Count > 1 {
		return r.Line + int64(r.Count) - 1, 0
	}
	return r.Line, r.OfLine
}

// readOrigins reads all that a run has noted of an output, and how many rows that had.
func readOrigins(ctx context.Context, from *host.OriginReader) (_ *origins, rows int64, err error) {
	defer func() { err = errors.Join(err, from.Close()) }()
	o := &origins{}
	for ctx.Err() == nil {
		first, more, err := from.NextRun()
		if err == io.EOF {
			whole, _ := from.Whole()
			return o, whole.Rows, nil
		}
		if err != nil {
			return nil, 0, err
		}
		o.add(run{Row: uint32(rows), Count: uint32(more) + 1, OfLine: first.OfLine, Part: first.Row, Line: first.Line}, first.File)
		rows += more + 1
	}
	return nil, 0, ctx.Err()
}

// add takes in the next rows.
func (o *origins) add(r run, file string) {
	if n := len(o.Files); n == 0 || o.Files[n-1] != file {
		if at, ok := o.numbers[file]; ok { // it comes a second time
			r.File, o.Loose = at, true
			o.Runs = append(o.Runs, r)
			return
		}
		if o.numbers == nil {
			o.numbers = map[string]uint32{}
		}
		file = strings.Clone(file)
		o.numbers[file] = uint32(n)
		o.Files = append(o.Files, file)
	}
	r.File = uint32(len(o.Files) - 1)
	if n := len(o.Runs); n > 0 && o.Runs[n-1].File == r.File {
		line, ofLine := o.Runs[n-1].end()
		o.Loose = o.Loose || r.Line < line || r.Line == line && r.OfLine < ofLine
	}
	o.Runs = append(o.Runs, r)
}

// join takes in those of the next part of a file, which begins with the given row.
func (o *origins) join(part *origins, row int) {
	for _, r := range part.Runs {
		r.Row += uint32(row)
		o.add(r, part.Files[r.File])
	}
}

// of gives the origin of a row.
func (o *origins) of(row int) (host.Origin, bool) {
	i := sort.Search(len(o.Runs), func(i int) bool { return int(o.Runs[i].Row) > row }) - 1
	if i < 0 || row >= int(o.Runs[i].Row+o.Runs[i].Count) {
		return host.Origin{}, false
	}
	r := &o.Runs[i]
	at := host.Origin{File: o.Files[r.File], Line: r.Line + int64(row) - int64(r.Row)}
	if row == int(r.Row) {
		at.OfLine, at.Row = r.OfLine, r.Part
	}
	return at, true
}

// rows gives the rows that come of a record, in order.
func (o *origins) rows(of host.Origin) (rows []uint32) {
	file := slices.Index(o.Files, of.File)
	if file < 0 {
		return nil
	}
	runs := o.Runs
	if !o.Loose {
		runs = runs[sort.Search(len(runs), func(i int) bool {
			line, ofLine := runs[i].end()
			return int(runs[i].File) > file || int(runs[i].File) == file && (line > of.Line || line == of.Line && ofLine >= of.OfLine)
		}):]
	}
	for _, r := range runs {
		if int(r.File) != file {
			if o.Loose {
				continue
			}
			break
		}
		at := of.Line - r.Line
		switch {
		case at == 0 && r.OfLine == of.OfLine, at > 0 && at < int64(r.Count) && of.OfLine == 0:
			rows = append(rows, r.Row+uint32(at))
		case !o.Loose && (at < 0 || at == 0 && r.OfLine > of.OfLine):
			return rows
		}
	}
	return rows
}
