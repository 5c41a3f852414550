package rows

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
)

// blocks are what files are read into. What one long row needs is not held for good.
var blocks = sync.Pool{New: func() any { return new([blockSize]byte) }}

// A part holds the rows of a block of lines.
type part struct {
	rows   []row
	kinds  kinds // of its rows
	masked kinds // of its rows as they are shown masked
	lines  int64
	end    int64 // of the block, in bytes of the file
	err    error
}

// A row is a line that is not blank.
type row struct {
	line         int64 // in the block, from 1
	offset, size int64
	sum          uint32 // of its bytes, so that a row that has changed is not taken for it
	shown        int64  // bytes of what masks leave of it
	turns, calls uint32
	score        any    // nil for none
	kind, masked int    // indexes into the kinds of the part
	file         string // of the record that it says to be about, "" for none
	of           int64  // and its line
}

// mostKinds is how many kinds rows of a file may have. Further ones share a word. It is a variable for tests.
var mostKinds = 1 << 16

// An indexer writes the rows of one file into a store.
type indexer struct {
	x       *Index
	into    *store
	at      int
	f       *file
	noted   *host.OriginReader // of what a run has noted of where the rows come from; nil when it has not
	trouble error              // of what was noted
	lines   int64              // so far
	kinds   map[string]int64   // their IDs, by their words
	most    [2]map[string]bool // kinds of rows, and of rows as they are shown masked; each has a limit, so that what is hidden changes nothing shown
}

