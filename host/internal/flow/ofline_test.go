package flow

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A chunkReader returns prepared chunks.
type chunkReader [][]wire.Record

func (g *chunkReader) Next(context.Context, int) (wire.Chunk, error) {
	if len(*g) == 0 {
		return wire.Chunk{}, io.EOF
	}
	records := (*g)[0]
	*g = (*g)[1:]
	return wire.Chunk{Records: records}, nil
}

func (g *chunkReader) Close() error { return nil }

// An ofLineWriter keeps the OfLine of each record.
type ofLineWriter []uint32

func (*ofLineWriter) Accepts(*wire.Record) *wire.Fault { return nil }

func (t *ofLineWriter) Write(records []wire.Record) error {
	for i := range records {
		*t = append(*t, records[i].OfLine)
	}
	return nil
}

// TestOfLine checks that records that begin on one line are numbered, also across chunks, and others are not.
func TestOfLine(t *testing.T) {
	at := func(file string, line int64) wire.Record {
		return wire.Record{Data: []byte("1"), File: file, Line: line}
	}
	var have ofLineWriter
	first := chunkReader{{at("a", 1), at("a", 1)}, {at("a", 1), at("a", 2), at("b", 2)}}
	second := chunkReader{{at("b", 2), at("b", 3)}}
	err := Run(t.Context(), Plan{
		Sources: []*Source{{Name: "first", Reader: &first}, {Name: "second", Reader: &second}}, Body: []Node{&Sink{Name: "out", Writer: &have}},
		DeadLetter: &Sink{Name: "rejects", Writer: &ofLineWriter{}}, Account: &Totals{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint32{0, 1, 2, 0, 0, 1, 0}; !slices.Equal(want, have) {
		t.Error(cmp.Diff(want, []uint32(have)))
	}
}
