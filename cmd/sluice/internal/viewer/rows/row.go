package rows

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

// An ID is a row of an Index, for as long as that is open and not renewed. Links use file and line instead.
type ID struct {
	File uint32 // of those that were opened
	Row  uint32 // of the file, from 0
}

func (id ID) key() int64 { return int64(id.File)<<32 | int64(id.Row) }

// A Row describes a row of the index.
type Row struct {
	ID
	Name         string       // of the file
	Line         int64        // in the file, from 1
	Offset, Size int64        // bytes, in the file as it is unpacked; without the end of the line
	Shown        int64        // bytes of what masks leave of it
	Turns, Calls int64        // messages with the response, and calls in them
	JSON         bool         // it is a JSON value
	Origin       *host.Origin // nil when it is not known
	Shared       bool         // several inputs have the name of the origin's file: ByOrigin and "beside" have nothing of it
	kind, masked kind
	sum          uint32
}

// Words returns the values of a column of words, mostly one or none.
func (r *Row) Words(name string) []string {
	if of, ok := columnOf(name); ok {
		return r.kind[of]
	}
	return nil
}

// MaskedWords returns the values of a column of words that the row has when it is shown masked.
func (r *Row) MaskedWords(name string) []string {
	if of, ok := columnOf(name); ok {
		return r.masked[of]
	}
	return nil
}

func (s *store) rows(from string, args ...any) (all []Row, err error) {
	query := `SELECT r.id, r.line, r."offset", r.size, r.sum, r.shown, r.turns, r.calls, r.kind, r.masked,
		(SELECT name FROM index_input i WHERE i.id = r.input), (SELECT shared FROM index_input i WHERE i.id = r.input), r.origin, r.of_line, r.part FROM ` + from
	err = each(s.Query(query, args...))(func(scan func(...any) error) error {
		var r Row
		var key, kind, masked int64
		var input sql.NullString
		var shared, origin, ofLine, part sql.NullInt64
		if err := scan(&key, &r.Line, &r.Offset, &r.Size, &r.sum, &r.Shown, &r.Turns, &r.Calls, &kind, &masked, &input, &shared, &origin, &ofLine, &part); err != nil {
			return err
		}
		kinds := s.allKinds() // which were there before the row
		r.ID, r.kind, r.masked = ID{uint32(key >> 32), uint32(key)}, kinds[kind], kinds[masked]
		r.Name, r.JSON = r.kind[fileColumn][0], r.kind.isJSON()
		if input.Valid {
			r.Origin = &host.Origin{File: input.String, Line: origin.Int64, OfLine: uint32(ofLine.Int64), Row: uint32(part.Int64)}
			r.Shared = shared.Int64 != 0
		}
		all = append(all, r)
		return nil
	})
	return all, err
}

func (x *Index) rowsWhere(where string, args ...any) ([]Row, error) {
	x.mu.Lock()
	s := x.store
	x.mu.Unlock()
	return s.rows("index_row r WHERE "+where+" ORDER BY r.id", args...)
}

// Row returns a row by its ID.
func (x *Index) Row(id ID) (Row, error) {
	return only(x.rowsWhere("r.id = ?", id.key()))
}

// At returns the row on a line of a file, for which it waits until the context ends: ErrNotYet when the row is not indexed by then.
func (x *Index) At(ctx context.Context, name string, line int64) (Row, error) {
	at, ok := x.byName[name]
	if !ok {
		return Row{}, ErrUnknown
	}
	f := x.files[at]
	_ = x.until(ctx, func() bool { return f.Done || f.Rows >= line }) // a row may be there early, so it is looked for in any case
	x.mu.Lock()
	done := f.Done
	x.mu.Unlock()
	first, next := ID{File: uint32(at)}.key(), ID{File: uint32(at + 1)}.key()
	row, err := only(x.rowsWhere("r.id >= ? AND r.id < ? AND r.line = ?", first, next, line))
	if errors.Is(err, ErrUnknown) && !done {
		err = ErrNotYet
	}
	return row, err
}

// Read reads the bytes of a row: ErrChanged when they are no longer those that were indexed.
func (x *Index) Read(ctx context.Context, id ID) ([]byte, error) {
	r, err := x.Row(id)
	if err != nil {
		return nil, err
	}
	if r.Size > longestRow {
		return nil, fmt.Errorf("%s:%d: %w", r.Name, r.Line, errTooLong)
	}
	f := x.files[id.File]
	from, err := x.body(f)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	data := make([]byte, r.Size)
	n, err := from.ReadAt(data, r.Offset)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if n < len(data) || sum(data) != r.sum {
		x.doubt(f)
		return nil, fmt.Errorf("%s:%d: %w", r.Name, r.Line, ErrChanged)
	}
	return data, ctx.Err()
}

// ByOrigin returns all rows that come of a record, be it with others: of outputs, rejects, findings. They are ordered by file and row. Origin.Row
// does not matter. There are none where several inputs have the name of its file.
func (x *Index) ByOrigin(of host.Origin) ([]Row, error) {
	if x.shared[of.File] {
		return nil, nil
	}
	const input = "(SELECT id FROM index_input WHERE name = ?)"
	return x.rowsWhere("r.origin = ? AND r.input = "+input+" AND coalesce(r.of_line = ?, TRUE) OR r.id IN (SELECT id FROM index_of WHERE origin = ? AND input = "+input+")",
		of.Line, of.File, of.OfLine, of.Line, of.File)
}

// MadeOf returns the records that a row was made of, if it was of several.
func (x *Index) MadeOf(id ID) (all []receipt.Position, err error) {
	x.mu.Lock()
	s := x.store
	x.mu.Unlock()
	const query = "SELECT i.name, o.origin FROM index_of o JOIN index_input i ON i.id = o.input WHERE o.id = ? ORDER BY o.rowid"
	err = each(s.Query(query, id.key()))(func(scan func(...any) error) error {
		var p receipt.Position
		err := scan(&p.File, &p.Line)
		all = append(all, p)
		return err
	})
	return all, err
}

func only(all []Row, err error) (Row, error) {
	if len(all) == 0 {
		return Row{}, cmp.Or(err, ErrUnknown)
	}
	return all[0], err
}

// Lines returns the lines of a file that have a row, in order, as far as the file is indexed.
func (x *Index) Lines(name string) (all []int64, err error) {
	at, ok := x.byName[name]
	if !ok {
		return nil, ErrUnknown
	}
	x.mu.Lock()
	s := x.store
	x.mu.Unlock()
	first, next := ID{File: uint32(at)}.key(), ID{File: uint32(at + 1)}.key()
	err = each(s.Query("SELECT line FROM index_row WHERE id >= ? AND id < ? ORDER BY id", first, next))(func(scan func(...any) error) error {
		var line int64
		err := scan(&line)
		all = append(all, line)
		return err
	})
	return all, err
}
