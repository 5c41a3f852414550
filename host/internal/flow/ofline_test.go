package flow

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// given is a source of chunks.
type given [][]wire.Record

func (g *given) Next(context.Context) (wire.Chunk, error) {
	if len(*g) == 0 {
		return wire.Chunk{}, io.EOF
	}
	records := (*g)[0]
	*g = (*g)[1:]
	return wire.Chunk{Records: records}, nil
}

func (g *given) Close() error { return nil }

// taken is a sink that keeps which of its line each record is.
type taken []uint32

func (*taken) Accepts(*wire.Record) *wire.Fault { return nil }

func (t *taken) Write(records []wire.Record) error {
	for i := range records {
		*t = append(*t, records[i].OfLine)
	}
	return nil
}

// TestOfLine holds that records that begin on one line are told apart, also across chunks, and others are not counted.
func TestOfLine(t *testing.T) {
	at := func(file string, line int64) wire.Record {
		return wire.Record{Data: []byte("1"), File: file, Line: line}
	}
	var have taken
	first := given{{at("a", 1), at("a", 1)}, {at("a", 1), at("a", 2), at("b", 2)}}
	second := given{{at("b", 2), at("b", 3)}}
	err := Run(t.Context(), Plan{
		Sources: []*Source{{Name: "first", Reader: &first}, {Name: "second", Reader: &second}}, Body: []Node{&Sink{Name: "out", Writer: &have}},
		DeadLetter: &Sink{Name: "rejects", Writer: &taken{}}, Limit: -1, Account: &Totals{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint32{0, 1, 2, 0, 0, 1, 0}; !slices.Equal(want, have) {
		t.Error(cmp.Diff(want, []uint32(have)))
	}
}
