package tracer

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/trace"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Inputs returns the files that hold the selected records, by the source that reads them; nil when every source reads its own.
func Inputs(tree *config.Pipeline, s trace.Selection) map[string][]string {
	if s.Match != nil {
		return nil
	}
	inputs := map[string][]string{}
	for _, in := range s.Records {
		if in.JSON != nil {
			continue
		}
		name := plan.SourceOf(tree, in.File)
		if !slices.Contains(inputs[name], in.File) {
			inputs[name] = append(inputs[name], in.File)
		}
	}
	return inputs
}

// selector decides which records of all sources are selected.
type selector struct {
	trace.Selection
	found   func(*wire.Record)
	targets []target // of Records
	left    int      // to be found
	asked   int      // records that Match was to be asked about
}

type target struct {
	trace.Input
	shown  string // the name of the file, as records of it have it
	found  bool
	before int64  // line of the last record before it, 0 when there is none
	source string // that read the record before it
}

// selects reports whether a record is selected, and counts it. Match is not asked about records that are no JSON.
func (s *selector) selects(r *wire.Record, source string, invalid bool) bool {
	if s.left == 0 {
		return false
	}
	if s.Match != nil {
		s.asked++
		if invalid || !s.Match(r.Data) {
			return false
		}
		s.left--
		return true
	}
	for i := range s.targets {
		t := &s.targets[i]
		if t.found || !s.inFile(t, r) {
			continue
		}
		switch {
		case t.Line == r.Line || t.Line == 0:
			t.found = true
			s.left--
			return true
		case r.Line < t.Line:
			t.before, t.source = r.Line, source
		case s.allBefore(r):
			s.left = 0 // Missing names them, without reading the rest of the file
		}
	}
	return false
}

// inFile reports whether a target is in the file of a record.
func (s *selector) inFile(t *target, r *wire.Record) bool {
	return t.JSON == nil && t.shown == r.File
}

// allBefore reports whether everything that is left to be found is before a record in its file.
func (s *selector) allBefore(r *wire.Record) bool {
	for i := range s.targets {
		if t := &s.targets[i]; !t.found && (!s.inFile(t, r) || t.Line >= r.Line) {
			return false
		}
	}
	return true
}

// Missing returns an error about the first record that was not found.
func (s *selector) Missing() error {
	if s.Match != nil && s.left == s.Count {
		return fmt.Errorf("%w, have %s that do not", trace.ErrNoMatch, plural.Of(s.asked, "record"))
	}
	for i := range s.targets {
		t := &s.targets[i]
		file := t.shown
		switch {
		case t.found:
		case t.Line == 0:
			return fmt.Errorf("%s: want a record, have a file without records", file)
		case t.before == 0:
			return fmt.Errorf("%s:%d: %w, have 0 on the lines up to it", file, t.Line, trace.ErrNoRecord)
		default:
			return fmt.Errorf("%s:%d: %w, have the last one before on line %d, as source %s reads it", file, t.Line, trace.ErrNoRecord, t.before, t.source)
		}
	}
	return nil
}

// filter reads the selected records of a source, each as a chunk of its own.
type filter struct {
	flow.Reader
	source   string // TYPE.NAME
	selector *selector
	chunk    wire.Chunk // as the source read it
	next     int        // record of chunk
}

// Next implements flow.Reader.
func (f *filter) Next(ctx context.Context, most int) (wire.Chunk, error) {
	for {
		for f.next < len(f.chunk.Records) {
			r, fault := f.chunk.Records[f.next:f.next+1:f.next+1], (*wire.Fault)(nil)
			if f.chunk.Faults != nil {
				fault = f.chunk.Faults[f.next]
			}
			f.next++
			if !f.selector.selects(&r[0], f.source, fault != nil) {
				wire.ReleaseAll(r)
				continue
			}
			f.selector.found(&r[0])
			var one wire.Chunk
			one.Add(r[0], fault)
			return one, nil
		}
		if f.selector.left == 0 {
			return wire.Chunk{}, io.EOF
		}
		var err error
		f.next = 0
		if f.chunk, err = f.Reader.Next(ctx, most); err != nil {
			return wire.Chunk{}, err
		}
	}
}

// Close implements flow.Reader.
func (f *filter) Close() error {
	wire.ReleaseAll(f.chunk.Records[f.next:])
	f.chunk, f.next = wire.Chunk{}, 0
	return f.Reader.Close()
}

type given struct {
	selector *selector
	arena    *wire.Arena
	next     int // of the selector's targets
}

// Next implements flow.Reader.
func (g *given) Next(ctx context.Context, most int) (wire.Chunk, error) {
	for g.next < len(g.selector.targets) {
		t := &g.selector.targets[g.next]
		g.next++
		if t.JSON == nil {
			continue
		}
		chunk, err := source.ChunkOf(ctx, g.arena, t.shown, t.Line, t.JSON)
		if err != nil {
			return chunk, err
		}
		t.found = true
		g.selector.left--
		g.selector.found(&chunk.Records[0])
		return chunk, nil
	}
	return wire.Chunk{}, io.EOF
}

// Close implements flow.Reader.
func (*given) Close() error { return nil }
