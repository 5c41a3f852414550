package host

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A picking is what is left to be picked, of all sources.
type picking struct {
	Pick
	mask   func(string) string
	sought []sought // of Records
	left   int
	given  func(*wire.Record) // is told each record that is picked
}

// A sought record is one of Records.
type sought struct {
	Wanted
	found bool
	last  int64  // line of the last record before it, 0 when there is none
	by    string // the source that read that
}

func newPicking(k Pick) *picking {
	x := &picking{Pick: k, left: k.Count}
	for _, w := range k.Records {
		x.sought = append(x.sought, sought{Wanted: w})
	}
	if k.Match == nil {
		x.left = len(k.Records)
	}
	return x
}

// wants tells whether a record is picked, and notes that it is. What is no JSON can match nothing.
func (x *picking) wants(r *wire.Record, source string, unread bool) bool {
	if x.left == 0 {
		return false
	}
	if x.Match != nil {
		if unread || !x.Match(r.Data) {
			return false
		}
		x.left--
		return true
	}
	for i := range x.sought {
		s := &x.sought[i]
		if s.found || !x.stands(s, r) {
			continue
		}
		switch {
		case s.Line == r.Line || s.Line == 0:
			s.found = true
			x.left--
			return true
		case r.Line < s.Line:
			s.last, s.by = r.Line, source
		case x.passed(r):
			x.left = 0 // what is missing is told; the rest of the file need not be read for it
		}
	}
	return false
}

// stands tells whether what is sought stands in the file of a record.
func (x *picking) stands(s *sought, r *wire.Record) bool {
	return s.JSON == nil && x.mask(s.File) == r.File
}

// passed tells whether all that is left to be found stands before a record in its file.
func (x *picking) passed(r *wire.Record) bool {
	for i := range x.sought {
		if s := &x.sought[i]; !s.found && (!x.stands(s, r) || s.Line >= r.Line) {
			return false
		}
	}
	return true
}

// missing is the error of what was not found.
func (x *picking) missing() error {
	if x.Match != nil && x.left == x.Count {
		return errors.New("want a record that matches, have none in the sources")
	}
	for i := range x.sought {
		s := &x.sought[i]
		file := x.mask(s.File)
		switch {
		case s.found:
		case s.Line == 0:
			return fmt.Errorf("%s: want a record, have none", file)
		case s.last == 0:
			return fmt.Errorf("%s:%d: want a record that begins on this line, have none there or before", file, s.Line)
		default:
			return fmt.Errorf("%s:%d: want a record that begins on this line, have the last one before on line %d, as source %s reads it",
				file, s.Line, s.last, s.by)
		}
	}
	return nil
}

// A picker gives the records of a source that are picked, each in a chunk of its own.
type picker struct {
	flow.Reader
	source  string // TYPE.NAME
	picking *picking
	chunk   wire.Chunk // what has not been looked at
	at      int
}

// Next implements flow.Reader.
func (p *picker) Next(ctx context.Context) (wire.Chunk, error) {
	for {
		for p.at < len(p.chunk.Records) {
			r, fault := p.chunk.Records[p.at:p.at+1:p.at+1], (*wire.Fault)(nil)
			if p.chunk.Faults != nil {
				fault = p.chunk.Faults[p.at]
			}
			p.at++
			if !p.picking.wants(&r[0], p.source, fault != nil) {
				wire.ReleaseAll(r)
				continue
			}
			p.picking.given(&r[0])
			var one wire.Chunk
			one.Add(r[0], fault)
			return one, nil
		}
		if p.picking.left == 0 {
			return wire.Chunk{}, io.EOF
		}
		var err error
		p.at = 0
		if p.chunk, err = p.Reader.Next(ctx); err != nil {
			return wire.Chunk{}, err
		}
	}
}

// Close implements flow.Reader.
func (p *picker) Close() error {
	wire.ReleaseAll(p.chunk.Records[p.at:])
	p.chunk, p.at = wire.Chunk{}, 0
	return p.Reader.Close()
}

// A handing gives records that are there already.
type handing struct {
	picking *picking
	arena   *wire.Arena
	next    int
}

// Next implements flow.Reader.
func (h *handing) Next(ctx context.Context) (wire.Chunk, error) {
	for h.next < len(h.picking.sought) {
		w := &h.picking.sought[h.next]
		h.next++
		if w.JSON == nil {
			continue
		}
		chunk, err := source.Hand(ctx, h.arena, h.picking.mask(w.File), w.Line, w.JSON)
		if err != nil {
			return chunk, err
		}
		w.found = true
		h.picking.left--
		h.picking.given(&chunk.Records[0])
		return chunk, nil
	}
	return wire.Chunk{}, io.EOF
}

// Close implements flow.Reader.
func (*handing) Close() error { return nil }