func (x *Index) index(into *store, at int) (err error) {
	f := x.files[at]
	var k known
	if err := errors.Join(k.stat(f.Path), x.ctx.Err()); err != nil {
		return err
	}
	x.change(func() { f.known = k })
	in := &indexer{x: x, into: into, at: at, f: f, kinds: map[string]int64{}, most: [2]map[string]bool{{}, {}}}
	if in.noted, err = host.OpenOrigins(f.Path); errors.Is(err, host.ErrNoOrigins) {
		err = nil
	} else if err == nil {
		defer func() { err = errors.Join(err, in.noted.Close()) }()
	}
	note := in.noted == nil && err == nil
	in.trouble = err
	body, err := x.body(f)
	if err != nil {
		return errors.Join(err, in.trouble)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	parts := make(chan chan part, cap(x.workers))
	x.group.Go(func() {
		defer close(parts)
		x.cut(body, note, parts)
	})
	for next := range parts {
		p := <-next
		if err == nil && p.err == nil && x.ctx.Err() == nil {
			p.err = into.write(func(b batch) error { return in.add(b, &p) })
		}
		if err == nil {
			err = p.err
		}
	}
	return errors.Join(err, x.ctx.Err(), in.origins(err == nil))
}

// cut cuts a file into blocks of whole lines, which workers look into. note says whether rows may name their records.
func (x *Index) cut(from io.ReaderAt, note bool, parts chan<- chan part) {
	c := cutter{from: from}
	for {
		out := make(chan part, 1)
		select {
		case x.workers <- struct{}{}:
		case <-x.ctx.Done():
			out <- part{err: x.ctx.Err()}
			parts <- out
			return
		}
		buf, offset := blocks.Get().(*[blockSize]byte), c.at
		release := func() { blocks.Put(buf); <-x.workers }
		block, err := c.next(buf[:])
		if err == io.EOF {
			release()
			return
		}
		parts <- out
		if err != nil {
			out <- part{err: err}
			release()
			return
		}
		at := c.at
		x.group.Go(func() {
			defer release()
			if block == nil {
				out <- x.readLongLine(from, offset, at, note)
				return
			}
			out <- readBlock(block, offset, at, note, x.options.Mask)
		})
	}
}

func (in *indexer) add(b batch, p *part) error {
	insert, err := b.Prepare("INSERT INTO index_row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	kinds, err := in.ids(b, &p.kinds, in.most[0])
	if err != nil {
		return err
	}
	masked, err := in.ids(b, &p.masked, in.most[1])
	if err != nil {
		return err
	}
	bad := int64(0)
	for i, r := range p.rows {
		var input, origin, of, nth any // NULL when they are not known
		at, ok := in.origin(&r)
		if ok {
			if input, err = b.input(at.File, in.x.shared[at.File]); err != nil {
				return err
			}
			if origin = at.Line; in.f.Input == "" {
				of, nth = at.OfLine, at.Row
			}
		}
		id := ID{uint32(in.at), uint32(in.f.Rows + int64(i))}
		if err := in.addPlaces(b, id, at); err != nil {
			return err
		}
		if !p.kinds.list[r.kind].isJSON() {
			bad++
		}
		if _, err := insert.Exec(id.key(), in.lines+r.line, r.offset, r.size, r.sum, r.shown, r.turns, r.calls, r.score, kinds[r.kind], masked[r.masked], input, origin, of, nth); err != nil {
			return err
		}
	}
	read := p.end
	if in.f.spool != nil {
		read = min(in.f.spool.packed.read.Load(), in.f.Of) // what begins and ends a file is read twice
	}
	in.lines += p.lines
	in.x.change(func() { in.f.Rows, in.f.Bad, in.f.Read = in.f.Rows+int64(len(p.rows)), in.f.Bad+bad, read })
	return nil
}

// ids returns the IDs of kinds.
func (in *indexer) ids(b batch, of *kinds, most map[string]bool) (ids []int64, err error) {
	for _, k := range of.list {
		id, err := in.kind(b, k, most)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (in *indexer) kind(b batch, k kind, most map[string]bool) (int64, error) {
	if k[fileColumn] = []string{in.f.Name}; in.f.Outcome != "" {
		k[outcome] = []string{in.f.Outcome}
	}
	if !most[string(k.key())] && len(most) >= mostKinds {
		for name, all := range k {
			if !slices.Contains([]column{fileColumn, outcome, shape}, column(name)) && len(all) > 0 {
				k[name] = []string{otherWord}
			}
		}
	}
	key := string(k.key())
	most[key] = true
	id, ok := in.kinds[key]
	if ok {
		return id, nil
	}
	id, err := b.addKind(k)
	in.kinds[key] = id
	return id, err
}

// origin returns the record that the next row comes of: the row itself in an input, as a run has noted it, or as the row names it.
func (in *indexer) origin(r *row) (at host.Origin, ok bool) {
	switch {
	case in.f.Input != "":
		return host.Origin{File: in.f.Input, Line: in.lines + r.line}, true
	case in.noted != nil && in.trouble == nil:
		at, in.trouble = in.noted.Next()
		return at, in.trouble == nil
	}
	return host.Origin{File: r.file, Line: r.of}, r.file != ""
}

// addPlaces adds the places of all records that a row was made of, if it was of several.
func (in *indexer) addPlaces(b batch, id ID, at host.Origin) error {
	if at.Of == nil {
		return nil
	}
	for _, p := range at.Of.List {
		input, err := b.input(p.File, in.x.shared[p.File])
		if err == nil {
			err = b.exec("INSERT INTO index_of VALUES (?, ?, ?)", id.key(), input, p.Line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// origins checks that the noted origins are as many as the rows of the file, and removes them from the rows otherwise.
func (in *indexer) origins(whole bool) error {
	if in.noted != nil && whole && (in.trouble == nil || in.trouble == io.EOF) {
		for in.trouble == nil {
			_, _, in.trouble = in.noted.NextRun()
		}
		if noted, _ := in.noted.Summary(); in.trouble == io.EOF {
			if in.trouble = nil; noted.Rows != in.f.Rows {
				in.trouble = fmt.Errorf("%s: want the origins of %s, have those of %d", in.f.Path, plural.Of(in.f.Rows, "row"), noted.Rows)
			}
		}
	}
	if in.trouble == nil || in.x.ctx.Err() != nil {
		return nil
	}
	err := in.into.write(func(b batch) error {
		from, to := ID{File: uint32(in.at)}.key(), ID{File: uint32(in.at + 1)}.key()-1
		return errors.Join(
			b.exec("UPDATE index_row SET input = NULL, origin = NULL, of_line = NULL, part = NULL WHERE id BETWEEN ? AND ? AND of_line >= 0", from, to),
			b.exec("DELETE FROM index_of WHERE id BETWEEN ? AND ?", from, to))
	})
	return errors.Join(in.trouble, err)
}
