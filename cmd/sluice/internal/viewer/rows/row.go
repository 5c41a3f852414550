package rows

import (
	"context"
	"fmt"
	"io"

	"github.com/sluicehq/sluice/host"
)

// An ID is a row of an Index, for as long as that is open and not renewed. Links use file and line instead.
type ID struct {
	File uint32 // of those that were opened
	Row  uint32 // of the file, from 0
}

// A Row is what the index knows of a row.
type Row struct {
	ID
	Name         string       // of the file
	Line         int64        // in the file, from 1
	Offset, Size int64        // bytes, in the file as it is unpacked; without the end of the line
	Turns, Calls int64        // messages with the response, and calls in them
	JSON         bool         // it is a JSON value
	Origin       *host.Origin // nil when it is not known
	Shared       bool         // several inputs have the name of the origin's file: ByOrigin and "beside" have nothing of it
	view         *view
}

// Words are the values of a column of words, mostly one or none.
func (r *Row) Words(column string) []string {
	if c := r.view.words(column); c != nil {
		return c.words(int(r.Row))
	}
	return nil
}

// A view is a file as it is known at one time.
type view struct {
	File
	file    *file
	at      int
	table   *table
	origins *origins
	shared  map[string]bool // names of inputs that several have
	done    bool

	beside   *coded
	complete bool // nothing can be added to any file, nor to this column
}

// views are those of all files.
func (x *Index) views() (all []*view, generation int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.viewsLocked(), x.generation
}

func (x *Index) viewsLocked() []*view {
	all := make([]*view, len(x.files))
	for i, f := range x.files {
		all[i] = &view{File: f.File, file: f, at: i, table: f.table, origins: f.origins, shared: x.shared, done: f.done}
		all[i].complete = x.indexed()
		if f.origins == nil && len(f.table.Said.Runs) > 0 {
			all[i].origins = &f.table.Said
		}
		if all[i].beside = (&coded{}); x.beside != nil && i < len(x.beside.of) {
			all[i].beside = x.beside.of[i]
		}
	}
	return all
}

// words gives a column of words, nil when there is none of that name.
func (v *view) words(name string) *coded {
	switch name {
	case besideColumn:
		return v.beside
	case fileColumn:
		return &coded{Sets: [][]string{nil, {v.Name}}, all: 1} // of every row
	}
	for c := range words {
		if words[c].Name == name {
			return &v.table.Words[c]
		}
	}
	return nil
}

// row is what is known of a row.
func (v *view) row(row int) Row {
	t := v.table
	r := Row{
		ID: ID{uint32(v.at), uint32(row)}, Name: v.Name, Line: t.line(row), Offset: t.Offsets[row], Size: int64(t.Sizes[row]),
		Turns: int64(t.Turns[row]), Calls: int64(t.Calls[row]), JSON: t.isJSON(row), view: v,
	}
	if at, ok := v.origin(row); ok {
		r.Origin, r.Shared = &at, v.shared[at.File]
	}
	return r
}

// origin is the record that a row comes of.
func (v *view) origin(row int) (host.Origin, bool) {
	switch {
	case v.Input != "":
		return host.Origin{File: v.Input, Line: v.table.line(row)}, true
	case v.origins == nil:
		return host.Origin{}, false
	}
	return v.origins.of(row)
}

// of gives the rows that come of a record.
func (v *view) of(origin host.Origin) []uint32 {
	switch {
	case v.Input == origin.File && v.Input != "":
		if row, ok := v.table.at(origin.Line); ok {
			return []uint32{uint32(row)}
		}
		return nil
	case v.origins == nil:
		return nil
	}
	rows := v.origins.rows(origin)
	for len(rows) > 0 && int(rows[len(rows)-1]) >= v.table.rows() {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// Row gives what is known of a row.
func (x *Index) Row(id ID) (Row, error) {
	views, _ := x.views()
	if int(id.File) >= len(views) || int(id.Row) >= views[id.File].table.rows() {
		return Row{}, ErrUnknown
	}
	return views[id.File].row(int(id.Row)), nil
}

// At gives the row on a line of a file.
func (x *Index) At(name string, line int64) (ID, bool) {
	at, ok := x.byName[name]
	if !ok {
		return ID{}, false
	}
	views, _ := x.views()
	row, ok := views[at].table.at(line)
	return ID{uint32(at), uint32(row)}, ok
}

// Read reads the bytes of a row: ErrChanged when they are no longer those that were indexed.
func (x *Index) Read(ctx context.Context, id ID) ([]byte, error) {
	views, _ := x.views()
	if int(id.File) >= len(views) || int(id.Row) >= views[id.File].table.rows() {
		return nil, ErrUnknown
	}
	v := views[id.File]
	size := v.table.Sizes[id.Row]
	if size > longestRow {
		return nil, fmt.Errorf("%s:%d: %w", v.Name, v.table.line(int(id.Row)), ErrTooLong)
	}
	from, err := x.body(x.files[id.File])
	if err != nil {
		return nil, err
	}
	defer from.Close()
	data := make([]byte, size)
	n, err := from.ReadAt(data, v.table.Offsets[id.Row])
	if err != nil && err != io.EOF {
		return nil, err
	}
	if n < len(data) || sum(data) != v.table.Sums[id.Row] {
		x.doubt(v.file)
		return nil, fmt.Errorf("%s:%d: %w", v.Name, v.table.line(int(id.Row)), ErrChanged)
	}
	return data, ctx.Err()
}

// ByOrigin gives all rows that come of a record: of outputs, rejects, findings. They are ordered by file and row. Of the
// origin, the row is not looked at. There are none where several inputs have the name of its file.
func (x *Index) ByOrigin(of host.Origin) (ids []ID) {
	if x.shared[of.File] {
		return nil
	}
	views, _ := x.views()
	for _, v := range views {
		for _, row := range v.of(of) {
			ids = append(ids, ID{uint32(v.at), row})
		}
	}
	return ids
}
