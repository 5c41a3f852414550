package source

import (
	"context"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// ChunkOf returns a chunk of one record that is in memory already, with its place in some file.
func ChunkOf(ctx context.Context, arena *wire.Arena, file string, line int64, data []byte) (wire.Chunk, error) {
	region, err := arena.Alloc(ctx, max(len(data), 1))
	if err != nil {
		return wire.Chunk{}, err
	}
	n := copy(region.Bytes(), data)
	var chunk wire.Chunk
	var fault *wire.Fault
	if bad := jsontext.Check(data, Defaults().Depth); bad != nil {
		fault = &wire.Fault{Code: bad.Code, Message: bad.Message}
	}
	chunk.Add(wire.Record{Data: region.Bytes()[:n:n], Mem: region, File: file, Line: line}, fault)
	return chunk, nil
}
